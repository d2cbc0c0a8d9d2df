// Stochastic gradient descent on a loss of a linear score plus an elastic-net penalty.
#pragma once

#include <cstdint>
#include <vector>

#include "common/interrupt.hpp"
#include "common/rows.hpp"
#include "common/status.hpp"

namespace statlearn::svm {

// Losses of a score f at y, which is +-1 for the first four; `bend` is the threshold, delta or epsilon.
enum class SgdLoss : int {
    hinge = 0,                       // max(0, bend - y f)
    squared_hinge = 1,               // max(0, bend - y f)^2
    log_loss = 2,                    // log(1 + exp(-y f))
    modified_huber = 3,              // -4 y f for y f < -1, else max(0, 1 - y f)^2
    squared_error = 4,               // (y - f)^2 / 2
    huber = 5,                       // r^2 / 2 for |r| <= bend, else bend (|r| - bend / 2)
    epsilon_insensitive = 6,         // max(0, |r| - bend)
    squared_epsilon_insensitive = 7  // max(0, |r| - bend)^2
};

// Length of step t = 1, 2, ...
enum class SgdSchedule : int {
    constant = 0,              // eta0
    optimal = 1,               // 1 / (alpha (t0 + t - 1)), Bottou's, with t0 from alpha and the loss
    inverse = 2,               // eta0 / t^power
    adaptive = 3,              // eta0, divided by 5 whenever the patience is lost
    passive_aggressive = 4,    // min(eta0, loss / |x|^2)
    passive_aggressive_2 = 5,  // loss / (|x|^2 + 1 / (2 eta0))
};

enum class SgdScore : int { none = 0, accuracy = 1, r2 = 2 };  // what the held-out rows are asked for

struct SgdOptions {
    SgdLoss loss = SgdLoss::hinge;
    double bend = 1.0;
    SgdSchedule schedule = SgdSchedule::optimal;
    double eta0 = 0.01, power = 0.5;
    double alpha = 1e-4;        // of the schedule `optimal`
    double l1 = 0.0, l2 = 0.0;  // penalty l1 |w|_1 + l2 |w|^2 / 2 per row
    double level = 0.0;         // one-class machine: the objective has `level` times b beside
    bool fit_intercept = true;
    double intercept_rate = 1.0;  // factor of the intercept's steps
    bool shuffle = true;
    std::uint32_t seed = 0;
    double t = 1.0;        // number of the first step
    double average = 0.0;  // step at which averaging begins; 0: none
    double tol = -1.0;     // negative: no stopping
    int patience = 5;
    int max_iter = 1000;
    SgdScore score = SgdScore::none;
};

struct SgdInfo {
    int n_iter = 0;
    Status status = Status::max_iter;  // ok | max_iter | interrupted | diverged
    std::vector<double> objective;     // per pass: weighted mean of loss and penalty as met, or 1 - score if held out
};

// Learns w (cols) and b by passes over the rows, from the values given. Per row, with step length eta and weight s:
//
//     w <- (1 - eta l2) w - eta s loss'(f) x,  b <- b - rate eta (s loss'(f) + level),  then w is clipped by eta l1.
//
// mean_w and mean_b are the averages of w and b over the steps from `average` on (of earlier calls when entering).
// `held_out` is empty or flags the rows that judge the passes instead of teaching. Stops when `patience` passes have
// not improved the objective (or the score of the held-out rows) by `tol`. Rows are met in scikit-learn's order.
template <class T>
SgdInfo sgd_fit(const RowsView<T>& X, Span<const double> y, Span<const double> weights,
                Span<const std::uint8_t> held_out, const SgdOptions& options, const Interrupt& interrupt,
                Span<double> w, double& b, Span<double> mean_w, double& mean_b);

}  // namespace statlearn::svm
