// Sums over the columns of two tables of a term of each pair of rows, a block at a time: the ground of kernel matrices
// and of the covariance functions of Gaussian processes.
#pragma once

#include <algorithm>
#include <vector>

#include "common/kernel_finish.hpp"
#include "common/tile.hpp"

namespace statlearn::detail {

constexpr Index kDepth = 256;  // columns of the data that a tile takes at once

template <class T>
constexpr Index kPanel = kTileLanes<T>;  // rows that lie side by side

template <KernelTerm term, class V>
inline V add_term(V sum, V a, V b) {
    if constexpr (term == KernelTerm::product) {
        return sum + a * b;
    } else if constexpr (term == KernelTerm::square) {
        const V d = a - b;
        return sum + d * d;
    } else if constexpr (term == KernelTerm::absolute) {
        const V d = a - b;
        return sum + (d > V{} ? d : V{} - d);
    } else if constexpr (term == KernelTerm::chi2) {
        const V d = a - b, s = a + b;
        return sum + (s != V{} ? d * d / s : V{});
    } else {
        return sum + (a < b ? a : b);
    }
}

// C[R x panel] = (or +=) the sums over k < depth of terms of a_k[R] and b_k[panel], both a panel's width apart.
template <KernelTerm term, int R, class T>
inline void tile(const T* a, const T* b, Index depth, bool add, T* C, Index step) {
    TileSums<T, R> s{};
    if (add) tile_load(s, C, step);
    // x - 0 is x and costs nothing; 0 + x is an addition, since it turns -0 into 0.
    tile_gather(a, kPanel<T>, b, kPanel<T>, depth, s,
                [](auto& sum, T x, const auto& y) { sum = add_term<term>(sum, x - PackOf<T>{}, y); });
    tile_store(s, C, step);
}

// Rows in panels of kPanel rows, coordinate by coordinate; the last panel is filled up with zeros.
template <class T>
struct Packed {
    Index n = 0, p = 0;
    std::vector<T> data;
    std::vector<T> norms;  // squared, of the packed rows; only where the expansion is used

    Packed(Index rows, Index cols) : n(rows), p(cols), data((rows + kPanel<T> - 1) / kPanel<T> * kPanel<T> * cols) {}

    const T* at(Index i) const { return data.data() + i / kPanel<T> * kPanel<T> * p + i % kPanel<T>; }
    T* at(Index i) { return data.data() + i / kPanel<T> * kPanel<T> * p + i % kPanel<T>; }
};

// buffer[(i - i0) * step + (j - j0)] = the sum of terms of row i of A and row j of B. i0 is a multiple of 4, j0 one
// of the panel width; `step` is at least the number of columns, rounded up to whole panels. The rows are rounded up to
// a multiple of 4.
template <KernelTerm term, class T>
void sums(const Packed<T>& A, Index i0, Index i1, const Packed<T>& B, Index j0, Index j1, T* buffer, Index step) {
    if (A.p == 0) std::fill(buffer, buffer + step * (i1 - i0), T(0));
    for (Index k = 0; k < A.p; k += kDepth) {
        const Index depth = std::min(kDepth, A.p - k), skip = k * kPanel<T>;
        for (Index j = j0; j < j1; j += kPanel<T>) {
            const T* b = B.at(j) + skip;
            for (Index i = i0; i < i1; i += 4) {
                const T* a = A.at(i) + skip;
                T* C = buffer + (i - i0) * step + (j - j0);
                if (i1 - i > 2)
                    tile<term, 4>(a, b, depth, k > 0, C, step);
                else if (i1 - i == 2)
                    tile<term, 2>(a, b, depth, k > 0, C, step);
                else
                    tile<term, 1>(a, b, depth, k > 0, C, step);
            }
        }
    }
}

// The same for a term that is known at run time.
template <class T>
void kernel_sums(KernelTerm term, const Packed<T>& A, Index i0, Index i1, const Packed<T>& B, Index j0, Index j1,
                 T* buffer, Index step) {
    switch (term) {
        case KernelTerm::product:
            return sums<KernelTerm::product>(A, i0, i1, B, j0, j1, buffer, step);
        case KernelTerm::square:
            return sums<KernelTerm::square>(A, i0, i1, B, j0, j1, buffer, step);
        case KernelTerm::absolute:
            return sums<KernelTerm::absolute>(A, i0, i1, B, j0, j1, buffer, step);
        case KernelTerm::chi2:
            return sums<KernelTerm::chi2>(A, i0, i1, B, j0, j1, buffer, step);
        case KernelTerm::minimum:
            return sums<KernelTerm::minimum>(A, i0, i1, B, j0, j1, buffer, step);
    }
}

}  // namespace statlearn::detail
