#include "common/neighbor_graph.hpp"

#include <algorithm>
#include <vector>

#include "common/vmath.hpp"

namespace statlearn {
namespace {

constexpr double kUnderflow = -708.0;  // where exp_fast ends, and weights are nothing

// Whether row j lists row i, which lists j at the distance d: by the farthest distance that j lists, and by a look at
// its list if that is the same.
bool listed_by(MatrixView<const std::int64_t> near, MatrixView<const double> distances, Index j, Index i, double d) {
    const Index k = near.cols;
    const double farthest = distances(j, k - 1);
    if (d != farthest) return d < farthest;
    for (Index e = k; e-- > 0 && distances(j, e) == d;)
        if (near(j, e) == i) return true;
    return false;
}

// A graph whose rows are in any order, in increasing order: a symmetric matrix is its transpose, and each thread writes
// the rows of a range of its own.
SparseRows sorted_symmetric(const SparseRows& A) {
    SparseRows to;
    to.rows = to.cols = A.rows;
    to.indptr = A.indptr;
    to.values.resize(A.values.size());
    to.cols_of.resize(A.values.size());
    const Blocks ranges(A.rows, std::max<Index>(4096, (A.rows + 7) / 8));
    parallel_for(ranges.count(), Work(Index(4 * A.values.size())), [&](Index b) {
        const int first = int(ranges.begin(b)), last = int(ranges.end(b));
        std::vector<int> next(A.indptr.begin() + first, A.indptr.begin() + last);
        for (Index i = 0; i < A.rows; ++i)
            for (int e = A.indptr[std::size_t(i)]; e < A.indptr[std::size_t(i) + 1]; ++e) {
                const int j = A.cols_of[std::size_t(e)];
                if (j < first || j >= last) continue;
                const auto at = std::size_t(next[std::size_t(j - first)]++);
                to.cols_of[at] = int(i);
                to.values[at] = A.values[std::size_t(e)];
            }
    });
    return to;
}

}  // namespace

SparseRows neighbor_graph(MatrixView<const std::int64_t> near, MatrixView<const double> distances, Ties ties,
                          double gamma, const Interrupt& interrupt) {
    const Index n = near.rows, k = near.cols;
    const bool mutual_only = ties == Ties::both;
    const double one_way = ties == Ties::average ? 0.5 : 1.0;
    const Blocks blocks(n, 512);
    // The ties of each row that are not mutual, with the row at the other end, which does not list them itself.
    std::vector<char> mutual(static_cast<std::size_t>(n * k));
    std::vector<int> count(static_cast<std::size_t>(n), 0);
    parallel_for(blocks.count(), Work(4 * n * k), [&](Index b) {
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i)
            for (Index e = 0; e < k; ++e)
                mutual[std::size_t(i * k + e)] = listed_by(near, distances, Index(near(i, e)), i, distances(i, e));
    });
    if (interrupt.requested()) return {};
    for (Index i = 0; i < n; ++i)
        for (Index e = 0; e < k; ++e) {
            const bool both = mutual[std::size_t(i * k + e)];
            count[std::size_t(i)] += both || !mutual_only;
            if (!both && !mutual_only) ++count[std::size_t(near(i, e))];
        }
    SparseRows graph;
    graph.rows = graph.cols = n;
    graph.indptr.assign(std::size_t(n) + 1, 0);
    for (std::size_t i = 0; i < count.size(); ++i) graph.indptr[i + 1] = graph.indptr[i] + count[i];
    graph.values.resize(std::size_t(graph.indptr.back()));
    graph.cols_of.resize(graph.values.size());
    std::vector<int> next(graph.indptr.begin(), graph.indptr.end() - 1);
    const auto weight = [&](double d, bool both) {
        const double exponent = -gamma * d * d;
        return exponent < kUnderflow ? 0.0 : (both ? 1.0 : one_way) * exp_fast(exponent);
    };
    parallel_for(blocks.count(), Work(8 * n * k), [&](Index b) {
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            int& at = next[std::size_t(i)];
            for (Index e = 0; e < k; ++e) {
                const bool both = mutual[std::size_t(i * k + e)];
                if (!both && mutual_only) continue;
                graph.cols_of[std::size_t(at)] = int(near(i, e));
                graph.values[std::size_t(at++)] = weight(distances(i, e), both);
            }
        }
    });
    for (Index i = 0; i < n && !mutual_only; ++i)
        for (Index e = 0; e < k; ++e) {
            if (mutual[std::size_t(i * k + e)]) continue;
            const auto at = std::size_t(next[std::size_t(near(i, e))]++);
            graph.cols_of[at] = int(i);
            graph.values[at] = weight(distances(i, e), false);
        }
    return sorted_symmetric(graph);
}

void scale_rows_and_columns(const RowsView<double>& A, std::span<const double> left, std::span<const double> right,
                            std::span<double> values) {
    const Blocks blocks(A.rows, 1024);
    parallel_for(blocks.count(), Work(Index(2 * values.size())), [&](Index b) {
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i)
            for (int e = A.indptr[std::size_t(i)]; e < A.indptr[std::size_t(i) + 1]; ++e)
                values[std::size_t(e)] =
                    left[std::size_t(i)] * A.values[std::size_t(e)] * right[std::size_t(A.cols_of[std::size_t(e)])];
    });
}

}  // namespace statlearn
