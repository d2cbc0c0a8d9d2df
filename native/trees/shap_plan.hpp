// Trees laid out for Shapley values: their edges in the order of a walk, with the factors of each.
#pragma once

#include <vector>

#include "common/interrupt.hpp"
#include "common/view.hpp"
#include "trees/tree_shap.hpp"

namespace statlearn::trees {

// Whether x goes left at an inner node: the rule of forest_predict, for one value.
inline bool goes_left(const ForestView& forest, int node, double x) {
    const Index k = node;
    if (x != x) return forest.missing_left[k] != 0;
    const int set = forest.category_set[k];
    if (set < 0) return x <= forest.threshold[k];
    if (!(x >= 0 && x < double(32 * forest.left_sets.cols))) return forest.missing_left[k] != 0;  // never seen
    const int level = int(x);
    return forest.left_sets(set, level / 32) >> (level % 32) & 1u;
}

// Share of the weight that went to the left child, which is `child`; one half where there is none.
inline double left_share(Span<const double> cover, int child) {
    const double left = cover[child], both = left + cover[child + 1];
    return both > 0.0 ? left / both : 0.5;
}

// The edge into a node.
struct Edge {
    int node, parent, feature;
    int depth;  // of the node, the root's is 0
    int above;  // depth of the nearest edge above it that splits on the same column; 0: none
    bool left, leaf;
    double ratio;     // share of the parent's weight
    double z;         // product of the ratios of all edges on this column down to here
    double z_before;  // the same down to the edge above
};

// One tree: all edges, parents before children and left subtrees before right ones.
struct TreePlan {
    Index tree = 0;
    int depth = 0;
    std::vector<Edge> edges;
    std::vector<double> weight;   // of the points of the quadrature on (0, 1)
    std::vector<double> factors;  // for every edge and point: what it multiplies, then what it adds, each for a row
                                  // that satisfies all conditions on the column, and for one that satisfies all but
                                  // this edge's

    Index points() const { return Index(weight.size()); }
    const double* factors_of(int edge) const { return factors.data() + Index(edge) * 4 * points(); }
};

TreePlan plan_tree(const WeightedForest& trees, Index tree);

// Points and weights of Gauss and Legendre on (0, 1): exact for polynomials of degree 2 n - 1.
void gauss_legendre(int n, Span<double> point, Span<double> weight);

// The plans of trees begin, begin + 1, ... that together have about as many edges as a cache holds factors of.
std::vector<TreePlan> plan_batch(const WeightedForest& trees, Index begin);

// Calls body(plans) for all trees, batch by batch, in order.
template <class Body>
void for_batches(const WeightedForest& trees, const Interrupt& interrupt, Body body) {
    for (Index t = 0; t < Index(trees.forest.roots.size()) && !interrupt.requested();) {
        const auto plans = plan_batch(trees, t);
        body(plans);
        t += Index(plans.size());
    }
}

}  // namespace statlearn::trees
