// Passes over the rows of X for logistic and multinomial regression: loss, gradient and Hessian in one reading.
#pragma once

#include <span>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::linear {

// Rows of a dense matrix, with a column of ones behind the last when `intercept`. q = cols + intercept.
// Hessians are taken about `shift` (one number per column, any point near the middle of the data): the parameters then
// are the slopes and the intercept at that point, which keeps the digits that data far from zero would lose.
template <class T>
struct DenseRows {
    using Value = T;
    MatrixView<const T> X;
    std::span<const double> shift;
    bool intercept;

    Index rows() const { return X.rows; }
    Index cols() const { return X.cols; }
    Index entries() const { return X.rows * X.cols; }
};

// Rows of a sparse matrix in compressed rows (held as the compressed columns of X').
template <class T>
struct SparseRows {
    using Value = T;
    CscView<T> Xt;
    std::span<const double> shift;
    bool intercept;

    Index rows() const { return Xt.cols; }
    Index cols() const { return Xt.rows; }
    Index entries() const { return Index(Xt.values.size()); }
};

// Two classes, coded as sign_i = -1 or +1: with eta_i = x_i'w + b + offset_i, returns sum_i weight_i
// log(1 + exp(-sign_i eta_i)) and fills grad (q) with its gradient and, unless empty, hess (q x q) with its Hessian.
// theta = (w, b) is the plain intercept; gradient and Hessian belong to the intercept at `shift`.
// `weights` and `offset` may be empty. Same bits for any number of threads. Cost: one reading of X, n q^2 / 2
// multiply-adds for the Hessian.
template <class Rows>
double logistic_pass(const Rows& X, std::span<const double> sign, std::span<const double> weights,
                     std::span<const double> offset, std::span<const double> theta, const Interrupt& interrupt,
                     std::span<double> grad, std::span<double> hess);

// K classes, coded 0..K-1: theta and grad are K x q (one row per class), offset n x K or empty, softmax over the K
// scores. Returns the weighted sum of -log P(class_i). As above, gradients belong to the intercepts at `shift`.
template <class Rows>
double multinomial_pass(const Rows& X, Index n_classes, std::span<const int> codes, std::span<const double> weights,
                        std::span<const double> offset, std::span<const double> theta, const Interrupt& interrupt,
                        std::span<double> grad);

// Hessian of the same loss, about `shift`: for the pairs k <= l of classes in order (only k = l if `diagonal`) one
// q x q matrix sum_i weight_i mu_ik (1[k = l] - mu_il) z_i z_i', for the first `used` classes.
// hess holds (pairs, q, q).
template <class Rows>
void multinomial_hessian(const Rows& X, Index n_classes, Index used, bool diagonal, std::span<const double> weights,
                         std::span<const double> offset, std::span<const double> theta, const Interrupt& interrupt,
                         std::span<double> hess);

}  // namespace statlearn::linear
