#include "common/neighbor_graph.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "common/vmath.hpp"

namespace statlearn {
namespace {

constexpr double kUnderflow = -708.0;  // where exp_fast ends, and weights are nothing

// Whether the row at j lists `row`, which is at the distance of the farthest row that j lists.
bool listed_by(Matrix<const std::int64_t> near, Matrix<const double> distances, Index j, std::int64_t row) {
    const Index k = near.cols;
    const double farthest = distances(j, k - 1);
    for (Index e = k; e-- > 0 && distances(j, e) == farthest;)
        if (near(j, e) == row) return true;
    return false;
}

// A tie of row i that is not mutual, its place in the list of i, and row j, which does not list it itself.
struct OneWay {
    int i, place, j;
    double weight;
};

// A graph whose rows are in any order, in increasing order: a symmetric matrix is its transpose, and each thread writes
// the rows of a range of its own. How the ranges are cut does not change the result. The entries of a matrix that is
// not symmetric could leave the range of their thread, where nothing is written; std::invalid_argument tells.
SparseRows sorted_symmetric(const SparseRows& A) {
    SparseRows to;
    to.rows = to.cols = A.rows;
    to.indptr = A.indptr;
    const std::size_t entries = A.values.size();
    to.values.resize(entries);
    to.cols_of.resize(entries);
    const Blocks ranges(A.rows, (A.rows + threads() - 1) / threads());
    parallel_for(ranges.count(), Work(Index(4 * entries)), [&](Index b) {
        const int first = int(ranges.begin(b));
        const auto size = unsigned(ranges.end(b) - ranges.begin(b));
        std::vector<int> next(A.indptr.begin() + first, A.indptr.begin() + first + size);
        next.push_back(0);
        const int end = A.indptr[std::size_t(first) + size];
        int other_column;  // where the entries of other ranges go: a choice of address, which needs no prediction
        double other_value;
        for (Index i = 0; i < A.rows; ++i)
            for (int e = A.indptr[i]; e < A.indptr[i + 1]; ++e) {
                const unsigned j = std::min(unsigned(A.cols_of[e] - first), size);
                const int place = next[j]++;
                const bool mine = j < size && place < end;
                const Index at = place;
                (mine ? to.cols_of[at] : other_column) = int(i);
                (mine ? to.values[at] : other_value) = A.values[e];
            }
        for (unsigned j = 0; j < size; ++j)
            if (next[j] != A.indptr[std::size_t(first) + j + 1])
                throw std::invalid_argument("neighbor_graph: the distances must be the same in both directions");
    });
    return to;
}

// What symmetric_graph asks of lists of k neighbours: the number of one, the square of its distance, and whether the
// row j that row i lists in place e lists i.
struct SortedLists {
    Matrix<const std::int64_t> near;
    Matrix<const double> distances;
    Span<const int> order;
    std::vector<int> place;  // of each row in the order
    std::vector<double> farthest;

    Index rows() const { return near.rows; }
    Index k() const { return near.cols; }
    int neighbor(Index i, Index e) const { return place.empty() ? int(near(i, e)) : place[near(i, e)]; }
    double square(Index i, Index e) const { return distances(i, e) * distances(i, e); }
    bool mutual(Index i, Index e, int j) const {
        const double d = distances(i, e), reach = farthest[j];
        const std::int64_t row = order.empty() ? i : order[i];
        return d < reach || (d == reach && listed_by(near, distances, j, row));
    }
};

struct Sets {
    const NearSets& of;

    Index rows() const { return Index(of.reach.size()); }
    Index k() const { return of.k; }
    int neighbor(Index i, Index e) const { return of.places[i * of.k + e]; }
    double square(Index i, Index e) const {
        const double d = std::sqrt(of.squares[i * of.k + e]);  // as from a list of distances
        return d * d;
    }
    bool mutual(Index i, Index e, int j) const {
        const double r = of.squares[i * of.k + e], reach = of.reach[j];
        return r < reach || (r == reach && of.rows[i] <= of.last[j]);
    }
};

// The graph of the lists; the columns of a row are those of its list, and those that list it behind them.
template <class Lists>
SparseRows symmetric_graph(const Lists& lists, Ties ties, double gamma, const Interrupt& interrupt) {
    const Index n = lists.rows(), k = lists.k();
    const bool mutual_only = ties == Ties::both;
    const double one_way = ties == Ties::average ? 0.5 : 1.0;
    const Blocks blocks(n, 512);
    std::vector<std::vector<OneWay>> alone(blocks.count());
    std::vector<int> count(n, int(k));
    parallel_for(blocks.count(), Work(4 * n * k), [&](Index b) {
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i)
            for (Index e = 0; e < k; ++e) {
                const int j = lists.neighbor(i, e);
                if (!lists.mutual(i, e, j)) alone[b].push_back({int(i), int(e), j, 0.0});
            }
    });
    if (interrupt.requested()) return {};
    for (const auto& part : alone)
        for (const OneWay& tie : part) mutual_only ? --count[tie.i] : ++count[tie.j];
    SparseRows graph;
    graph.rows = graph.cols = n;
    graph.indptr.assign(std::size_t(n) + 1, 0);
    for (std::size_t i = 0; i < count.size(); ++i) graph.indptr[i + 1] = graph.indptr[i] + count[i];
    graph.values.resize(graph.indptr.back());
    graph.cols_of.resize(graph.values.size());
    parallel_for(blocks.count(), Work(8 * n * k), [&](Index b) {
        std::vector<double> weights(k);
        auto single = alone[b].begin();
        const auto last = alone[b].end();
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            for (Index e = 0; e < k; ++e) {
                const double exponent = -gamma * lists.square(i, e), kernel = exp_fast(exponent);
                weights[e] = exponent < kUnderflow ? 0.0 : kernel;
            }
            const auto first = single;
            for (; single != last && single->i == i; ++single) single->weight = weights[single->place] *= one_way;
            Index to = graph.indptr[i];
            auto skipped = first;
            for (Index e = 0; e < k; ++e) {
                if (mutual_only && skipped != single && skipped->place == e) {
                    ++skipped;
                    continue;
                }
                graph.cols_of[to] = lists.neighbor(i, e);
                graph.values[to++] = weights[e];
            }
        }
    });
    // The ties that the other row lists come behind its own; their weights are copied, so that the graph is symmetric.
    if (!mutual_only) {
        std::vector<int> next(n);
        for (Index i = 0; i < n; ++i) next[i] = graph.indptr[i] + int(k);
        for (const auto& part : alone)
            for (const OneWay& tie : part) {
                const Index to = next[tie.j]++;
                graph.cols_of[to] = tie.i;
                graph.values[to] = tie.weight;
            }
    }
    return graph;
}

}  // namespace

SparseRows neighbor_graph(const NearSets& sets, Ties ties, double gamma, const Interrupt& interrupt) {
    return symmetric_graph(Sets{sets}, ties, gamma, interrupt);
}

SparseRows neighbor_graph(Matrix<const std::int64_t> near, Matrix<const double> distances, Span<const int> order,
                          Ties ties, double gamma, const Interrupt& interrupt) {
    SortedLists lists{near, distances, order, std::vector<int>(order.size()), {}};
    for (Index at = 0; at < order.size(); ++at) lists.place[order[at]] = int(at);
    for (Index i = 0; i < near.rows; ++i) lists.farthest.push_back(distances(i, near.cols - 1));
    const SparseRows graph = symmetric_graph(lists, ties, gamma, interrupt);
    return order.empty() && !interrupt.requested() ? sorted_symmetric(graph) : graph;
}

void scale_rows_and_columns(const RowsView<double>& A, Span<const double> left, Span<const double> right,
                            Span<double> values) {
    const Blocks blocks(A.rows, 1024);
    parallel_for(blocks.count(), Work(Index(2 * values.size())), [&](Index b) {
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i)
            for (int e = A.indptr[i]; e < A.indptr[i + 1]; ++e) values[e] = left[i] * A.values[e] * right[A.cols_of[e]];
    });
}

}  // namespace statlearn
