#include "neighbors/sparse_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/parallel.hpp"
#include "neighbors/shortlist.hpp"

namespace statlearn::neighbors {
namespace {

constexpr Index kQueries = 8;  // of one unit of work
constexpr Index kStrip = 64;   // scores compared at once

// One list of a compressed matrix.
template <class T>
struct Entries {
    const T* values;
    const int* at;
    Index count;
};
template <class T>
Entries<T> entries(const CscView<T>& matrix, Index list) {
    const Index begin = matrix.indptr[list], end = matrix.indptr[list + 1];
    return {matrix.values.data() + begin, matrix.rows_of.data() + begin, end - begin};
}

// The reduced distance, over the columns that either has, in their order.
template <class M, class T>
double merged_distance(const M& metric, const Entries<T>& x, const Entries<double>& q, Index p) {
    Sum<double> s{0.0, 0.0};
    Index i = 0, j = 0;
    while (i < x.count && j < q.count) {
        if (x.at[i] == q.at[j])
            metric.add(s, double(x.values[i++]), q.values[j++]);
        else if (x.at[i] < q.at[j])
            metric.add(s, double(x.values[i++]), 0.0);
        else
            metric.add(s, 0.0, q.values[j++]);
    }
    for (; i < x.count; ++i) metric.add(s, double(x.values[i]), 0.0);
    for (; j < q.count; ++j) metric.add(s, 0.0, q.values[j]);
    return metric.reduced(s, p);
}

// How a score is gathered: what a row or query alone contributes, and what a common column changes.
struct SquareTerms {
    static double alone(double x) { return x * x; }
    static double common(double x, double q) { return -2.0 * x * q; }
};
struct AbsoluteTerms {
    static double alone(double x) { return std::abs(x); }
    static double common(double x, double q) { return std::abs(x - q) - std::abs(x) - std::abs(q); }
};

template <class Terms, class T>
double sum_alone(const Entries<T>& x) {
    double sum = 0.0;
    for (Index i = 0; i < x.count; ++i) sum += Terms::alone(double(x.values[i]));
    return sum;
}

// A score errs by at most c (alone(x) + alone(q)); the stored part of the row is (1 - c) alone(x).
template <class M, class T>
struct SparseBounds {
    const SparsePoints<T>* points;
    const M* metric;
    const double* kept;  // of every row
    Entries<double> q;
    double own, c;  // alone(q)

    double upper(double score, int row) const { return score + 2.0 * c / (1.0 - c) * kept[row]; }
    double accept(double bound) const { return bound + 2.0 * c * own; }
    double accept_exact(double r) const { return r * (1.0 + c) - own * (1.0 - c); }
    double exact(Index row) const { return merged_distance(*metric, entries(points->rows, row), q, points->p()); }
};

// Everything that the queries of one unit share.
template <class Terms, class T>
class Gather {
public:
    Gather(const SparsePoints<T>& points, const CscView<double>& queries) : points_(points), kept_(points.n()) {
        // Each step rounds a partial sum of at most 3 (alone(x) + alone(q)), and there are no more steps than entries.
        margin_ = double(longest(points.rows) + longest(queries) + 8) * 8.0 * 0x1p-53;
        for (Index i = 0; i < points.n(); ++i) kept_[i] = (1.0 - margin_) * sum_alone<Terms>(entries(points.rows, i));
    }

    double margin() const { return margin_; }
    const double* kept() const { return kept_.data(); }

    // Calls push(score, row) for the rows whose score is at most accept(), which may fall meanwhile.
    template <class Accept, class Push>
    void scan(const Entries<double>& q, std::vector<double>& scores, Accept&& accept, Push&& push) const {
        scores.assign(kept_.begin(), kept_.end());
        for (Index e = 0; e < q.count; ++e) {
            const auto column = entries(points_.columns, q.at[e]);
            const double value = q.values[e];
            for (Index i = 0; i < column.count; ++i)
                scores[column.at[i]] += Terms::common(double(column.values[i]), value);
        }
        const Index n = points_.n();
        for (Index begin = 0; begin < n; begin += kStrip) {
            const Index end = std::min(n, begin + kStrip);
            const double limit = accept();
            bool any = false;
            for (Index i = begin; i < end; ++i) any |= scores[i] <= limit;
            if (!any) continue;
            for (Index i = begin; i < end; ++i)
                if (scores[i] <= accept()) push(scores[i], int(i));
        }
    }

private:
    template <class U>
    static Index longest(const CscView<U>& matrix) {
        Index most = 0;
        for (Index i = 0; i < matrix.cols; ++i) most = std::max(most, entries(matrix, i).count);
        return most;
    }

    const SparsePoints<T>& points_;
    std::vector<double> kept_;
    double margin_ = 0.0;
};

// Calls f(metric, terms).
template <class F>
auto with_sparse(Metric metric, F&& f) {
    switch (metric) {
        case Metric::manhattan:
            return f(Manhattan{}, AbsoluteTerms{});
        default:
            return f(Euclidean{metric}, SquareTerms{});
    }
}

}  // namespace

template <class T>
void sparse_query(const SparsePoints<T>& points, const CscView<double>& queries, Index k, SearchRule rule,
                  const Interrupt& interrupt, Matrix<double> distances, Matrix<std::int64_t> found) {
    const Blocks blocks(queries.cols, kQueries);
    with_sparse(rule.metric, [&](const auto& metric, const auto& terms) {
        using M = std::decay_t<decltype(metric)>;
        using Terms = std::decay_t<decltype(terms)>;
        const Gather<Terms, T> gather(points, queries);
        parallel_for(blocks.count(), [&](Index b) {
            std::vector<double> scores, upper;
            for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
                if (interrupt.requested()) return;
                const auto q = entries(queries, i);
                using Bounds = SparseBounds<M, T>;
                Shortlist<double, Bounds> list(
                    Bounds{&points, &metric, gather.kept(), q, sum_alone<Terms>(q), gather.margin()}, k, upper);
                double accept = std::numeric_limits<double>::max();
                gather.scan(
                    q, scores, [&] { return accept; },
                    [&](double score, int row) {
                        if (!rule.self || row != i) accept = list.push(score, row, accept);
                    });
                list.write(metric, distances.row(i), found.row(i));
            }
        });
    });
}

template <class T>
Within sparse_radius(const SparsePoints<T>& points, const CscView<double>& queries, Span<const double> radius,
                     bool by_distance, SearchRule rule, const Interrupt& interrupt) {
    const Blocks blocks(queries.cols, kQueries);
    std::vector<Index> order(queries.cols);
    std::iota(order.begin(), order.end(), Index(0));
    WithinBlocks answers(queries.cols, blocks.count());
    return with_sparse(rule.metric, [&](const auto& metric, const auto& terms) {
        using M = std::decay_t<decltype(metric)>;
        using Terms = std::decay_t<decltype(terms)>;
        const Gather<Terms, T> gather(points, queries);
        parallel_for(blocks.count(), [&](Index b) {
            std::vector<double> scores;
            auto& items = answers.part(b).items;
            for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
                if (interrupt.requested()) return;
                const auto q = entries(queries, i);
                const SparseBounds<M, T> bounds{&points,        &metric, gather.kept(), q, sum_alone<Terms>(q),
                                                gather.margin()};
                const double r = radius[radius.size() == 1 ? 0 : std::size_t(i)];
                const double limit =
                    r < 0.0 ? -std::numeric_limits<double>::infinity() : bounds.accept_exact(loose_limit(metric, r));
                const std::size_t first = items.size();
                gather.scan(
                    q, scores, [&] { return limit; },
                    [&](double, int row) {
                        if (rule.self && row == i) return;
                        const double exact = bounds.exact(row);
                        if (metric.distance(exact) <= r) items.push_back({exact, row});
                    });
                if (by_distance) arrange(items, first, true);
                answers.count(i, items.size() - first);
            }
        });
        return answers.join(metric, [&](Index b) {
            return Span<const Index>(order.data() + blocks.begin(b), blocks.end(b) - blocks.begin(b));
        });
    });
}

template <class T>
void sparse_unit_rows(Span<T> values, Span<const int> starts, Span<std::uint8_t> empty) {
    for (Index i = 0; i + 1 < starts.size(); ++i) {
        const auto row = values.subspan(starts[i], starts[i + 1] - starts[i]);
        double scale = 0.0, square = 0.0;
        for (const T x : row) scale = std::max(scale, std::abs(double(x)));
        empty[i] = !(scale > 0.0);
        if (empty[i]) continue;
        for (const T x : row) {
            const double z = double(x) / scale;
            square = mul_add(z, z, square);
        }
        const double norm = std::sqrt(square);
        for (T& x : row) x = T(double(x) / scale / norm);
    }
}

#define STATLEARN_SPARSE_SEARCH(T)                                                                                     \
    template void sparse_query<T>(const SparsePoints<T>&, const CscView<double>&, Index, SearchRule, const Interrupt&, \
                                  Matrix<double>, Matrix<std::int64_t>);                                               \
    template Within sparse_radius<T>(const SparsePoints<T>&, const CscView<double>&, Span<const double>, bool,         \
                                     SearchRule, const Interrupt&);                                                    \
    template void sparse_unit_rows<T>(Span<T>, Span<const int>, Span<std::uint8_t>);
STATLEARN_SPARSE_SEARCH(float)
STATLEARN_SPARSE_SEARCH(double)
#undef STATLEARN_SPARSE_SEARCH

}  // namespace statlearn::neighbors
