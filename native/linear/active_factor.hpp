// Cholesky factor of the cross-products of a changing set of columns.
#pragma once

#include <vector>

#include "common/cholesky.hpp"
#include "common/view.hpp"

namespace statlearn::linear {

// Cross-products of the working set with the ridge penalty on their diagonal; rows and columns by position.
struct RidgedProducts {
    const double* G;
    Index ld;
    double ridge;
    const double* factor;  // of each member, multiplies the ridge penalty

    double operator()(Index a, Index b) const {
        const double value = G[a * ld + b];
        return a == b ? value + ridge * factor[a] : value;
    }
};

// The factor of the active coefficients, kept from model to model: columns join in blocks and leave by rotations, so
// that a step along the path costs O(m^2) and not O(m^3).
class ActiveFactor {
public:
    Index size() const { return Index(order_.size()); }
    const std::vector<Index>& order() const { return order_; }  // positions in the working set
    double ridge() const { return ridge_; }
    void reset(double ridge) {
        order_.clear();
        factor_.clear();
        ridge_ = ridge;
    }

    // Appends columns, by their positions. Returns how many joined: all, or those before the first that is, to
    // rounding, a combination of the others.
    Index add(Span<const Index> joining, const RidgedProducts& at);

    // Deletes the column at a place of the order.
    void remove(Index place);

    // b becomes the solution of (products) x = b, in the order of the columns.
    void solve(Span<double> b) const { factor_.solve(b.data()); }

private:
    std::vector<Index> order_;
    CholeskySet factor_;
    std::vector<double> product_, panel_;
    std::vector<const double*> rows_;
    double ridge_ = 0.0;
};

}  // namespace statlearn::linear
