// Eight numbers at once: the distances of eight points to one query. Points are kept in blocks of eight, one coordinate
// after the other, so that a lane is a point and sums run over the coordinates in their order, in every search engine:
// equal inputs give equal bits, and ties are the same for all of them.
#pragma once

#include <cmath>

#include "common/view.hpp"
#if defined(__AVX2__) || defined(__FMA__)
#include <immintrin.h>
#endif

namespace statlearn::neighbors {

constexpr Index kLanes = 8;

#if defined(__GNUC__)
typedef double Half __attribute__((vector_size(32), aligned(8), may_alias));
typedef float HalfFloat __attribute__((vector_size(16), aligned(4), may_alias));
typedef long long HalfBits __attribute__((vector_size(32)));

struct Lanes {
    Half v[2];
};

inline Lanes splat(double x) { return {{Half{} + x, Half{} + x}}; }
inline Lanes load(const double* x) {
    return {{*reinterpret_cast<const Half*>(x), *reinterpret_cast<const Half*>(x + 4)}};
}
inline Lanes load(const float* x) {
    return {{__builtin_convertvector(*reinterpret_cast<const HalfFloat*>(x), Half),
             __builtin_convertvector(*reinterpret_cast<const HalfFloat*>(x + 4), Half)}};
}
inline void store(const Lanes& a, double* to) {
    *reinterpret_cast<Half*>(to) = a.v[0];
    *reinterpret_cast<Half*>(to + 4) = a.v[1];
}
inline Lanes operator+(const Lanes& a, const Lanes& b) { return {{a.v[0] + b.v[0], a.v[1] + b.v[1]}}; }
inline Lanes operator-(const Lanes& a, const Lanes& b) { return {{a.v[0] - b.v[0], a.v[1] - b.v[1]}}; }
inline Lanes operator*(const Lanes& a, const Lanes& b) { return {{a.v[0] * b.v[0], a.v[1] * b.v[1]}}; }
inline Lanes operator/(const Lanes& a, const Lanes& b) { return {{a.v[0] / b.v[0], a.v[1] / b.v[1]}}; }
inline Lanes abs(const Lanes& a) {
    constexpr long long kSign = 0x7fffffffffffffffLL;
    return {{(Half)((HalfBits)a.v[0] & kSign), (Half)((HalfBits)a.v[1] & kSign)}};
}
inline Lanes max(const Lanes& a, const Lanes& b) {
    return {{a.v[0] > b.v[0] ? a.v[0] : b.v[0], a.v[1] > b.v[1] ? a.v[1] : b.v[1]}};
}
// a b + c, rounded once where the processor can: stated, not left to the compiler, which contracts as it pleases.
inline Half mul_add(Half a, Half b, Half c) {
#if defined(__FMA__)
    return (Half)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#elif defined(__FP_FAST_FMA)
    return Half{std::fma(a[0], b[0], c[0]), std::fma(a[1], b[1], c[1]), std::fma(a[2], b[2], c[2]),
                std::fma(a[3], b[3], c[3])};
#else
    return a * b + c;
#endif
}
inline Lanes mul_add(const Lanes& a, const Lanes& b, const Lanes& c) {
    return {{mul_add(a.v[0], b.v[0], c.v[0]), mul_add(a.v[1], b.v[1], c.v[1])}};
}
// c where the lanes of a and b are equal, d elsewhere.
inline Lanes if_equal(const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& d) {
    return {{a.v[0] == b.v[0] ? c.v[0] : d.v[0], a.v[1] == b.v[1] ? c.v[1] : d.v[1]}};
}
inline unsigned half_mask(HalfBits m) {
#if defined(__AVX2__)
    return unsigned(_mm256_movemask_pd((__m256d)m));
#else
    return unsigned((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
#endif
}
// A bit for each lane that is at most x.
inline unsigned at_most(const Lanes& a, double x) { return half_mask(a.v[0] <= x) | half_mask(a.v[1] <= x) << 4; }
#else
struct Lanes {
    double v[kLanes];
};

template <class F>
Lanes each(F&& f) {
    Lanes c;
    for (Index l = 0; l < kLanes; ++l) c.v[l] = f(l);
    return c;
}
inline Lanes splat(double x) {
    return each([&](Index) { return x; });
}
template <class T>
Lanes load(const T* x) {
    return each([&](Index l) { return double(x[l]); });
}
inline void store(const Lanes& a, double* to) {
    for (Index l = 0; l < kLanes; ++l) to[l] = a.v[l];
}
inline Lanes operator+(const Lanes& a, const Lanes& b) {
    return each([&](Index l) { return a.v[l] + b.v[l]; });
}
inline Lanes operator-(const Lanes& a, const Lanes& b) {
    return each([&](Index l) { return a.v[l] - b.v[l]; });
}
inline Lanes operator*(const Lanes& a, const Lanes& b) {
    return each([&](Index l) { return a.v[l] * b.v[l]; });
}
inline Lanes operator/(const Lanes& a, const Lanes& b) {
    return each([&](Index l) { return a.v[l] / b.v[l]; });
}
inline Lanes mul_add(const Lanes& a, const Lanes& b, const Lanes& c) {
    return each([&](Index l) { return a.v[l] * b.v[l] + c.v[l]; });
}
inline Lanes abs(const Lanes& a) {
    return each([&](Index l) { return std::abs(a.v[l]); });
}
inline Lanes max(const Lanes& a, const Lanes& b) {
    return each([&](Index l) { return a.v[l] > b.v[l] ? a.v[l] : b.v[l]; });
}
inline Lanes if_equal(const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& d) {
    return each([&](Index l) { return a.v[l] == b.v[l] ? c.v[l] : d.v[l]; });
}
inline unsigned at_most(const Lanes& a, double x) {
    unsigned bits = 0;
    for (Index l = 0; l < kLanes; ++l) bits |= unsigned(a.v[l] <= x) << l;
    return bits;
}
#endif

// Applies f to each lane: for functions without a vector form.
template <class F>
Lanes map(const Lanes& a, F&& f) {
    double x[kLanes];
    store(a, x);
    for (double& value : x) value = f(value);
    return load(x);
}

// The same vocabulary for one number.
inline double mul_add(double a, double b, double c) {
#if defined(__FP_FAST_FMA)
    return std::fma(a, b, c);
#else
    return a * b + c;
#endif
}
inline double abs(double a) { return std::abs(a); }
inline double max(double a, double b) { return a > b ? a : b; }
inline double if_equal(double a, double b, double c, double d) { return a == b ? c : d; }
template <class F>
double map(double a, F&& f) {
    return f(a);
}

template <class V>
V constant(double x);
template <>
inline Lanes constant<Lanes>(double x) {
    return splat(x);
}
template <>
inline double constant<double>(double x) {
    return x;
}

}  // namespace statlearn::neighbors
