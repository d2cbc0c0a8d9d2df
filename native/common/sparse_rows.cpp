#include "common/sparse_rows.hpp"

#include <algorithm>

namespace statlearn {
namespace {

constexpr Index kProductRows = 1024;  // rows of a product that one thread makes at a time

}  // namespace

SparseRows joined_rows(std::vector<SparseRows>& parts, Index rows, Index cols) {
    SparseRows all;
    all.rows = rows;
    all.cols = cols;
    std::size_t entries = 0;
    for (const SparseRows& part : parts) entries += part.values.size();
    all.values.reserve(entries);
    all.cols_of.reserve(entries);
    all.indptr.reserve(std::size_t(rows) + 1);
    all.indptr.push_back(0);
    for (const SparseRows& part : parts) {
        const int before = int(all.values.size());
        for (const int end : part.indptr) all.indptr.push_back(before + end);
        all.values.insert(all.values.end(), part.values.begin(), part.values.end());
        all.cols_of.insert(all.cols_of.end(), part.cols_of.begin(), part.cols_of.end());
    }
    return all;
}

SparseRows transposed(const RowsView<double>& A) {
    SparseRows T;
    T.rows = A.cols;
    T.cols = A.rows;
    T.values.resize(A.values.size());
    T.cols_of.resize(A.values.size());
    T.indptr.assign(std::size_t(T.rows) + 1, 0);
    for (const int column : A.cols_of) ++T.indptr[std::size_t(column) + 1];
    for (std::size_t j = 1; j < T.indptr.size(); ++j) T.indptr[j] += T.indptr[j - 1];
    std::vector<int> next(T.indptr.begin(), T.indptr.end() - 1);
    for (Index i = 0; i < A.rows; ++i)
        for (int e = A.indptr[std::size_t(i)]; e < A.indptr[std::size_t(i) + 1]; ++e) {
            const auto to = std::size_t(next[std::size_t(A.cols_of[std::size_t(e)])]++);
            T.values[to] = A.values[std::size_t(e)];
            T.cols_of[to] = int(i);
        }
    return T;
}

namespace {

// A B, with part(i, j, a) instead of the entry a at (i, j) of A; entries that become 0 are left out.
template <class Part>
SparseRows product_of_parts(const RowsView<double>& A, const RowsView<double>& B, Part&& part_of) {
    const Blocks blocks(A.rows, kProductRows);
    std::vector<SparseRows> parts(static_cast<std::size_t>(blocks.count()));
    parallel_for(blocks.count(), [&](Index b) {
        SparseRows& part = parts[std::size_t(b)];
        std::vector<double> sums(std::size_t(B.cols), 0.0);
        std::vector<int> seen(std::size_t(B.cols), 0);
        std::vector<int> columns(std::size_t(B.cols) + 1, 0);
        // Plain pointers, which the compiler knows not to change by what is written through them.
        double* const sum = sums.data();
        int *const met = seen.data(), *const column = columns.data();
        const double *const a_values = A.values.data(), *const b_values = B.values.data();
        const int *const a_cols = A.cols_of.data(), *const b_cols = B.cols_of.data(), *const b_start = B.indptr.data();
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            int count = 0;
            const int last = A.indptr[std::size_t(i) + 1];
            for (int e = A.indptr[std::size_t(i)]; e < last; ++e) {
                const int j = a_cols[e];
                const double a = part_of(i, j, a_values[e]);
                if (a == 0.0) continue;
                const int end = b_start[j + 1];
                for (int f = b_start[j]; f < end; ++f) {
                    const int k = b_cols[f];
                    if (met[k]) {  // most of them: the rows of B that a row of A asks for have columns in common
                        sum[k] += a * b_values[f];
                    } else {
                        sum[k] = a * b_values[f];
                        column[count++] = k;
                        met[k] = 1;
                    }
                }
            }
            for (int at = 0; at < count; ++at) {
                const int k = column[at];
                part.cols_of.push_back(k);
                part.values.push_back(sum[k]);
                met[k] = 0;
            }
            part.indptr.push_back(int(part.cols_of.size()));
        }
    });
    return joined_rows(parts, A.rows, B.cols);
}

}  // namespace

SparseRows sparse_product(const RowsView<double>& A, const RowsView<double>& B) {
    return product_of_parts(A, B, [](Index, int, double a) { return a; });
}

SparseRows half_product(const RowsView<double>& A, const RowsView<double>& B) {
    return product_of_parts(A, B, [](Index i, int j, double a) { return j > i ? a : j == i ? 0.5 * a : 0.0; });
}

}  // namespace statlearn
