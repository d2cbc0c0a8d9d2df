// Dot products and updates of contiguous vectors, in a fixed order of summation.
#pragma once

#include <cstddef>

#include "common/view.hpp"

namespace statlearn::linear {

#if defined(__GNUC__)
typedef double Vec4 __attribute__((vector_size(32), aligned(8), may_alias));

inline double dot(const double* x, const double* y, Index n) {
    Vec4 s0 = {}, s1 = {}, s2 = {}, s3 = {};
    Index i = 0;
    for (; i + 16 <= n; i += 16) {
        s0 += *reinterpret_cast<const Vec4*>(x + i) * *reinterpret_cast<const Vec4*>(y + i);
        s1 += *reinterpret_cast<const Vec4*>(x + i + 4) * *reinterpret_cast<const Vec4*>(y + i + 4);
        s2 += *reinterpret_cast<const Vec4*>(x + i + 8) * *reinterpret_cast<const Vec4*>(y + i + 8);
        s3 += *reinterpret_cast<const Vec4*>(x + i + 12) * *reinterpret_cast<const Vec4*>(y + i + 12);
    }
    for (; i + 4 <= n; i += 4) s0 += *reinterpret_cast<const Vec4*>(x + i) * *reinterpret_cast<const Vec4*>(y + i);
    s0 = (s0 + s1) + (s2 + s3);
    double sum = (s0[0] + s0[1]) + (s0[2] + s0[3]);
    for (; i < n; ++i) sum += x[i] * y[i];
    return sum;
}
#else
inline double dot(const double* x, const double* y, Index n) {
    double s[4] = {};
    Index i = 0;
    for (; i + 4 <= n; i += 4)
        for (Index k = 0; k < 4; ++k) s[k] += x[i + k] * y[i + k];
    double sum = (s[0] + s[1]) + (s[2] + s[3]);
    for (; i < n; ++i) sum += x[i] * y[i];
    return sum;
}
#endif

// y += a x
inline void axpy(double a, const double* x, double* y, Index n) {
    for (Index i = 0; i < n; ++i) y[i] += a * x[i];
}

// out[k] = column k of A (n x m, contiguous) times x; four columns share each load of x.
inline void columns_dot(const double* A, const double* x, Index n, Index m, double* out) {
    Index k = 0;
#if defined(__GNUC__)
    for (; k + 4 <= m; k += 4) {
        const double *a0 = A + k * n, *a1 = a0 + n, *a2 = a1 + n, *a3 = a2 + n;
        Vec4 s0 = {}, s1 = {}, s2 = {}, s3 = {};
        Index i = 0;
        for (; i + 4 <= n; i += 4) {
            const Vec4 v = *reinterpret_cast<const Vec4*>(x + i);
            s0 += *reinterpret_cast<const Vec4*>(a0 + i) * v;
            s1 += *reinterpret_cast<const Vec4*>(a1 + i) * v;
            s2 += *reinterpret_cast<const Vec4*>(a2 + i) * v;
            s3 += *reinterpret_cast<const Vec4*>(a3 + i) * v;
        }
        double t0 = (s0[0] + s0[1]) + (s0[2] + s0[3]), t1 = (s1[0] + s1[1]) + (s1[2] + s1[3]);
        double t2 = (s2[0] + s2[1]) + (s2[2] + s2[3]), t3 = (s3[0] + s3[1]) + (s3[2] + s3[3]);
        for (; i < n; ++i) {
            t0 += a0[i] * x[i];
            t1 += a1[i] * x[i];
            t2 += a2[i] * x[i];
            t3 += a3[i] * x[i];
        }
        out[k] = t0;
        out[k + 1] = t1;
        out[k + 2] = t2;
        out[k + 3] = t3;
    }
#endif
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

}  // namespace statlearn::linear
