#include "manifold/smacof.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/parallel.hpp"
#include "common/scratch.hpp"

namespace statlearn::manifold {

StressSums guttman_transform(Matrix<const double> target, Matrix<const double> Z, const Interrupt& interrupt,
                             Matrix<double> updated) {
    const Index n = Z.rows, q = Z.cols;
    // Coordinates one after the other, so that the loop over points is vector code.
    std::vector<double> coordinate(n * q);
    for (Index i = 0; i < n; ++i)
        for (Index c = 0; c < q; ++c) coordinate[c * n + i] = Z(i, c);
    const Blocks blocks(n, 32);
    std::vector<StressSums> parts(blocks.count());
    parallel_for(blocks.count(), Work(8.0 * double(n) * double(n) * double(q)), [&](Index b) {
        if (interrupt.requested()) return;
        Scratch<double> square(n), weight(n);
        StressSums sums{0.0, 0.0};
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            std::fill(square.begin(), square.end(), 0.0);
            for (Index c = 0; c < q; ++c) {
                const double* x = coordinate.data() + c * n;
                const double own = x[i];
                for (Index j = 0; j < n; ++j) square[j] += (own - x[j]) * (own - x[j]);
            }
            const double* wanted = target.row(i);
            double error[4] = {}, total[4] = {}, row_weight[4] = {};  // four sums at a time become vector code
            for (Index j = 0; j < n; ++j) {
                const double d = std::sqrt(square[j]);
                const double miss = d - wanted[j];
                const double ratio = d > 0.0 ? wanted[j] / d : 0.0;
                weight[j] = ratio;
                error[j & 3] += miss * miss;
                total[j & 3] += square[j];
                row_weight[j & 3] += ratio;
            }
            const double weights = (row_weight[0] + row_weight[1]) + (row_weight[2] + row_weight[3]);
            sums.squared_error += (error[0] + error[1]) + (error[2] + error[3]);
            sums.squared_distances += (total[0] + total[1]) + (total[2] + total[3]);
            for (Index c = 0; c < q; ++c) {
                const double* x = coordinate.data() + c * n;
                double moved[4] = {};
                for (Index j = 0; j < n; ++j) moved[j & 3] += weight[j] * x[j];
                const double pulled = (moved[0] + moved[1]) + (moved[2] + moved[3]);
                updated(i, c) = (weights * x[i] - pulled) / double(n);
            }
        }
        parts[b] = sums;
    });
    StressSums sums{0.0, 0.0};
    for (const auto& part : parts) {
        sums.squared_error += 0.5 * part.squared_error;  // every pair was met twice
        sums.squared_distances += 0.5 * part.squared_distances;
    }
    return sums;
}

}  // namespace statlearn::manifold
