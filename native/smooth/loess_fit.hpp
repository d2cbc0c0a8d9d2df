// Local regressions of loess: at a place, weighted least squares with tricube weights over its nearest rows.
#pragma once

#include "common/interrupt.hpp"
#include "smooth/loess_rule.hpp"

namespace statlearn::smooth {

// Places and what was fitted there: `coefs` (places x parts x functions) gives value and slopes as linear functions of
// the responses, sum_i w_i K(d_i) coefs[part] . f(x_i - place) y_i; `reach` is the squared distance at which K ends
// (see nearness).
struct LoessFits {
    Matrix<const double> places;  // row-major
    Span<const double> coefs;
    Span<const double> reach;
    Index parts;  // 1: values only; 1 + d: slopes too
};

struct LoessInfo {
    Index singular = 0;    // places where the rows do not determine the polynomial
    Index first = -1;      // the first of them
    double rcond = 1.0;    // smallest ratio of singular values of the local designs with columns of length 1
    bool finished = true;  // false: interrupted
};

// Writes values (places x parts), coefs and reach. Where the design is singular to working precision the solution of
// smallest norm is taken, columns scaled to length 1. Where all rows of a neighbourhood lie on its boundary, or have
// weight 0, they count equally. Parallel over places.
LoessInfo loess_fit(const LoessData& data, const LoessRule& rule, Matrix<const double> places,
                    const Interrupt& interrupt, Matrix<double> values, Span<double> coefs, Span<double> reach);

}  // namespace statlearn::smooth
