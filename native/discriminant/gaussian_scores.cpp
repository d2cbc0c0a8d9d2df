#include "discriminant/gaussian_scores.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/blas.hpp"
#include "common/pack.hpp"
#include "common/parallel.hpp"

namespace statlearn::discriminant {
namespace {

constexpr Index kBlock = 512;  // rows of a block: enough for a fast product, few enough for the second-level cache

template <class T>
double sum_squares(const T* x, Index n) {
    constexpr Index kWidth = PackFor<T>::size;
    PackOf<T> s0 = {}, s1 = {};
    Index i = 0;
    for (; i + 2 * kWidth <= n; i += 2 * kWidth) {
        const auto a = *packs(x + i), b = *packs(x + i + kWidth);
        s0 += a * a;
        s1 += b * b;
    }
    double sum = total(s0 + s1);
    for (; i < n; ++i) sum += double(x[i]) * double(x[i]);
    return sum;
}

}  // namespace

template <class T>
void gaussian_scores(Matrix<const T> X, Matrix<const T> means, Span<const T> factors, bool upper,
                     Span<const double> offsets, const Interrupt& interrupt, Matrix<T> out) {
    const Index n = X.rows, p = X.cols, classes = means.rows;
    const int width = static_cast<int>(p);
    parallel_for((n + kBlock - 1) / kBlock, [&](Index block) {
        const Index first = block * kBlock, rows = std::min(kBlock, n - first);
        const int m = static_cast<int>(rows);
        std::vector<T> centred(rows * p), product(upper ? 0 : rows * p);
        for (Index k = 0; k < classes; ++k) {
            if (interrupt.requested()) return;
            const double offset = offsets[k];
            if (std::isinf(offset)) {
                for (Index i = 0; i < rows; ++i) out(first + i, k) = static_cast<T>(offset);
                continue;
            }
            const T* mean = means.row(k);
            for (Index i = 0; i < rows; ++i) {
                const T* x = X.row(first + i);
                T* d = centred.data() + i * p;
                for (Index j = 0; j < p; ++j) d[j] = x[j] - mean[j];
            }
            // BLAS sees the transposes: columns of length p, and the lower triangle W'.
            const T* W = factors.data() + k * p * p;
            T* z = upper ? centred.data() : product.data();
            if (upper)
                blas::trmm<T>('L', 'L', 'N', false, width, m, 1, W, width, z, width);
            else
                blas::gemm<T>('N', 'N', width, m, width, 1, W, width, centred.data(), width, 0, z, width);
            for (Index i = 0; i < rows; ++i)
                out(first + i, k) = static_cast<T>(offset - 0.5 * sum_squares(z + i * p, p));
        }
    });
}

template void gaussian_scores<double>(Matrix<const double>, Matrix<const double>, Span<const double>, bool,
                                      Span<const double>, const Interrupt&, Matrix<double>);
template void gaussian_scores<float>(Matrix<const float>, Matrix<const float>, Span<const float>, bool,
                                     Span<const double>, const Interrupt&, Matrix<float>);

}  // namespace statlearn::discriminant
