// Products and sums of contiguous vectors, in a fixed order of summation.
#pragma once

#include "common/pack.hpp"
#include "common/view.hpp"

namespace statlearn {

// The shrinkage of the lasso: towards 0 by `by`, and no further.
inline double soft_threshold(double value, double by) {
    return value > by ? value - by : value < -by ? value + by : 0.0;
}

// x'y; x may be in single precision, the sum is not.
template <class T>
double dot(const T* x, const double* y, Index n) {
    Pack4 s0 = {}, s1 = {}, s2 = {}, s3 = {};
    Index i = 0;
    for (; i + 16 <= n; i += 16) {
        s0 += load_pack(x + i) * load_pack(y + i);
        s1 += load_pack(x + i + 4) * load_pack(y + i + 4);
        s2 += load_pack(x + i + 8) * load_pack(y + i + 8);
        s3 += load_pack(x + i + 12) * load_pack(y + i + 12);
    }
    for (; i + 4 <= n; i += 4) s0 += load_pack(x + i) * load_pack(y + i);
    double sum = total((s0 + s1) + (s2 + s3));
    for (; i < n; ++i) sum += double(x[i]) * y[i];
    return sum;
}

// y += a x
template <class T>
void axpy(double a, const T* x, double* y, Index n) {
    for (Index i = 0; i < n; ++i) y[i] += a * double(x[i]);
}

// out[b * ld + a] += the products of A left vectors with B right ones over n entries: A * B sums stay in registers.
// With float on both sides they are summed in single precision, which is for a few thousand entries at most.
template <int A, int B, class S, class T>
inline void dot_tile(const S* const* left, const T* const* right, Index n, double* out, Index ld) {
    constexpr bool kSingle = sizeof(S) == 4 && sizeof(T) == 4;
    constexpr Index kWidth = kSingle ? 8 : 4;
    const Index whole = n / kWidth * kWidth;
    const auto take = [](const auto* x) {
        if constexpr (kSingle)
            return *packs(x);
        else
            return load_pack(x);
    };
    decltype(take(left[0])) sum[A][B] = {};
    for (Index i = 0; i < whole; i += kWidth) {
        decltype(take(left[0])) l[A];
        for (int a = 0; a < A; ++a) l[a] = take(left[a] + i);
        for (int b = 0; b < B; ++b) {
            const auto r = take(right[b] + i);
            for (int a = 0; a < A; ++a) sum[a][b] += l[a] * r;
        }
    }
    for (int a = 0; a < A; ++a)
        for (int b = 0; b < B; ++b) {
            auto rest = total(sum[a][b]);
            for (Index i = whole; i < n; ++i) rest += decltype(rest)(left[a][i]) * decltype(rest)(right[b][i]);
            out[b * ld + a] += double(rest);
        }
}

// out[k] = column k of A (n x m, contiguous) times x; four columns share each load of x.
inline void columns_dot(const double* A, const double* x, Index n, Index m, double* out) {
    Index k = 0;
    for (; k + 4 <= m; k += 4) {
        const double* column[4] = {A + k * n, A + (k + 1) * n, A + (k + 2) * n, A + (k + 3) * n};
        for (Index l = 0; l < 4; ++l) out[k + l] = 0.0;
        dot_tile<4, 1>(column, &x, n, out + k, 4);
    }
    for (; k < m; ++k) out[k] = dot(A + k * n, x, n);
}

// y += A c for A (n x m) with columns `stride` apart.
inline void columns_axpy(const double* A, Index stride, const double* c, Index n, Index m, double* y) {
    Index k = 0;
    for (; k + 4 <= m; k += 4) {
        const double *a0 = A + k * stride, *a1 = a0 + stride, *a2 = a1 + stride, *a3 = a2 + stride;
        const double c0 = c[k], c1 = c[k + 1], c2 = c[k + 2], c3 = c[k + 3];
        for (Index i = 0; i < n; ++i) y[i] += (c0 * a0[i] + c1 * a1[i]) + (c2 * a2[i] + c3 * a3[i]);
    }
    for (; k < m; ++k) axpy(c[k], A + k * stride, y, n);
}

// y -= sum_k d_k x_k over m columns, of which rows `first` to first + n count; four at a time, so that y is read and
// written less often.
inline void subtract_columns(const double* const* x, const double* d, Index m, Index first, Index n, double* y) {
    Index k = 0;
    for (; k + 4 <= m; k += 4) {
        const double *x0 = x[k] + first, *x1 = x[k + 1] + first, *x2 = x[k + 2] + first, *x3 = x[k + 3] + first;
        const double d0 = d[k], d1 = d[k + 1], d2 = d[k + 2], d3 = d[k + 3];
        for (Index i = 0; i < n; ++i) y[i] -= (d0 * x0[i] + d1 * x1[i]) + (d2 * x2[i] + d3 * x3[i]);
    }
    for (; k < m; ++k) axpy(-d[k], x[k] + first, y, n);
}

}  // namespace statlearn
