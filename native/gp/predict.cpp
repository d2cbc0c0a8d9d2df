#include "gp/predict.hpp"

#include <vector>

#include "common/blas.hpp"
#include "common/parallel.hpp"
#include "common/vector.hpp"

namespace statlearn::gp {

void predict_rows(const Formula& formula, Matrix<const double> New, Matrix<const double> X, Matrix<const double> A,
                  Matrix<const double> L, Matrix<const double> H, Span<const double> weight, const Interrupt& interrupt,
                  Matrix<double> mean, Span<double> reduction, Matrix<double> cross) {
    constexpr Index kRows = 192;
    const Index n = X.rows;
    const Blocks blocks(New.rows, kRows);
    const double each = double(n) * (reduction.empty() ? double(X.cols) + 20.0 : double(n) / 8.0);
    parallel_for(blocks.count(), Work(each * double(New.rows)), [&](Index b) {
        if (interrupt.requested()) return;
        const Index first = blocks.begin(b), count = blocks.end(b) - first;
        std::vector<double> K(count * n);
        const Matrix<double> out{K.data(), count, n, n, 1};
        covariance_cross(formula, {New.row(first), count, New.cols, New.row_stride, New.col_stride}, X, interrupt, out);
        for (Index i = 0; i < count; ++i)
            for (Index t = 0; t < A.cols; ++t) {
                double sum = 0.0;
                if (A.row_stride == 1 || A.cols == 1) {
                    sum = dot(out.row(i), A.col(t), n);
                } else {
                    for (Index j = 0; j < n; ++j) sum += out(i, j) * A(j, t);
                }
                mean(first + i, t) = sum;
            }
        if (reduction.empty()) return;
        if (!weight.empty())
            for (Index i = 0; i < count; ++i)
                for (Index j = 0; j < n; ++j) out(i, j) *= weight[j];
        // Rows of K L'^-1: in column-major terms U' V = K', with U = L'.
        blas::trsm<double>('L', 'U', 'T', false, int(n), int(count), 1.0, L.data, int(L.row_stride), K.data(), int(n));
        for (Index i = 0; i < count; ++i) {
            reduction[first + i] = dot(out.row(i), out.row(i), n);
            for (Index c = 0; c < H.cols; ++c) {
                double sum = 0.0;
                for (Index j = 0; j < n; ++j) sum += out(i, j) * H(j, c);
                cross(first + i, c) = sum;
            }
        }
    });
}

}  // namespace statlearn::gp
