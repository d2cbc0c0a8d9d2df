#include "linear/recursive.hpp"

#include <vector>

namespace statlearn::linear {

Index rls_update(MatrixView<const double> Z, MatrixView<const double> Y, std::span<const double> weights, double forget,
                 const Interrupt& interrupt, MatrixView<double> P, MatrixView<double> B) {
    const Index q = Z.cols, m = Y.cols;
    std::vector<double> z(static_cast<std::size_t>(q)), Pz(static_cast<std::size_t>(q)),
        error(static_cast<std::size_t>(m));
    for (Index i = 0; i < Z.rows; ++i) {
        if (interrupt.requested()) return i;
        const double w = weights[std::size_t(i)];
        if (w == 0.0) continue;
        for (Index j = 0; j < q; ++j) z[std::size_t(j)] = Z(i, j);
        double spread = 0.0;
        for (Index j = 0; j < q; ++j) {
            const double* row = P.row(j);
            double sum = 0.0;
            for (Index k = 0; k < q; ++k) sum += row[k] * z[std::size_t(k)];
            Pz[std::size_t(j)] = sum / forget;
            spread += z[std::size_t(j)] * Pz[std::size_t(j)];
        }
        const double gain = w / (1.0 + w * spread);
        for (Index t = 0; t < m; ++t) {
            double fitted = 0.0;
            for (Index j = 0; j < q; ++j) fitted += z[std::size_t(j)] * B(j, t);
            error[std::size_t(t)] = Y(i, t) - fitted;
        }
        for (Index j = 0; j < q; ++j) {
            const double g = gain * Pz[std::size_t(j)];
            for (Index t = 0; t < m; ++t) B(j, t) += g * error[std::size_t(t)];
            // The same product for (j, k) and (k, j): P stays symmetric to the last bit.
            double* row = P.row(j);
            for (Index k = 0; k < q; ++k) row[k] = row[k] / forget - gain * (Pz[std::size_t(j)] * Pz[std::size_t(k)]);
        }
    }
    return Z.rows;
}

}  // namespace statlearn::linear
