// Rosenblatt's perceptron: passes over the rows, one update per mistake.
#pragma once

#include <cstdint>

#include "common/interrupt.hpp"
#include "common/rows.hpp"
#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn::linear {

enum class PerceptronRule : int {
    margin = 0,  // a row with y f <= 0 adds eta y x
    sign = 1,    // a row with sgn(f) != y, sgn(0) = +1, adds eta (y - sgn f) x
    batch = 2,   // the sum of eta y x over such rows is added at the end of a pass
};

struct PerceptronOptions {
    PerceptronRule rule = PerceptronRule::margin;
    double eta = 1.0;
    double l1 = 0.0, l2 = 0.0;  // per step: weights shrink by (1 - eta l2), then by eta l1 towards 0
    bool fit_intercept = true;
    bool shuffle = false;
    std::uint32_t seed = 0;
    double tol = -1.0;  // negative: no stopping on the loss
    int patience = 5;   // passes without an improvement of tol
    int max_iter = 1000;
    bool stop_at_zero = true;  // end when a pass makes no mistake (without penalty nothing can change any more)
};

struct PerceptronInfo {
    int n_iter;
    bool converged;  // the last pass made no mistake
    Status status;   // ok | max_iter | interrupted | diverged
};

// Learns w (cols) and b from labels +-1 and non-negative weights. `held_out` (empty, or one flag per row) marks rows
// that judge the passes by their weighted accuracy instead of teaching. mistakes[k] receives the mistakes of pass k.
// The loss of a pass, per row, is (-y f)_+ met before the update, plus the penalty. With `shuffle` the rows are
// permuted before each pass, from the same seed each time, starting from the order of the pass before.
template <class T>
PerceptronInfo perceptron_fit(RowsView<T> X, Span<const double> y, Span<const double> weights,
                              Span<const std::uint8_t> held_out, const PerceptronOptions& options,
                              const Interrupt& interrupt, Span<double> w, double& b, Span<int> mistakes);

}  // namespace statlearn::linear
