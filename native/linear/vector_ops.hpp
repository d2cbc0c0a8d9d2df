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

}  // namespace statlearn::linear
