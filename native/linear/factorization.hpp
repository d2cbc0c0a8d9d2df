// Factorization machines: a linear score plus all pairwise products with weights of low rank.
#pragma once

#include "common/interrupt.hpp"
#include "common/rows.hpp"

namespace statlearn::linear {

// The parameters of one machine: score(x) = bias + sum_j w_j x_j + sum_{i<j} <v_i, v_j> x_i x_j.
struct Machine {
    double bias = 0.0;
    Span<const double> w;  // p
    Span<const double> V;  // p x k, row-major
    Index k = 0;
};

// scores_i for all rows in O(k) per entry of X, by  sum_{i<j} <v_i, v_j> x_i x_j
// = (|sum_j x_j v_j|^2 - sum_j x_j^2 |v_j|^2) / 2  (Rendle, 2010).
template <class T>
void fm_scores(RowsView<T> X, const Machine& machine, const Interrupt& interrupt, Span<double> scores);

enum class FmLoss : int { squared = 0, logistic = 1 };

// sum_i weights_i L(y_i, score_i), with L = (y - f)^2 or log(1 + exp(-y f)), y = +-1; its gradient goes to `gradient`:
// bias, then w (p), then V (p x k). Rows are summed in fixed blocks: the same bits for any number of threads.
template <class T>
double fm_loss(RowsView<T> X, Span<const double> y, Span<const double> weights, FmLoss loss, const Machine& machine,
               const Interrupt& interrupt, Span<double> gradient);

}  // namespace statlearn::linear
