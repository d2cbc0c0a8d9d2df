// The functions of a local regression: 1, the offsets from its place, their products of two.
#pragma once

#include "common/view.hpp"

namespace statlearn::smooth {

// `squares` says for each column whether its square is among the products; empty: all are.
// L rows at a time: offsets u are d x L, functions f are size x L.
class LocalFunctions {
public:
    LocalFunctions(Index d, int degree, Span<const int> squares = {}) : d_(d), degree_(degree), squares_(squares) {
        size_ = 1;
        if (degree_ >= 1) size_ += d;
        if (degree_ >= 2) {
            size_ += d * (d + 1) / 2;
            for (const int square : squares_) size_ -= square == 0;
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
                if (k == j && !squares_.empty() && squares_[j] == 0) continue;
                for (Index l = 0; l < L; ++l) at[l] = u[j * L + l] * u[k * L + l];
                at += L;
            }
    }

private:
    Index d_, size_ = 1;
    int degree_;
    Span<const int> squares_;
};

}  // namespace statlearn::smooth
