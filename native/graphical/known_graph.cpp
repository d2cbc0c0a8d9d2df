#include "graphical/known_graph.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/blas.hpp"

namespace statlearn::graphical {

KnownGraphInfo known_graph_fit(MatrixView<const double> S, std::span<const int> starts, std::span<const int> neighbours,
                               StopRule stop, const Interrupt& interrupt, MatrixView<double> W, MatrixView<double> B) {
    const Index p = S.rows;
    std::vector<double> scale(static_cast<std::size_t>(p));
    for (Index j = 0; j < p; ++j) scale[std::size_t(j)] = std::sqrt(S(j, j));
    std::vector<double> A, b, w(static_cast<std::size_t>(p));
    KnownGraphInfo info{0.0, 0, Status::max_iter, -1};
    for (info.n_iter = 1; info.n_iter <= stop.max_iter; ++info.n_iter) {
        info.change = 0.0;
        for (Index j = 0; j < p; ++j) {
            const auto near = neighbours.subspan(std::size_t(starts[std::size_t(j)]),
                                                 std::size_t(starts[std::size_t(j) + 1] - starts[std::size_t(j)]));
            const Index d = Index(near.size());
            A.resize(std::size_t(d * d));
            b.resize(std::size_t(d));
            for (Index r = 0; r < d; ++r) {
                for (Index c = 0; c < d; ++c) A[std::size_t(r * d + c)] = W(near[std::size_t(r)], near[std::size_t(c)]);
                b[std::size_t(r)] = S(j, near[std::size_t(r)]);
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
                const Index k = near[std::size_t(r)];
                coefficients[k] = b[std::size_t(r)];
                const double* row = W.row(k);
                for (Index i = 0; i < p; ++i) w[std::size_t(i)] += b[std::size_t(r)] * row[i];
            }
            for (Index i = 0; i < p; ++i) {
                if (i == j) continue;
                const double change =
                    std::abs(W(j, i) - w[std::size_t(i)]) / (scale[std::size_t(i)] * scale[std::size_t(j)]);
                info.change = std::max(info.change, change);
                W(j, i) = w[std::size_t(i)];
                W(i, j) = w[std::size_t(i)];
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
