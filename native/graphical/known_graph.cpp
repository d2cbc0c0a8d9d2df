#include "graphical/known_graph.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/blas.hpp"

namespace statlearn::graphical {

KnownGraphInfo known_graph_fit(Matrix<const double> S, Span<const int> starts, Span<const int> neighbours,
                               StopRule stop, const Interrupt& interrupt, Matrix<double> W, Matrix<double> B) {
    const Index p = S.rows;
    std::vector<double> scale(p);
    for (Index j = 0; j < p; ++j) scale[j] = std::sqrt(S(j, j));
    std::vector<double> A, b, w(p);
    KnownGraphInfo info{0.0, 0, Status::max_iter, -1};
    for (info.n_iter = 1; info.n_iter <= stop.max_iter; ++info.n_iter) {
        info.change = 0.0;
        for (Index j = 0; j < p; ++j) {
            const auto near = neighbours.subspan(starts[j], starts[j + 1] - starts[j]);
            const Index d = Index(near.size());
            A.resize(d * d);
            b.resize(d);
            for (Index r = 0; r < d; ++r) {
                for (Index c = 0; c < d; ++c) A[r * d + c] = W(near[r], near[c]);
                b[r] = S(j, near[r]);
            }
            if (d > 0) {
                if (blas::potrf<double>('L', int(d), A.data(), int(d)) != 0) {
                    info.status = Status::diverged;
                    info.column = j;
                    return info;
                }
                blas::potrs<double>('L', int(d), 1, A.data(), int(d), b.data(), int(d));
            }
            std::fill(w.begin(), w.end(), 0.0);
            double* coefficients = B.row(j);
            for (Index r = 0; r < d; ++r) {
                const Index k = near[r];
                coefficients[k] = b[r];
                const double* row = W.row(k);
                for (Index i = 0; i < p; ++i) w[i] += b[r] * row[i];
            }
            for (Index i = 0; i < p; ++i) {
                if (i == j) continue;
                const double change = std::abs(W(j, i) - w[i]) / (scale[i] * scale[j]);
                info.change = std::max(info.change, change);
                W(j, i) = w[i];
                W(i, j) = w[i];
            }
        }
        if (info.change <= stop.tol) {
            info.status = Status::ok;
            return info;
        }
        if (interrupt.requested()) {
            info.status = Status::interrupted;
            return info;
        }
    }
    info.n_iter = stop.max_iter;
    return info;
}

}  // namespace statlearn::graphical
