// Elastic-net logistic and multinomial regression along a path of penalties, by proximal Newton steps.
#pragma once

#include <span>

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn::linear {

// Columns of a dense matrix (each contiguous) about `shift`, and of a sparse matrix (shift is not used).
template <class T>
struct DenseColumns {
    using Value = T;
    MatrixView<const T> X;
    std::span<const double> shift;
    Index rows() const { return X.rows; }
    Index cols() const { return X.cols; }
};
template <class T>
struct SparseColumns {
    using Value = T;
    CscView<T> X;
    std::span<const double> shift;
    Index rows() const { return X.rows; }
    Index cols() const { return X.cols; }
};

struct LogisticData {
    Index n_scores;                  // 1 for two classes (codes 0, 1), else the number of classes
    std::span<const int> codes;      // n
    std::span<const double> share;   // n, weights divided by their sum
    std::span<const double> offset;  // n x n_scores, or empty
    bool intercept;
};

// What is known of each point of the path: one entry (or block) per penalty.
struct LogisticPathOut {
    std::span<double> theta;  // penalties x n_scores x (p + intercept): slopes, then the intercept at x = 0
    std::span<double> gap;    // duality gap
    std::span<double> loss;   // mean loss without penalty
    std::span<int> n_iter;    // proximal Newton steps
    std::span<int> status;
};

// Minimises, for each t in order and warm from the point before,
//     sum_i share_i loss_i + l1[t] |W|_1 + l2[t] / 2 |W|^2,   intercepts free,
// starting from `theta` (n_scores x q; all zero stands for the model without slopes, its intercepts fitted). Stops at a
// duality gap of stop.tol times the loss at W = 0, checked over all columns, or after stop.max_iter steps per point.
//
// A step minimises a quadratic model on the columns that matter (those in use and those that violate the optimality
// conditions) by coordinate descent on their weighted cross-products, the intercept eliminated exactly. The model has
// the exact gradient; its cross-products are kept until the weights have moved. Columns are screened by the sequential
// strong rule (Tibshirani et al., 2012), then all are checked. Classes take turns. Requires l1[t] >= 0, decreasing
// penalties for speed. Memory O(n n_scores + m^2 n_scores), m the number of columns in use.
template <class Columns>
void logistic_path(const Columns& X, const LogisticData& data, std::span<const double> l1, std::span<const double> l2,
                   std::span<const double> theta, StopRule stop, const Interrupt& interrupt,
                   const LogisticPathOut& out);

}  // namespace statlearn::linear
