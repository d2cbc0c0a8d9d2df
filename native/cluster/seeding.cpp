#include "cluster/seeding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/parallel.hpp"
#include "common/rng.hpp"

namespace statlearn::cluster {
namespace {

constexpr Index kBlock = 2048;

template <class T>
class Draw {
public:
    Draw(const Rows<T>& X, std::span<const double> weights, std::span<const Index> order, int trials,
         const Interrupt& interrupt)
        : X_(X),
          weights_(weights),
          order_(order),
          interrupt_(interrupt),
          blocks_(X.rows, kBlock),
          mass_(std::size_t(blocks_.count())),
          distance_(std::size_t(X.rows), std::numeric_limits<double>::infinity()),
          candidates_(std::size_t(trials)),
          points_(std::size_t(trials * X.cols)) {}

    // One draw by weight alone.
    Index first(Rng& rng) { return look_up(rng.uniform() * cumulate(false), false); }

    // The best of several draws by weight times squared distance.
    Index next(Rng& rng) {
        const double total = cumulate(true);
        if (!(total > 0.0)) return first(rng);
        for (Index& row : candidates_) row = look_up(rng.uniform() * total, true);
        return candidates_[best_candidate()];
    }

    // Takes the row into the set: distances become those to the nearest chosen row.
    void take(Index row) {
        load(row, 0);
        const double square = square_of(0);
        parallel_for(blocks_.count(), [&](Index b) {
            if (interrupt_.requested()) return;
            for (Index i = blocks_.begin(b); i < blocks_.end(b); ++i) {
                double& d = distance_[std::size_t(i)];
                d = std::min(d, X_.distance(i, points_.data(), square));
            }
        });
    }

private:
    double weight(Index i) const { return weights_.empty() ? 1.0 : weights_[std::size_t(i)]; }
    double mass(Index place, bool by_distance) const {
        const Index i = order_[std::size_t(place)];
        return by_distance ? weight(i) * distance_[std::size_t(i)] : weight(i);
    }
    void load(Index row, std::size_t place) { X_.copy(row, points_.data() + Index(place) * X_.cols); }
    double square_of(std::size_t place) const {
        double sum = 0.0;
        for (Index j = 0; j < X_.cols; ++j) {
            const double x = points_[place * std::size_t(X_.cols) + std::size_t(j)];
            sum += x * x;
        }
        return sum;
    }

    double cumulate(bool by_distance) {
        parallel_for(blocks_.count(), [&](Index b) {
            double sum = 0.0;
            for (Index place = blocks_.begin(b); place < blocks_.end(b); ++place) sum += mass(place, by_distance);
            mass_[std::size_t(b)] = sum;
        });
        double total = 0.0;
        for (const double value : mass_) total += value;
        return total;
    }

    Index look_up(double target, bool by_distance) const {
        Index b = 0;
        while (b + 1 < blocks_.count() && target >= mass_[std::size_t(b)]) target -= mass_[std::size_t(b++)];
        Index last = -1;
        for (Index place = blocks_.begin(b); place < blocks_.end(b) && target >= 0.0; ++place) {
            const double m = mass(place, by_distance);
            if (!(m > 0.0)) continue;
            last = place;
            target -= m;
        }
        // Rounding may carry the target into a last block without mass: the last row that has some is the one.
        for (Index place = blocks_.begin(b) - 1; last < 0 && place >= 0; --place)
            if (mass(place, by_distance) > 0.0) last = place;
        return order_[std::size_t(std::max<Index>(last, 0))];
    }

    std::size_t best_candidate() {
        const std::size_t trials = candidates_.size();
        if (trials == 1) return 0;
        std::vector<double> squares(trials), parts(std::size_t(blocks_.count()) * trials, 0.0), total(trials, 0.0);
        for (std::size_t t = 0; t < trials; ++t) {
            load(candidates_[t], t);
            squares[t] = square_of(t);
        }
        parallel_for(blocks_.count(), [&](Index b) {
            if (interrupt_.requested()) return;
            double* part = parts.data() + std::size_t(b) * trials;
            for (Index i = blocks_.begin(b); i < blocks_.end(b); ++i) {
                const double now = distance_[std::size_t(i)], w = weight(i);
                for (std::size_t t = 0; t < trials; ++t)
                    part[t] += w * std::min(now, X_.distance(i, points_.data() + Index(t) * X_.cols, squares[t]));
            }
        });
        for (std::size_t at = 0; at < parts.size(); ++at) total[at % trials] += parts[at];
        return std::size_t(std::min_element(total.begin(), total.end()) - total.begin());
    }

    const Rows<T>& X_;
    std::span<const double> weights_;
    std::span<const Index> order_;
    const Interrupt& interrupt_;
    Blocks blocks_;
    std::vector<double> mass_, distance_;
    std::vector<Index> candidates_;
    std::vector<double> points_;
};

}  // namespace

template <class T>
void row_keys(const Rows<T>& X, const Interrupt& interrupt, std::span<double> keys) {
    std::vector<double> direction(static_cast<std::size_t>(X.cols));
    Rng rng(0x6b6579, 0);
    for (double& value : direction) value = rng.uniform() - 0.5;
    const Blocks blocks(X.rows, kBlock);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            double sum = 0.0;
            if (X.sparse()) {
                for (int e = X.indptr[std::size_t(i)]; e < X.indptr[std::size_t(i) + 1]; ++e)
                    sum += double(X.values[std::size_t(e)]) * direction[std::size_t(X.cols_of[std::size_t(e)])];
            } else {
                const T* x = X.row(i);
                for (Index j = 0; j < X.cols; ++j) sum += double(x[j]) * direction[std::size_t(j)];
            }
            keys[std::size_t(i)] = sum;
        }
    });
}

template <class T>
void kmeans_plusplus(const Rows<T>& X, std::span<const double> weights, std::span<const Index> order, Index k,
                     int trials, std::uint64_t seed, const Interrupt& interrupt, std::span<Index> chosen) {
    Draw<T> draw(X, weights, order, trials, interrupt);
    for (Index step = 0; step < k && !interrupt.requested(); ++step) {
        Rng rng(seed, std::uint64_t(step));
        chosen[std::size_t(step)] = step == 0 ? draw.first(rng) : draw.next(rng);
        if (step + 1 < k) draw.take(chosen[std::size_t(step)]);
    }
}

#define STATLEARN_SEEDING(T)                                                                                      \
    template void row_keys<T>(const Rows<T>&, const Interrupt&, std::span<double>);                               \
    template void kmeans_plusplus<T>(const Rows<T>&, std::span<const double>, std::span<const Index>, Index, int, \
                                     std::uint64_t, const Interrupt&, std::span<Index>);
STATLEARN_SEEDING(float)
STATLEARN_SEEDING(double)
#undef STATLEARN_SEEDING

}  // namespace statlearn::cluster
