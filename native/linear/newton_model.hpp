// The quadratic models that proximal Newton steps minimise (newton_path.hpp), and what is remembered beside them.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "linear/anderson.hpp"
#include "linear/newton_columns.hpp"

namespace statlearn::linear::newton {

constexpr std::size_t kDepth = 5;  // points that are extrapolated together

// Anderson's extrapolation of the sweeps over a quadratic model: gradients extrapolate with the points, because its
// smooth part is quadratic. A point is taken only if it lowers the objective.
class Extrapolation {
public:
    Extrapolation(const Vector& value, const Vector& q) : value0_(value), q0_(q) {}

    void restart(const Vector& value, const Vector& q) {
        values_.assign(1, value);
        gradients_.assign(1, q);
    }

    void add(Vector& value, Vector& q, double l1, double l2) {
        values_.push_back(value);
        gradients_.push_back(q);
        if (values_.size() <= kDepth) return;
        AndersonWeights<kDepth> c;
        if (anderson_weights(values_, c)) {
            Vector v = anderson_mixture(values_, c), g = anderson_mixture(gradients_, c);
            if (objective(v, g, l1, l2) < objective(value, q, l1, l2)) value = std::move(v), q = std::move(g);
        }
        restart(value, q);
    }

private:
    // -q0'd + d'Gd/2 + penalty, with Gd = q0 - q.
    double objective(const Vector& value, const Vector& q, double l1, double l2) const {
        double sum = 0.0;
        for (std::size_t s = 0; s < value.size(); ++s)
            sum += -0.5 * (q0_[s] + q[s]) * (value[s] - value0_[s]) + l1 * std::abs(value[s]) +
                   0.5 * l2 * value[s] * value[s];
        return sum;
    }

    Vector value0_, q0_;
    std::vector<Vector> values_, gradients_;
};

// The error of a model's gradient because its cross-products are not those of the present weights. A path is smooth:
// the error met on the way to the last penalty will be met again on the way to the next, so it is extrapolated and
// added beforehand. That saves most of the second steps. Gradients are per slot of the model, about the intercept.
class GradientCorrection {
public:
    // For a new model.
    void reset() {
        predicted_.clear();
        error_.clear();
        correction_.clear();
    }
    // On the way to the next penalty, `share` times as far away as the last one was.
    void extrapolate(double share) {
        correction_.swap(error_);
        error_.clear();
        for (double& value : correction_) value *= share;
    }
    // For the first step to a penalty: the expected error, added to the gradient with this sign.
    void add_to(Vector& q, double sign) const {
        for (std::size_t s = 0; s < correction_.size(); ++s) q[s] += sign * correction_[s];
    }
    // The gradient after a step, by the model.
    void predict(Vector q) {
        predicted_ = std::move(q);
        correction_.clear();
    }
    // The true gradient there.
    void observe(const Vector& q) {
        error_.resize(q.size(), 0.0);
        for (std::size_t s = 0; s < predicted_.size(); ++s) error_[s] += q[s] - predicted_[s];
        predicted_.clear();
    }

private:
    Vector predicted_, error_, correction_;
};

// The quadratic model of one class: columns in use, their centred weighted cross-products, and the weights behind them.
struct Model {
    std::vector<Index> columns;
    std::vector<int> slot;  // of a column, or -1
    std::vector<float> G;   // ld x ld, centred when there is an intercept
    Index ld = 0, built = 0;
    Vector g, h;                    // sum_i h_i x_ij; the weights
    std::vector<float> Z;           // work space of cross_products
    Vector q;                       // negative gradient of the loss, per slot
    double sum_v = 0;               // and of the intercept
    GradientCorrection correction;  // for two classes
    int debt = 0;                   // steps that a fresh model would have saved
    double total = 0;               // sum of the weights
    double scale = 1;               // the model's curvature is this times G
};

}  // namespace statlearn::linear::newton
