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

SparseRows sparse_product(const RowsView<double>& A, const RowsView<double>& B) {
    const Blocks blocks(A.rows, kProductRows);
    std::vector<SparseRows> parts(static_cast<std::size_t>(blocks.count()));
    parallel_for(blocks.count(), [&](Index b) {
        SparseRows& part = parts[std::size_t(b)];
        std::vector<double> sum(std::size_t(B.cols), 0.0);
        std::vector<char> met(std::size_t(B.cols), 0);
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            const std::size_t first = part.cols_of.size();
            for (int e = A.indptr[std::size_t(i)]; e < A.indptr[std::size_t(i) + 1]; ++e) {
                const double a = A.values[std::size_t(e)];
                const auto j = std::size_t(A.cols_of[std::size_t(e)]);
                for (int f = B.indptr[j]; f < B.indptr[j + 1]; ++f) {
                    const auto k = std::size_t(B.cols_of[std::size_t(f)]);
                    sum[k] += a * B.values[std::size_t(f)];
                    if (!met[k]) {
                        met[k] = 1;
                        part.cols_of.push_back(int(k));
                    }
                }
            }
            for (std::size_t at = first; at < part.cols_of.size(); ++at) {
                const auto k = std::size_t(part.cols_of[at]);
                part.values.push_back(sum[k]);
                sum[k] = 0.0;
                met[k] = 0;
            }
            part.indptr.push_back(int(part.cols_of.size()));
        }
    });
    return joined_rows(parts, A.rows, B.cols);
}

}  // namespace statlearn
