// The forward pass of multivariate adaptive regression splines (Friedman 1991, 1993).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::smooth {

struct MarsOptions {
    Index max_terms;              // terms at most; each step counts for two
    Index max_degree;             // factors of a term at most
    double penalty;               // degrees of freedom of a knot in the generalised cross-validation
    double threshold;             // least rise of R^2 in a step; R^2 above 1 - threshold ends the pass
    Index min_span;               // rows between knots; 0: Friedman's formula; negative: minus the number of knots
    Index end_span;               // rows beyond the outermost knots; 0: Friedman's formula
    double end_span_adjust;       // the end span of a product is larger by this factor of it
    Index fast_k;                 // parents looked at in a step; 0: all
    double fast_beta;             // how fast a parent that was not looked at comes up again
    double new_variable_penalty;  // a variable not yet in the model has its gain divided by 1 + this
    bool step;                    // indicators (x > t) instead of hinges (x - t)_+
    bool remove_parent;           // a split replaces its parent, as in a regression tree (with `step`)
};

enum class Factor : std::int8_t { intercept = 0, right = 1, left = -1, linear = 2 };

// A term is its parent times one factor: (x - knot)_+, (knot - x)_+, x, or the indicators of the two sides.
struct MarsTerm {
    Index parent, feature;
    Factor factor;
    double knot;
    bool removed = false;  // by its children
};

enum class MarsEnd : int { no_gain = 0, small_gain = 1, bad_gcv = 2, perfect = 3, full = 4, interrupted = 5 };

struct MarsForward {
    std::vector<MarsTerm> terms;  // the first is the intercept
    std::vector<double> rss;      // residual sum of squares after each step, the first that of the intercept
    MarsEnd end = MarsEnd::no_gain;
};

// X is n x p in columns, Y is n x m in rows, weights (n) may be empty. `linear[j]` is not 0 where feature j may only
// enter as it is; `allowed` (p x p, or empty for all) says which features may stand in one term.
//
// A step tries every parent term b, feature x and knot t and takes the pair b (x - t)_+, b (t - x)_+ that lowers the
// residual sum of squares most. For each (b, x) the products of the candidate hinges h_t with the residual, with
// themselves and with the linear candidate b x, all orthogonal to the model, are kept from step to step: a column that
// enters the model changes them by its own products with h_t, which one sweep over the sorted rows gives for all knots.
// So a step costs O(n) for each (b, x) whatever the size of the model; recomputing it would cost O(n M).
// Same bits for any number of threads.
MarsForward mars_forward(Matrix<const double> X, Matrix<const double> Y, Span<const double> weights,
                         Span<const std::uint8_t> linear, Span<const std::uint8_t> allowed, const MarsOptions& options,
                         const Interrupt& interrupt);

}  // namespace statlearn::smooth
