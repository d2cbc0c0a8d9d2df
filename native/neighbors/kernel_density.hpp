// Sums of a kernel over weighted points, on the KD-tree.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"
#include "neighbors/kd_tree.hpp"

namespace statlearn::neighbors {

enum class Kernel : int { gaussian = 0, tophat = 1, epanechnikov = 2, exponential = 3, linear = 4, cosine = 5 };

struct DensityRule {
    Metric metric;
    double power;  // of Minkowski's metric
    Kernel kernel;
    double bandwidth;   // h > 0
    double atol, rtol;  // the error of a sum is at most atol W + rtol times the sum, W the total weight
};

// log of sum_i w_i K(d(q, x_i) / h) for every query, without the norming constant of the kernel:
//     exp(-u^2/2), 1, 1 - u^2, exp(-u), 1 - u, cos(pi u / 2), all but the two exponentials 0 from u = 1 on.
// A node whose points all have nearly the same kernel value counts as a whole: with lo and hi the values at the
// farthest and nearest point of its box, it takes (lo + hi) / 2 times its weight where (hi - lo) / 2 is at most atol +
// rtol S / W, S the sum so far. Children are taken nearest first, so that S is soon large. With rtol = 0 nodes still
// count as a whole where that changes no digit (rtol of 1e-16). Far from all points the sum is kept relative to its
// largest term, so that its log is right where the sum itself would vanish. Requires a metric with kBox and `weights`
// by place (not by row), or empty for ones. Parallel over queries.
template <class T>
void kernel_density(const KdTree<T>& tree, Matrix<const double> Q, Span<const double> weights, DensityRule rule,
                    const Interrupt& interrupt, Span<double> log_sums);

}  // namespace statlearn::neighbors
