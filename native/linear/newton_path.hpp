// Elastic-net fits of a smooth convex loss along a path of penalties, by proximal Newton steps. The loss and the
// columns are small classes behind virtual functions that work on whole blocks of rows and whole columns: the solver is
// compiled once for all of them.
#pragma once

#include <vector>

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"
#include "linear/newton_columns.hpp"

namespace statlearn::linear {

// What every loss has of its rows.
struct PathRows {
    Span<const double> share;   // n, weights divided by their sum
    Span<const double> offset;  // n x scores, or empty
    bool intercept;
};

// What is known of each point of the path: one entry (or block) per penalty.
struct NewtonPathOut {
    Span<double> theta;  // penalties x scores x (p + intercept): slopes, then the intercept at x = 0
    Span<double> gap;    // duality gap
    Span<double> loss;   // mean loss without penalty
    Span<int> n_iter;    // proximal Newton steps
    Span<int> status;
};

// A loss, for the rows from begin to end. The scores eta and the means mu are R x n.
class PathLoss {
public:
    PathRows rows;

    explicit PathLoss(const PathRows& of) : rows(of) {}
    virtual ~PathLoss() = default;
    virtual Index scores() const = 0;  // their number, R
    // A start for the intercept of score k without slopes.
    virtual double null_intercept(Index k) const = 0;
    // The weighted loss at the scores; means into mu.
    virtual double evaluate(Index begin, Index end, const double* eta, double* mu) const = 0;
    // v = minus the weighted slope in score k, h (or null) the weighted curvature; the sum of v.
    virtual double residual(Index k, Index begin, Index end, const double* mu, double* v, double* h) const = 0;
    // Minus the weighted conjugate at -scale times the residuals.
    virtual double dual(Index begin, Index end, const double* mu, double scale) const = 0;
};

// The columns: what newton_columns.hpp has for each kind of matrix.
class PathColumns {
public:
    virtual ~PathColumns() = default;
    virtual Index rows() const = 0;
    virtual Index cols() const = 0;
    virtual Span<const double> shift() const = 0;
    virtual double dot(Index j, const double* v, double sum_v) const = 0;
    virtual void combine(const std::vector<Index>& columns, const Vector& delta, double constant,
                         Vector& out) const = 0;
    virtual void cross_products(const std::vector<Index>& columns, Index first, const Vector& h,
                                const Interrupt& interrupt, const GramStore& store, std::vector<float>& Z) const = 0;
};

template <class Columns>
class PathColumnsOf final : public PathColumns {
public:
    explicit PathColumnsOf(const Columns& X) : X_(X) {}
    Index rows() const override { return X_.rows(); }
    Index cols() const override { return X_.cols(); }
    Span<const double> shift() const override { return X_.shift; }
    double dot(Index j, const double* v, double sum_v) const override { return column_dot(X_, j, v, sum_v); }
    void combine(const std::vector<Index>& columns, const Vector& delta, double constant, Vector& out) const override {
        linear::combine(X_, columns, delta, constant, out);
    }
    void cross_products(const std::vector<Index>& columns, Index first, const Vector& h, const Interrupt& interrupt,
                        const GramStore& store, std::vector<float>& Z) const override {
        linear::cross_products(X_, columns, first, h, interrupt, store, Z);
    }

private:
    const Columns& X_;
};

// Minimises, for each t in order and warm from the point before,
//     sum_i share_i loss_i + l1[t] |W|_1 + l2[t] / 2 |W|^2,   intercepts free,
// starting from `theta` (scores x q; all zero stands for the model without slopes, its intercepts fitted). Stops at a
// duality gap of stop.tol times the loss at W = 0, checked over all columns, or after stop.max_iter steps per point.
//
// A step minimises a quadratic model on the columns that matter (those in use and those that violate the optimality
// conditions) by coordinate descent on their weighted cross-products, the intercept eliminated exactly. The model has
// the exact gradient; its cross-products are kept until the weights have moved, and what that costs is foreseen from
// the penalty before (newton_model.hpp). Columns are screened by the sequential
// strong rule (Tibshirani et al., 2012), then all are checked. Several scores (classes) take turns. Requires
// l1[t] >= 0, decreasing penalties for speed. Memory O(n R + m^2 R), m the number of columns in use, R scores.
void newton_path(const PathColumns& X, const PathLoss& loss, Span<const double> l1, Span<const double> l2,
                 Span<const double> theta, StopRule stop, const Interrupt& interrupt, const NewtonPathOut& out);

}  // namespace statlearn::linear
