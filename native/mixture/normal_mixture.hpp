// One pass over the rows of a mixture of normal or Student-t distributions: responsibilities and the sums that the next
// parameters are made of, together, so that the n x k matrix of responsibilities is never stored.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::mixture {

// How the precision P of a component is given: P = U U' with U upper triangular, one for each component (full, k x p x
// p row-major, only the upper triangle is read) or one for all (tied, p x p); diag: the square roots of its diagonal,
// k x p.
enum class Shape : int { full = 0, tied = 1, diag = 2 };

// Which second moments are summed.
enum class Order : int { first = 0, diagonal = 1, full = 2 };

// log p_k(x) = scale_k - q / 2 with q = |U_k'(x - mean_k)|^2, or with degrees of freedom nu
// log p_k(x) = scale_k - (nu_k + p) / 2 log(1 + q / nu_k). `scale` holds all that does not depend on x, the logarithm
// of the mixing weight included (it may be -inf).
struct Components {
    Index k, p;
    Shape shape;
    Span<const double> means;   // k x p
    Span<const double> factor;  // see Shape
    Span<const double> scale;   // k
    Span<const double> dof;     // empty, or k
};

// Sums over rows with r = w_i P(component | x_i) and d = x - mean_k. For Student components u = (nu + p) / (nu + q),
// else u = 1. The caller zeroes nothing.
struct Moments {
    Order order;
    Span<double> total;      // k: sum r
    Span<double> precision;  // k: sum r u
    Span<double> log_gap;    // k: sum r (log u - u); 0 for normal components
    Span<double> first;      // k x p: sum r u d
    Span<double> second;     // diagonal: k x p, sum r u d^2; full: k x p x p, sum r u d d', both halves; else unused
};

struct PassInfo {
    double log_likelihood;  // sum_i w_i log sum_k p_k(x_i)
    double entropy;         // -sum_i w_i sum_k r_ik log r_ik of the responsibilities
};

// The E step and the sums of the M step. Responsibilities below e^-100 count as 0. `weights` may be empty (all 1).
// Cost n k p^2 multiply-adds for full moments, memory 128 rows per thread and one set of sums for each of at most 32
// chunks of rows. Same bits for any number of threads. Requires finite X.
template <class T>
PassInfo mixture_pass(Matrix<const T> X, Span<const double> weights, const Components& components,
                      const Interrupt& interrupt, const Moments& out);

// The same sums with given responsibilities R (n x k); components.factor, scale and dof are not used.
template <class T>
void mixture_moments(Matrix<const T> X, Span<const double> weights, Matrix<const double> R,
                     const Components& components, const Interrupt& interrupt, const Moments& out);

// log p_k(x_i) into out (n x k, row-major).
template <class T>
void mixture_log_density(Matrix<const T> X, const Components& components, const Interrupt& interrupt,
                         Matrix<double> out);

}  // namespace statlearn::mixture
