#include "gp/vecchia.hpp"

#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>

#include "common/cholesky.hpp"
#include "gp/evaluator.hpp"

namespace statlearn::gp {
namespace {

constexpr Index kChunk = 256;  // rows of a unit of work

// A small matrix of covariances and what is computed from its factor.
struct Local {
    double C[kBlock * kBlock];
    double weights[kBlock], dual[kBlock], side[kBlock];
};

// Rows of a matrix with kBlock columns.
template <class T>
auto rows_of(T* C) {
    return [C](Index i) { return C + i * kBlock; };
}

void solve(const double* L, Index k, double* b) {
    lower_solve(rows_of(L), k, b);
    lower_solve_transposed(rows_of(L), k, b);
}

// Values of the block of k neighbours and, last, the row itself.
const double* block_of(Evaluator& evaluator, Workspace& work, const Block& block, bool derivatives,
                       Matrix<const double> X, Matrix<const int> neighbors, Index i, Index k, const double* own,
                       Index own_stride) {
    for (Index j = 0; j < k; ++j) evaluator.put(j, X.row(neighbors(i, j)), X.col_stride);
    evaluator.put(k, own, own_stride);
    return evaluator.forward(block, derivatives, work);
}

Index count_of(Matrix<const int> neighbors, Index i) {
    Index k = 0;
    while (k < neighbors.cols && neighbors(i, k) >= 0) ++k;
    return k;
}

}  // namespace

VecchiaValue vecchia_likelihood(const Formula& formula, Matrix<const double> X, Span<const double> y,
                                Matrix<const int> neighbors, double noise, const Interrupt& interrupt,
                                Span<double> out) {
    const Index n = X.rows;
    const std::size_t q = out.size();
    const bool derivatives = q > 0;
    const Blocks chunks(n, kChunk);
    std::vector<double> values(chunks.count(), 0.0), slopes(chunks.count(), 0.0);
    std::vector<double> part(std::size_t(chunks.count()) * q, 0.0);
    const double each = double((neighbors.cols + 1) * (neighbors.cols + 1)) * double(X.cols + neighbors.cols + 20);
    parallel_for(chunks.count(), Work(each * double(n)), [&](Index c) {
        if (interrupt.requested()) return;
        Evaluator evaluator(formula, X.cols);
        Workspace work(formula, derivatives);
        Local local;
        double value = 0.0, slope = 0.0;
        for (Index i = chunks.begin(c); i < chunks.end(c); ++i) {
            const Index k = count_of(neighbors, i);
            const Block block{0, k + 1, 0, k + 1, true};
            const double* C = block_of(evaluator, work, block, derivatives, X, neighbors, i, k, X.row(i), X.col_stride);
            for (Index a = 0; a < k; ++a) {
                std::copy_n(C + a * kBlock, a + 1, local.C + a * kBlock);
                local.C[a * kBlock + a] += noise;
                local.weights[a] = local.side[a] = C[k * kBlock + a];
                local.dual[a] = y[neighbors(i, a)];
            }
            if (!lower_factor(rows_of(local.C), k)) {
                value = std::numeric_limits<double>::quiet_NaN();
                break;
            }
            solve(local.C, k, local.weights);
            double variance = C[k * kBlock + k] + noise, error = y[i];
            for (Index a = 0; a < k; ++a) {
                variance -= local.weights[a] * local.side[a];
                error -= local.weights[a] * y[neighbors(i, a)];
            }
            if (!(variance > 0.0)) {
                value = std::numeric_limits<double>::quiet_NaN();
                break;
            }
            value -= 0.5 * (std::log(2.0 * std::numbers::pi * variance) + error * error / variance);
            if (!derivatives) continue;
            // With u = (-w, 1): dv = u' dC u and de = -(a, 0)' dC u for the dual vector a of the neighbours.
            solve(local.C, k, local.dual);
            const double one = 0.5 * (error * error / variance - 1.0) / variance, two = 0.5 * error / variance;
            double* seed = Evaluator::seed(work);
            for (Index a = 0; a <= k; ++a) {
                const double ua = a < k ? -local.weights[a] : 1.0, da = a < k ? local.dual[a] : 0.0;
                double* row = seed + a * kBlock;
                std::fill_n(row, block.width(), 0.0);
                for (Index b = 0; b <= a; ++b) {
                    const double ub = b < k ? -local.weights[b] : 1.0, db = b < k ? local.dual[b] : 0.0;
                    row[b] = (a == b ? 1.0 : 2.0) * (one * ua * ub + two * (da * ub + ua * db));
                }
                slope += row[a];
            }
            evaluator.backward(block, work);
            evaluator.gather(block, work, part.data() + std::size_t(c) * q);
        }
        values[c] = value;
        slopes[c] = slope;
    });
    VecchiaValue total{0.0, 0.0};
    std::fill(out.begin(), out.end(), 0.0);
    for (Index c = 0; c < chunks.count(); ++c) {
        total.log_likelihood += values[c];
        total.noise_slope += slopes[c];
        for (std::size_t s = 0; s < q; ++s) out[s] += part[std::size_t(c) * q + s];
    }
    return total;
}

Index vecchia_predict(const Formula& formula, Matrix<const double> New, Matrix<const double> X, Span<const double> y,
                      Matrix<const int> neighbors, double noise, const Interrupt& interrupt, Span<double> mean,
                      Span<double> variance) {
    const Blocks chunks(New.rows, kChunk);
    std::vector<Index> failed(chunks.count(), 0);
    const double each = double((neighbors.cols + 1) * (neighbors.cols + 1)) * double(X.cols + neighbors.cols + 20);
    parallel_for(chunks.count(), Work(each * double(New.rows)), [&](Index c) {
        if (interrupt.requested()) return;
        Evaluator evaluator(formula, X.cols);
        Workspace work(formula, false);
        Local local;
        for (Index i = chunks.begin(c); i < chunks.end(c); ++i) {
            const Index k = count_of(neighbors, i);
            const Block block{0, k + 1, 0, k + 1, true};
            const double* C = block_of(evaluator, work, block, false, X, neighbors, i, k, New.row(i), New.col_stride);
            for (Index a = 0; a < k; ++a) {
                std::copy_n(C + a * kBlock, a + 1, local.C + a * kBlock);
                local.C[a * kBlock + a] += noise;
                local.weights[a] = C[k * kBlock + a];
            }
            double sum = 0.0, left = C[k * kBlock + k];
            if (lower_factor(rows_of(local.C), k)) {
                solve(local.C, k, local.weights);
                for (Index a = 0; a < k; ++a) {
                    sum += local.weights[a] * y[neighbors(i, a)];
                    left -= local.weights[a] * C[k * kBlock + a];
                }
            } else {
                sum = left = std::numeric_limits<double>::quiet_NaN();
                ++failed[c];
            }
            mean[i] = sum;
            variance[i] = left > 0.0 || std::isnan(left) ? left : 0.0;
        }
    });
    Index total = 0;
    for (const Index count : failed) total += count;
    return total;
}

}  // namespace statlearn::gp
