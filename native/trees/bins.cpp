#include "trees/bins.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "common/parallel.hpp"
#include "common/radix.hpp"

namespace statlearn::trees {

template <class T>
std::vector<T> bin_edges(Span<T> values, int max_bins, int even) {
    radix_sort(values);
    std::vector<T> distinct;
    std::vector<Index> count;
    for (const T x : values) {
        if (distinct.empty() || x != distinct.back()) {
            distinct.push_back(x);
            count.push_back(0);
        }
        ++count.back();
    }
    std::vector<T> edges;
    const bool each = distinct.size() <= std::size_t(max_bins);
    if (!each) max_bins -= even;
    // Close a bin where half of the next value would lie beyond its share of the rows that are left.
    Index inside = 0, left = Index(values.size());
    for (std::size_t v = 0; v < distinct.size(); ++v) {
        const Index bins_left = max_bins - Index(edges.size());
        const bool full = 2 * (inside * bins_left) + count[v] * bins_left > 2 * left;
        if (v > 0 && bins_left > 1 && (each || full)) {
            edges.push_back(between(distinct[v - 1], distinct[v]));
            left -= inside;
            inside = 0;
        }
        inside += count[v];
    }
    if (each || even == 0) return edges;
    const T low = distinct.front(), high = distinct.back();
    for (int k = 1; k <= even; ++k) {
        const T share = T(k) / T(even + 1), at = low * (1 - share) + high * share;
        if (low <= at && at < high) edges.push_back(at);
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
}

template <class T>
void bin_rows(Matrix<const T> X, Span<const T> edges, Span<const int> starts, const Interrupt& interrupt,
              Matrix<Bin> by_row, Matrix<Bin> by_column) {
    constexpr Index kRows = 512;
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    // Padded to 255 edges, the search has eight steps without a branch, and a loop over rows becomes vector code.
    std::vector<std::array<T, 256>> padded(X.cols);
    for (std::size_t j = 0; j < padded.size(); ++j) {
        padded[j].fill(kInfinity);
        std::copy(edges.begin() + starts[j], edges.begin() + starts[j + 1], padded[j].begin());
    }
    const Blocks blocks(X.rows, kRows);
    parallel_for(blocks.count(), [&](Index block) {
        if (interrupt.requested()) return;
        const Index first = blocks.begin(block), m = blocks.end(block) - first;
        std::array<T, kRows> x;
        std::array<int, kRows> bin;
        for (Index j = 0; j < X.cols; ++j) {
            const T* edge = padded[j].data();
            for (Index i = 0; i < m; ++i) x[i] = X(first + i, j);
            for (Index i = 0; i < m; ++i) {
                const T value = x[i];
                int at = 0;
                for (int step = 128; step > 0; step /= 2) at += value > edge[at + step - 1] ? step : 0;
                bin[i] = value == value ? at : int(kMissing);
            }
            Bin* column = &by_column(j, first);
            Bin* row = &by_row(first, j);
            for (Index i = 0; i < m; ++i) column[i] = Bin(bin[i]);
            for (Index i = 0; i < m; ++i) row[i * by_row.row_stride] = Bin(bin[i]);
        }
        for (Index i = 0; i < m; ++i)
            for (Index j = X.cols; j < by_row.cols; ++j) by_row(first + i, j) = 0;
    });
}

template std::vector<float> bin_edges(Span<float>, int, int);
template std::vector<double> bin_edges(Span<double>, int, int);
template void bin_rows(Matrix<const float>, Span<const float>, Span<const int>, const Interrupt&, Matrix<Bin>,
                       Matrix<Bin>);
template void bin_rows(Matrix<const double>, Span<const double>, Span<const int>, const Interrupt&, Matrix<Bin>,
                       Matrix<Bin>);

}  // namespace statlearn::trees
