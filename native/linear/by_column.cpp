#include "linear/by_column.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/gram.hpp"
#include "common/parallel.hpp"

namespace statlearn::linear {
namespace {

constexpr Index kRows = 1024;                   // rows per unit of work
constexpr Index kKeptEntries = Index{1} << 26;  // scaled columns kept in memory: 256 MB
constexpr Index kPanel = kCrossTile;            // columns of a packed panel
constexpr Index kPackRows = 64;                 // rows of two panels that stay in the cache together

template <class T>
double dot(const T* x, const double* v, Index n) {
    double sum[16] = {};
    Index i = 0;
    for (; i + 16 <= n; i += 16)
        for (Index l = 0; l < 16; ++l) sum[l] += double(x[i + l]) * v[i + l];
    double rest = 0.0;
    for (; i < n; ++i) rest += double(x[i]) * v[i];
    for (Index l = 0; l < 8; ++l) sum[l] += sum[l + 8];
    for (Index l = 0; l < 4; ++l) sum[l] += sum[l + 4];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
}

}  // namespace

template <class T>
double column_dot(const DenseByColumn<T>& X, Index j, const double* v, double sum_v) {
    return dot(X.X.col(j), v, X.rows()) - X.shift[std::size_t(j)] * sum_v;
}
template <class T>
double column_dot(const SparseByColumn<T>& X, Index j, const double* v, double) {
    double sum = 0.0;
    for (int k = X.X.indptr[std::size_t(j)]; k < X.X.indptr[std::size_t(j) + 1]; ++k)
        sum += double(X.X.values[std::size_t(k)]) * v[X.X.rows_of[std::size_t(k)]];
    return sum;
}

template <class T>
void combine(const DenseByColumn<T>& X, const std::vector<Index>& columns, const Vector& delta, double constant,
             Vector& out) {
    for (std::size_t s = 0; s < columns.size(); ++s) constant -= delta[s] * X.shift[std::size_t(columns[s])];
    const Blocks blocks(X.rows(), kRows);
    parallel_for(blocks.count(), [&](Index b) {
        const Index begin = blocks.begin(b), m = blocks.end(b) - begin;
        double* to = out.data() + begin;
        std::fill(to, to + m, constant);
        for (std::size_t s = 0; s < columns.size(); ++s) {
            if (delta[s] == 0.0) continue;
            const T* x = X.X.col(columns[s]) + begin;
            for (Index i = 0; i < m; ++i) to[i] += delta[s] * double(x[i]);
        }
    });
}
template <class T>
void combine(const SparseByColumn<T>& X, const std::vector<Index>& columns, const Vector& delta, double constant,
             Vector& out) {
    std::fill(out.begin(), out.end(), constant);
    for (std::size_t s = 0; s < columns.size(); ++s) {
        const Index j = columns[s];
        if (delta[s] == 0.0) continue;
        for (int k = X.X.indptr[std::size_t(j)]; k < X.X.indptr[std::size_t(j) + 1]; ++k)
            out[std::size_t(X.X.rows_of[std::size_t(k)])] += delta[s] * double(X.X.values[std::size_t(k)]);
    }
}

// Works on panels of kPanel columns, packed row by row and scaled by the root of the weights. Z keeps them from call to
// call while that is affordable.
template <class T>
void cross_products(const DenseByColumn<T>& X, const std::vector<Index>& columns, Index first, const Vector& h,
                    const Interrupt& interrupt, const GramStore& store, std::vector<float>& Z) {
    const Index n = X.rows(), m = Index(columns.size()), panels = (m + kPanel - 1) / kPanel;
    if (first == m) return;
    const bool keep = n * m <= kKeptEntries;
    const Blocks strips(n, keep ? n : std::max<Index>(kPackRows, kKeptEntries / m));
    const Index old_panels = first / kPanel;     // full panels of columns that are done
    const Index packed = keep ? old_panels : 0;  // panels that Z holds already
    std::vector<std::pair<Index, Index>> pairs;  // (I, J), I <= J, J with something new
    for (Index J = old_panels; J < panels; ++J)
        for (Index I = 0; I <= J; ++I) pairs.emplace_back(I, J);
    Z.resize(std::size_t(strips.size * panels * kPanel));
    Vector root(h.size()), C(pairs.size() * std::size_t(kPanel * kPanel), 0.0);
    for (std::size_t i = 0; i < h.size(); ++i) root[i] = std::sqrt(h[i]);
    for (Index s = 0; s < strips.count(); ++s) {
        const Index begin = strips.begin(s), rows = strips.end(s) - begin;
        parallel_for(panels - packed, [&](Index P) {
            float* panel = Z.data() + (packed + P) * kPanel * rows;
            for (Index c = 0; c < kPanel; ++c) {
                const Index slot = (packed + P) * kPanel + c;
                if (slot >= m) {
                    for (Index i = 0; i < rows; ++i) panel[i * kPanel + c] = 0.0F;
                    continue;
                }
                const Index j = columns[std::size_t(slot)];
                const T* x = X.X.col(j) + begin;
                const double shift = X.shift[std::size_t(j)];
                for (Index i = 0; i < rows; ++i)
                    panel[i * kPanel + c] = float(root[std::size_t(begin + i)] * (double(x[i]) - shift));
            }
        });
        parallel_for(Index(pairs.size()), [&](Index u) {
            if (interrupt.requested()) return;
            const auto [I, J] = pairs[std::size_t(u)];
            const float *A = Z.data() + I * kPanel * rows, *B = Z.data() + J * kPanel * rows;
            for (Index i = 0; i < rows; i += kPackRows)
                cross_update(A + i * kPanel, B + i * kPanel, std::min(kPackRows, rows - i), kPanel,
                             C.data() + u * kPanel * kPanel);
        });
    }
    if (!keep) Z = std::vector<float>();
    for (std::size_t u = 0; u < pairs.size(); ++u) {
        const auto [I, J] = pairs[u];
        const double* tile = C.data() + u * std::size_t(kPanel * kPanel);
        for (Index a = 0; a < kPanel && I * kPanel + a < m; ++a)
            for (Index c = std::max<Index>(0, first - J * kPanel); c < kPanel && J * kPanel + c < m; ++c)
                store(I * kPanel + a, J * kPanel + c, tile[a * kPanel + c]);
    }
}
template <class T>
void cross_products(const SparseByColumn<T>& X, const std::vector<Index>& columns, Index first, const Vector& h,
                    const Interrupt& interrupt, const GramStore& store, std::vector<float>&) {
    const Index m = Index(columns.size());
    parallel_for(m - first, [&](Index a) {
        if (interrupt.requested()) return;
        const Index j = columns[std::size_t(first + a)];
        Vector spread(std::size_t(X.rows()), 0.0);
        for (int k = X.X.indptr[std::size_t(j)]; k < X.X.indptr[std::size_t(j) + 1]; ++k) {
            const int i = X.X.rows_of[std::size_t(k)];
            spread[std::size_t(i)] += h[std::size_t(i)] * double(X.X.values[std::size_t(k)]);
        }
        for (Index c = 0; c <= first + a; ++c)
            store(first + a, c, column_dot(X, columns[std::size_t(c)], spread.data(), 0.0));
    });
}

#define STATLEARN_BY_COLUMN(Columns)                                                                                \
    template double column_dot(const Columns&, Index, const double*, double);                                       \
    template void combine(const Columns&, const std::vector<Index>&, const Vector&, double, Vector&);               \
    template void cross_products(const Columns&, const std::vector<Index>&, Index, const Vector&, const Interrupt&, \
                                 const GramStore&, std::vector<float>&);
STATLEARN_BY_COLUMN(DenseByColumn<double>)
STATLEARN_BY_COLUMN(DenseByColumn<float>)
STATLEARN_BY_COLUMN(SparseByColumn<double>)
STATLEARN_BY_COLUMN(SparseByColumn<float>)
#undef STATLEARN_BY_COLUMN

}  // namespace statlearn::linear
