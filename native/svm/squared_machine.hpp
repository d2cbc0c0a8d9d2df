// Linear machines with squared losses: the problem, and what its solvers report.
#pragma once

#include <cmath>
#include <cstddef>

#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn::svm {

// min over w of |w|^2 / 2 + sum_i C_i loss(y_i, f_i), f = X w + s w_p, with the last weight (of the constant s)
// penalised or not. Classification (y = +-1): loss = max(0, 1 - y f)^2; regression: loss = max(0, |y - f| - epsilon)^2.
struct SquaredMachine {
    Span<const double> y, price;
    bool regression = false;
    double epsilon = 0.0;
    double intercept_scale = 0.0;  // s; 0: no intercept
    bool free_intercept = false;

    // The loss of row i at the score f is the square of this number, and 0 exactly if the row has no loss.
    double residual(std::size_t i, double f) const {
        const double r = y[i] - f;  // for labels +-1, 1 - y f = y (y - f)
        if (!regression) return y[i] * f < 1.0 ? r : 0.0;
        return std::abs(r) > epsilon ? (r > 0.0 ? r - epsilon : r + epsilon) : 0.0;
    }

    // The factor of w_p^2 / 2; without an intercept w_p stays 0.
    double last_ridge() const { return intercept_scale == 0.0 || !free_intercept ? 1.0 : 0.0; }
};

struct SquaredInfo {
    int n_iter;
    double objective, decrease;  // the decrease that the last step predicted
    Status status;
};

}  // namespace statlearn::svm
