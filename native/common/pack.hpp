// A few numbers at once, in a vector register: the words in which all kernels that need more than the compiler's own
// vector code are written. They are the vector types of GCC and Clang, with their operators (+ - * / < ?: and a number
// for all lanes); where a level has no registers of this width, the compiler splits them.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "common/view.hpp"
#if defined(__AVX2__) || defined(__FMA__)
#include <immintrin.h>
#endif

namespace statlearn {

// These may lie anywhere in an array of their elements.
typedef double Pack4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef float Pack8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef float Half4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef std::uint8_t Bytes16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef std::uint8_t Bytes32 __attribute__((vector_size(32), aligned(1), may_alias));
typedef std::int8_t SignedBytes32 __attribute__((vector_size(32), aligned(1), may_alias));
typedef std::uint32_t Words8 __attribute__((vector_size(32), aligned(4), may_alias));
// What a comparison gives: all bits of a lane, or none.
using Mask4 = decltype(Pack4{} < Pack4{});
using Mask8 = decltype(Pack8{} < Pack8{});

// The pack of a number's type, and how many it holds.
template <class T>
struct PackFor;
template <>
struct PackFor<double> {
    using type = Pack4;
    static constexpr Index size = 4;
};
template <>
struct PackFor<float> {
    using type = Pack8;
    static constexpr Index size = 8;
};
template <class T>
using PackOf = typename PackFor<T>::type;

inline Pack4* packs(double* p) { return reinterpret_cast<Pack4*>(p); }
inline const Pack4* packs(const double* p) { return reinterpret_cast<const Pack4*>(p); }
inline Pack8* packs(float* p) { return reinterpret_cast<Pack8*>(p); }
inline const Pack8* packs(const float* p) { return reinterpret_cast<const Pack8*>(p); }

// Four numbers as doubles, whatever they are stored as.
inline Pack4 load_pack(const double* x) { return *packs(x); }
inline Pack4 load_pack(const float* x) { return __builtin_convertvector(*reinterpret_cast<const Half4*>(x), Pack4); }

inline Pack4 broadcast(double x) { return Pack4{} + x; }
inline Mask4 positive(Pack4 x) { return x > 0.0; }
inline Pack4 select(Mask4 which, Pack4 a, Pack4 b) { return which ? a : b; }
inline Pack4 absolute(Pack4 x) { return (Pack4)((Mask4)x & 0x7fffffffffffffffLL); }
inline Pack4 largest(Pack4 a, Pack4 b) { return a > b ? a : b; }

// a b + c, rounded once where the processor can: stated, not left to the compiler, which contracts as it pleases.
inline double mul_add(double a, double b, double c) {
#if defined(__FP_FAST_FMA)
    return std::fma(a, b, c);
#else
    return a * b + c;
#endif
}
inline Pack4 mul_add(Pack4 a, Pack4 b, Pack4 c) {
#if defined(__FMA__)
    return (Pack4)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
    return Pack4{mul_add(a[0], b[0], c[0]), mul_add(a[1], b[1], c[1]), mul_add(a[2], b[2], c[2]),
                 mul_add(a[3], b[3], c[3])};
#endif
}

// The sum of the lanes, in a fixed order.
inline double total(Pack4 v) { return (v[0] + v[1]) + (v[2] + v[3]); }
inline float total(Pack8 v) { return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7])); }

// A bit for each lane of a mask.
inline unsigned bits_of(Mask4 m) {
#if defined(__AVX2__)
    return unsigned(_mm256_movemask_pd((__m256d)m));
#else
    return unsigned((m[0] & 1) | (m[1] & 2) | (m[2] & 4) | (m[3] & 8));
#endif
}
inline unsigned bits_of(Mask8 m) {
#if defined(__AVX2__)
    return unsigned(_mm256_movemask_ps((__m256)m));
#else
    unsigned bits = 0;
    for (int l = 0; l < 8; ++l) bits |= unsigned(m[l] & 1) << l;
    return bits;
#endif
}

}  // namespace statlearn
