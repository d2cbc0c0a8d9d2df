// Coordinate descent over the rows of one factor, for kernels that have the products of the rows at hand.
#pragma once

#include <vector>

#include "common/pack.hpp"
#include "decomposition/nmf.hpp"

namespace statlearn::decomposition {

// The scratch of one thread. Rows go side by side, one per lane.
class CoordinateRows {
public:
    CoordinateRows(Matrix<const double> G, Span<const int> order, const CoordinatePlan& plan)
        : k_(G.rows), order_(order), plan_(plan), gram_(k_ * k_), a_(k_ * kSide), w_(k_ * kSide) {
        for (Index i = 0; i < k_; ++i)
            for (Index j = 0; j < k_; ++j) gram_[i * k_ + j] = G(i, j);
    }

    // Updates rows of W with products A, both row-major with rows `w_step` and `a_step` apart; returns the sum of the
    // violations met in the first sweep. See nmf_coordinate_rows.
    template <class T>
    double descend(const T* A, Index a_step, Index rows, T* W, Index w_step);

private:
    static constexpr Index kSide = 16;

    double sweep(Index used);

    Index k_;
    Span<const int> order_;
    CoordinatePlan plan_;
    std::vector<double> gram_, a_, w_;
};

}  // namespace statlearn::decomposition
