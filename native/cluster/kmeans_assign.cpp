#include "cluster/kmeans_assign.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/parallel.hpp"

namespace statlearn::cluster {
namespace {

constexpr Index kBatch = 480;  // rows searched together: a multiple of both panel widths
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Bounds are kept on the safe side of rounding: sums and square roots are off by a few units in the last place.
constexpr double kUp = 1.0 + 1e-14, kDown = 1.0 - 1e-14;

double distance(const double* a, const double* b, Index p) {
    double sum = 0.0;
    for (Index j = 0; j < p; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return std::sqrt(sum);
}

template <class T>
class Full final : public Assigner<T> {
public:
    std::int64_t assign(const RowsView<T>& X, const CentreState<T>& centres, Index begin, Index end, int* labels,
                        std::vector<Change>& changes) override {
        int found[kBatch];
        for (Index i = begin; i < end; i += kBatch) {
            const Index count = std::min(kBatch, end - i);
            centres.set.search(X, nullptr, i, count, found, nullptr, nullptr);
            for (Index e = 0; e < count; ++e) {
                if (labels[i + e] == found[e]) continue;
                changes.push_back({i + e, labels[i + e], found[e]});
                labels[i + e] = found[e];
            }
        }
        return std::int64_t(end - begin) * centres.set.k();
    }
};

template <class T>
class Hamerly final : public Assigner<T> {
public:
    explicit Hamerly(Index n) : upper_(n, kInfinity), lower_(n, 0.0) {}

    bool wants_half() const override { return true; }

    std::int64_t assign(const RowsView<T>& X, const CentreState<T>& centres, Index begin, Index end, int* labels,
                        std::vector<Change>& changes) override {
        Index open[kBatch] = {};
        Index count = 0;
        std::int64_t evaluated = 0;
        for (Index i = begin; i < end; ++i) {
            const int own = labels[i];
            if (own >= 0) {
                double up = (upper_[i] + centres.moved[own]) * kUp;
                const double down = lower_[i] * kDown - (own == int(centres.farthest) ? centres.next : centres.most);
                const double limit = std::max(down, centres.half[own]);
                lower_[i] = down;
                upper_[i] = up;
                if (up < limit) continue;
                if (limit > 0.0 && up < kInfinity) {
                    up = std::sqrt(centres.set.distance(X, i, own)) * kUp;
                    ++evaluated;
                    upper_[i] = up;
                    if (up < limit) continue;
                }
            }
            open[count++] = i;
            if (count == kBatch) {
                evaluated += search(X, centres, open, count, labels, changes);
                count = 0;
            }
        }
        return evaluated + search(X, centres, open, count, labels, changes);
    }

    void forget(Index row) override {
        upper_[row] = kInfinity;
        lower_[row] = 0.0;
    }

private:
    std::int64_t search(const RowsView<T>& X, const CentreState<T>& centres, const Index* open, Index count,
                        int* labels, std::vector<Change>& changes) {
        int found[kBatch];
        double up[kBatch], down[kBatch];
        centres.set.search(X, open, 0, count, found, up, down);
        for (Index e = 0; e < count; ++e) {
            const Index i = open[e];
            upper_[i] = up[e];
            lower_[i] = down[e];
            if (labels[i] == found[e]) continue;
            changes.push_back({i, labels[i], found[e]});
            labels[i] = found[e];
        }
        return std::int64_t(count) * centres.set.k();
    }

    std::vector<double> upper_, lower_;
};

template <class T>
class Elkan final : public Assigner<T> {
public:
    Elkan(Index n, Index k) : k_(k), upper_(n, kInfinity), lower_(n * k, 0.0f) {}

    bool wants_half() const override { return true; }
    bool wants_apart() const override { return true; }

    std::int64_t assign(const RowsView<T>& X, const CentreState<T>& centres, Index begin, Index end, int* labels,
                        std::vector<Change>& changes) override {
        std::int64_t evaluated = 0;
        std::vector<float> moved(k_, 0.0f);
        for (Index c = 0; c < k_; ++c)  // bounds are floats: every rounding goes to the safe side
            moved[c] = std::nextafter(float(centres.moved[c] * kUp), 1e38f);
        for (Index i = begin; i < end; ++i) {
            const int before = labels[i];
            evaluated += before < 0 ? first(X, centres, i, labels) : again(X, centres, i, moved.data(), labels);
            if (labels[i] != before) changes.push_back({i, before, labels[i]});
        }
        return evaluated;
    }

    void forget(Index row) override { upper_[row] = kInfinity; }

private:
    // Sets the bound for centre c from its distance.
    void learn(Index i, Index c, double d) { lower_[i * k_ + c] = std::max(0.0f, float(d) * (1 - 3e-7f)); }

    int first(const RowsView<T>& X, const CentreState<T>& centres, Index i, int* labels) {
        double best = centres.set.distance(X, i, 0), root = std::sqrt(best);
        Index own = 0;
        int evaluated = 1;
        learn(i, 0, root);
        for (Index c = 1; c < k_; ++c) {
            if (centres.apart[own * k_ + c] > 2.0 * root * kUp) continue;
            const double square = centres.set.distance(X, i, c), d = std::sqrt(square);
            ++evaluated;
            learn(i, c, d);
            if (square < best) best = square, root = d, own = c;
        }
        upper_[i] = root * kUp;
        labels[i] = int(own);
        return evaluated;
    }

    int again(const RowsView<T>& X, const CentreState<T>& centres, Index i, const float* moved, int* labels) {
        float* low = lower_.data() + i * k_;
        for (Index c = 0; c < k_; ++c) low[c] = std::max(0.0f, low[c] * (1 - 3e-7f) - moved[c]);
        Index own = labels[i];
        double& up = upper_[i];
        up = (up + centres.moved[own]) * kUp;
        if (up < centres.half[own]) return 0;
        double own_square = -1.0;  // not known yet
        int evaluated = 0;
        for (Index c = 0; c < k_; ++c) {
            const auto safe = [&] { return up < double(low[c]) || up < 0.5 * centres.apart[own * k_ + c]; };
            if (c == own || safe()) continue;
            if (own_square < 0.0) {
                own_square = centres.set.distance(X, i, own);
                ++evaluated;
                learn(i, own, std::sqrt(own_square));
                up = std::sqrt(own_square) * kUp;
                if (safe()) continue;
            }
            const double square = centres.set.distance(X, i, c);
            ++evaluated;
            learn(i, c, std::sqrt(square));
            if (square < own_square || (square == own_square && c < own))
                own_square = square, up = std::sqrt(square) * kUp, own = c;
        }
        labels[i] = int(own);
        return evaluated;
    }

    Index k_;
    std::vector<double> upper_;
    std::vector<float> lower_;
};

}  // namespace

template <class T>
CentreState<T>::CentreState(Index k, Index p, bool sparse) : set(k, p, sparse), moved(k, 0.0), half(k, 0.0) {}

template <class T>
void CentreState<T>::measure_moves(const double* before, const double* now) {
    const Index k = set.k(), p = set.p();
    farthest = 0, most = next = 0.0;
    for (Index c = 0; c < k; ++c) {
        const double d = distance(before + c * p, now + c * p, p) * kUp;
        moved[c] = d;
        if (d > most) {
            next = most, most = d, farthest = c;
        } else if (d > next) {
            next = d;
        }
    }
}

template <class T>
void CentreState<T>::measure_distances(bool keep_all) {
    const Index k = set.k(), p = set.p();
    if (keep_all) apart.resize(k * k);
    std::vector<double> nearest(k);
    parallel_for(k, Work(k * k * p), [&](Index a) {
        double least = kInfinity;
        for (Index b = 0; b < k; ++b) {
            if (a == b) continue;
            const double d = distance(set.centre(a), set.centre(b), p) * kDown;
            least = std::min(least, d);
            if (keep_all) apart[a * k + b] = d;
        }
        half[a] = 0.5 * least;
    });
    n_distances += std::int64_t(k) * (k - 1) / 2;
}

template <class T>
std::unique_ptr<Assigner<T>> make_full() {
    return std::make_unique<Full<T>>();
}
template <class T>
std::unique_ptr<Assigner<T>> make_hamerly(Index n) {
    return std::make_unique<Hamerly<T>>(n);
}
template <class T>
std::unique_ptr<Assigner<T>> make_elkan(Index n, Index k) {
    return std::make_unique<Elkan<T>>(n, k);
}

#define STATLEARN_ASSIGN(T)                                         \
    template struct CentreState<T>;                                 \
    template std::unique_ptr<Assigner<T>> make_full<T>();           \
    template std::unique_ptr<Assigner<T>> make_hamerly<T>(Index n); \
    template std::unique_ptr<Assigner<T>> make_elkan<T>(Index, Index);
STATLEARN_ASSIGN(float)
STATLEARN_ASSIGN(double)
#undef STATLEARN_ASSIGN

}  // namespace statlearn::cluster
