// Sparse matrices in compressed rows that a kernel makes itself, and their products with blocks of vectors.
//
// A block of vectors is row-major, its width a multiple of kBlockWidth: a row of it is what one entry of the matrix is
// multiplied with.
#pragma once

#include <vector>

#include "common/pack.hpp"
#include "common/parallel.hpp"
#include "common/rows.hpp"
#include "common/unset.hpp"

namespace statlearn {

struct SparseRows {
    UnsetVector<double> values;
    UnsetVector<int> cols_of, indptr;
    Index rows = 0, cols = 0;

    RowsView<double> view() const { return {values, cols_of, indptr, rows, cols}; }
};

constexpr Index kBlockWidth = 4;

// A block of vectors; `width` columns in use of `stride`.
struct VectorBlock {
    double* data = nullptr;
    Index rows = 0, width = 0, stride = 0;

    double* row(Index i) const { return data + i * stride; }
    VectorBlock columns(Index first, Index count) const { return {data + first, rows, count, stride}; }
};

inline VectorBlock block_of(std::vector<double>& room, Index rows, Index width) {
    room.resize(rows * width);
    return {room.data(), rows, width, width};
}

namespace detail {
// Narrow blocks keep several sums side by side: an addition need not wait for the one before.
template <int Packs, class F>
void times_rows(const RowsView<double>& A, const VectorBlock& X, Index column, Index begin, Index end, F&& finish) {
    constexpr int kSums = Packs == 1 ? 4 : Packs == 2 ? 2 : 1;
    const double* x0 = X.data + column;
    for (Index i = begin; i < end; ++i) {
        Pack4 sum[kSums][Packs] = {};
        const auto add = [&](int e, Pack4* to) {
            const Pack4 a = broadcast(A.values[e]);
            const Pack4* x = packs(x0 + Index(A.cols_of[e]) * X.stride);
            for (int k = 0; k < Packs; ++k) to[k] = mul_add(a, x[k], to[k]);
        };
        const int last = A.indptr[i + 1];
        int e = A.indptr[i];
        for (; e + kSums <= last; e += kSums)
            for (int s = 0; s < kSums; ++s) add(e + s, sum[s]);
        for (; e < last; ++e) add(e, sum[0]);
        for (int k = 0; k < Packs; ++k) {
            for (int s = 1; s < kSums; ++s) sum[0][k] += sum[s][k];
            finish(i, column + 4 * k, sum[0][k]);
        }
    }
}
}  // namespace detail

// finish(i, c, s) for every row i and every fourth column c, with s the entries c to c + 3 of row i of A X. A sum runs
// over the entries of a row in their order, whatever the number of threads.
template <class F>
void each_product(const RowsView<double>& A, const VectorBlock& X, F&& finish) {
    const Blocks blocks(A.rows, 512);
    const double entries = double(A.values.size()) * double(X.width);
    parallel_for(blocks.count(), Work(entries), [&](Index b) {
        const Index begin = blocks.begin(b), end = blocks.end(b);
        for (Index c = 0; c < X.width;) {
            const Index left = (X.width - c) / kBlockWidth;
            if (left >= 4) {
                detail::times_rows<4>(A, X, c, begin, end, finish);
                c += 16;
            } else if (left >= 2) {
                detail::times_rows<2>(A, X, c, begin, end, finish);
                c += 8;
            } else {
                detail::times_rows<1>(A, X, c, begin, end, finish);
                c += 4;
            }
        }
    });
}

// Y = A X
inline void sparse_times(const RowsView<double>& A, const VectorBlock& X, const VectorBlock& Y) {
    each_product(A, X, [&](Index i, Index c, Pack4 sum) { *packs(Y.row(i) + c) = sum; });
}

// Rows that were made block by block, one block after the other; a block's `indptr` holds the ends of its rows.
SparseRows joined_rows(std::vector<SparseRows>& parts, Index rows, Index cols);

SparseRows transposed(const RowsView<double>& A);

// A B; the columns of a row come in the order in which they are met. Cost O(sum over the entries of A of the length of
// the row of B), and a row of B.cols numbers for each block of rows.
SparseRows sparse_product(const RowsView<double>& A, const RowsView<double>& B);

// Rows in groups: the group of each or -1, and its weight there. Also a matrix with `weight[j]` at (j, of[j]).
struct Groups {
    Span<const int> of;
    Span<const double> weight;
    Index count = 0;
};

// A times the matrix of the groups: the columns of each group added with their weights.
SparseRows grouped_columns(const RowsView<double>& A, const Groups& groups);

// A B with the upper triangle of A and half of its diagonal: with the transpose of that triangle it is A, if A is
// symmetric.
SparseRows half_product(const RowsView<double>& A, const RowsView<double>& B);

}  // namespace statlearn
