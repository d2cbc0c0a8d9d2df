// exp, log, log1p and tanh without branches or calls, so that a loop over them becomes vector code on every level.
//
// Errors are within about 1.5 units in the last place; tests compare with scipy. Arguments outside the stated ranges
// are clamped, never undefined.
#pragma once

#include <bit>
#include <cstdint>

namespace statlearn {

namespace detail {

constexpr double kLog2 = 0x1.62e42fefa3800p-1, kLog2Rest = 0x1.ef35793c76730p-45;  // ln 2 in two parts

// x = k ln 2 + r with a whole number k, the low bits of `shifted`, and |r| <= 0.347.
struct Reduced {
    double shifted, r;
};

inline Reduced reduce_exponent(double x) {
    constexpr double kRound = 0x1.8p52;  // adding it rounds to an integer, left in the low bits of the mantissa
    const double shifted = x * 1.4426950408889634074 + kRound;
    const double k = shifted - kRound;
    return {shifted, (x - k * kLog2) - k * kLog2Rest};
}

// (e^r - 1) / r by its Taylor series: for |r| <= 0.347 the term after the last is below 5e-18.
inline double exp_slope(double r) {
    double e = 1.0 / 6227020800.0;
    e = e * r + 1.0 / 479001600.0;
    e = e * r + 1.0 / 39916800.0;
    e = e * r + 1.0 / 3628800.0;
    e = e * r + 1.0 / 362880.0;
    e = e * r + 1.0 / 40320.0;
    e = e * r + 1.0 / 5040.0;
    e = e * r + 1.0 / 720.0;
    e = e * r + 1.0 / 120.0;
    e = e * r + 1.0 / 24.0;
    e = e * r + 1.0 / 6.0;
    e = e * r + 0.5;
    return e * r + 1.0;
}

// log(1 + x) = 2 atanh(s) = x - s (x - s^2 a) with s = x / (2 + x), |s| <= 0.1716: exact to the last digits of x for
// small x.
inline double log1p_near(double x) {
    const double s = x / (2.0 + x);
    const double q = s * s;
    double a = 2.0 / 21.0;
    a = a * q + 2.0 / 19.0;
    a = a * q + 2.0 / 17.0;
    a = a * q + 2.0 / 15.0;
    a = a * q + 2.0 / 13.0;
    a = a * q + 2.0 / 11.0;
    a = a * q + 2.0 / 9.0;
    a = a * q + 2.0 / 7.0;
    a = a * q + 2.0 / 5.0;
    a = a * q + 2.0 / 3.0;
    return x - s * (x - q * a);
}

}  // namespace detail

// e^x for x in [-708, 709]; beyond, the value at the end of the range (about 3e-308 and 8e307).
inline double exp_fast(double x) {
    x = x < -708.0 ? -708.0 : x;
    x = x > 709.0 ? 709.0 : x;
    const auto reduced = detail::reduce_exponent(x);
    const double e = detail::exp_slope(reduced.r) * reduced.r + 1.0;
    const auto bits = std::bit_cast<std::uint64_t>(reduced.shifted) << 52;  // k * 2^52, modulo 2^64
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(e) + bits);
}

// The same in single precision, for x in [-87, 88].
inline float exp_fast(float x) {
    x = x < -87.0f ? -87.0f : x;
    x = x > 88.0f ? 88.0f : x;
    constexpr float kRound = 0x1.8p23f;
    const float shifted = x * 1.44269504f + kRound;
    const float k = shifted - kRound;
    const float r = (x - k * 0x1.62e4p-1f) - k * 0x1.7f7d1cp-20f;
    float e = 1.0f / 5040.0f;
    e = e * r + 1.0f / 720.0f;
    e = e * r + 1.0f / 120.0f;
    e = e * r + 1.0f / 24.0f;
    e = e * r + 1.0f / 6.0f;
    e = e * r + 0.5f;
    e = e * r + 1.0f;
    e = e * r + 1.0f;
    const auto bits = std::bit_cast<std::uint32_t>(shifted) << 23;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(e) + bits);
}

// log(1 + e) for e in [0, 1].
inline double log1p_unit(double e) {
    // log(1 + e) = log 2 + log(1 + (e - 1) / 2): the smaller of the two arguments keeps the series short.
    const bool upper = e > 0.41421356237309503;
    const double half = 0.5 * (e - 1.0);
    const double x = upper ? half : e;
    return detail::log1p_near(x) + (upper ? 0.69314718055994530942 : 0.0);
}

// log(x) for normal x, that is in [2.3e-308, 1.8e308]; below, the value at the end of the range.
inline double log_fast(double x) {
    x = x < 0x1p-1022 ? 0x1p-1022 : x;
    // x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)): subtracting the bits of sqrt(1/2) leaves k in the exponent.
    constexpr std::uint64_t kRoot = 0x3fe6a09e667f3bcdULL, kExponent = 0xfff0000000000000ULL;
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t power = (bits - kRoot) & kExponent;
    const double f = std::bit_cast<double>(bits - power) - 1.0;
    // k as a double, without a conversion that older processors lack: its 12 bits (biased by 2^11) are put under 2^52.
    const std::uint64_t biased = ((power >> 52) + 2048) & 4095;
    const double k = std::bit_cast<double>(biased | 0x4330000000000000ULL) - (0x1p52 + 2048.0);
    return k * detail::kLog2 + (detail::log1p_near(f) + k * detail::kLog2Rest);
}

// tanh(x) for all x; exact to the last digits also near 0.
inline double tanh_fast(double x) {
    double t = 2.0 * (x < 0.0 ? -x : x);
    t = t > 40.0 ? 40.0 : t;
    // tanh = m / (m + 2) with m = e^(2x) - 1 = 2^k (e^r - 1) + (2^k - 1).
    const auto reduced = detail::reduce_exponent(t);
    const double e = detail::exp_slope(reduced.r) * reduced.r;
    const double power = std::bit_cast<double>((std::bit_cast<std::uint64_t>(reduced.shifted) + 1023) << 52);
    const double m = power * e + (power - 1.0);
    const double value = m / (m + 2.0);
    return x < 0.0 ? -value : value;
}

}  // namespace statlearn
