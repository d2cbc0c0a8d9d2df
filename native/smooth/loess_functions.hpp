// The functions of a local regression: 1, the offsets from its place, their products of two. Shared by the fits and by
// what is derived from them.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "common/view.hpp"

namespace statlearn::smooth {

// Rows that local regressions are fitted to.
struct LoessData {
    MatrixView<const double> X;      // n x d, column-major; by increasing value if there is one column
    std::span<const double> y;       // empty where no response is needed
    std::span<const double> w;       // weights of the squares; empty: all 1
    std::span<const double> counts;  // how many rows each row stands for among the neighbours; empty: 1
};

struct LoessRule {
    int degree;
    Index near;                    // the first `near` columns make the distance
    std::span<const int> squares;  // for each column whether its square is a function of degree 2
    double neighbors;              // rows in a neighbourhood
    double stretch;                // of the squared distance to the last of them
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

// L rows at a time: offsets u are d x L, functions f are size x L.
class LoessFunctions {
public:
    LoessFunctions(Index d, const LoessRule& rule) : d_(d), degree_(rule.degree), squares_(rule.squares) {
        size_ = 1;
        if (degree_ >= 1) size_ += d;
        if (degree_ >= 2) {
            size_ += d * (d - 1) / 2;
            for (const int square : squares_) size_ += square != 0;
        }
    }

    Index size() const { return size_; }

    template <Index L>
    void fill(const double* __restrict u, double* __restrict f) const {
        for (Index l = 0; l < L; ++l) f[l] = 1.0;
        if (degree_ < 1) return;
        for (Index l = 0; l < d_ * L; ++l) f[L + l] = u[l];
        if (degree_ < 2) return;
        double* at = f + (1 + d_) * L;
        for (Index j = 0; j < d_; ++j)
            for (Index k = j; k < d_; ++k) {
                if (k == j && squares_[std::size_t(j)] == 0) continue;
                for (Index l = 0; l < L; ++l) at[l] = u[j * L + l] * u[k * L + l];
                at += L;
            }
    }

private:
    Index d_, size_ = 1;
    int degree_;
    std::span<const int> squares_;
};

}  // namespace statlearn::smooth
