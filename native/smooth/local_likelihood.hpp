// Local likelihood: at each query a kernel-weighted maximum-likelihood fit of a polynomial in the offsets from it,
// whose intercept is the estimate on the scale of the link.
#pragma once

#include "common/interrupt.hpp"
#include "smooth/glm_terms.hpp"
#include "smooth/local_polynomial.hpp"

namespace statlearn::smooth {

struct LikelihoodRule {
    double alpha;     // ridge: alpha/2 (|slopes|^2 + (intercept - centre)^2), offsets in bandwidths
    double fallback;  // its strength in windows without a finite optimum where alpha is 0
    double tol;       // on the change of the linear predictor at the rows of the window
    int max_iter;
    bool leave_out;  // the queries are the rows, each estimated without one copy of itself
};

enum class Window : int { ok = 0, not_converged = 1, separated = 2, empty = 3 };

// Estimates of all queries, for a family and a link. Writes for each the intercept, its standard error for dispersion 1
// (from the sandwich (B'WVB)^-1 B'W^2 VB (B'WVB)^-1), the same element of the inverse information times K(0), and how
// it ended. `centre` is the linear predictor that a ridge shrinks the intercept to, and `mean` the mean of all
// responses. Newton's method with the observed curvature, Fisher's where that is not positive, halving steps. False if
// interrupted.
bool local_likelihood(const LocalData& data, const LocalQueries& queries, LocalRule rule, const GlmTerms& terms,
                      LikelihoodRule how, double centre, double mean, const Interrupt& interrupt, Span<double> eta,
                      Span<double> std_error, Span<double> information, Span<int> ended);

// Multinomial logits: y holds class numbers below `classes`, `centre` one score for each class but the first (that of
// the first is 0). Writes queries x (classes - 1) scores; the ridge is alpha times the squared scores about their mean
// over all classes, which for two classes is the one above.
bool local_multinomial(const LocalData& data, const LocalQueries& queries, LocalRule rule, Index classes,
                       LikelihoodRule how, Span<const double> centre, const Interrupt& interrupt, Matrix<double> eta,
                       Span<int> ended);

}  // namespace statlearn::smooth
