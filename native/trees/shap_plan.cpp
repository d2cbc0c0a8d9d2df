#include "trees/shap_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "common/parallel.hpp"

namespace statlearn::trees {

namespace {

constexpr Index kBatch = 1 << 14;  // nodes whose factors stay in the second-level cache, roughly

Index end_of(const ForestView& forest, Index t) {
    return t + 1 < Index(forest.roots.size()) ? forest.roots[t + 1] : Index(forest.feature.size());
}

// Lists the edges of a tree with their depths and ratios; returns the most columns on one path.
int list_edges(const WeightedForest& trees, TreePlan& plan) {
    const ForestView& forest = trees.forest;
    struct Waiting {
        int node, parent, depth;
    };
    std::vector<Waiting> waiting;
    const auto push_children = [&](int node, int depth) {
        const int child = forest.child[node];
        if (child == node) return;
        waiting.push_back({child + 1, node, depth + 1});
        waiting.push_back({child, node, depth + 1});
    };
    const int root = forest.roots[plan.tree];
    plan.edges.reserve(end_of(forest, plan.tree) - root);
    // last[j]: depth of the deepest open edge on column j; an edge that is left gives back what it found there.
    const int columns =
        1 + *std::max_element(forest.feature.begin() + root, forest.feature.begin() + end_of(forest, plan.tree));
    std::vector<int> last(std::max(columns, 1), 0), open{-1}, distinct{0};
    int most = 0;
    for (push_children(root, 0); !waiting.empty();) {
        const auto [node, parent, depth] = waiting.back();
        waiting.pop_back();
        for (; int(open.size()) > depth; open.pop_back(), distinct.pop_back()) {
            const Edge& left_behind = plan.edges[open.back()];
            last[left_behind.feature] = left_behind.above;
        }
        const int feature = forest.feature[parent], child = forest.child[parent];
        const int above = last[feature];
        const bool left = node == child;
        const double share = left_share(trees.cover, child), ratio = left ? share : 1.0 - share;
        const double before = above ? plan.edges[open[above]].z : 1.0;
        const bool leaf = forest.child[node] == node;
        open.push_back(int(plan.edges.size()));
        distinct.push_back(distinct.back() + (above == 0));
        last[feature] = depth;
        plan.edges.push_back({node, parent, feature, depth, above, left, leaf, ratio, before * ratio, before});
        plan.depth = std::max(plan.depth, depth);
        most = std::max(most, distinct.back());
        push_children(node, depth);
    }
    return most;
}

}  // namespace

void gauss_legendre(int n, Span<double> point, Span<double> weight) {
    for (int i = 0; i < n; ++i) {
        double x = std::cos(std::numbers::pi * (i + 0.75) / (n + 0.5)), slope = 1.0;
        for (int step = 0; step < 100; ++step) {  // Newton's method from a close start: four or five steps
            double p = 1.0, before = 0.0;
            for (int k = 1; k <= n; ++k) {
                const double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
                before = p;
                p = next;
            }
            slope = n * (x * p - before) / (x * x - 1.0);
            const double change = p / slope;
            x -= change;
            if (std::abs(change) < 1e-15) break;
        }
        point[i] = 0.5 * (1.0 - x);
        weight[i] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
}

TreePlan plan_tree(const WeightedForest& trees, Index tree) {
    TreePlan plan;
    plan.tree = tree;
    const int columns = list_edges(trees, plan);
    const Index points = std::max(1, (columns + 1) / 2);
    std::vector<double> point(points);
    plan.weight.resize(points);
    gauss_legendre(int(points), point, plan.weight);
    plan.factors.resize(plan.edges.size() * points * 4);
    double* f = plan.factors.data();
    for (const Edge& edge : plan.edges)
        for (Index q = 0; q < points; ++q, f += 4) {
            const double t = point[q], rest = 1.0 - t;
            const double met = t + edge.z * rest;
            const double before = edge.above ? 1.0 / (t + edge.z_before * rest) : 1.0;
            const double share_before = edge.above ? (1.0 - edge.z_before) * before : 0.0;
            f[0] = met * before;
            f[1] = edge.z * rest * before;
            f[2] = (1.0 - edge.z) / met - share_before;
            f[3] = -1.0 / rest - share_before;
        }
    return plan;
}

std::vector<TreePlan> plan_batch(const WeightedForest& trees, Index begin) {
    const ForestView& forest = trees.forest;
    Index end = begin + 1;
    const Index first = forest.roots[begin];
    while (end < Index(forest.roots.size()) && end_of(forest, end) - first <= kBatch) ++end;
    std::vector<TreePlan> plans(end - begin);
    parallel_for(end - begin, [&](Index t) { plans[t] = plan_tree(trees, begin + t); });
    return plans;
}

}  // namespace statlearn::trees
