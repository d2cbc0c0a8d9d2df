// Eight numbers at once: the distances of eight points to one query. Points are kept in blocks of eight, one coordinate
// after the other, so that a lane is a point and sums run over the coordinates in their order, in every search engine:
// equal inputs give equal bits, and ties are the same for all of them.
#pragma once

#include <cmath>

#include "common/pack.hpp"

namespace statlearn {

constexpr Index kLanes = 8;

struct Lanes {
    Pack4 v[2];
};

inline Lanes splat(double x) { return {{broadcast(x), broadcast(x)}}; }
template <class T>
Lanes load(const T* x) {
    return {{load_pack(x), load_pack(x + 4)}};
}
inline void store(const Lanes& a, double* to) {
    packs(to)[0] = a.v[0];
    packs(to)[1] = a.v[1];
}
inline Lanes operator+(const Lanes& a, const Lanes& b) { return {{a.v[0] + b.v[0], a.v[1] + b.v[1]}}; }
inline Lanes operator-(const Lanes& a, const Lanes& b) { return {{a.v[0] - b.v[0], a.v[1] - b.v[1]}}; }
inline Lanes operator*(const Lanes& a, const Lanes& b) { return {{a.v[0] * b.v[0], a.v[1] * b.v[1]}}; }
inline Lanes operator/(const Lanes& a, const Lanes& b) { return {{a.v[0] / b.v[0], a.v[1] / b.v[1]}}; }
inline Lanes abs(const Lanes& a) { return {{absolute(a.v[0]), absolute(a.v[1])}}; }
inline Lanes max(const Lanes& a, const Lanes& b) { return {{largest(a.v[0], b.v[0]), largest(a.v[1], b.v[1])}}; }
inline Lanes mul_add(const Lanes& a, const Lanes& b, const Lanes& c) {
    return {{mul_add(a.v[0], b.v[0], c.v[0]), mul_add(a.v[1], b.v[1], c.v[1])}};
}
// c where the lanes of a and b are equal, d elsewhere.
inline Lanes if_equal(const Lanes& a, const Lanes& b, const Lanes& c, const Lanes& d) {
    return {{a.v[0] == b.v[0] ? c.v[0] : d.v[0], a.v[1] == b.v[1] ? c.v[1] : d.v[1]}};
}
// A bit for each lane that is at most x.
inline unsigned at_most(const Lanes& a, double x) { return bits_of(a.v[0] <= x) | bits_of(a.v[1] <= x) << 4; }

// Applies f to each lane: for functions without a vector form.
template <class F>
Lanes map(const Lanes& a, F&& f) {
    double x[kLanes];
    store(a, x);
    for (double& value : x) value = f(value);
    return load(x);
}

// The same vocabulary for one number.
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

}  // namespace statlearn
