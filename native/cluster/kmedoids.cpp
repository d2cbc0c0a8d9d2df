#include "cluster/kmedoids.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/parallel.hpp"

namespace statlearn::cluster {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Index kBlock = 1024;

// The nearest and second nearest medoid of every row, as places in the list of medoids.
template <class T>
class Swaps {
public:
    Swaps(Matrix<const T> D, Span<const double> weights, Span<Index> medoids, Span<int> labels)
        : D_(D),
          weights_(weights),
          medoids_(medoids),
          near_(labels),
          n_(D.rows),
          k_(Index(medoids.size())),
          next_(n_),
          near_distance_(n_),
          next_distance_(n_),
          is_medoid_(n_, 0) {
        for (const Index row : medoids_) is_medoid_[row] = 1;
        for (Index i = 0; i < n_; ++i) look(i);
    }

    bool is_medoid(Index row) const { return is_medoid_[row] != 0; }

    double loss() const {
        double sum = 0.0;
        for (Index i = 0; i < n_; ++i) sum += weight(i) * double(near_distance_[i]);
        return sum;
    }

    // What the loss rises by when a medoid is taken away.
    void removal(std::vector<double>& rise) const {
        rise.assign(k_, 0.0);
        for (Index i = 0; i < n_; ++i)
            rise[near_[i]] += weight(i) * (double(next_distance_[i]) - double(near_distance_[i]));
    }

    // Change of the loss if the row takes the place of the medoid `which`, for the best such place.
    double change(Index row, const std::vector<double>& removal, std::vector<double>& rise, int& which) const {
        rise = removal;
        double gain = 0.0;
        const T* d = D_.row(row);
        const T* near = near_distance_.data();
        const T* next = next_distance_.data();
        // Rows farther from the candidate than from their second medoid do not matter: most, when k is not small.
        constexpr Index kStep = 16;
        Index i = 0;
        for (; i + kStep <= n_; i += kStep) {
            int any = 0;
            for (Index l = 0; l < kStep; ++l) any |= d[i + l] < next[i + l];
            if (!any) continue;
            for (Index l = i; l < i + kStep; ++l)
                if (d[l] < next[l]) count(l, double(d[l]), double(near[l]), double(next[l]), gain, rise);
        }
        for (; i < n_; ++i)
            if (d[i] < next[i]) count(i, double(d[i]), double(near[i]), double(next[i]), gain, rise);
        const auto best = std::min_element(rise.begin(), rise.end());
        which = int(best - rise.begin());
        return *best + gain;
    }

    void swap(int which, Index row) {
        is_medoid_[medoids_[which]] = 0;
        is_medoid_[row] = 1;
        medoids_[which] = row;
        const T* d = D_.row(row);
        for (Index i = 0; i < n_; ++i) {
            if (near_[i] == which || next_[i] == which) {
                if (near_[i] == which && d[i] <= next_distance_[i] && (d[i] < next_distance_[i] || which < next_[i]))
                    near_distance_[i] = d[i];
                else
                    look(i);
            } else if (d[i] < near_distance_[i] || (d[i] == near_distance_[i] && which < near_[i])) {
                next_[i] = near_[i], next_distance_[i] = near_distance_[i];
                near_[i] = which, near_distance_[i] = d[i];
            } else if (d[i] < next_distance_[i]) {
                next_[i] = which, next_distance_[i] = d[i];
            }
        }
    }

private:
    double weight(Index i) const { return weights_.empty() ? 1.0 : weights_[i]; }

    void count(Index i, double d, double near, double next, double& gain, std::vector<double>& rise) const {
        const double w = weight(i);
        double& place = rise[near_[i]];
        if (d < near) {
            gain += w * (d - near);
            place += w * (near - next);
        } else {
            place += w * (d - next);
        }
    }

    void look(Index i) {
        T near = std::numeric_limits<T>::infinity(), next = near;
        int where = 0, second = 0;
        for (Index c = 0; c < k_; ++c) {
            const T d = D_(medoids_[c], i);
            if (d < near) {
                next = near, second = where;
                near = d, where = int(c);
            } else if (d < next) {
                next = d, second = int(c);
            }
        }
        near_[i] = where;
        near_distance_[i] = near;
        next_[i] = second;
        // Without a second medoid a removal costs "the largest number": never chosen unless nothing is lost.
        next_distance_[i] = next;
    }

    Matrix<const T> D_;
    Span<const double> weights_;
    Span<Index> medoids_;
    Span<int> near_;
    Index n_, k_;
    std::vector<int> next_;
    std::vector<T> near_distance_, next_distance_;
    std::vector<unsigned char> is_medoid_;
};

// With one medoid there is nothing to swap: the best row is found at once.
template <class T>
Index best_centre(Matrix<const T> D, Span<const double> weights, const Interrupt& interrupt) {
    std::vector<double> sums(D.rows, kInfinity);
    parallel_for(D.rows, [&](Index row) {
        if (interrupt.requested()) return;
        double sum = 0.0;
        for (Index i = 0; i < D.rows; ++i) sum += (weights.empty() ? 1.0 : weights[i]) * double(D(row, i));
        sums[row] = sum;
    });
    return std::min_element(sums.begin(), sums.end()) - sums.begin();
}

}  // namespace

template <class T>
MedoidsInfo fasterpam(Matrix<const T> D, Span<const double> weights, StopRule stop, const Interrupt& interrupt,
                      Span<Index> medoids, Span<int> labels, std::vector<double>& history) {
    const Index n = D.rows;
    MedoidsInfo info{0.0, 0, 0, Status::max_iter};
    if (medoids.size() == 1) {
        history.push_back(Swaps<T>(D, weights, medoids, labels).loss());
        const Index best = best_centre(D, weights, interrupt);
        info.n_iter = 1, info.n_swaps = best != medoids[0], info.status = Status::ok;
        medoids[0] = best;
        info.loss = Swaps<T>(D, weights, medoids, labels).loss();
        if (info.n_swaps) history.push_back(info.loss);
        return info;
    }
    Swaps<T> state(D, weights, medoids, labels);
    history.push_back(state.loss());
    const double enough = -1e-12 * history.front();  // less is rounding
    std::vector<double> removal;
    state.removal(removal);
    const Index most = 16 * threads();
    std::vector<double> changes(most);
    std::vector<int> places(most);
    std::vector<std::vector<double>> rises(most);
    Index batch = threads(), tried = 0, row = 0;
    // A pass is n candidates; the search is over when n in a row did not help.
    for (Index left = n * stop.max_iter; tried < n && left > 0;) {
        if (interrupt.requested()) {
            info.status = Status::interrupted;
            return info;
        }
        const Index count = std::min({batch, n - tried, left});
        parallel_for(count, [&](Index e) {
            const Index candidate = (row + e) % n;
            changes[e] = state.is_medoid(candidate) ? 0.0 : state.change(candidate, removal, rises[e], places[e]);
        });
        Index e = 0;
        while (e < count && !(changes[e] < enough)) ++e;
        const Index used = std::min(e + 1, count);
        left -= used;
        info.n_iter = stop.max_iter - int(left / n);
        if (e == count) {
            tried += count;
            batch = std::min(2 * batch, most);  // swaps are rare now: larger batches
        } else {
            state.swap(places[e], (row + e) % n);
            state.removal(removal);
            ++info.n_swaps;
            history.push_back(state.loss());
            tried = 0;
            batch = threads();
        }
        row = (row + used) % n;
    }
    if (tried >= n) info.status = Status::ok;
    info.loss = state.loss();
    return info;
}

template <class T>
MedoidsInfo alternate_medoids(Matrix<const T> D, Span<const double> weights, StopRule stop, const Interrupt& interrupt,
                              Span<Index> medoids, Span<int> labels, std::vector<double>& history) {
    const Index n = D.rows, k = Index(medoids.size());
    const auto weight = [&](Index i) { return weights.empty() ? 1.0 : weights[i]; };
    MedoidsInfo info{0.0, 0, 0, Status::max_iter};
    const auto assign = [&] {
        return parallel_sum(Blocks(n, kBlock), [&](Index begin, Index end) {
            double sum = 0.0;
            for (Index i = begin; i < end; ++i) {
                int best = 0;
                for (Index c = 1; c < k; ++c)
                    if (D(medoids[c], i) < D(medoids[best], i)) best = int(c);
                labels[i] = best;
                sum += weight(i) * double(D(medoids[best], i));
            }
            return sum;
        });
    };
    std::vector<std::vector<Index>> members(k);
    std::vector<double> sums(n);
    bool moved = true;
    while (true) {
        info.loss = assign();
        history.push_back(info.loss);
        if (!moved) {
            info.status = Status::ok;
            break;
        }
        if (info.n_iter == stop.max_iter) break;
        if (interrupt.requested()) {
            info.status = Status::interrupted;
            break;
        }
        ++info.n_iter;
        for (auto& list : members) list.clear();
        for (Index i = 0; i < n; ++i) members[labels[i]].push_back(i);
        parallel_for(n, [&](Index i) {
            double sum = 0.0;
            for (const Index o : members[labels[i]]) sum += weight(o) * double(D(i, o));
            sums[i] = sum;
        });
        moved = false;
        double loss = 0.0;
        for (Index c = 0; c < k; ++c) {
            // A medoid that is a copy of an earlier one has no members and stays.
            Index best = medoids[c];
            double least = kInfinity;
            for (const Index i : members[c])
                if (sums[i] < least) least = sums[i], best = i;
            if (least < kInfinity) loss += least;
            if (best != medoids[c]) moved = true, ++info.n_swaps;
            medoids[c] = best;
        }
        history.push_back(loss);
    }
    return info;
}

template <class T>
void build_medoids(Matrix<const T> D, Span<const double> weights, const Interrupt& interrupt, Span<Index> medoids) {
    const Index n = D.rows;
    std::vector<double> nearest(n, kInfinity), gain(n);
    medoids[0] = best_centre(D, weights, interrupt);
    std::vector<unsigned char> taken(n, 0);
    for (Index c = 0; c < medoids.size() && !interrupt.requested(); ++c) {
        if (c > 0) {
            parallel_for(n, [&](Index row) {
                double sum = 0.0;
                for (Index i = 0; i < n; ++i) {
                    const double less = nearest[i] - double(D(row, i));
                    if (less > 0.0) sum += (weights.empty() ? 1.0 : weights[i]) * less;
                }
                gain[row] = taken[row] ? -1.0 : sum;
            });
            medoids[c] = std::max_element(gain.begin(), gain.end()) - gain.begin();
        }
        taken[medoids[c]] = 1;
        for (Index i = 0; i < n; ++i) nearest[i] = std::min(nearest[i], double(D(medoids[c], i)));
    }
}

template <class T>
MatrixFault dissimilarity_fault(Matrix<const T> D, double tolerance, const Interrupt& interrupt) {
    constexpr Index kSquare = 64;  // rows and columns looked at together, so that both halves stay in the cache
    const Index n = D.rows;
    const Blocks blocks(n, kSquare);
    std::vector<MatrixFault> found(blocks.count(), {MatrixFault::none, 0, 0});
    parallel_for(blocks.count(), [&](Index a) {
        if (interrupt.requested()) return;
        for (Index b = 0; b <= a; ++b)
            for (Index i = blocks.begin(a); i < blocks.end(a); ++i)
                for (Index j = blocks.begin(b); j < std::min(blocks.end(b), i + 1); ++j) {
                    const double x = double(D(i, j)), y = double(D(j, i));
                    // NaN fails every comparison.
                    if (x >= 0.0 && y >= 0.0 && std::abs(x - y) <= tolerance * (x + y) && (i != j || x <= tolerance) &&
                        x < kInfinity)
                        continue;
                    const auto kind = !(std::abs(x) < kInfinity) || !(std::abs(y) < kInfinity) ? MatrixFault::not_finite
                                      : x < 0.0 || y < 0.0                                     ? MatrixFault::negative
                                      : i == j ? MatrixFault::diagonal
                                               : MatrixFault::asymmetric;
                    found[a] = {kind, i, j};
                    return;
                }
    });
    for (const MatrixFault& fault : found)
        if (fault.kind != MatrixFault::none) return fault;
    return {MatrixFault::none, 0, 0};
}

#define STATLEARN_MEDOIDS(T)                                                                                        \
    template MedoidsInfo fasterpam<T>(Matrix<const T>, Span<const double>, StopRule, const Interrupt&, Span<Index>, \
                                      Span<int>, std::vector<double>&);                                             \
    template MedoidsInfo alternate_medoids<T>(Matrix<const T>, Span<const double>, StopRule, const Interrupt&,      \
                                              Span<Index>, Span<int>, std::vector<double>&);                        \
    template void build_medoids<T>(Matrix<const T>, Span<const double>, const Interrupt&, Span<Index>);             \
    template MatrixFault dissimilarity_fault<T>(Matrix<const T>, double, const Interrupt&);
STATLEARN_MEDOIDS(float)
STATLEARN_MEDOIDS(double)
#undef STATLEARN_MEDOIDS

}  // namespace statlearn::cluster
