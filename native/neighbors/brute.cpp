#include "neighbors/brute.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "common/parallel.hpp"

namespace statlearn::neighbors {
namespace {

constexpr Index kQueries = 16;  // answered together: each block of points is read once for all of them

std::array<int, kLanes> rows_of(Index block) {
    std::array<int, kLanes> rows;
    std::iota(rows.begin(), rows.end(), int(block * kLanes));
    return rows;
}

}  // namespace

template <class T>
void pack_blocks(MatrixView<const T> X, const Interrupt& interrupt, std::span<T> data) {
    const Blocks chunks((X.rows + kLanes - 1) / kLanes, 256);
    parallel_for(chunks.count(), [&](Index c) {
        if (interrupt.requested()) return;
        for (Index b = chunks.begin(c); b < chunks.end(c); ++b)
            for (Index l = 0; l < kLanes; ++l) {
                const T* x = X.row(std::min(b * kLanes + l, X.rows - 1));
                T* to = data.data() + b * X.cols * kLanes + l;
                for (Index j = 0; j < X.cols; ++j) to[j * kLanes] = x[j];
            }
    });
}

template <class T>
void linear_map(MatrixView<const T> X, MatrixView<const double> A, const Interrupt& interrupt, MatrixView<T> Y) {
    const Blocks blocks(X.rows, 256);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        std::vector<double> sum(static_cast<std::size_t>(A.cols));
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            std::fill(sum.begin(), sum.end(), 0.0);
            for (Index j = 0; j < A.rows; ++j) {
                const double x = double(X.row(i)[j]);
                const double* a = A.row(j);
                for (Index l = 0; l < A.cols; ++l) sum[std::size_t(l)] += x * a[l];
            }
            for (Index l = 0; l < A.cols; ++l) Y.row(i)[l] = T(sum[std::size_t(l)]);
        }
    });
}

template <class T>
void unit_rows(MatrixView<const T> X, bool centre, Index pole, const Interrupt& interrupt, MatrixView<T> Y) {
    const Blocks blocks(X.rows, 256);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            const T* x = X.row(i);
            T* y = Y.row(i);
            double mean = 0.0, scale = 0.0, square = 0.0;
            if (centre)
                for (Index j = 0; j < X.cols; ++j) mean += double(x[j]) / double(X.cols);
            for (Index j = 0; j < X.cols; ++j) scale = std::max(scale, std::abs(double(x[j]) - mean));
            if (!(scale > 0.0)) {
                std::fill_n(y, Y.cols, T(0));
                y[X.cols + pole] = T(1);
                continue;
            }
            for (Index j = 0; j < X.cols; ++j) {
                const double z = (double(x[j]) - mean) / scale;
                square = mul_add(z, z, square);
            }
            const double norm = std::sqrt(square);
            for (Index j = 0; j < X.cols; ++j) y[j] = T((double(x[j]) - mean) / scale / norm);
            y[X.cols] = y[X.cols + 1] = T(0);
        }
    });
}

void sphere_rows(MatrixView<const double> X, MatrixView<double> Y) {
    for (Index i = 0; i < X.rows; ++i) {
        const double* x = X.row(i);
        double* y = Y.row(i);
        y[0] = std::cos(x[0]) * std::cos(x[1]);
        y[1] = std::cos(x[0]) * std::sin(x[1]);
        y[2] = std::sin(x[0]);
    }
}

template <class T>
void brute_query(PointBlocks<T> points, MatrixView<const double> Q, Index k, SearchRule rule,
                 const Interrupt& interrupt, MatrixView<double> distances, MatrixView<std::int64_t> found) {
    const Blocks groups(Q.rows, kQueries);
    with_metric(rule.metric, rule.power, [&](const auto& metric) {
        parallel_for(groups.count(), [&](Index g) {
            const Index begin = groups.begin(g), m = groups.end(g) - begin;
            std::vector<TopK> best(static_cast<std::size_t>(m), TopK(k));
            for (Index b = 0; b < points.count(); ++b) {
                if (b % 256 == 0 && interrupt.requested()) return;
                const auto rows = rows_of(b);
                for (Index i = 0; i < m; ++i) {
                    const Lanes r = block_distances(metric, points.block(b), Q.row(begin + i), points.p);
                    unsigned bits = at_most(r, best[std::size_t(i)].worst());
                    if (!bits) continue;
                    if (points.lanes(b) < kLanes) bits &= (1u << points.lanes(b)) - 1;
                    if (rule.self && (begin + i) / kLanes == b) bits &= ~(1u << (begin + i) % kLanes);
                    best[std::size_t(i)].offer(r, bits, rows.data());
                }
            }
            for (Index i = 0; i < m; ++i)
                best[std::size_t(i)].write(metric, distances.row(begin + i), found.row(begin + i));
        });
    });
}

template <class T>
Within brute_radius(PointBlocks<T> points, MatrixView<const double> Q, std::span<const double> radius, bool by_distance,
                    SearchRule rule, const Interrupt& interrupt) {
    const Blocks groups(Q.rows, kQueries);
    std::vector<Index> order(static_cast<std::size_t>(Q.rows));
    std::iota(order.begin(), order.end(), Index(0));
    WithinBlocks answers(Q.rows, groups.count());
    return with_metric(rule.metric, rule.power, [&](const auto& metric) {
        parallel_for(groups.count(), [&](Index g) {
            const Index begin = groups.begin(g), m = groups.end(g) - begin;
            std::vector<std::vector<Neighbor>> near(static_cast<std::size_t>(m));
            for (Index b = 0; b < points.count(); ++b) {
                if (b % 256 == 0 && interrupt.requested()) return;
                const auto rows = rows_of(b);
                for (Index i = 0; i < m; ++i) {
                    const double r = radius[radius.size() == 1 ? 0 : std::size_t(begin + i)];
                    collect(metric, block_distances(metric, points.block(b), Q.row(begin + i), points.p),
                            loose_limit(metric, r), r, rows.data(), points.lanes(b), rule.self ? begin + i : -1,
                            near[std::size_t(i)]);
                }
            }
            auto& items = answers.part(g).items;
            for (Index i = 0; i < m; ++i) {
                auto& mine = near[std::size_t(i)];
                if (by_distance) arrange(mine, 0, true);
                answers.count(begin + i, mine.size());
                items.insert(items.end(), mine.begin(), mine.end());
            }
        });
        return answers.join(metric, [&](Index g) {
            return std::span<const Index>(order.data() + groups.begin(g), std::size_t(groups.end(g) - groups.begin(g)));
        });
    });
}

template <class T>
void distance_matrix(PointBlocks<T> points, MatrixView<const double> Q, Metric metric, double power,
                     const Interrupt& interrupt, MatrixView<double> D) {
    const Blocks groups(Q.rows, kQueries);
    with_metric(metric, power, [&](const auto& policy) {
        parallel_for(groups.count(), [&](Index g) {
            const Index begin = groups.begin(g), m = groups.end(g) - begin;
            for (Index b = 0; b < points.count(); ++b) {
                if (b % 256 == 0 && interrupt.requested()) return;
                for (Index i = 0; i < m; ++i) {
                    double r[kLanes];
                    store(block_distances(policy, points.block(b), Q.row(begin + i), points.p), r);
                    double* to = D.row(begin + i) + b * kLanes;
                    for (Index l = 0; l < points.lanes(b); ++l) to[l] = policy.distance(r[l]);
                }
            }
        });
    });
}

#define STATLEARN_BRUTE(T)                                                                                       \
    template void pack_blocks<T>(MatrixView<const T>, const Interrupt&, std::span<T>);                           \
    template void linear_map<T>(MatrixView<const T>, MatrixView<const double>, const Interrupt&, MatrixView<T>); \
    template void unit_rows<T>(MatrixView<const T>, bool, Index, const Interrupt&, MatrixView<T>);               \
    template void brute_query<T>(PointBlocks<T>, MatrixView<const double>, Index, SearchRule, const Interrupt&,  \
                                 MatrixView<double>, MatrixView<std::int64_t>);                                  \
    template Within brute_radius<T>(PointBlocks<T>, MatrixView<const double>, std::span<const double>, bool,     \
                                    SearchRule, const Interrupt&);                                               \
    template void distance_matrix<T>(PointBlocks<T>, MatrixView<const double>, Metric, double, const Interrupt&, \
                                     MatrixView<double>);
STATLEARN_BRUTE(float)
STATLEARN_BRUTE(double)
#undef STATLEARN_BRUTE

}  // namespace statlearn::neighbors
