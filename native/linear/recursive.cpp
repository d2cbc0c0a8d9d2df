#include "linear/recursive.hpp"

#include <vector>

namespace statlearn::linear {

Index rls_update(Matrix<const double> Z, Matrix<const double> Y, Span<const double> weights, double forget,
                 const Interrupt& interrupt, Matrix<double> P, Matrix<double> B) {
    const Index q = Z.cols, m = Y.cols;
    std::vector<double> z(q), Pz(q), error(m);
    for (Index i = 0; i < Z.rows; ++i) {
        if (interrupt.requested()) return i;
        const double w = weights[i];
        if (w == 0.0) continue;
        for (Index j = 0; j < q; ++j) z[j] = Z(i, j);
        double spread = 0.0;
        for (Index j = 0; j < q; ++j) {
            const double* row = P.row(j);
            double sum = 0.0;
            for (Index k = 0; k < q; ++k) sum += row[k] * z[k];
            Pz[j] = sum / forget;
            spread += z[j] * Pz[j];
        }
        const double gain = w / (1.0 + w * spread);
        for (Index t = 0; t < m; ++t) {
            double fitted = 0.0;
            for (Index j = 0; j < q; ++j) fitted += z[j] * B(j, t);
            error[t] = Y(i, t) - fitted;
        }
        for (Index j = 0; j < q; ++j) {
            const double g = gain * Pz[j];
            for (Index t = 0; t < m; ++t) B(j, t) += g * error[t];
            // The same product for (j, k) and (k, j): P stays symmetric to the last bit.
            double* row = P.row(j);
            for (Index k = 0; k < q; ++k) row[k] = row[k] / forget - gain * (Pz[j] * Pz[k]);
        }
    }
    return Z.rows;
}

}  // namespace statlearn::linear
