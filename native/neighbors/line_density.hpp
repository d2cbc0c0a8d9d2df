// Sums of a kernel over weighted points of the line: linear in their number, exact to rounding.
#pragma once

#include "common/interrupt.hpp"
#include "neighbors/kernel_density.hpp"

namespace statlearn::neighbors {

struct LinePoints {
    Span<const double> x;  // in increasing order, at least one
    Span<const double> w;  // positive, or empty for ones
};

struct LineRule {
    Kernel kernel;
    double bandwidth;  // h > 0
    double rtol;       // error allowed in a sum, as a share of it; below 1e-15 means rounding
};

// log of sum_i w_i K((q - x_i) / h) for every query, without the norming constant of the kernel.
//
// Where the queries are many the line is cut into cells of a fraction of h, and a cell far enough inside the window of
// a query counts through a few sums over its points, all of whose error is rounding:
//     gaussian      exp(-t^2/2) sum_k t^k/k! M_k,  M_k = sum w exp(-d^2/2) d^k
//     epanechnikov  (1 - t^2) M_0 + 2 t M_1 - M_2,  M_k = sum w d^k;  linear and tophat likewise
//     cosine        cos(a) C + sin(a) S,  a the phase of q, C and S the sums of cosines and sines of the phases
//     exponential   sums from the left and from the right, each from the one before it
// with t = (q - c)/h, d = (x - c)/h, c the centre of the cell; |d| <= 1/8 for the Gaussian.
// Points at the edges of the window are summed one by one, as all are where that is cheaper. The Gaussian window ends
// where all other points together cannot reach rtol of the nearest one; sums are kept relative to that one, so that
// logarithms are right at any distance. Queries by far more than cells read the Gaussian sum from a Chebyshev series of
// each cell. Cost O(n) for the cells and O(cells of a window) for a query. Parallel over
// cells and queries.
void line_density(LinePoints points, Span<const double> queries, LineRule rule, const Interrupt& interrupt,
                  Span<double> log_sums);

}  // namespace statlearn::neighbors
