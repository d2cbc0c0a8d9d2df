#include "manifold/random_walk.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "common/parallel.hpp"

namespace statlearn::manifold {
namespace {

constexpr Index kRows = 512;  // of a unit of work

template <class F>
void each_row(const RowsView<double>& K, F&& body) {
    const Blocks blocks(K.rows, kRows);
    parallel_for(blocks.count(), Work(Index(2 * K.values.size())), [&](Index b) {
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i)
            body(std::size_t(i), std::size_t(K.indptr[i]), std::size_t(K.indptr[i + 1]));
    });
}

bool all_positive(Span<const double> values) {
    return std::all_of(values.begin(), values.end(), [](double value) { return value > 0.0; });
}

}  // namespace

bool has_diagonal(const RowsView<double>& K) {
    std::atomic<bool> all{true};
    each_row(K, [&](std::size_t i, std::size_t begin, std::size_t end) {
        if (std::find(K.cols_of.begin() + std::ptrdiff_t(begin), K.cols_of.begin() + std::ptrdiff_t(end), int(i)) ==
            K.cols_of.begin() + std::ptrdiff_t(end))
            all.store(false, std::memory_order_relaxed);
    });
    return all.load(std::memory_order_relaxed);
}

bool walk_laplacian(const RowsView<double>& K, double alpha, Span<double> density, Span<double> degree,
                    Span<double> values) {
    each_row(K, [&](std::size_t i, std::size_t begin, std::size_t end) {
        double sum = 0.0;
        for (std::size_t e = begin; e < end; ++e) sum += K.values[e];
        degree[i] = sum;
    });
    if (!all_positive(degree)) return false;
    std::fill(density.begin(), density.end(), 1.0);
    const double* from = K.values.data();
    if (alpha > 0.0) {
        for (Index i = 0; i < density.size(); ++i) density[i] = std::pow(degree[i], -alpha);
        each_row(K, [&](std::size_t i, std::size_t begin, std::size_t end) {
            double sum = 0.0;
            for (std::size_t e = begin; e < end; ++e) {
                values[e] = K.values[e] * density[i] * density[K.cols_of[e]];
                sum += values[e];
            }
            degree[i] = sum;
        });
        if (!all_positive(degree)) return false;
        from = values.data();
    }
    std::vector<double> root(degree.size());
    for (std::size_t i = 0; i < root.size(); ++i) root[i] = 1.0 / std::sqrt(degree[i]);
    each_row(K, [&](Index i, Index begin, Index end) {
        for (Index e = begin; e < end; ++e) {
            const Index j = K.cols_of[e];
            values[e] = (i == j ? 1.0 : 0.0) - from[e] * (root[i] * root[j]);
        }
    });
    return true;
}

}  // namespace statlearn::manifold
