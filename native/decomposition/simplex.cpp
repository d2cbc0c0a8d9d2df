#include "decomposition/simplex.hpp"

#include <algorithm>
#include <vector>

#include "common/parallel.hpp"

namespace statlearn::decomposition {

void simplex_rows(Matrix<const double> A, Matrix<const double> G, double tol, int max_steps, const Interrupt& interrupt,
                  Matrix<double> W) {
    const Index n = W.rows, k = W.cols;
    double scale = 0.0;
    for (Index j = 0; j < k; ++j) scale = std::max(scale, G(j, j));
    const Blocks blocks(n, 256);
    parallel_for(blocks.count(), Work(double(n) * double(k * k) * 4.0), [&](Index b) {
        if (interrupt.requested()) return;
        std::vector<double> g(k);
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            double* w = W.row(i);
            for (Index j = 0; j < k; ++j) {
                double sum = -A(i, j);
                for (Index l = 0; l < k; ++l) sum += G(j, l) * w[l];
                g[j] = sum;
            }
            for (int s = 0; s < max_steps; ++s) {
                Index low = 0, high = -1;
                for (Index j = 0; j < k; ++j) {
                    if (g[j] < g[low]) low = j;
                    if (w[j] > 0.0 && (high < 0 || g[j] > g[high])) high = j;
                }
                const double slope = g[high] - g[low];
                if (!(slope > tol * scale)) break;
                const double curvature = G(low, low) + G(high, high) - 2.0 * G(low, high);
                const double most = w[high];
                const double step = curvature * most > slope ? slope / curvature : most;
                w[low] += step;
                w[high] = step == most ? 0.0 : w[high] - step;
                for (Index j = 0; j < k; ++j) g[j] += step * (G(j, low) - G(j, high));
            }
        }
    });
}

}  // namespace statlearn::decomposition
