// Rows of a dense or sparse table, and the few things that kernels do with one of them.
#pragma once

#include "common/vector.hpp"
#include "common/view.hpp"

namespace statlearn {

// Dense and row-major (`indptr` is empty), or compressed: row i holds the entries indptr[i] to indptr[i + 1] - 1.
template <class T>
struct RowsView {
    Span<const T> values;
    Span<const int> cols_of;
    Span<const int> indptr;
    Index rows = 0, cols = 0;

    bool sparse() const { return !indptr.empty(); }
    const T* row(Index i) const { return values.data() + i * cols; }  // dense

    // body(column, value) for the entries of row i, all of them if dense.
    template <class F>
    void each(Index i, F&& body) const {
        if (sparse()) {
            const int end = indptr[i + 1];
            for (int e = indptr[i]; e < end; ++e) body(std::size_t(cols_of[e]), double(values[e]));
            return;
        }
        const T* x = row(i);
        for (Index j = 0; j < cols; ++j) body(std::size_t(j), double(x[j]));
    }

    // Inner product of row i and a vector given in full.
    double dot(Index i, const double* v) const {
        if (!sparse()) return statlearn::dot(row(i), v, cols);
        // Four sums side by side: additions that need not wait for each other, in a fixed order.
        double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
        const T* x = values.data();
        const int* j = cols_of.data();
        int e = indptr[i];
        const int end = indptr[i + 1];
        for (; e + 4 <= end; e += 4) {
            a += double(x[e]) * v[j[e]], b += double(x[e + 1]) * v[j[e + 1]];
            c += double(x[e + 2]) * v[j[e + 2]], d += double(x[e + 3]) * v[j[e + 3]];
        }
        for (; e < end; ++e) a += double(x[e]) * v[j[e]];
        return (a + b) + (c + d);
    }

    // Asks for the entries of row i ahead of their use, for passes that visit rows in random order.
    void prefetch(Index i) const {
        constexpr std::size_t kLine = 64;
        const auto fetch = [](const void* begin, std::size_t bytes) {
            for (std::size_t at = 0; at < bytes; at += kLine)
                __builtin_prefetch(static_cast<const char*>(begin) + at, 0, 1);
        };
        if (!sparse()) return fetch(row(i), std::size_t(cols) * sizeof(T));
        const int begin = indptr[i], length = indptr[i + 1] - begin;
        fetch(values.data() + begin, std::size_t(length) * sizeof(T));
        fetch(cols_of.data() + begin, std::size_t(length) * sizeof(int));
    }

    // Squared distance of row i to a point given in full; `square` is the point's squared length (used if sparse).
    double distance(Index i, const double* point, double square) const {
        if (sparse()) {
            double sum = square;
            const int end = indptr[i + 1];
            for (int e = indptr[i]; e < end; ++e) {
                const double x = double(values[e]);
                sum += x * (x - 2.0 * point[cols_of[e]]);
            }
            return sum > 0.0 ? sum : 0.0;
        }
        const T* x = row(i);
        // Four sums side by side: a fixed order that vector code can follow.
        double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
        Index j = 0;
        for (; j + 4 <= cols; j += 4) {
            const double da = double(x[j]) - point[j], db = double(x[j + 1]) - point[j + 1];
            const double dc = double(x[j + 2]) - point[j + 2], dd = double(x[j + 3]) - point[j + 3];
            a += da * da, b += db * db, c += dc * dc, d += dd * dd;
        }
        for (; j < cols; ++j) {
            const double da = double(x[j]) - point[j];
            a += da * da;
        }
        return (a + b) + (c + d);
    }

    // sum += weight * row i
    void add(Index i, double weight, double* sum) const {
        if (sparse()) {
            const int end = indptr[i + 1];
            for (int e = indptr[i]; e < end; ++e) sum[cols_of[e]] += weight * double(values[e]);
            return;
        }
        const T* x = row(i);
        for (Index j = 0; j < cols; ++j) sum[j] += weight * double(x[j]);
    }

    // out = row i in full
    void copy(Index i, double* out) const {
        for (Index j = 0; j < cols; ++j) out[j] = 0.0;
        add(i, 1.0, out);
    }
};

}  // namespace statlearn
