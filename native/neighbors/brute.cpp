#include "neighbors/brute.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

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
void pack_blocks(Matrix<const T> X, const Interrupt& interrupt, Span<T> data) {
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
void linear_map(Matrix<const T> X, Matrix<const double> A, const Interrupt& interrupt, Matrix<T> Y) {
    const Blocks blocks(X.rows, 256);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        std::vector<double> sum(A.cols);
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            std::fill(sum.begin(), sum.end(), 0.0);
            for (Index j = 0; j < A.rows; ++j) {
                const double x = double(X.row(i)[j]);
                const double* a = A.row(j);
                for (Index l = 0; l < A.cols; ++l) sum[l] += x * a[l];
            }
            for (Index l = 0; l < A.cols; ++l) Y.row(i)[l] = T(sum[l]);
        }
    });
}

template <class T>
void unit_rows(Matrix<const T> X, bool centre, Index pole, const Interrupt& interrupt, Matrix<T> Y) {
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

void sphere_rows(Matrix<const double> X, Matrix<double> Y) {
    for (Index i = 0; i < X.rows; ++i) {
        const double* x = X.row(i);
        double* y = Y.row(i);
        y[0] = std::cos(x[0]) * std::cos(x[1]);
        y[1] = std::cos(x[0]) * std::sin(x[1]);
        y[2] = std::sin(x[0]);
    }
}

namespace {

// Reduced distances of the points of a block to m queries, eight for each, and what turns them into distances. The
// searches below are compiled once: a call for all of them hides what it costs.
struct Engine {
    virtual ~Engine() = default;
    virtual Index blocks() const = 0;
    virtual Index lanes(Index b) const = 0;
    virtual void block(Index b, const Matrix<const double>& Q, Index first, Index m, double* r) const = 0;
    virtual void distances(double* r, Index count) const = 0;  // in the place of reduced ones
    virtual double distance(double r) const = 0;
    virtual double reduce(double d) const = 0;
};

template <class M, class T>
struct EngineOf final : Engine {
    PointBlocks<T> points;
    M metric;

    EngineOf(const PointBlocks<T>& of, const M& by) : points(of), metric(by) {}
    Index blocks() const override { return points.count(); }
    Index lanes(Index b) const override { return points.lanes(b); }
    void block(Index b, const Matrix<const double>& Q, Index first, Index m, double* r) const override {
        for (Index i = 0; i < m; ++i)
            store(block_distances(metric, points.block(b), Q.row(first + i), points.p), r + i * kLanes);
    }
    void distances(double* r, Index count) const override {
        for (Index l = 0; l < count; ++l) r[l] = metric.distance(r[l]);
    }
    double distance(double r) const override { return metric.distance(r); }
    double reduce(double d) const override { return metric.reduce(d); }
};

template <class T>
std::unique_ptr<Engine> make_engine(const PointBlocks<T>& points, Metric metric, double power) {
    return with_metric(metric, power, [&](const auto& policy) -> std::unique_ptr<Engine> {
        return std::make_unique<EngineOf<std::decay_t<decltype(policy)>, T>>(points, policy);
    });
}

void query(const Engine& engine, const Matrix<const double>& Q, Index k, bool self, const Interrupt& interrupt,
           Matrix<double> distances, Matrix<std::int64_t> found) {
    const Blocks groups(Q.rows, kQueries);
    parallel_for(groups.count(), [&](Index g) {
        const Index begin = groups.begin(g), m = groups.end(g) - begin;
        std::vector<TopK> best(m, TopK(k));
        double r[kQueries * kLanes];
        for (Index b = 0; b < engine.blocks(); ++b) {
            if (b % 256 == 0 && interrupt.requested()) return;
            const auto rows = rows_of(b);
            const Index lanes = engine.lanes(b);
            engine.block(b, Q, begin, m, r);
            for (Index i = 0; i < m; ++i) {
                const Lanes here = load(r + i * kLanes);
                unsigned bits = at_most(here, best[i].worst());
                if (!bits) continue;
                if (lanes < kLanes) bits &= (1u << lanes) - 1;
                if (self && (begin + i) / kLanes == b) bits &= ~(1u << (begin + i) % kLanes);
                best[i].offer(here, bits, rows.data());
            }
        }
        for (Index i = 0; i < m; ++i) best[i].write(engine, distances.row(begin + i), found.row(begin + i));
    });
}

Within within(const Engine& engine, const Matrix<const double>& Q, Span<const double> radius, bool by_distance,
              bool self, const Interrupt& interrupt) {
    const Blocks groups(Q.rows, kQueries);
    std::vector<Index> order(Q.rows);
    std::iota(order.begin(), order.end(), Index(0));
    WithinBlocks answers(Q.rows, groups.count());
    parallel_for(groups.count(), [&](Index g) {
        const Index begin = groups.begin(g), m = groups.end(g) - begin;
        std::vector<std::vector<Neighbor>> near(m);
        double r[kQueries * kLanes], radii[kQueries], limits[kQueries];
        for (Index i = 0; i < m; ++i) {
            radii[i] = radius[radius.size() == 1 ? 0 : std::size_t(begin + i)];
            limits[i] = loose_limit(engine, radii[i]);
        }
        for (Index b = 0; b < engine.blocks(); ++b) {
            if (b % 256 == 0 && interrupt.requested()) return;
            const auto rows = rows_of(b);
            engine.block(b, Q, begin, m, r);
            for (Index i = 0; i < m; ++i)
                collect(engine, load(r + i * kLanes), limits[i], radii[i], rows.data(), engine.lanes(b),
                        self ? begin + i : -1, near[i]);
        }
        auto& items = answers.part(g).items;
        for (Index i = 0; i < m; ++i) {
            auto& mine = near[i];
            if (by_distance) arrange(mine, 0, true);
            answers.count(begin + i, mine.size());
            items.insert(items.end(), mine.begin(), mine.end());
        }
    });
    return answers.join(engine, [&](Index g) {
        return Span<const Index>(order.data() + groups.begin(g), groups.end(g) - groups.begin(g));
    });
}

}  // namespace

template <class T>
void brute_query(PointBlocks<T> points, Matrix<const double> Q, Index k, SearchRule rule, const Interrupt& interrupt,
                 Matrix<double> distances, Matrix<std::int64_t> found) {
    query(*make_engine(points, rule.metric, rule.power), Q, k, rule.self, interrupt, distances, found);
}

template <class T>
Within brute_radius(PointBlocks<T> points, Matrix<const double> Q, Span<const double> radius, bool by_distance,
                    SearchRule rule, const Interrupt& interrupt) {
    return within(*make_engine(points, rule.metric, rule.power), Q, radius, by_distance, rule.self, interrupt);
}

template <class T>
void distance_matrix(PointBlocks<T> points, Matrix<const double> Q, Metric metric, double power,
                     const Interrupt& interrupt, Matrix<double> D) {
    const auto engine = make_engine(points, metric, power);
    const Blocks groups(Q.rows, kQueries);
    parallel_for(groups.count(), [&](Index g) {
        const Index begin = groups.begin(g), m = groups.end(g) - begin;
        double r[kQueries * kLanes];
        for (Index b = 0; b < engine->blocks(); ++b) {
            if (b % 256 == 0 && interrupt.requested()) return;
            engine->block(b, Q, begin, m, r);
            engine->distances(r, m * kLanes);
            for (Index i = 0; i < m; ++i) std::copy_n(r + i * kLanes, engine->lanes(b), D.row(begin + i) + b * kLanes);
        }
    });
}

#define STATLEARN_BRUTE(T)                                                                                      \
    template void pack_blocks<T>(Matrix<const T>, const Interrupt&, Span<T>);                                   \
    template void linear_map<T>(Matrix<const T>, Matrix<const double>, const Interrupt&, Matrix<T>);            \
    template void unit_rows<T>(Matrix<const T>, bool, Index, const Interrupt&, Matrix<T>);                      \
    template void brute_query<T>(PointBlocks<T>, Matrix<const double>, Index, SearchRule, const Interrupt&,     \
                                 Matrix<double>, Matrix<std::int64_t>);                                         \
    template Within brute_radius<T>(PointBlocks<T>, Matrix<const double>, Span<const double>, bool, SearchRule, \
                                    const Interrupt&);                                                          \
    template void distance_matrix<T>(PointBlocks<T>, Matrix<const double>, Metric, double, const Interrupt&,    \
                                     Matrix<double>);
STATLEARN_BRUTE(float)
STATLEARN_BRUTE(double)
#undef STATLEARN_BRUTE

}  // namespace statlearn::neighbors
