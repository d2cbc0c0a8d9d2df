// A binary space partition whose nodes know the sum of their rows: the mean of a ball is found from the few nodes on
// its rim, whatever number of rows lies inside.
#pragma once

#include <vector>

#include "common/view.hpp"

namespace statlearn::cluster {

constexpr Index kLeafRows = 32;

// Sum of weight x row and of weights over some rows.
struct Moments {
    Span<double> sum;
    double weight = 0.0;
};

class MomentTree {
public:
    // Rows of X with their weights (all 1 if empty); rows of weight 0 are left out. Splits at the median of the widest
    // side of a node's box. Cost O(n p log n).
    template <class T>
    MomentTree(Matrix<const T> X, Span<const double> weights);

    Index dimensions() const { return p_; }
    double total_weight() const { return nodes_.empty() ? 0.0 : nodes_[0].weight; }

    // Adds the rows within `radius` of the point.
    void ball(const double* point, double radius, Moments& found) const;

    // Adds the rows, each times exp(-rate (d^2 - offset)) with d its distance to the point; those beyond d^2 = limit
    // may be left out.
    void gaussian(const double* point, double rate, double offset, double limit, Moments& found) const;

    // Squared distance of the nearest row.
    double nearest(const double* point) const;

private:
    struct Node {
        Index begin, end;  // places of its rows
        Index right;       // its right child; the left one follows it; 0 for a leaf
        Index block;       // of a leaf: where its coordinates begin
        double weight;
    };

    Index build(std::vector<Index>& rows, Index begin, Index end, const std::vector<double>& table,
                Span<const double> weights);
    const double* low(Index node) const { return boxes_.data() + 2 * p_ * node; }
    const double* high(Index node) const { return boxes_.data() + 2 * p_ * node + p_; }

    // Squared distances from the point to the nearest and the farthest point of a box.
    double least(Index node, const double* point) const;
    double most(Index node, const double* point) const;

    // Calls leaf(coordinates, weights) for the leaves that `enter(node)` leads to; enter returns false to leave a node
    // out, with its rows if it wants them already counted.
    template <class Enter, class Leaf>
    void walk(Enter&& enter, Leaf&& leaf) const;

    Index p_ = 0;
    std::vector<Node> nodes_;
    std::vector<double> boxes_;   // per node: low and high corner
    std::vector<double> sums_;    // per node: weighted sum of its rows
    std::vector<double> leaves_;  // per leaf: kLeafRows weights, then kLeafRows numbers per coordinate
};

}  // namespace statlearn::cluster
