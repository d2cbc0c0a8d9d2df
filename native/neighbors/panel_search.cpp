#include "neighbors/panel_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/parallel.hpp"
#include "common/tile.hpp"
#include "neighbors/shortlist.hpp"

namespace statlearn::neighbors {
namespace {

constexpr Index kGroup = kTileRows;  // queries of a tile
constexpr Index kMostQueries = 128;  // queries that share one pass over the points
constexpr float kInfinity = std::numeric_limits<float>::infinity();
// What rounding near the smallest floats can add, in units of the scaled data.
constexpr double kTiny = 1e-34;
// Squared length beyond which a query is far from all data (whose coordinates are at most 1).
constexpr double kFar = 1e30;

double margin(Index p) { return double(2 * p + 8) * 0x1p-24; }

// Scores of 24 points against 4 queries that are at most `accept` of the query: bits[i] has a bit for each.
inline bool score_tile(const float* a, const float* b, const float* norms, Index p, const float* accept,
                       std::uint32_t* bits, float* scores) {
    TileSums<float> s;
    tile_fill_cols(s, norms);
    tile_accumulate(a, kGroup, b, kPanel, p, s);
    std::uint32_t any = 0;
    for (Index i = 0; i < kGroup; ++i) bits[i] = 0;
    tile_each(s, [&](Index i, Index j, Pack8 v) { bits[i] |= bits_of(v <= accept[i]) << j; });
    for (Index i = 0; i < kGroup; ++i) any |= bits[i];
    if (!any) return false;
    tile_store(s, scores, kPanel);
    return true;
}

// Queries of one unit of work: -2 q in groups of four, and |q|^2.
struct PackedQueries {
    Index begin, count;
    std::vector<float> data;     // groups x p x 4
    std::vector<double> square;  // scaled and centred
    std::vector<Index> far;      // queries whose products would leave the range of floats: looked up one by one

    template <class T>
    PackedQueries(const Panels<T>& points, const Matrix<const double>& Q, Index first, Index end)
        : begin(first),
          count(end - first),
          data((count + kGroup - 1) / kGroup * kGroup * Q.cols, 0.0f),
          square(count, 0.0) {
        for (Index i = 0; i < count; ++i) {
            double& mine = square[i];
            const auto z = [&](Index j) { return (Q.row(begin + i)[j] - points.centre[j]) * points.scale; };
            for (Index j = 0; j < Q.cols; ++j) mine += z(j) * z(j);
            if (!(mine < kFar)) {
                far.push_back(i);
                continue;
            }
            float* to = data.data() + i / kGroup * Q.cols * kGroup + i % kGroup;
            for (Index j = 0; j < Q.cols; ++j) to[j * kGroup] = float(-2.0 * z(j));
        }
    }
    Index groups() const { return (count + kGroup - 1) / kGroup; }
};

// Runs through all points; push(i, score, row) gets what query i accepts, and may lower accept[i].
template <class T, class Push>
void scan(const Panels<T>& points, const PackedQueries& queries, std::vector<float>& accept, const Interrupt& interrupt,
          Push&& push) {
    const Index p = points.X.cols;
    std::uint32_t bits[kGroup];
    alignas(32) float scores[kGroup * kPanel];
    for (Index b = 0; b < points.count(); ++b) {
        if (b % 16 == 0 && interrupt.requested()) return;
        const float* panel = points.data.data() + b * p * kPanel;
        const float* norms = points.norms.data() + b * kPanel;
        for (Index g = 0; g < queries.groups(); ++g) {
            if (!score_tile(queries.data.data() + g * p * kGroup, panel, norms, p, accept.data() + g * kGroup, bits,
                            scores))
                continue;
            for (Index i = 0; i < kGroup; ++i)
                for (std::uint32_t left = bits[i]; left; left &= left - 1) {
                    const int lane = std::countr_zero(left);
                    push(g * kGroup + i, scores[i * kPanel + lane], int(b * kPanel) + lane);
                }
        }
    }
}

// What shortlist.hpp needs to know: a score is a lower bound up to c |q|^2, see panel_search.hpp.
template <class T>
struct PanelBounds {
    const Panels<T>* points;
    const Euclidean* metric;
    const double* q;
    double square;  // |q|^2, scaled and centred

    double c() const { return margin(points->X.cols); }
    double tiny() const { return kTiny * double(points->X.cols); }
    double upper(float score, int row) const {
        return double(score) + 2.0 * c() / (1.0 - c()) * double(points->norms[row]);
    }
    double accept(double bound) const { return bound + 2.0 * c() * square + tiny(); }
    double accept_exact(double r) const {
        return r * points->scale * points->scale * (1.0 + 1e-12) - square * (1.0 - c()) + tiny();
    }
    double exact(Index row) const { return point_distance(*metric, points->X.row(row), 1, q, points->X.cols); }
};

// Whole groups, few enough that every thread gets some.
Blocks query_blocks(Index m) {
    const Index share = m / (4 * Index(threads())) / kGroup * kGroup;
    return Blocks(m, std::clamp(share, kGroup, kMostQueries));
}

}  // namespace

template <class T>
double panels_pack(Matrix<const T> X, Span<const double> centre, const Interrupt& interrupt, Span<float> data,
                   Span<float> norms) {
    const Index n = X.rows, p = X.cols;
    const Blocks blocks(n, 100 * kPanel);
    std::vector<double> largest(blocks.count(), 0.0);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        double most = 0.0;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i)
            for (Index j = 0; j < p; ++j) most = std::max(most, std::abs(double(X.row(i)[j]) - centre[j]));
        largest[b] = most;
    });
    const double most = *std::max_element(largest.begin(), largest.end());
    const double scale = most > 0.0 ? std::ldexp(1.0, -std::clamp(std::ilogb(most) + 1, -1000, 1000)) : 1.0;
    const double keep = 1.0 - margin(p);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        for (Index i = blocks.begin(b); i < std::min(blocks.begin(b) + blocks.size, Index(norms.size())); ++i) {
            float* to = data.data() + i / kPanel * p * kPanel + i % kPanel;
            double square = 0.0;
            for (Index j = 0; j < p; ++j) {
                const double z = i < n ? (double(X.row(i)[j]) - centre[j]) * scale : 0.0;
                square += z * z;
                to[j * kPanel] = float(z);
            }
            norms[i] = i < n ? float(keep * square) : kInfinity;
        }
    });
    return scale;
}

template <class T>
void panels_query(const Panels<T>& points, Matrix<const double> Q, Index k, SearchRule rule, const Interrupt& interrupt,
                  Matrix<double> distances, Matrix<std::int64_t> found) {
    const Blocks blocks = query_blocks(Q.rows);
    const Euclidean metric{rule.metric};
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        const PackedQueries queries(points, Q, blocks.begin(b), blocks.end(b));
        using Bounds = PanelBounds<T>;
        std::vector<double> upper;
        std::vector<Shortlist<float, Bounds>> lists;
        for (Index i = 0; i < queries.count; ++i)
            lists.emplace_back(Bounds{&points, &metric, Q.row(queries.begin + i), queries.square[i]}, k, upper);
        // Places of the last group without a query accept nothing.
        std::vector<float> accept(queries.groups() * kGroup, -kInfinity);
        std::fill_n(accept.begin(), queries.count, std::numeric_limits<float>::max());
        for (const Index i : queries.far) accept[i] = -kInfinity;
        scan(points, queries, accept, interrupt, [&](Index i, float score, int row) {
            if (rule.self && row == queries.begin + i) return;
            float& mine = accept[i];
            if (score <= mine) mine = lists[i].push(score, row, mine);
        });
        if (interrupt.requested()) return;
        for (const Index i : queries.far)
            for (Index row = 0; row < points.X.rows; ++row)
                if (!rule.self || row != queries.begin + i) lists[i].offer(row);
        for (Index i = 0; i < queries.count; ++i)
            lists[i].write(metric, distances.row(queries.begin + i), found.row(queries.begin + i));
    });
}

template <class T>
Within panels_radius(const Panels<T>& points, Matrix<const double> Q, Span<const double> radius, bool by_distance,
                     SearchRule rule, const Interrupt& interrupt) {
    const Blocks blocks = query_blocks(Q.rows);
    std::vector<Index> order(Q.rows);
    std::iota(order.begin(), order.end(), Index(0));
    WithinBlocks answers(Q.rows, blocks.count());
    const Index p = points.X.cols;
    const Euclidean metric{rule.metric};
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        const PackedQueries queries(points, Q, blocks.begin(b), blocks.end(b));
        std::vector<std::vector<Neighbor>> near(queries.count);
        std::vector<float> accept(queries.groups() * kGroup, -kInfinity);
        const auto radius_of = [&](Index i) { return radius[radius.size() == 1 ? 0 : std::size_t(queries.begin + i)]; };
        for (Index i = 0; i < queries.count; ++i) {
            const double limit = loose_limit(metric, radius_of(i)) * points.scale * points.scale;
            const double score = limit - queries.square[i] * (1.0 - margin(p)) + kTiny * double(p);
            if (radius_of(i) >= 0.0) accept[i] = std::min(at_least<float>(score), std::numeric_limits<float>::max());
        }
        for (const Index i : queries.far) accept[i] = -kInfinity;
        const auto look = [&](Index i, float, int row) {
            if (rule.self && row == queries.begin + i) return;
            const double r = point_distance(metric, points.X.row(row), 1, Q.row(queries.begin + i), p);
            if (metric.distance(r) <= radius_of(i)) near[i].push_back({r, row});
        };
        scan(points, queries, accept, interrupt, look);
        for (const Index i : queries.far)
            for (Index row = 0; row < points.X.rows; ++row) look(i, 0.0f, int(row));
        auto& items = answers.part(b).items;
        for (Index i = 0; i < queries.count; ++i) {
            auto& mine = near[i];
            if (by_distance) arrange(mine, 0, true);
            answers.count(queries.begin + i, mine.size());
            items.insert(items.end(), mine.begin(), mine.end());
        }
    });
    return answers.join(metric, [&](Index b) {
        return Span<const Index>(order.data() + blocks.begin(b), blocks.end(b) - blocks.begin(b));
    });
}

#define STATLEARN_PANELS(T)                                                                                          \
    template double panels_pack<T>(Matrix<const T>, Span<const double>, const Interrupt&, Span<float>, Span<float>); \
    template void panels_query<T>(const Panels<T>&, Matrix<const double>, Index, SearchRule, const Interrupt&,       \
                                  Matrix<double>, Matrix<std::int64_t>);                                             \
    template Within panels_radius<T>(const Panels<T>&, Matrix<const double>, Span<const double>, bool, SearchRule,   \
                                     const Interrupt&);
STATLEARN_PANELS(float)
STATLEARN_PANELS(double)
#undef STATLEARN_PANELS

}  // namespace statlearn::neighbors
