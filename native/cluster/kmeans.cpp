#include "cluster/kmeans.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "cluster/kmeans_assign.hpp"
#include "common/chunks.hpp"
#include "common/parallel.hpp"

namespace statlearn::cluster {
namespace {

constexpr Index kBlock = 1920;              // rows assigned between two looks at the interrupt
constexpr double kFewChanges = 0.2;         // share of changing rows below which bounds pay (empirical)
constexpr int kRefresh = 32;                // iterations after which the sums of the clusters are taken anew
constexpr std::size_t kManyChanges = 8192;  // below, changes are added by one thread

// Sums of the rows of each cluster, kept up to date by the rows that change.
template <class T>
class ClusterSums {
public:
    ClusterSums(const RowsView<T>& X, Span<const double> weights, Index k, Blocks chunks)
        : sum(k * X.cols), weight(k), count(k), X_(X), weights_(weights), k_(k), chunks_(chunks) {}

    std::vector<double> sum, weight;
    std::vector<Index> count;

    double weight_of(Index i) const { return weights_.empty() ? 1.0 : weights_[i]; }

    void refresh(const int* labels) {
        clear();
        in_chunks([&](Index chunk, ClusterSums& part) {
            for (Index i = chunks_.begin(chunk); i < chunks_.end(chunk); ++i) part.put(i, labels[i], 1);
        });
    }

    void update(const std::vector<std::vector<Change>>& changes) {
        std::size_t total = 0;
        for (const auto& list : changes) total += list.size();
        if (total < kManyChanges) {
            for (const auto& list : changes)
                for (const Change& change : list) put(change);
        } else {
            in_chunks([&](Index chunk, ClusterSums& part) {
                for (const Change& change : changes[chunk]) part.put(change);
            });
        }
    }

    void put(const Change& change) {
        if (change.from >= 0) put(change.row, change.from, -1);
        put(change.row, change.to, 1);
    }

private:
    void put(Index i, int label, int sign) {
        const Index c = label;
        X_.add(i, sign * weight_of(i), sum.data() + Index(c) * X_.cols);
        weight[c] += sign * weight_of(i);
        count[c] += sign;
    }

    void clear() {
        std::fill(sum.begin(), sum.end(), 0.0);
        std::fill(weight.begin(), weight.end(), 0.0);
        std::fill(count.begin(), count.end(), 0);
    }

    // One set of sums for each chunk, added in the order of the chunks.
    template <class F>
    void in_chunks(F&& body) {
        std::vector<std::unique_ptr<ClusterSums>> parts(chunks_.count());
        parallel_for(chunks_.count(), [&](Index chunk) {
            auto& part = parts[chunk];
            part = std::make_unique<ClusterSums>(X_, weights_, k_, chunks_);
            body(chunk, *part);
        });
        for (const auto& part : parts) {
            for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += part->sum[j];
            for (std::size_t c = 0; c < weight.size(); ++c) weight[c] += part->weight[c], count[c] += part->count[c];
        }
    }

    const RowsView<T>& X_;
    Span<const double> weights_;
    Index k_;
    Blocks chunks_;
};

// A grid of chunks that depends on the size of the problem only; each chunk may have sums of its own.
Blocks chunks_of(Index n, Index k, Index p) {
    const Index most = std::clamp<Index>((Index{1} << 23) / (k * p + 1), 8, 64);
    return chunk_grid(n, kBlock, most, kBlock);
}

template <class T>
class Fit {
public:
    Fit(const RowsView<T>& X, Span<const double> weights, Span<const double> origin, double scatter,
        const Interrupt& interrupt, Span<double> centres, Index k, Span<int> labels)
        : X_(X),
          origin_(origin),
          scatter_(scatter),
          interrupt_(interrupt),
          k_(k),
          p_(X.cols),
          labels_(labels),
          chunks_(chunks_of(X.rows, k, X.cols)),
          sums_(X, weights, k, chunks_),
          state_(k, X.cols, X.sparse()),
          now_(centres),
          before_(centres.begin(), centres.end()),
          changes_(chunks_.count()) {
        for (double& value : now_) value = double(T(value));
        std::fill(labels_.begin(), labels_.end(), -1);
    }

    KMeansInfo run(KMeansAlgorithm algorithm, StopRule stop, std::vector<double>& history) {
        KMeansInfo info{0, false, Status::max_iter, 0.0, 0.0, 0};
        make_assigner(algorithm == KMeansAlgorithm::lloyd ? KMeansAlgorithm::full : algorithm);
        bool relocated = false, fresh = false;
        int since_refresh = 0;
        while (info.n_iter < stop.max_iter) {
            const std::size_t changed = assign();
            if (interrupt_.requested()) return interrupted(info);
            if (changed == 0 && !relocated && since_refresh > 0) {
                // The sums carry the rounding of their history: the last word is said with sums taken anew.
                fresh = true;
            }
            ++info.n_iter;
            if (fresh || info.n_iter == 1 || since_refresh == kRefresh) {
                sums_.refresh(labels_.data());
                since_refresh = 0;
            } else {
                sums_.update(changes_);
                since_refresh += changed > 0;
            }
            history.push_back(objective());
            const bool was_relocated = std::exchange(relocated, relocate());
            info.shift = move_centres();
            history.push_back(objective());
            if (changed == 0 && !was_relocated && !relocated) {
                if (!fresh || info.shift == 0.0 || assign() == 0) {
                    info.strict = true;
                    info.status = Status::ok;
                    break;
                }
                sums_.update(changes_);  // rounding decided a tie: go on
                ++since_refresh;
            }
            fresh = false;
            if (info.shift <= stop.tol) {
                info.status = Status::ok;
                break;
            }
            if (algorithm == KMeansAlgorithm::lloyd && double(changed) < kFewChanges * double(X_.rows)) {
                make_assigner(KMeansAlgorithm::hamerly);
                algorithm = KMeansAlgorithm::hamerly;
            }
        }
        if (!info.strict) {
            assign();
            sums_.update(changes_);
            history.push_back(objective());
        }
        if (interrupt_.requested()) return interrupted(info);
        info.inertia = inertia();
        info.n_distances = n_distances_ + state_.n_distances;
        return info;
    }

private:
    KMeansInfo interrupted(KMeansInfo info) {
        info.status = Status::interrupted;
        return info;
    }

    void make_assigner(KMeansAlgorithm algorithm) {
        if (algorithm == KMeansAlgorithm::full)
            assigner_ = make_full<T>();
        else if (algorithm == KMeansAlgorithm::hamerly)
            assigner_ = make_hamerly<T>(X_.rows);
        else
            assigner_ = make_elkan<T>(X_.rows, k_);
        stale_ = true;
    }

    // Brings labels up to date with the centres; the number of rows that changed.
    std::size_t assign() {
        if (stale_) {
            state_.set.set(now_.data(), origin_);
            if (assigner_->wants_half()) state_.measure_distances(assigner_->wants_apart());
            stale_ = false;
        }
        std::vector<std::int64_t> evaluated(changes_.size(), 0);
        parallel_for(chunks_.count(), [&](Index chunk) {
            auto& list = changes_[chunk];
            list.clear();
            for (Index i = chunks_.begin(chunk); i < chunks_.end(chunk); i += kBlock) {
                if (interrupt_.requested()) return;
                const Index end = std::min(i + kBlock, chunks_.end(chunk));
                evaluated[chunk] += assigner_->assign(X_, state_, i, end, labels_.data(), list);
            }
        });
        // Seen once, the movement is part of the bounds.
        std::fill(state_.moved.begin(), state_.moved.end(), 0.0);
        state_.most = state_.next = 0.0;
        std::size_t changed = 0;
        for (std::size_t chunk = 0; chunk < changes_.size(); ++chunk) {
            changed += changes_[chunk].size();
            n_distances_ += evaluated[chunk];
        }
        return changed;
    }

    // Gives each empty cluster the row farthest from its centre; whether there was one.
    bool relocate() {
        std::vector<int> empty;
        for (Index c = 0; c < k_; ++c)
            if (sums_.count[c] == 0) empty.push_back(int(c));
        if (empty.empty()) return false;
        std::vector<double> distance(labels_.size());
        parallel_for(chunks_.count(), [&](Index chunk) {
            for (Index i = chunks_.begin(chunk); i < chunks_.end(chunk); ++i)
                distance[i] = state_.set.distance(X_, i, labels_[i]);
        });
        std::vector<Index> order(labels_.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = Index(i);
        const auto farther = [&](Index a, Index b) {
            const double da = distance[a], db = distance[b];
            return da > db || (da == db && a < b);
        };
        std::make_heap(order.begin(), order.end(), [&](Index a, Index b) { return farther(b, a); });
        bool any = false;
        for (auto end = order.end(); end != order.begin() && !empty.empty(); --end) {
            std::pop_heap(order.begin(), end, [&](Index a, Index b) { return farther(b, a); });
            const Index row = *(end - 1);
            if (!(distance[row] > 0.0)) break;
            const int from = labels_[row];
            if (sums_.count[from] < 2) continue;
            sums_.put(Change{row, from, empty.front()});
            labels_[row] = empty.front();
            assigner_->forget(row);
            empty.erase(empty.begin());
            any = true;
        }
        return any;
    }

    // Centres become means; returns their summed squared movement.
    double move_centres() {
        std::copy(now_.begin(), now_.end(), before_.begin());
        double shift = 0.0;
        for (Index c = 0; c < k_; ++c) {
            const double weight = sums_.weight[c];
            if (sums_.count[c] == 0) continue;
            for (Index j = 0; j < p_; ++j) {
                const Index at = c * p_ + j;
                now_[at] = double(T(sums_.sum[at] / weight));
                shift += (now_[at] - before_[at]) * (now_[at] - before_[at]);
            }
        }
        state_.measure_moves(before_.data(), now_.data());
        stale_ = true;
        return shift;
    }

    // Sum of squared distances of the rows to their centres, from the sums of the clusters:
    // sum w |x - o|^2 - 2 sum_c (c - o).(S_c - W_c o) + sum_c W_c |c - o|^2.
    double objective() const {
        double sum = scatter_;
        for (Index c = 0; c < k_; ++c) {
            const double weight = sums_.weight[c];
            if (sums_.count[c] == 0) continue;
            for (Index j = 0; j < p_; ++j) {
                const double o = origin_[j], d = now_[c * p_ + j] - o;
                sum += d * (weight * d - 2.0 * (sums_.sum[c * p_ + j] - weight * o));
            }
        }
        return std::max(sum, 0.0);
    }

    double inertia() {
        if (stale_) state_.set.set(now_.data(), origin_);
        return parallel_sum(Blocks(X_.rows), [&](Index begin, Index end) {
            double sum = 0.0;
            for (Index i = begin; i < end; ++i) sum += sums_.weight_of(i) * state_.set.distance(X_, i, labels_[i]);
            return sum;
        });
    }

    const RowsView<T>& X_;
    Span<const double> origin_;
    double scatter_;
    const Interrupt& interrupt_;
    Index k_, p_;
    Span<int> labels_;
    Blocks chunks_;
    ClusterSums<T> sums_;
    CentreState<T> state_;
    std::unique_ptr<Assigner<T>> assigner_;
    Span<double> now_;
    std::vector<double> before_;
    std::vector<std::vector<Change>> changes_;
    std::int64_t n_distances_ = 0;
    bool stale_ = true;  // centres moved since the searches were set up
};

}  // namespace

template <class T>
KMeansInfo kmeans_fit(const RowsView<T>& X, Span<const double> weights, KMeansAlgorithm algorithm, StopRule stop,
                      Span<const double> origin, double scatter, const Interrupt& interrupt, Span<double> centres,
                      Index k, Span<int> labels, std::vector<double>& history) {
    return Fit<T>(X, weights, origin, scatter, interrupt, centres, k, labels).run(algorithm, stop, history);
}

#define STATLEARN_KMEANS(T)                                                                                         \
    template KMeansInfo kmeans_fit<T>(const RowsView<T>&, Span<const double>, KMeansAlgorithm, StopRule,            \
                                      Span<const double>, double, const Interrupt&, Span<double>, Index, Span<int>, \
                                      std::vector<double>&);
STATLEARN_KMEANS(float)
STATLEARN_KMEANS(double)
#undef STATLEARN_KMEANS

}  // namespace statlearn::cluster
