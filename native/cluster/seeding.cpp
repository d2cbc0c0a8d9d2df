#include "cluster/seeding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "common/parallel.hpp"
#include "common/samplers.hpp"
#include "common/tile.hpp"

namespace statlearn::cluster {
namespace {

constexpr Index kBlock = 2040;       // rows between two looks at the interrupt: whole panels
constexpr Index kLanes = kTileCols;  // rows of a panel

// Squared distances of the rows of a panel (p x kLanes) to a point, as sums of squared differences: 0 for equal rows.
inline void panel_distances(const double* panel, const double* point, Index p, double* out) {
    Pack4 sum[kTilePacks] = {};
    for (Index j = 0; j < p; ++j, panel += kLanes)
        for (Index v = 0; v < kTilePacks; ++v) {
            const Pack4 d = packs(panel)[v] - point[j];
            sum[v] += d * d;
        }
    for (Index v = 0; v < kTilePacks; ++v) packs(out)[v] = sum[v];
}

template <class T>
class Draw {
public:
    Draw(const RowsView<T>& X, Span<const double> weights, Span<const Index> order, int trials,
         const Interrupt& interrupt)
        : X_(X),
          weights_(weights),
          order_(order),
          interrupt_(interrupt),
          blocks_(X.rows, kBlock),
          trials_(trials),
          mass_(blocks_.count()),
          distance_(X.rows, std::numeric_limits<double>::infinity()) {}

    // One draw by weight alone.
    Index first(Rng& rng) { return take({look_up(rng.uniform() * cumulate(false), false)}); }

    // The best of several draws by weight times squared distance.
    Index next(Rng& rng) {
        const double total = cumulate(true);
        if (!(total > 0.0)) return first(rng);
        std::vector<Index> candidates(trials_);
        for (Index& row : candidates) row = look_up(rng.uniform() * total, true);
        return take(candidates);
    }

private:
    double weight(Index i) const { return weights_.empty() ? 1.0 : weights_[i]; }
    double mass(Index place, bool by_distance) const {
        const Index i = order_[place];
        return by_distance ? weight(i) * distance_[i] : weight(i);
    }

    double cumulate(bool by_distance) {
        parallel_for(blocks_.count(), [&](Index b) {
            double sum = 0.0;
            for (Index place = blocks_.begin(b); place < blocks_.end(b); ++place) sum += mass(place, by_distance);
            mass_[b] = sum;
        });
        double total = 0.0;
        for (const double value : mass_) total += value;
        return total;
    }

    Index look_up(double target, bool by_distance) const {
        const auto own = [&](Index place) { return mass(place, by_distance); };
        const Index found = place_of_mass(target, blocks_, mass_, own);
        return order_[std::max<Index>(found, 0)];
    }

    // Takes the candidate that lowers the objective most into the set: distances become those to the nearest chosen
    // row. Distances to all candidates are kept until then, so that the table is read once.
    Index take(const std::vector<Index>& candidates) {
        const std::size_t m = candidates.size();
        if (after_.size() < m) after_.resize(m, std::vector<double>(distance_.size()));
        std::vector<double> points(m * std::size_t(X_.cols)), squares(m, 0.0);
        for (std::size_t t = 0; t < m; ++t) {
            double* point = points.data() + Index(t) * X_.cols;
            X_.copy(candidates[t], point);
            for (Index j = 0; j < X_.cols; ++j) squares[t] += point[j] * point[j];
        }
        std::vector<double> parts(std::size_t(blocks_.count()) * m, 0.0), total(m, 0.0);
        parallel_for(blocks_.count(), [&](Index b) {
            if (interrupt_.requested()) return;
            double* part = parts.data() + std::size_t(b) * m;
            if (X_.sparse())
                measure_rows(b, points, squares, part);
            else
                measure_panels(b, points, m, part);
        });
        for (std::size_t at = 0; at < parts.size(); ++at) total[at % m] += parts[at];
        const Index best = std::min_element(total.begin(), total.end()) - total.begin();
        std::swap(distance_, after_[best]);
        return candidates[best];
    }

    void measure_rows(Index b, const std::vector<double>& points, const std::vector<double>& squares, double* part) {
        for (Index i = blocks_.begin(b); i < blocks_.end(b); ++i)
            for (std::size_t t = 0; t < squares.size(); ++t)
                note(i, t, X_.distance(i, points.data() + Index(t) * X_.cols, squares[t]), part);
    }

    void measure_panels(Index b, const std::vector<double>& points, std::size_t m, double* part) {
        const Index p = X_.cols;
        std::vector<double> panel(p * kLanes);
        double found[kLanes], w[kLanes];
        for (Index first = blocks_.begin(b); first < blocks_.end(b); first += kLanes) {
            const Index used = std::min(kLanes, blocks_.end(b) - first);
            for (Index l = 0; l < kLanes; ++l) {
                const T* x = X_.row(first + std::min(l, used - 1));  // lanes without a row repeat the last one
                for (Index j = 0; j < p; ++j) panel[j * kLanes + l] = double(x[j]);
            }
            for (Index l = 0; l < used; ++l) w[l] = weight(first + l);
            for (std::size_t t = 0; t < m; ++t) {
                panel_distances(panel.data(), points.data() + Index(t) * p, p, found);
                const double* now = distance_.data() + first;
                double* after = after_[t].data() + first;
                if (used == kLanes) {
                    double sums[4] = {};  // side by side, so that the additions do not wait for one another
                    for (Index l = 0; l < kLanes; ++l) {
                        after[l] = std::min(now[l], found[l]);
                        sums[l % 4] += w[l] * after[l];
                    }
                    part[t] += (sums[0] + sums[1]) + (sums[2] + sums[3]);
                } else {
                    for (Index l = 0; l < used; ++l) note(first + l, t, found[l], part);
                }
            }
        }
    }

    void note(Index i, std::size_t t, double d, double* part) {
        const double least = std::min(distance_[i], d);
        after_[t][i] = least;
        part[t] += weight(i) * least;
    }

    const RowsView<T>& X_;
    Span<const double> weights_;
    Span<const Index> order_;
    const Interrupt& interrupt_;
    Blocks blocks_;
    std::size_t trials_;
    std::vector<double> mass_;
    std::vector<double> distance_;            // squared, to the nearest chosen row
    std::vector<std::vector<double>> after_;  // the same if a candidate is chosen, too
};

}  // namespace

template <class T>
void row_keys(const RowsView<T>& X, const Interrupt& interrupt, Span<double> keys) {
    std::vector<double> direction(X.cols);
    Rng rng(0x6b6579, 0);
    for (double& value : direction) value = rng.uniform() - 0.5;
    const Blocks blocks(X.rows, kBlock);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            double sum = 0.0;
            if (X.sparse()) {
                for (int e = X.indptr[i]; e < X.indptr[i + 1]; ++e)
                    sum += double(X.values[e]) * direction[X.cols_of[e]];
            } else {
                const T* x = X.row(i);
                for (Index j = 0; j < X.cols; ++j) sum += double(x[j]) * direction[j];
            }
            keys[i] = sum;
        }
    });
}

template <class T>
void kmeans_plusplus(const RowsView<T>& X, Span<const double> weights, Span<const Index> order, Index k, int trials,
                     std::uint64_t seed, const Interrupt& interrupt, Span<Index> chosen) {
    Draw<T> draw(X, weights, order, trials, interrupt);
    for (Index step = 0; step < k && !interrupt.requested(); ++step) {
        Rng rng(seed, std::uint64_t(step));
        chosen[step] = step == 0 ? draw.first(rng) : draw.next(rng);
    }
}

#define STATLEARN_SEEDING(T)                                                                                \
    template void row_keys<T>(const RowsView<T>&, const Interrupt&, Span<double>);                          \
    template void kmeans_plusplus<T>(const RowsView<T>&, Span<const double>, Span<const Index>, Index, int, \
                                     std::uint64_t, const Interrupt&, Span<Index>);
STATLEARN_SEEDING(float)
STATLEARN_SEEDING(double)
#undef STATLEARN_SEEDING

}  // namespace statlearn::cluster
