#include "gp/covariance.hpp"

#include <algorithm>
#include <vector>

#include "common/parallel.hpp"
#include "gp/evaluator.hpp"

namespace statlearn::gp {
namespace {

double cost(const Formula& formula, Index n, Index m, Index p) {
    return double(n) * double(m) * (double(p) + 20.0) * double(formula.nodes.size()) / 4.0;
}

Block block_at(const Blocks& tall, Index a, const Blocks& wide, Index b, bool same) {
    return {tall.begin(a), tall.end(a), wide.begin(b), wide.end(b), same};
}

}  // namespace

bool is_valid(const Formula& formula, Index n_columns) {
    const Index n_values = Index(formula.values.size());
    if (formula.nodes.empty() || formula.slots.size() != formula.values.size()) return false;
    for (const int slot : formula.slots)
        if (slot < -1 || slot >= formula.n_slots) return false;
    for (std::size_t k = 0; k < formula.nodes.size(); ++k) {
        const Node& node = formula.nodes[k];
        if (int(node.op) < 0 || int(node.op) >= kOps) return false;
        if (!is_leaf(node.op)) {
            const bool two = node.op != Op::power;
            if (node.left < 0 || node.left >= int(k)) return false;
            if (two && (node.right < 0 || node.right >= int(k) || node.right == node.left)) return false;
            continue;
        }
        if (node.first < 0 || node.count < 1 || node.first + Index(node.count) > n_values) return false;
        const bool two = node.op == Op::rational_quadratic || node.op == Op::exp_sine_squared;
        const bool many = node.op == Op::rbf || node.op == Op::matern;
        if (two ? node.count != 2 : node.count != 1 && !(many && node.count == n_columns)) return false;
        if (node.op == Op::pairwise && !(node.extra >= 0.0 && node.extra < double(kKernelKinds))) return false;
        if (node.op == Op::matern && !(node.extra > 0.0)) return false;
    }
    return true;
}

void covariance_gram(const Formula& formula, Matrix<const double> X, bool both, const Interrupt& interrupt,
                     Matrix<double> out) {
    const Evaluator evaluator(formula, X, nullptr);
    const Blocks blocks(X.rows, kBlock);
    parallel_for(blocks.count(), Work(cost(formula, X.rows, X.rows, X.cols) / 2), [&](Index a) {
        Workspace work(formula, false);
        for (Index b = 0; b <= a; ++b) {
            if (interrupt.requested()) return;
            const Block block = block_at(blocks, a, blocks, b, true);
            const double* value = evaluator.forward(block, false, work);
            for (Index r = 0; r < block.rows(); ++r)
                std::copy_n(value + r * kBlock, block.cols(), out.row(block.i0 + r) + block.j0);
            if (!both || a == b) continue;
            for (Index j = 0; j < block.cols(); ++j)
                for (Index r = 0; r < block.rows(); ++r) out(block.j0 + j, block.i0 + r) = value[r * kBlock + j];
        }
    });
}

void covariance_cross(const Formula& formula, Matrix<const double> X, Matrix<const double> Z,
                      const Interrupt& interrupt, Matrix<double> out) {
    const Evaluator evaluator(formula, X, &Z);
    const Blocks tall(X.rows, kBlock), wide(Z.rows, kBlock);
    parallel_for(tall.count(), Work(cost(formula, X.rows, Z.rows, X.cols)), [&](Index a) {
        Workspace work(formula, false);
        for (Index b = 0; b < wide.count(); ++b) {
            if (interrupt.requested()) return;
            const Block block = block_at(tall, a, wide, b, false);
            const double* value = evaluator.forward(block, false, work);
            for (Index r = 0; r < block.rows(); ++r)
                std::copy_n(value + r * kBlock, block.cols(), out.row(block.i0 + r) + block.j0);
        }
    });
}

namespace {

// Adds up `gather` over the blocks that weigh(block, seed) fills with weights; partial sums in the order of the rows.
template <class Weigh>
void trace(const Formula& formula, const Evaluator& evaluator, const Blocks& tall, const Blocks& wide, bool same,
           double work_size, const Interrupt& interrupt, Span<double> out, Weigh&& weigh) {
    const std::size_t q = out.size();
    std::vector<double> part(std::size_t(tall.count()) * q, 0.0);
    parallel_for(tall.count(), Work(work_size), [&](Index a) {
        Workspace work(formula, true);
        double* total = part.data() + std::size_t(a) * q;
        for (Index b = 0; b < (same ? a + 1 : wide.count()); ++b) {
            if (interrupt.requested()) return;
            const Block block = block_at(tall, a, wide, b, same);
            evaluator.forward(block, true, work);
            double* seed = Evaluator::seed(work);
            weigh(block, seed);
            for (Index r = 0; r < block.rows(); ++r)
                std::fill(seed + r * kBlock + block.cols(), seed + r * kBlock + block.width(), 0.0);
            evaluator.backward(block, work);
            evaluator.gather(block, work, total);
        }
    });
    std::fill(out.begin(), out.end(), 0.0);
    for (Index a = 0; a < tall.count(); ++a)
        for (std::size_t s = 0; s < q; ++s) out[s] += part[std::size_t(a) * q + s];
}

}  // namespace

void covariance_trace(const Formula& formula, Matrix<const double> X, double scale, Matrix<const double> M,
                      Matrix<const double> U, Matrix<const double> V, const Interrupt& interrupt, Span<double> out) {
    const Evaluator evaluator(formula, X, nullptr);
    const Blocks blocks(X.rows, kBlock);
    const double size = 1.5 * cost(formula, X.rows, X.rows, X.cols);
    trace(formula, evaluator, blocks, blocks, true, size, interrupt, out, [&](const Block& block, double* seed) {
        const bool corner = block.i0 == block.j0;
        for (Index r = 0; r < block.rows(); ++r) {
            const Index i = block.i0 + r;
            double* row = seed + r * kBlock;
            for (Index j = 0; j < block.cols(); ++j) {
                const Index c = block.j0 + j;
                // Pairs above the diagonal are counted by their mirror images.
                const double count = corner ? (c < i ? 2.0 : c == i ? 1.0 : 0.0) : 2.0;
                double sum = c <= i ? scale * M(i, c) : 0.0;
                for (Index t = 0; t < U.cols; ++t) sum += U(i, t) * V(c, t);
                row[j] = count * sum;
            }
        }
    });
}

void covariance_cross_trace(const Formula& formula, Matrix<const double> X, Matrix<const double> Z,
                            Matrix<const double> W, const Interrupt& interrupt, Span<double> out) {
    const Evaluator evaluator(formula, X, &Z);
    const Blocks tall(X.rows, kBlock), wide(Z.rows, kBlock);
    const double size = 2.0 * cost(formula, X.rows, Z.rows, X.cols);
    trace(formula, evaluator, tall, wide, false, size, interrupt, out, [&](const Block& block, double* seed) {
        for (Index r = 0; r < block.rows(); ++r)
            std::copy_n(W.row(block.i0 + r) + block.j0, block.cols(), seed + r * kBlock);
    });
}

void covariance_diagonal(const Formula& formula, Matrix<const double> X, const Interrupt& interrupt,
                         Span<double> values, Span<double> out) {
    const Evaluator evaluator(formula, X, nullptr);
    const Blocks blocks(X.rows, kBlock);
    const std::size_t q = out.size();
    std::vector<double> part(std::size_t(blocks.count()) * q, 0.0);
    parallel_for(blocks.count(), Work(3.0 * cost(formula, X.rows, kBlock, X.cols)), [&](Index a) {
        if (interrupt.requested()) return;
        Workspace work(formula, true);
        const Block block = block_at(blocks, a, blocks, a, true);
        const double* value = evaluator.forward(block, true, work);
        double* seed = Evaluator::seed(work);
        for (Index r = 0; r < block.rows(); ++r) {
            values[block.i0 + r] = value[r * kBlock + r];
            std::fill_n(seed + r * kBlock, block.width(), 0.0);
            seed[r * kBlock + r] = 1.0;
        }
        evaluator.backward(block, work);
        evaluator.gather(block, work, part.data() + std::size_t(a) * q);
    });
    std::fill(out.begin(), out.end(), 0.0);
    for (Index a = 0; a < blocks.count(); ++a)
        for (std::size_t s = 0; s < q; ++s) out[s] += part[std::size_t(a) * q + s];
}

void covariance_gradient(const Formula& formula, Matrix<const double> X, const Interrupt& interrupt, Span<double> out) {
    const Evaluator evaluator(formula, X, nullptr);
    const Index n = X.rows, q = formula.n_slots;
    const Blocks blocks(n, kBlock);
    parallel_for(blocks.count(), Work(2.0 * cost(formula, n, n, X.cols)), [&](Index a) {
        Workspace work(formula, true);
        for (Index b = 0; b <= a; ++b) {
            if (interrupt.requested()) return;
            const Block block = block_at(blocks, a, blocks, b, true);
            evaluator.forward(block, true, work);
            std::fill_n(Evaluator::seed(work), kArea, 1.0);
            evaluator.backward(block, work);
            evaluator.each_derivative(block, work, [&](int slot, Index r, const double* row, Index m) {
                const Index i = block.i0 + r;
                for (Index j = 0; j < m; ++j) {
                    const Index c = block.j0 + j;
                    out[(i * n + c) * q + slot] = row[j];
                    out[(c * n + i) * q + slot] = row[j];
                }
            });
        }
    });
}

}  // namespace statlearn::gp
