#include "common/affinity.hpp"

#include <algorithm>
#include <vector>

#include "common/pair_blocks.hpp"
#include "common/scratch.hpp"
#include "common/vmath.hpp"

namespace statlearn {
namespace {

constexpr double kUnderflow = -708.0;  // where exp_fast ends, and similarities are nothing

// Y rows of block I += A_IJ V rows of J; for I != J also Y rows of J += A_IJ' V rows of I. Eight columns from `c` on.
void product_block(Matrix<const double> A, Matrix<const double> V, Index i0, Index i1, Index j0, Index j1, Index c,
                   bool with_diagonal, Matrix<double> Y) {
    const bool diagonal = i0 == j0;
    for (Index i = i0; i < i1; ++i) {
        const double* line = A.row(i);
        const Pack4 v0 = packs(V.row(i) + c)[0], v1 = packs(V.row(i) + c)[1];
        Pack4 y0 = broadcast(0.0), y1 = broadcast(0.0);
        if (diagonal && with_diagonal) {
            y0 += line[i] * v0;
            y1 += line[i] * v1;
        }
        for (Index j = diagonal ? i + 1 : j0; j < j1; ++j) {
            const double a = line[j];
            const Pack4* vj = packs(V.row(j) + c);
            Pack4* yj = packs(Y.row(j) + c);
            y0 += a * vj[0];
            y1 += a * vj[1];
            yj[0] += a * v0;
            yj[1] += a * v1;
        }
        Pack4* yi = packs(Y.row(i) + c);
        yi[0] += y0;
        yi[1] += y1;
    }
}

}  // namespace

template <class T>
void rbf_affinity(Matrix<const T> X, double gamma, const Interrupt& interrupt, Matrix<double> A) {
    const Panels rows(X, {});
    for_each_pair(X.rows, interrupt, [&](Index i0, Index i1, Index j0, Index j1) {
        Scratch<double> D(kPairBlock * kPairBlock);
        pair_block<PairMetric::squared>(rows, i0, i1, j0, j1, D.data(), kPairBlock);
        for (Index i = i0; i < i1; ++i) {
            const double* line = D.data() + (i - i0) * kPairBlock;
            double* out = A.row(i) + j0;
            for (Index j = 0; j < j1 - j0; ++j) {
                const double exponent = -gamma * line[j];
                const double value = exp_fast(exponent);
                out[j] = exponent < kUnderflow ? 0.0 : value;
            }
        }
        if (i0 == j0) {
            for (Index i = i0; i < i1; ++i) A(i, i) = 1.0;
            return;
        }
        for (Index j = j0; j < j1; ++j)
            for (Index i = i0; i < i1; ++i) A(j, i) = A(i, j);
    });
}

void symmetric_product(Matrix<const double> A, Matrix<const double> V, bool diagonal, const Interrupt& interrupt,
                       Matrix<double> Y) {
    for (Index i = 0; i < Y.rows; ++i) std::fill(Y.row(i), Y.row(i) + Y.cols, 0.0);
    for_each_pair(A.rows, interrupt, [&](Index i0, Index i1, Index j0, Index j1) {
        for (Index c = 0; c < V.cols; c += kVectors) product_block(A, V, i0, i1, j0, j1, c, diagonal, Y);
    });
}

template void rbf_affinity<float>(Matrix<const float>, double, const Interrupt&, Matrix<double>);
template void rbf_affinity<double>(Matrix<const double>, double, const Interrupt&, Matrix<double>);

}  // namespace statlearn
