#include "manifold/tsne.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "common/parallel.hpp"

namespace statlearn::manifold {

namespace {

constexpr int kSteps = 64;
constexpr double kEntropyTolerance = 1e-5;

// The row of weights at beta, about the smallest square, and its entropy.
double entropy_at(double beta, const double* square, double smallest, Index k, double* weight) {
    double sum = 0.0, moment = 0.0;
    for (Index j = 0; j < k; ++j) {
        const double excess = square[j] - smallest;
        const double w = std::exp(-beta * excess);
        weight[j] = w;
        sum += w;
        moment += w * excess;
    }
    for (Index j = 0; j < k; ++j) weight[j] /= sum;
    return std::log(sum) + beta * moment / sum;
}

// Weights of cubic Lagrange interpolation at t in [0, 1) between the second and third of four nodes.
std::array<double, 4> cubic(double t) {
    const double a = t + 1.0, c = 1.0 - t, d = 2.0 - t;
    return {-t * c * d / 6.0, a * c * d / 2.0, a * t * d / 2.0, -a * t * c / 6.0};
}

// The first of the four nodes along one axis, and the weights.
struct Stencil {
    Index first;
    std::array<double, 4> weight;
    Stencil(double y, double low, double step) {
        const double place = (y - low) / step;
        const double cell = std::floor(place);
        first = Index(cell) - 1;
        weight = cubic(place - cell);
    }
};

}  // namespace

void perplexity_weights(Matrix<const double> square, double perplexity, const Interrupt& interrupt, Matrix<double> P) {
    const Index n = square.rows, k = square.cols;
    const double wanted = std::log(perplexity);
    const Blocks blocks(n, 64);
    parallel_for(blocks.count(), Work(40.0 * double(n) * double(k)), [&](Index b) {
        if (interrupt.requested()) return;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            const double* row = square.row(i);
            const double smallest = *std::min_element(row, row + k);
            double mean = 0.0;
            for (Index j = 0; j < k; ++j) mean += (row[j] - smallest) / double(k);
            double low = 0.0, high = std::numeric_limits<double>::infinity();
            double beta = mean > 0.0 ? 1.0 / mean : 1.0;
            for (int step = 0; step < kSteps; ++step) {
                const double excess = entropy_at(beta, row, smallest, k, P.row(i)) - wanted;
                if (std::abs(excess) <= kEntropyTolerance) break;
                (excess > 0.0 ? low : high) = beta;
                beta = std::isinf(high) ? 2.0 * beta : 0.5 * (low + high);
            }
        }
    });
}

double tsne_attraction(const RowsView<double>& P, Matrix<const double> Y, bool divergence, const Interrupt& interrupt,
                       Matrix<double> A) {
    const Index n = Y.rows, q = Y.cols;
    const Blocks blocks(n, 256);
    std::vector<double> part(blocks.count());
    parallel_for(blocks.count(), Work(8.0 * double(P.values.size()) * double(q)), [&](Index b) {
        if (interrupt.requested()) return;
        double total = 0.0;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            const double* own = Y.row(i);
            double* force = A.row(i);
            std::fill(force, force + q, 0.0);
            P.each(i, [&](std::size_t j, double p) {
                const double* other = Y.row(Index(j));
                double square = 0.0;
                for (Index c = 0; c < q; ++c) square += (own[c] - other[c]) * (own[c] - other[c]);
                const double pull = p / (1.0 + square);
                for (Index c = 0; c < q; ++c) force[c] += pull * (own[c] - other[c]);
                if (divergence) total += p * std::log1p(square);
            });
        }
        part[b] = total;
    });
    double sum = 0.0;
    for (const double value : part) sum += value;
    return sum;
}

double tsne_repulsion(Matrix<const double> Y, const Interrupt& interrupt, Matrix<double> R) {
    const Index n = Y.rows, q = Y.cols;
    // Coordinates one after the other, so that the loop over points is vector code.
    std::vector<double> coordinate(n * q);
    for (Index i = 0; i < n; ++i)
        for (Index c = 0; c < q; ++c) coordinate[c * n + i] = Y(i, c);
    const Blocks blocks(n, 32);
    std::vector<double> part(blocks.count());
    parallel_for(blocks.count(), Work(8.0 * double(n) * double(n) * double(q)), [&](Index b) {
        if (interrupt.requested()) return;
        std::vector<double> weight(n);
        double total = 0.0;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            std::fill(weight.begin(), weight.end(), 1.0);
            for (Index c = 0; c < q; ++c) {
                const double* x = coordinate.data() + c * n;
                const double own = x[i];
                for (Index j = 0; j < n; ++j) weight[j] += (own - x[j]) * (own - x[j]);
            }
            double sum[4] = {};  // four sums at a time become vector code
            for (Index j = 0; j < n; ++j) {
                const double w = 1.0 / weight[j];
                sum[j & 3] += w;
                weight[j] = w * w;
            }
            total += (sum[0] + sum[1]) + (sum[2] + sum[3]) - 1.0;  // without the point itself
            for (Index c = 0; c < q; ++c) {
                const double* x = coordinate.data() + c * n;
                const double own = x[i];
                double push[4] = {};
                for (Index j = 0; j < n; ++j) push[j & 3] += weight[j] * (own - x[j]);
                R(i, c) = (push[0] + push[1]) + (push[2] + push[3]);
            }
        }
        part[b] = total;
    });
    double sum = 0.0;
    for (const double value : part) sum += value;
    return sum;
}

void spread_on_grid(Matrix<const double> Y, Grid grid, Matrix<double> mass) {
    for (Index a = 0; a < mass.rows; ++a) std::fill(mass.row(a), mass.row(a) + mass.cols, 0.0);
    for (Index i = 0; i < Y.rows; ++i) {  // one thread: sixteen sums a point, in the order of the points
        const Stencil x(Y(i, 0), grid.low_x, grid.step), y(Y(i, 1), grid.low_y, grid.step);
        for (std::size_t a = 0; a < 4; ++a) {
            double* row = mass.row(x.first + Index(a)) + y.first;
            for (std::size_t b = 0; b < 4; ++b) row[b] += x.weight[a] * y.weight[b];
        }
    }
}

void gather_from_grid(Matrix<const double> Y, Grid grid, Span<const Matrix<const double>> fields,
                      Matrix<double> potential) {
    const Blocks blocks(Y.rows, 1024);
    parallel_for(blocks.count(), Work(50.0 * double(Y.rows) * double(fields.size())), [&](Index block) {
        for (Index i = blocks.begin(block); i < blocks.end(block); ++i) {
            const Stencil x(Y(i, 0), grid.low_x, grid.step), y(Y(i, 1), grid.low_y, grid.step);
            for (Index f = 0; f < fields.size(); ++f) {
                double sum = 0.0;
                for (std::size_t a = 0; a < 4; ++a) {
                    const double* row = fields[f].row(x.first + Index(a)) + y.first;
                    double along = 0.0;
                    for (std::size_t b = 0; b < 4; ++b) along += y.weight[b] * row[b];
                    sum += x.weight[a] * along;
                }
                potential(i, Index(f)) = sum;
            }
        }
    });
}

double own_weights(Matrix<const double> Y, Grid grid) {
    // Products of weights by the distance of their nodes: one axis after the other.
    std::array<std::array<double, 4>, 4> kernel{};
    for (std::size_t a = 0; a < 4; ++a)
        for (std::size_t b = 0; b < 4; ++b) kernel[a][b] = 1.0 / (1.0 + grid.step * grid.step * double(a * a + b * b));
    const auto products = [](const std::array<double, 4>& w) {
        std::array<double, 4> sum{};
        for (std::size_t a = 0; a < 4; ++a)
            for (std::size_t b = 0; b < 4; ++b) sum[a > b ? a - b : b - a] += w[a] * w[b];
        return sum;
    };
    return parallel_sum(Blocks(Y.rows), [&](Index begin, Index end) {
        double total = 0.0;
        for (Index i = begin; i < end; ++i) {
            const auto x = products(Stencil(Y(i, 0), grid.low_x, grid.step).weight);
            const auto y = products(Stencil(Y(i, 1), grid.low_y, grid.step).weight);
            for (std::size_t a = 0; a < 4; ++a)
                for (std::size_t b = 0; b < 4; ++b) total += x[a] * y[b] * kernel[a][b];
        }
        return total;
    });
}

}  // namespace statlearn::manifold
