#include "common/neighbor_graph.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/vmath.hpp"

namespace statlearn {
namespace {

constexpr double kUnderflow = -708.0;  // where exp_fast ends, and weights are nothing

// Directed ties by row: the other row, and the place of the distance.
struct Directed {
    std::vector<int> start, row, place;
};

// The ties of `from` turned around. Those of a row are then in increasing order, whatever they were.
Directed turned(const Directed& from, Index n) {
    Directed to;
    to.start.assign(std::size_t(n) + 1, 0);
    to.row.resize(from.row.size());
    to.place.resize(from.row.size());
    for (const int j : from.row) ++to.start[std::size_t(j) + 1];
    for (std::size_t j = 1; j < to.start.size(); ++j) to.start[j] += to.start[j - 1];
    std::vector<int> next(to.start.begin(), to.start.end() - 1);
    for (Index i = 0; i < n; ++i)
        for (int e = from.start[std::size_t(i)]; e < from.start[std::size_t(i) + 1]; ++e) {
            const auto at = std::size_t(next[std::size_t(from.row[std::size_t(e)])]++);
            to.row[at] = int(i);
            to.place[at] = from.place[std::size_t(e)];
        }
    return to;
}

// visit(row, place, mutual) for the ties of row i in either direction, in increasing order.
template <class F>
void merge(const Directed& out, const Directed& in, Index i, F&& visit) {
    const auto here = std::size_t(i);
    int a = out.start[here], b = in.start[here];
    const int a_end = out.start[here + 1], b_end = in.start[here + 1];
    constexpr int kEnd = 0x7fffffff;
    while (a < a_end || b < b_end) {
        const int p = a < a_end ? out.row[std::size_t(a)] : kEnd, q = b < b_end ? in.row[std::size_t(b)] : kEnd;
        const int place = p <= q ? out.place[std::size_t(a)] : in.place[std::size_t(b)];
        visit(std::min(p, q), place, p == q);
        a += p <= q;
        b += q <= p;
    }
}

}  // namespace

SparseRows neighbor_graph(MatrixView<const std::int64_t> near, MatrixView<const double> distances, Ties ties,
                          double gamma, const Interrupt& interrupt) {
    const Index n = near.rows, k = near.cols;
    Directed listed;
    listed.start.resize(std::size_t(n) + 1);
    listed.row.resize(std::size_t(n * k));
    listed.place.resize(std::size_t(n * k));
    for (Index i = 0; i <= n; ++i) listed.start[std::size_t(i)] = int(i * k);
    for (Index e = 0; e < n * k; ++e) {
        listed.row[std::size_t(e)] = int(near.data[e]);
        listed.place[std::size_t(e)] = int(e);
    }
    SparseRows graph;
    graph.rows = graph.cols = n;
    graph.indptr.assign(std::size_t(n) + 1, 0);
    if (interrupt.requested()) return graph;
    const Directed in = turned(listed, n), out = turned(in, n);

    // Blocks of rows are made side by side, each in a place of its own, and moved together afterwards.
    const Blocks blocks(n, 512);
    std::vector<SparseRows> parts(static_cast<std::size_t>(blocks.count()));
    parallel_for(blocks.count(), Work(8 * n * k), [&](Index b) {
        SparseRows& part = parts[std::size_t(b)];
        const auto first = std::size_t(blocks.begin(b)), last = std::size_t(blocks.end(b));
        const auto most = std::size_t(out.start[last] - out.start[first] + in.start[last] - in.start[first]);
        part.values.resize(most);
        part.cols_of.resize(most);
        std::size_t at = 0;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            merge(out, in, i, [&](int j, int place, bool mutual) {
                part.cols_of[at] = j;
                const double d = distances.data[place];
                part.values[at] = mutual || ties != Ties::average ? d * d : -d * d;  // the sign marks half a tie
                at += std::size_t(mutual || ties != Ties::both);
            });
            part.indptr.push_back(int(at));
        }
        part.cols_of.resize(at);
        part.values.resize(at);
        for (double& value : part.values) {
            const double weight = std::signbit(value) ? 0.5 : 1.0, exponent = -gamma * std::abs(value);
            value = exponent < kUnderflow ? 0.0 : weight * exp_fast(exponent);
        }
    });
    return joined_rows(parts, n, n);
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
