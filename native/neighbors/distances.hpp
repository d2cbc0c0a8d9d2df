// The dissimilarities that the search engines know, as small policies over one pass through the coordinates.
//
// A policy turns coordinates into a *reduced* distance that has the order of the distance (the square, for Euclid), so
// that roots are taken of answers only. `Sum` holds up to two running values; V is one number or eight (lanes.hpp).
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

#include "common/lanes.hpp"

namespace statlearn::neighbors {

enum class Metric : int {
    euclidean = 0,
    manhattan = 1,
    chebyshev = 2,
    minkowski = 3,
    hamming = 4,
    canberra = 5,
    braycurtis = 6,
    haversine = 7,
    kl = 8,
    jeffreys = 9,
    nan_euclidean = 10,
    jaccard = 11,
    dice = 12,
    rogerstanimoto = 13,
    russellrao = 14,
    sokalsneath = 15,
    sqeuclidean = 16,
    half_square = 17,
};

template <class V>
struct Sum {
    V a, b;
};

// What a box or a ball can be bounded with: `kBox` if the reduced distance is a sum (or maximum) of increasing
// functions of the coordinate differences, so that the nearest point of a box bounds it; `kTriangle` if the distance is
// a metric.
//
// Euclid and what is made of the square of its distance are one policy, so that one search serves them all: its root,
// itself, its half (one minus the cosine of unit vectors), and the angle between points of the unit sphere, by their
// chord. The square and its half are no metrics.
struct Euclidean {
    static constexpr bool kBox = true, kTriangle = true;
    Metric unit = Metric::euclidean;

    template <class V>
    void add(Sum<V>& s, const V& x, const V& q) const {
        const V d = x - q;
        s.a = mul_add(d, d, s.a);
    }
    template <class V>
    V reduced(const Sum<V>& s, Index) const {
        return s.a;
    }
    double distance(double r) const {
        switch (unit) {
            case Metric::sqeuclidean:
                return r;
            case Metric::half_square:
                return 0.5 * r;
            case Metric::haversine: {
                const double half = 0.5 * std::sqrt(r);
                return 2.0 * std::asin(half < 1.0 ? half : 1.0);
            }
            default:
                return std::sqrt(r);
        }
    }
    double reduce(double d) const {
        switch (unit) {
            case Metric::sqeuclidean:
                return d;
            case Metric::half_square:
                return 2.0 * d;
            case Metric::haversine: {
                constexpr double kHalfTurn = 3.14159265358979323846;
                const double chord = 2.0 * std::sin(0.5 * (d < kHalfTurn ? d : kHalfTurn));
                return d < kHalfTurn ? chord * chord : 4.0 * (1.0 + 1e-14);
            }
            default:
                return d * d;
        }
    }
};

struct Manhattan {
    static constexpr bool kBox = true, kTriangle = true;
    template <class V>
    void add(Sum<V>& s, const V& x, const V& q) const {
        s.a = s.a + abs(x - q);
    }
    template <class V>
    V reduced(const Sum<V>& s, Index) const {
        return s.a;
    }
    double distance(double r) const { return r; }
    double reduce(double d) const { return d; }
};

struct Chebyshev : Manhattan {
    template <class V>
    void add(Sum<V>& s, const V& x, const V& q) const {
        s.a = max(s.a, abs(x - q));
    }
};

struct Minkowski {
    static constexpr bool kBox = true, kTriangle = true;  // the latter for p >= 1: callers see to it
    double p;
    template <class V>
    void add(Sum<V>& s, const V& x, const V& q) const {
        const V d = abs(x - q);
        if (p == 3.0)
            s.a = mul_add(d * d, d, s.a);
        else if (p == 4.0)
            s.a = mul_add(d * d, d * d, s.a);
        else
            s.a = s.a + map(d, [this](double z) { return std::pow(z, p); });
    }
    template <class V>
    V reduced(const Sum<V>& s, Index) const {
        return s.a;
    }
    double distance(double r) const { return std::pow(r, 1.0 / p); }
    double reduce(double d) const { return std::pow(d, p); }
};

// Distances that are not reduced.
struct Plain {
    static constexpr bool kBox = false, kTriangle = true;
    double distance(double r) const { return r; }
    double reduce(double d) const { return d; }
};

// Share of unequal coordinates.
struct Hamming : Plain {
    template <class V>
    void add(Sum<V>& s, const V& x, const V& q) const {
        s.a = s.a + if_equal(x, q, constant<V>(0.0), constant<V>(1.0));
    }
    template <class V>
    V reduced(const Sum<V>& s, Index p) const {
        return s.a / constant<V>(double(p));
    }
};

// sum |x - q| / (|x| + |q|), 0 where both are 0.
struct Canberra : Plain {
    template <class V>
    void add(Sum<V>& s, const V& x, const V& q) const {
        const V size = abs(x) + abs(q), zero = constant<V>(0.0);
        s.a = s.a + if_equal(size, zero, zero, abs(x - q) / if_equal(size, zero, constant<V>(1.0), size));
    }
    template <class V>
    V reduced(const Sum<V>& s, Index) const {
        return s.a;
    }
};

// sum |x - q| / sum |x + q|; 0 for equal points. No metric: the triangle inequality fails.
struct BrayCurtis : Plain {
    static constexpr bool kTriangle = false;
    template <class V>
    void add(Sum<V>& s, const V& x, const V& q) const {
        s.a = s.a + abs(x - q);
        s.b = s.b + abs(x + q);
    }
    template <class V>
    V reduced(const Sum<V>& s, Index) const {
        return if_equal(s.a, constant<V>(0.0), s.a, s.a / s.b);
    }
};

// sum q log(q / x) over the coordinates, from the query q to the point x: infinite where x is 0 and q is not.
inline double kl_term(double q, double x) {
    if (q == 0.0) return 0.0;
    return x == 0.0 ? std::numeric_limits<double>::infinity() : q * std::log(q / x);
}

struct KullbackLeibler : Plain {
    static constexpr bool kTriangle = false;
    static double term(double x, double q) { return kl_term(q, x); }
};
struct Jeffreys : Plain {
    static constexpr bool kTriangle = false;
    static double term(double x, double q) { return kl_term(q, x) + kl_term(x, q); }
};

// Euclid over the coordinates that both points have, scaled up to all of them; NaN (never a neighbour) without any.
struct NanEuclidean {
    static constexpr bool kBox = false, kTriangle = false;
    template <class V>
    void add(Sum<V>& s, const V& x, const V& q) const {
        const V d = x - q, zero = constant<V>(0.0);
        const V known = if_equal(d, d, d, zero);
        s.a = mul_add(known, known, s.a);
        s.b = s.b + if_equal(d, d, constant<V>(1.0), zero);
    }
    template <class V>
    V reduced(const Sum<V>& s, Index p) const {
        return s.a / s.b * constant<V>(double(p));
    }
    double distance(double r) const { return std::sqrt(r); }
    double reduce(double d) const { return d * d; }
};

// Dissimilarities of binary vectors from two counts: coordinates that differ and coordinates that are both set.
struct Binary : Plain {
    template <class V>
    void add(Sum<V>& s, const V& x, const V& q) const {
        const V zero = constant<V>(0.0), one = constant<V>(1.0);
        const V xs = if_equal(x, zero, zero, one), qs = if_equal(q, zero, zero, one);
        s.a = s.a + if_equal(xs, qs, zero, one);
        s.b = s.b + xs * qs;
    }
};
template <class V>
V share(const V& part, const V& whole) {
    const V zero = constant<V>(0.0);
    return if_equal(whole, zero, zero, part / if_equal(whole, zero, constant<V>(1.0), whole));
}
struct Jaccard : Binary {
    template <class V>
    V reduced(const Sum<V>& s, Index) const {
        return share(s.a, s.a + s.b);
    }
};
struct Dice : Binary {
    static constexpr bool kTriangle = false;
    template <class V>
    V reduced(const Sum<V>& s, Index) const {
        return share(s.a, s.a + s.b + s.b);
    }
};
struct RogersTanimoto : Binary {
    template <class V>
    V reduced(const Sum<V>& s, Index p) const {
        return (s.a + s.a) / (s.a + constant<V>(double(p)));
    }
};
struct RussellRao : Binary {
    template <class V>
    V reduced(const Sum<V>& s, Index p) const {
        const V whole = constant<V>(double(p));
        return (whole - s.b) / whole;
    }
};
struct SokalSneath : Binary {
    template <class V>
    V reduced(const Sum<V>& s, Index) const {
        return share(s.a + s.a, s.a + s.a + s.b);
    }
};

// Reduced distances of the eight points of a block (p x 8, coordinate by coordinate) to the query.
template <class M, class T>
Lanes block_distances(const M& metric, const T* block, const double* q, Index p) {
    Sum<Lanes> s{splat(0.0), splat(0.0)};
    for (Index j = 0; j < p; ++j) metric.add(s, load(block + j * kLanes), splat(q[j]));
    return metric.reduced(s, p);
}
template <class M, class T>
double point_distance(const M& metric, const T* x, Index step, const double* q, Index p) {
    Sum<double> s{0.0, 0.0};
    for (Index j = 0; j < p; ++j) metric.add(s, double(x[j * step]), q[j]);
    return metric.reduced(s, p);
}

// Policies without a sum of vector form.
template <class F, class T>
Lanes lane_by_lane(const T* block, F&& f) {
    double r[kLanes];
    for (Index l = 0; l < kLanes; ++l) r[l] = f(block + l);
    return load(r);
}
template <class T>
double point_distance(const KullbackLeibler& m, const T* x, Index step, const double* q, Index p) {
    double sum = 0.0;
    for (Index j = 0; j < p; ++j) sum += m.term(double(x[j * step]), q[j]);
    return sum;
}
template <class T>
double point_distance(const Jeffreys& m, const T* x, Index step, const double* q, Index p) {
    double sum = 0.0;
    for (Index j = 0; j < p; ++j) sum += m.term(double(x[j * step]), q[j]);
    return sum;
}
template <class T>
Lanes block_distances(const KullbackLeibler& m, const T* block, const double* q, Index p) {
    return lane_by_lane(block, [&](const T* x) { return point_distance(m, x, kLanes, q, p); });
}
template <class T>
Lanes block_distances(const Jeffreys& m, const T* block, const double* q, Index p) {
    return lane_by_lane(block, [&](const T* x) { return point_distance(m, x, kLanes, q, p); });
}

// A policy of distances that are not reduced, chosen while the program runs: one call for a block of points or for a
// point hides its cost where a policy has much to do for every coordinate, and saves a search of its own.
template <class T>
struct Chosen : Plain {
    using Block = Lanes (*)(const T* block, const double* q, Index p);
    template <class U>
    using Point = double (*)(const U* x, Index step, const double* q, Index p);

    Block block;
    Point<T> row;
    Point<double> centre;

    template <class M>
    static Chosen of(const M&) {
        static_assert(std::is_base_of_v<Plain, M>);
        Chosen chosen;
        chosen.block = [](const T* points, const double* q, Index p) { return block_distances(M{}, points, q, p); };
        chosen.row = [](const T* x, Index step, const double* q, Index p) {
            return point_distance(M{}, x, step, q, p);
        };
        chosen.centre = [](const double* x, Index step, const double* q, Index p) {
            return point_distance(M{}, x, step, q, p);
        };
        return chosen;
    }
};
template <class T>
Lanes block_distances(const Chosen<T>& m, const T* block, const double* q, Index p) {
    return m.block(block, q, p);
}
template <class T>
double point_distance(const Chosen<T>& m, const T* x, Index step, const double* q, Index p) {
    return m.row(x, step, q, p);
}
inline double point_distance(const Chosen<float>& m, const double* x, Index step, const double* q, Index p) {
    return m.centre(x, step, q, p);
}

// Calls f with the policy of the metric; the first only for those that a box can bound.
inline bool box_metric(Metric m) {
    return m == Metric::euclidean || m == Metric::manhattan || m == Metric::chebyshev || m == Metric::minkowski ||
           m == Metric::sqeuclidean || m == Metric::half_square || m == Metric::haversine;
}
template <class F>
auto with_box_metric(Metric metric, double power, F&& f) {
    switch (metric) {
        case Metric::manhattan:
            return f(Manhattan{});
        case Metric::chebyshev:
            return f(Chebyshev{});
        case Metric::minkowski:
            return f(Minkowski{power});
        default:
            return f(Euclidean{metric});
    }
}
template <class F>
auto with_metric(Metric metric, double power, F&& f) {
    switch (metric) {
        case Metric::hamming:
            return f(Hamming{});
        case Metric::canberra:
            return f(Canberra{});
        case Metric::braycurtis:
            return f(BrayCurtis{});
        case Metric::kl:
            return f(KullbackLeibler{});
        case Metric::jeffreys:
            return f(Jeffreys{});
        case Metric::nan_euclidean:
            return f(NanEuclidean{});
        case Metric::jaccard:
            return f(Jaccard{});
        case Metric::dice:
            return f(Dice{});
        case Metric::rogerstanimoto:
            return f(RogersTanimoto{});
        case Metric::russellrao:
            return f(RussellRao{});
        case Metric::sokalsneath:
            return f(SokalSneath{});
        default:
            return with_box_metric(metric, power, f);
    }
}

}  // namespace statlearn::neighbors
