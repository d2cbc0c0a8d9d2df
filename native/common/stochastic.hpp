// What stochastic learners of a linear score share: the order of the rows, the weights they keep, and when to stop.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "common/rows.hpp"

namespace statlearn {

// The xorshift generator and the exchange order of scikit-learn's data sets, so that rows are met in the same order.
inline void permute_rows(std::vector<Index>& order, std::uint32_t seed) {
    const Index n = Index(order.size());
    for (Index i = 0; i < n - 1; ++i) {
        if (seed == 0) seed = 1;
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        std::swap(order[i], order[i + Index(seed & 0x7FFFFFFFu) % (n - i)]);
    }
}

// Weights w = scale * v, so that shrinking them costs one product, with their norms if a penalty needs them, and the
// running sum of the weights after each counted step:
//
//     sum of w over the steps = sum + owed * v,    owed = the scales of the steps since v was last made whole.
//
// A change of v by d in one coordinate is repaid by -owed * d in `sum`, so a step costs the entries of its row only.
template <class T>
class ScaledWeights {
public:
    // `sum` is empty, or holds the sum of the weights over earlier steps.
    ScaledWeights(RowsView<T> X, Span<double> w, bool norms, bool l1, Span<double> sum = {})
        : X_(X), v_(w), sum_(sum), passed_(l1 ? w.size() : 0, 0.0), norms_(norms) {
        settle();
        if (!norms_) return;
        squares_.resize(X.rows);
        for (Index i = 0; i < X.rows; ++i) {
            double& square = squares_[i];
            X.each(i, [&](std::size_t, double x) { square += x * x; });
        }
    }

    double dot(Index i) const { return scale_ * X_.dot(i, v_.data()); }

    // w += step * x_i; `inner` is the present w . x_i, which only the norms need.
    void add(Index i, double step, double inner) {
        const double d = step / scale_;
        if (!passed_.empty()) {
            X_.each(i, [&](std::size_t j, double x) {
                absolute_ += std::abs(v_[j] + d * x) - std::abs(v_[j]);
                v_[j] += d * x;
            });
        } else {
            X_.add(i, d, v_.data());
        }
        if (!sum_.empty() && owed_ != 0.0) X_.add(i, -owed_ * d, sum_.data());
        if (norms_) square_ += step * (2.0 * inner + step * squares_[i]);
    }

    void shrink(double factor) {
        factor = std::max(factor, 0.0);
        scale_ *= factor;
        square_ *= factor * factor;
        if (scale_ < 1e-9) settle();
    }

    // The cumulative L1 penalty of Tsuruoka, Tsujii and Ananiadou (2009): coordinates of row i catch up with `total`.
    void clip(Index i, double total) {
        X_.each(i, [&](std::size_t j, double) {
            const double before = v_[j];
            if (before > 0.0)
                v_[j] = std::max(0.0, before - (total + passed_[j]) / scale_);
            else if (before < 0.0)
                v_[j] = std::min(0.0, before + (total - passed_[j]) / scale_);
            const double d = v_[j] - before;
            if (d == 0.0) return;
            passed_[j] += scale_ * d;
            absolute_ += std::abs(v_[j]) - std::abs(before);
            square_ += scale_ * scale_ * d * (v_[j] + before);
            if (!sum_.empty()) sum_[j] -= owed_ * d;
        });
    }

    // Counts the present weights as those after a step.
    void count() { owed_ += scale_; }

    double square() const { return std::max(square_, 0.0); }
    double absolute() const { return scale_ * std::max(absolute_, 0.0); }

    // Makes w and `sum` whole, and their norms exact again.
    void settle() {
        if (!sum_.empty() && owed_ != 0.0)
            for (Index j = 0; j < v_.size(); ++j) sum_[j] += owed_ * v_[j];
        owed_ = square_ = absolute_ = 0.0;
        for (double& value : v_) {
            value *= scale_;
            square_ += value * value;
            absolute_ += std::abs(value);
        }
        scale_ = 1.0;
    }

private:
    RowsView<T> X_;
    Span<double> v_, sum_;
    std::vector<double> passed_, squares_;
    bool norms_;
    double scale_ = 1.0, owed_ = 0.0, square_ = 0.0, absolute_ = 0.0;
};

// Passes in a row that have not improved a quantity to be minimised by `tol`; a negative tol never loses patience.
class Patience {
public:
    Patience(double tol, int passes) : tol_(tol), passes_(passes) {}

    // Whether the patience is lost after a pass with this value. Values that are not numbers count as improvements.
    bool lost(double value) {
        waited_ = value > best_ - tol_ && tol_ >= 0.0 ? waited_ + 1 : 0;
        best_ = std::min(best_, value);
        return waited_ >= passes_;
    }
    void restart() { waited_ = 0; }

private:
    double tol_;
    int passes_, waited_ = 0;
    double best_ = std::numeric_limits<double>::infinity();
};

}  // namespace statlearn
