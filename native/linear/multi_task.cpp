#include "linear/multi_task.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "common/parallel.hpp"
#include "common/vector.hpp"

namespace statlearn::linear {

namespace {

constexpr Index kFirstWorkingSet = 10;
constexpr double kInnerShare = 0.3;  // of the gap over all features, which a working set is solved to (empirical)
constexpr int kCheckEvery = 10;      // passes between looks at the gap of a working set

class MultiTask {
public:
    MultiTask(Matrix<const double> X, double l1, double l2, Matrix<double> residual, Matrix<double> W)
        : X_(X), R_(residual), W_(W), l1_(l1), l2_(l2), n_(X.rows), p_(X.cols), tasks_(W.cols) {
        norm_.resize(p_);
        steepness_.resize(p_);
        step_.resize(tasks_);
        Y_.resize(n_ * tasks_);
        for (Index t = 0; t < tasks_; ++t) std::copy(R_.col(t), R_.col(t) + n_, Y_.data() + t * n_);
        for (Index j = 0; j < p_; ++j) {
            norm_[j] = dot(X_.col(j), X_.col(j), n_);
            if (is_used(j))
                for (Index t = 0; t < tasks_; ++t) axpy(-W_(j, t), X_.col(j), R_.col(t), n_);
        }
        target_ = dot(Y_.data(), Y_.data(), n_ * tasks_);
    }

    MultiTaskInfo run(StopRule stop, const Interrupt& interrupt) {
        std::vector<Index> every(p_, 0);
        std::iota(every.begin(), every.end(), Index(0));
        const double wanted = stop.tol * target_;
        int passes = 0;
        Index size = kFirstWorkingSet;
        while (true) {
            const double gap = gap_over(every);
            if (interrupt.requested()) return {gap, passes, Status::interrupted};
            if (gap <= wanted) return {gap, passes, Status::ok};
            if (passes >= stop.max_iter) return {gap, passes, Status::max_iter};
            const auto working = working_set(every, size);
            size = 2 * Index(working.size());
            const double enough = std::max(kInnerShare * gap, working.size() == every.size() ? wanted : 0.0);
            double inner = gap;
            for (int round = 0; passes < stop.max_iter && inner > enough; ++round) {
                for (const Index j : working) update(j);
                ++passes;
                if (round % kCheckEvery == kCheckEvery - 1 || passes == stop.max_iter) inner = gap_over(working);
                if (interrupt.requested()) break;
            }
        }
    }

private:
    bool is_used(Index j) const {
        for (Index t = 0; t < tasks_; ++t)
            if (W_(j, t) != 0.0) return true;
        return false;
    }

    // |X_j' R - l2 w_j|_2, which is at most l1 at the minimum, and l1 where w_j is not 0.
    double steepness(Index j) const {
        double sum = 0.0;
        for (Index t = 0; t < tasks_; ++t) {
            const double g = dot(X_.col(j), R_.col(t), n_) - l2_ * W_(j, t);
            sum += g * g;
        }
        return std::sqrt(sum);
    }

    // The duality gap of the problem in these features alone. The dual point is the residual, extended by -sqrt(l2) W
    // and shrunk until it is feasible.
    double gap_over(const std::vector<Index>& features) {
        const Index count = Index(features.size());
        const Blocks blocks(count, 16);
        parallel_for(blocks.count(), Work(2.0 * double(n_) * double(tasks_) * double(count)), [&](Index b) {
            for (Index k = blocks.begin(b); k < blocks.end(b); ++k) {
                const Index j = features[k];
                steepness_[j] = steepness(j);
            }
        });
        double steepest = 0.0, l1_norm = 0.0, square = 0.0;
        for (const Index j : features) {
            steepest = std::max(steepest, steepness_[j]);
            double own = 0.0;
            for (Index t = 0; t < tasks_; ++t) own += W_(j, t) * W_(j, t);
            l1_norm += std::sqrt(own);
            square += own;
        }
        double left = 0.0, with_target = 0.0;
        for (Index t = 0; t < tasks_; ++t) {
            left += dot(R_.col(t), R_.col(t), n_);
            with_target += dot(R_.col(t), Y_.data() + t * n_, n_);
        }
        const double extended = left + l2_ * square;
        const double scale = steepest > l1_ ? l1_ / steepest : 1.0;
        const double primal = 0.5 * extended + l1_ * l1_norm;
        return primal - scale * with_target + 0.5 * scale * scale * extended;
    }

    // The used features and the steepest others, `size` of them or all that are used.
    std::vector<Index> working_set(const std::vector<Index>& every, Index size) const {
        std::vector<Index> order(every);
        std::vector<char> used(p_);
        Index n_used = 0;
        for (Index j = 0; j < p_; ++j) n_used += used[j] = is_used(j);
        const auto wanted = std::min(p_, std::max(size, 2 * n_used));
        const auto before = [&](Index a, Index b) {
            if (used[a] != used[b]) return used[a] > used[b];
            const double x = steepness_[a], y = steepness_[b];
            return x != y ? x > y : a < b;
        };
        std::nth_element(order.begin(), order.begin() + (wanted - 1), order.end(), before);
        order.resize(wanted);
        std::sort(order.begin(), order.end());
        return order;
    }

    void update(Index j) {
        const double square = norm_[j];
        if (square == 0.0) return;
        double length = 0.0;
        for (Index t = 0; t < tasks_; ++t) {
            const double g = dot(X_.col(j), R_.col(t), n_) + square * W_(j, t);
            step_[t] = g;
            length += g * g;
        }
        length = std::sqrt(length);
        const double share = length > l1_ ? (1.0 - l1_ / length) / (square + l2_) : 0.0;
        for (Index t = 0; t < tasks_; ++t) {
            const double now = share * step_[t], change = now - W_(j, t);
            if (change == 0.0) continue;
            axpy(-change, X_.col(j), R_.col(t), n_);
            W_(j, t) = now;
        }
    }

    Matrix<const double> X_;
    Matrix<double> R_, W_;
    double l1_, l2_, target_ = 0.0;
    Index n_, p_, tasks_;
    std::vector<double> norm_, steepness_, step_, Y_;
};

}  // namespace

MultiTaskInfo multi_task_fit(Matrix<const double> X, double l1, double l2, StopRule stop, const Interrupt& interrupt,
                             Matrix<double> residual, Matrix<double> W) {
    return MultiTask(X, l1, l2, residual, W).run(stop, interrupt);
}

}  // namespace statlearn::linear
