// What the fits of loess and all that is derived from them share: rows, rule and kernel.
#pragma once

#include <cmath>
#include <vector>

#include "common/view.hpp"
#include "smooth/local_functions.hpp"

namespace statlearn::smooth {

// Rows that local regressions are fitted to.
struct LoessData {
    Matrix<const double> X;     // n x d, column-major; by increasing value if there is one column
    Span<const double> y;       // empty where no response is needed
    Span<const double> w;       // weights of the squares; empty: all 1
    Span<const double> counts;  // how many rows each row stands for among the neighbours; empty: 1
};

struct LoessRule {
    int degree;
    Index near;               // the first `near` columns make the distance
    Span<const int> squares;  // for each column whether its square is a function of degree 2
    double neighbors;         // rows in a neighbourhood
    double stretch;           // of the squared distance to the last of them
};

inline double tricube(double square, double reach) {
    const double t = std::sqrt(square / reach);
    const double c = 1.0 - t * t * t;
    return c * c * c;
}

// Weight that distance gives to a row. A negative reach stands for a neighbourhood without extent: its rows count
// equally.
inline double nearness(double square, double reach) {
    if (reach < 0.0) return square <= -reach ? 1.0 : 0.0;
    return square < reach ? tricube(square, reach) : 0.0;
}

}  // namespace statlearn::smooth
