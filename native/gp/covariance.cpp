#include "gp/covariance.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "common/kernel_finish.hpp"
#include "common/kernel_sums.hpp"
#include "common/parallel.hpp"
#include "gp/bessel.hpp"

namespace statlearn::gp {
namespace {

using detail::exp_to_zero;
using detail::KernelTerm;
using detail::kPanel;
using detail::Packed;

constexpr Index kBlock = 48;  // rows and columns of a block of pairs: a multiple of both panel widths
constexpr Index kArea = kBlock * kBlock;

bool is_leaf(Op op) { return op < Op::sum; }
bool is_radial(Op op) { return op == Op::rbf || op == Op::matern || op == Op::rational_quadratic; }
bool has_rows(Op op) { return is_leaf(op) && op != Op::constant && op != Op::white; }

KernelKind pairwise_kind(const Node& node) { return KernelKind(int(node.extra)); }

KernelTerm term_of(const Node& node) {
    switch (node.op) {
        case Op::dot_product:
            return KernelTerm::product;
        case Op::minimum:
            return KernelTerm::minimum;
        case Op::pairwise:
            return detail::kernel_term(pairwise_kind(node));
        default:
            return KernelTerm::square;
    }
}

// The rows of a leaf, divided by its length scales.
Packed<double> pack_rows(const Node& node, std::span<const double> values, MatrixView<const double> X) {
    const Index p = X.cols;
    std::vector<double> divisor(std::size_t(p), 1.0);
    if (is_radial(node.op)) {
        const int own = node.op == Op::rational_quadratic ? node.first + 1 : node.first;
        const bool many = node.op != Op::rational_quadratic && node.count > 1;
        for (Index k = 0; k < p; ++k) divisor[std::size_t(k)] = values[std::size_t(own + (many ? int(k) : 0))];
    }
    const bool unit = node.op == Op::pairwise && pairwise_kind(node) == KernelKind::cosine;
    Packed<double> rows(X.rows, p);
    const Blocks blocks(X.rows, 1024);
    parallel_for(blocks.count(), Work(X.rows * p), [&](Index b) {
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            double* to = rows.at(i);
            double norm = 1.0;
            if (unit) {
                norm = 0.0;
                for (Index k = 0; k < p; ++k) norm += X(i, k) * X(i, k);
                norm = norm > 0.0 ? std::sqrt(norm) : 1.0;
            }
            for (Index k = 0; k < p; ++k) to[k * kPanel<double>] = X(i, k) / (unit ? norm : divisor[std::size_t(k)]);
        }
    });
    return rows;
}

// What a thread needs for one block.
struct Workspace {
    struct Buffers {
        std::vector<double> value, sums, slope, adjoint;
    };
    std::vector<Buffers> of;

    Workspace(const Formula& formula, bool derivatives) : of(formula.nodes.size()) {
        for (std::size_t k = 0; k < of.size(); ++k) {
            of[k].value.resize(std::size_t(kArea));
            if (has_rows(formula.nodes[k].op)) of[k].sums.resize(std::size_t(kArea));
            if (!derivatives) continue;
            of[k].adjoint.resize(std::size_t(kArea));
            if (is_radial(formula.nodes[k].op) || formula.nodes[k].op == Op::exp_sine_squared)
                of[k].slope.resize(std::size_t(kArea));
        }
    }
};

struct Block {
    Index i0, i1, j0, j1;
    bool same;  // rows of one table with themselves
    Index rows() const { return i1 - i0; }
    Index cols() const { return j1 - j0; }
    Index width() const { return (cols() + kPanel<double> - 1) / kPanel<double> * kPanel<double>; }  // whole panels
};

template <class F>
void each_row(const Block& block, F&& body) {
    for (Index r = 0; r < block.rows(); ++r) body(r * kBlock, block.width());
}

class Evaluator {
public:
    Evaluator(const Formula& formula, MatrixView<const double> X, const MatrixView<const double>* Z)
        : formula_(formula) {
        for (const Node& node : formula.nodes) {
            left_.emplace_back();
            right_.emplace_back();
            if (!has_rows(node.op)) continue;
            left_.back() = std::make_unique<Packed<double>>(pack_rows(node, formula.values, X));
            if (Z) right_.back() = std::make_unique<Packed<double>>(pack_rows(node, formula.values, *Z));
        }
    }

    // Values of all nodes for a block; with `derivatives`, also what `backward` needs.
    const double* forward(const Block& block, bool derivatives, Workspace& work) const {
        for (std::size_t k = 0; k < formula_.nodes.size(); ++k) {
            const Node& node = formula_.nodes[k];
            auto& own = work.of[k];
            if (is_leaf(node.op)) {
                leaf(k, block, derivatives, own);
                continue;
            }
            const double* a = work.of[std::size_t(node.left)].value.data();
            const double* b = node.right >= 0 ? work.of[std::size_t(node.right)].value.data() : nullptr;
            double* out = own.value.data();
            each_row(block, [&](Index at, Index m) {
                if (node.op == Op::sum)
                    for (Index j = at; j < at + m; ++j) out[j] = a[j] + b[j];
                else if (node.op == Op::product)
                    for (Index j = at; j < at + m; ++j) out[j] = a[j] * b[j];
                else {
                    std::copy_n(a + at, m, out + at);
                    detail::power(out + at, m, node.extra);
                }
            });
        }
        return work.of.back().value.data();
    }

    // The buffer into which the weights of the result go; they must be 0 beyond the block's columns.
    static double* seed(Workspace& work) { return work.of.back().adjoint.data(); }

    // Carries the weights of the result back to the leaves.
    void backward(const Block& block, Workspace& work) const {
        for (std::size_t k = formula_.nodes.size(); k-- > 0;) {
            const Node& node = formula_.nodes[k];
            if (is_leaf(node.op)) continue;
            const double* from = work.of[k].adjoint.data();
            auto& a = work.of[std::size_t(node.left)];
            each_row(block, [&](Index at, Index m) {
                double* left = a.adjoint.data();
                if (node.op == Op::power) {
                    std::copy_n(a.value.data() + at, m, left + at);
                    detail::power(left + at, m, node.extra - 1.0);
                    for (Index j = at; j < at + m; ++j) left[j] = from[j] != 0.0 ? from[j] * node.extra * left[j] : 0.0;
                    return;
                }
                auto& b = work.of[std::size_t(node.right)];
                double* right = b.adjoint.data();
                if (node.op == Op::sum) {
                    std::copy_n(from + at, m, left + at);
                    std::copy_n(from + at, m, right + at);
                } else {
                    const double* x = a.value.data();
                    const double* y = b.value.data();
                    for (Index j = at; j < at + m; ++j) {
                        left[j] = from[j] * y[j];
                        right[j] = from[j] * x[j];
                    }
                }
            });
        }
    }

    // total[s] += the sum over the block of adjoint times derivative, for the free parameters of all leaves.
    void gather(const Block& block, Workspace& work, double* total) const {
        for (std::size_t k = 0; k < formula_.nodes.size(); ++k) {
            const Node& node = formula_.nodes[k];
            if (!is_leaf(node.op)) continue;
            for (int c = 0; c < node.count; ++c) {
                const int slot = formula_.slots[std::size_t(node.first + c)];
                if (slot < 0) continue;
                if (is_radial(node.op) && node.op != Op::rational_quadratic && node.count > 1) {
                    total[slot] += column(k, c, block, work);
                    continue;
                }
                double sum = 0.0;
                each_pair_derivative(k, c, block, work, [&](Index, const double* row, Index m) {
                    for (Index j = 0; j < m; ++j) sum += row[j];
                });
                total[slot] += sum;
            }
        }
    }

    // write(slot, row, values, count) for the derivatives of a block, weighted by the adjoint.
    template <class F>
    void each_derivative(const Block& block, Workspace& work, F&& write) const {
        std::vector<double> weighted(std::size_t{kBlock});
        for (std::size_t k = 0; k < formula_.nodes.size(); ++k) {
            const Node& node = formula_.nodes[k];
            if (!is_leaf(node.op)) continue;
            for (int c = 0; c < node.count; ++c) {
                const int slot = formula_.slots[std::size_t(node.first + c)];
                if (slot < 0) continue;
                if (is_radial(node.op) && node.op != Op::rational_quadratic && node.count > 1) {
                    const auto& own = work.of[k];
                    const auto& A = *left_[k];
                    const auto& B = rows_right(k);
                    for (Index r = 0; r < block.rows(); ++r) {
                        const double a = A.at(block.i0 + r)[c * kPanel<double>];
                        for (Index j = 0; j < block.cols(); ++j) {
                            const double d = a - B.at(block.j0 + j)[c * kPanel<double>];
                            const auto at = std::size_t(r * kBlock + j);
                            weighted[std::size_t(j)] = own.adjoint[at] * own.slope[at] * d * d;
                        }
                        write(slot, r, weighted.data(), block.cols());
                    }
                    continue;
                }
                each_pair_derivative(k, c, block, work,
                                     [&](Index r, const double* row, Index) { write(slot, r, row, block.cols()); });
            }
        }
    }

private:
    const Packed<double>& rows_right(std::size_t k) const { return right_[k] ? *right_[k] : *left_[k]; }

    void leaf(std::size_t k, const Block& block, bool derivatives, Workspace::Buffers& own) const {
        const Node& node = formula_.nodes[k];
        const double* par = formula_.values.data() + node.first;
        double* value = own.value.data();
        if (node.op == Op::constant) {
            each_row(block, [&](Index at, Index m) { std::fill_n(value + at, m, par[0]); });
            return;
        }
        if (node.op == Op::white) {
            each_row(block, [&](Index at, Index m) { std::fill_n(value + at, m, 0.0); });
            if (block.same && block.i0 == block.j0)
                for (Index r = 0; r < block.rows(); ++r) value[r * kBlock + r] = par[0];
            return;
        }
        detail::kernel_sums(term_of(node), *left_[k], block.i0, block.i1, rows_right(k), block.j0, block.j1,
                            own.sums.data(), kBlock);
        const double* sums = own.sums.data();
        each_row(block, [&](Index at, Index m) {
            finish(node, par, sums + at, value + at,
                   derivatives && !own.slope.empty() ? own.slope.data() + at : nullptr, m);
        });
    }

    // Values of a leaf from its sums. For radial kernels `slope` is g with dk / d log l_k = g ((x_k - z_k) / l_k)^2,
    // for the periodic one it is dk / d log(period).
    static void finish(const Node& node, const double* par, const double* sums, double* value, double* slope, Index m) {
        switch (node.op) {
            case Op::rbf:
                std::copy_n(sums, m, value);
                detail::finish<double>({KernelKind::rbf, 0.5, 0.0, 0.0}, value, m);
                if (slope) std::copy_n(value, m, slope);
                return;
            case Op::matern:
                return matern(node.extra, sums, value, slope, m);
            case Op::rational_quadratic: {
                const double a = par[0];
                for (Index j = 0; j < m; ++j) {
                    const double base = 1.0 + sums[j] / (2.0 * a);
                    value[j] = exp_to_zero(-a * log_fast(base));
                    if (slope) slope[j] = value[j] / base;
                }
                return;
            }
            case Op::exp_sine_squared: {
                const double length = par[0], period = par[1];
                for (Index j = 0; j < m; ++j) {
                    const double angle = std::numbers::pi * std::sqrt(sums[j]) / period;
                    const double s = std::sin(angle) / length;
                    value[j] = exp_to_zero(-2.0 * s * s);
                    if (slope) slope[j] = 4.0 * angle / length * std::cos(angle) * s * value[j];
                }
                return;
            }
            case Op::dot_product:
                for (Index j = 0; j < m; ++j) value[j] = par[0] * par[0] + sums[j];
                return;
            case Op::minimum:
                for (Index j = 0; j < m; ++j) value[j] = par[0] * sums[j];
                return;
            default:
                std::copy_n(sums, m, value);
                detail::finish<double>({pairwise_kind(node), par[0], 1.0, 3.0}, value, m);
        }
    }

    static void matern(double nu, const double* sums, double* value, double* slope, Index m) {
        if (nu == 0.5) {
            for (Index j = 0; j < m; ++j) {
                const double d = std::sqrt(sums[j]);
                value[j] = exp_to_zero(-d);
                if (slope) slope[j] = d > 0.0 ? value[j] / d : 0.0;
            }
        } else if (nu == 1.5) {
            for (Index j = 0; j < m; ++j) {
                const double d = std::sqrt(3.0 * sums[j]), e = exp_to_zero(-d);
                value[j] = (1.0 + d) * e;
                if (slope) slope[j] = 3.0 * e;
            }
        } else if (nu == 2.5) {
            for (Index j = 0; j < m; ++j) {
                const double d = std::sqrt(5.0 * sums[j]), e = exp_to_zero(-d);
                value[j] = (1.0 + d + d * d / 3.0) * e;
                if (slope) slope[j] = 5.0 / 3.0 * (1.0 + d) * e;
            }
        } else {
            // k = c t^nu K_nu(t), dk / dt = -c t^nu K_{nu - 1}(t), t = sqrt(2 nu) r.
            const double log_scale = (1.0 - nu) * std::numbers::ln2 - std::lgamma(nu);
            for (Index j = 0; j < m; ++j) {
                const double t = std::sqrt(2.0 * nu * sums[j]);
                if (t < 1e-150) {
                    value[j] = 1.0;
                    if (slope) slope[j] = nu > 1.0 ? nu / (nu - 1.0) : 0.0;
                } else if (t > 700.0) {
                    value[j] = 0.0;
                    if (slope) slope[j] = 0.0;
                } else {
                    const BesselPair K = bessel_k_scaled(nu, t);
                    const double front = std::exp(log_scale + nu * std::log(t) - t + K.exponent);
                    value[j] = std::min(1.0, front * K.order);
                    if (slope) slope[j] = 2.0 * nu * front * K.below / t;
                }
            }
        }
    }

    // visit(row, values, count): adjoint times dk / d log(parameter c) of a leaf with one column of derivatives.
    template <class F>
    void each_pair_derivative(std::size_t k, int c, const Block& block, const Workspace& work, F&& visit) const {
        const Node& node = formula_.nodes[k];
        const auto& own = work.of[k];
        const double* par = formula_.values.data() + node.first;
        double out[kBlock];
        for (Index r = 0; r < block.rows(); ++r) {
            const Index at = r * kBlock, m = block.cols();
            const double *w = own.adjoint.data() + at, *v = own.value.data() + at, *s = own.sums.data() + at;
            const double* g = own.slope.data() + at;
            switch (node.op) {
                case Op::constant:
                case Op::white:
                case Op::minimum:
                    for (Index j = 0; j < m; ++j) out[j] = w[j] * v[j];
                    break;
                case Op::rbf:
                case Op::matern:
                    for (Index j = 0; j < m; ++j) out[j] = w[j] * g[j] * s[j];
                    break;
                case Op::rational_quadratic:
                    if (c == 1)
                        for (Index j = 0; j < m; ++j) out[j] = w[j] * g[j] * s[j];
                    else
                        for (Index j = 0; j < m; ++j) {
                            const double base = 1.0 + s[j] / (2.0 * par[0]);
                            out[j] = w[j] * (0.5 * g[j] * s[j] - v[j] * par[0] * log_fast(base));
                        }
                    break;
                case Op::exp_sine_squared:
                    if (c == 1)
                        for (Index j = 0; j < m; ++j) out[j] = w[j] * g[j];
                    else
                        for (Index j = 0; j < m; ++j) {
                            const double sine = std::sin(std::numbers::pi * std::sqrt(s[j]) / par[1]) / par[0];
                            out[j] = w[j] * 4.0 * sine * sine * v[j];
                        }
                    break;
                case Op::dot_product:
                    for (Index j = 0; j < m; ++j) out[j] = w[j] * 2.0 * par[0] * par[0];
                    break;
                default:
                    pairwise_slope(pairwise_kind(node), par[0], w, s, v, out, m);
            }
            visit(r, out, m);
        }
    }

    static void pairwise_slope(KernelKind kind, double gamma, const double* w, const double* s, const double* v,
                               double* out, Index m) {
        for (Index j = 0; j < m; ++j) {
            double d = 0.0;
            switch (kind) {
                case KernelKind::rbf:
                case KernelKind::laplacian:
                case KernelKind::chi2:
                    d = -gamma * s[j] * v[j];
                    break;
                case KernelKind::polynomial: {
                    const double base = gamma * s[j] + 1.0;
                    d = 3.0 * base * base * gamma * s[j];
                    break;
                }
                case KernelKind::sigmoid:
                    d = (1.0 - v[j] * v[j]) * gamma * s[j];
                    break;
                default:
                    break;  // does not depend on gamma
            }
            out[j] = w[j] * d;
        }
    }

    // The sum over a block of adjoint times slope times the squared difference of scaled column c.
    double column(std::size_t k, int c, const Block& block, Workspace& work) const {
        auto& own = work.of[k];
        const auto& A = *left_[k];
        const auto& B = rows_right(k);
        const Index m = block.width();
        Pack4 sum[kTilePacks] = {};
        for (Index r = 0; r < block.rows(); ++r) {
            const Pack4 a = broadcast(A.at(block.i0 + r)[c * kPanel<double>]);
            const double* w = own.adjoint.data() + r * kBlock;
            const double* g = own.slope.data() + r * kBlock;
            for (Index j = 0; j < m; j += kPanel<double>) {
                const double* b = B.at(block.j0 + j) + c * kPanel<double>;
                for (Index v = 0; v < kTilePacks; ++v) {
                    const Pack4 d = a - load_pack(b + 4 * v);
                    sum[v] += load_pack(w + j + 4 * v) * load_pack(g + j + 4 * v) * d * d;
                }
            }
        }
        const Pack4 all = sum[0] + sum[1] + sum[2];
        return (all[0] + all[1]) + (all[2] + all[3]);
    }

    const Formula& formula_;
    std::vector<std::unique_ptr<Packed<double>>> left_, right_;
};

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

void covariance_gram(const Formula& formula, MatrixView<const double> X, bool both, const Interrupt& interrupt,
                     MatrixView<double> out) {
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

void covariance_cross(const Formula& formula, MatrixView<const double> X, MatrixView<const double> Z,
                      const Interrupt& interrupt, MatrixView<double> out) {
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
           double work_size, const Interrupt& interrupt, std::span<double> out, Weigh&& weigh) {
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

void covariance_trace(const Formula& formula, MatrixView<const double> X, double scale, MatrixView<const double> M,
                      MatrixView<const double> U, MatrixView<const double> V, const Interrupt& interrupt,
                      std::span<double> out) {
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

void covariance_cross_trace(const Formula& formula, MatrixView<const double> X, MatrixView<const double> Z,
                            MatrixView<const double> W, const Interrupt& interrupt, std::span<double> out) {
    const Evaluator evaluator(formula, X, &Z);
    const Blocks tall(X.rows, kBlock), wide(Z.rows, kBlock);
    const double size = 2.0 * cost(formula, X.rows, Z.rows, X.cols);
    trace(formula, evaluator, tall, wide, false, size, interrupt, out, [&](const Block& block, double* seed) {
        for (Index r = 0; r < block.rows(); ++r)
            std::copy_n(W.row(block.i0 + r) + block.j0, block.cols(), seed + r * kBlock);
    });
}

void covariance_gradient(const Formula& formula, MatrixView<const double> X, const Interrupt& interrupt,
                         std::span<double> out) {
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
                    out[std::size_t((i * n + c) * q + slot)] = row[j];
                    out[std::size_t((c * n + i) * q + slot)] = row[j];
                }
            });
        }
    });
}

}  // namespace statlearn::gp
