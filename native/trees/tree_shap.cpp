#include "trees/tree_shap.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "common/pack.hpp"
#include "common/parallel.hpp"
#include "trees/shap_plan.hpp"

namespace statlearn::trees {

namespace {

constexpr Index kLanes = 16;  // rows that go down a tree together
constexpr Index kPacks = kLanes / 4;

// Rows side by side as [column][lane], in double precision: a threshold is compared as it was stored.
template <class T>
struct LaneBlock {
    std::vector<double> x;
    std::vector<double> known;  // 0.0 for missing values, else 1.0; empty where that does not matter
    Index first, lanes;

    LaneBlock(Matrix<const T> X, Index begin, bool hide_missing)
        : x(X.cols * kLanes), known(hide_missing ? x.size() : 0), first(begin) {
        lanes = std::min(kLanes, X.rows - first);
        for (Index j = 0; j < X.cols; ++j)
            for (Index l = 0; l < kLanes; ++l) x[j * kLanes + l] = X(first + std::min(l, lanes - 1), j);
        for (std::size_t k = 0; k < known.size(); ++k) known[k] = x[k] == x[k] ? 1.0 : 0.0;
    }
};

// 1.0 for every lane that goes left at the node.
void decide(const ForestView& forest, int node, const double* x, double* left) {
    const Index k = node;
    if (forest.category_set[k] >= 0) {
        for (Index l = 0; l < kLanes; ++l) left[l] = goes_left(forest, node, x[l]) ? 1.0 : 0.0;
        return;
    }
    const double threshold = forest.threshold[k], missing = forest.missing_left[k] ? 1.0 : 0.0;
    for (Index l = 0; l < kLanes; ++l) {
        const double side = x[l] <= threshold ? 1.0 : 0.0;
        left[l] = x[l] != x[l] ? missing : side;
    }
}

// Which rows satisfy the conditions on an edge's column down to it, and down to the edge above on that column; chooses
// by that what the edge multiplies or adds at one point.
template <bool kAbove>
struct Choice {
    Mask4 own[kPacks], above[kPacks];

    Choice(const double* o, [[maybe_unused]] const double* before) {
        for (Index l = 0; l < kPacks; ++l) {
            own[l] = positive(packs(o)[l]);
            if constexpr (kAbove) above[l] = positive(packs(before)[l]);
        }
    }
    Pack4 operator()(Index l, double both, double only_above, double neither) const {
        Pack4 other = broadcast(only_above);
        if constexpr (kAbove) other = select(above[l], other, broadcast(neither));
        return select(own[l], broadcast(both), other);
    }
};

// The state of one walk: for every depth of the open path its conditions, products and sums.
struct Walk {
    const WeightedForest& trees;
    const TreePlan& plan;
    const double* x;      // [column][lane]
    const double* known;  // the same: 0.0 where a column stays unknown for good; null where none does
    double* phi;          // [column * outputs + output][lane]
    Index width;          // numbers in a leaf
    Index first_output, points;
    std::vector<double>&conditions, &lefts, &products, &sums;

    double* own(int depth) const { return conditions.data() + depth * kLanes; }
    double* left(int depth) const { return lefts.data() + depth * kLanes; }
    double* product(int depth) const { return products.data() + depth * points * kLanes; }
    double* sum(int depth) const { return sums.data() + depth * points * width * kLanes; }

    // Whether each lane satisfies the conditions on the edge's column above it; null where there are none.
    const double* before(const Edge& edge) const {
        if (edge.above) return own(edge.above);
        return known ? known + edge.feature * kLanes : nullptr;
    }

    // Whether each lane satisfies the conditions on the edge's column.
    void condition(const Edge& edge) const {
        double* o = own(edge.depth);
        double* side = left(edge.depth - 1);
        if (edge.left) decide(trees.forest, edge.parent, x + edge.feature * kLanes, side);  // left comes before right
        if (edge.left)
            std::copy(side, side + kLanes, o);
        else
            for (Index l = 0; l < kLanes; ++l) o[l] = 1.0 - side[l];
        if (const double* above = before(edge))
            for (Index l = 0; l < kLanes; ++l) o[l] *= above[l];
    }

    template <bool kAbove>
    void open(const Edge& edge, const double* f) const {
        const Choice<kAbove> choose(own(edge.depth), before(edge));
        const Pack4* from = packs(product(edge.depth - 1));
        Pack4* to = packs(product(edge.depth));
        for (Index q = 0; q < points; ++q, f += 4, from += kPacks, to += kPacks)
            for (Index l = 0; l < kPacks; ++l) to[l] = from[l] * choose(l, f[0], f[1], edge.ratio);
        double* below = sum(edge.depth);
        std::fill(below, below + points * width * kLanes, 0.0);
    }

    // A leaf is opened and closed at once: its sum is its value times its products.
    template <bool kAbove>
    void leaf(const Edge& edge, const double* f) const {
        const Choice<kAbove> choose(own(edge.depth), before(edge));
        const Pack4* from = packs(product(edge.depth - 1));
        const double* value = trees.value.row(edge.node);
        Pack4 total[kPacks] = {};
        for (Index q = 0; q < points; ++q, f += 4, from += kPacks) {
            Pack4 p[kPacks];
            for (Index l = 0; l < kPacks; ++l) {
                p[l] = from[l] * choose(l, f[0], f[1], edge.ratio);
                total[l] += p[l] * choose(l, f[2], f[3], 0.0);
            }
            for (Index k = 0; k < width; ++k) {
                Pack4* to = packs(sum(edge.depth - 1)) + (k * points + q) * kPacks;
                for (Index l = 0; l < kPacks; ++l) to[l] += value[k] * p[l];
            }
        }
        for (Index k = 0; k < width; ++k)
            for (Index l = 0; l < kPacks; ++l) packs(at(edge.feature, k))[l] += value[k] * total[l];
    }

    template <bool kAbove>
    void close(const Edge& edge, const double* f) const {
        const Choice<kAbove> choose(own(edge.depth), before(edge));
        const Pack4* from = packs(sum(edge.depth));
        Pack4* to = packs(sum(edge.depth - 1));
        for (Index k = 0; k < width; ++k) {
            Pack4 total[kPacks] = {};
            for (Index q = 0; q < points; ++q, from += kPacks, to += kPacks)
                for (Index l = 0; l < kPacks; ++l) {
                    total[l] += from[l] * choose(l, f[4 * q + 2], f[4 * q + 3], 0.0);
                    to[l] += from[l];
                }
            for (Index l = 0; l < kPacks; ++l) packs(at(edge.feature, k))[l] += total[l];
        }
    }

    double* at(int feature, Index k) const { return phi + (feature * trees.outputs + first_output + k) * kLanes; }

    void run(std::vector<int>& path) const {
        double* root = product(0);
        for (Index q = 0; q < points; ++q) std::fill(root + q * kLanes, root + (q + 1) * kLanes, plan.weight[q]);
        const auto close_edge = [&](int e) {
            const Edge& edge = plan.edges[e];
            before(edge) ? close<true>(edge, plan.factors_of(e)) : close<false>(edge, plan.factors_of(e));
        };
        path.clear();  // path[d - 1]: the open edge at depth d
        for (int e = 0; e < int(plan.edges.size()); ++e) {
            const Edge& edge = plan.edges[e];
            for (; int(path.size()) >= edge.depth; path.pop_back()) close_edge(path.back());
            condition(edge);
            const double* f = plan.factors_of(e);
            if (edge.leaf) {
                before(edge) ? leaf<true>(edge, f) : leaf<false>(edge, f);
            } else {
                before(edge) ? open<true>(edge, f) : open<false>(edge, f);
                path.push_back(e);
            }
        }
        for (; !path.empty(); path.pop_back()) close_edge(path.back());
    }
};

// Memory of the walks of one thread's block, as large as the deepest tree of the batch needs.
struct WalkBuffers {
    std::vector<double> conditions, lefts, products, sums;
    std::vector<int> path;

    template <class T>
    Walk walk(const WeightedForest& trees, const TreePlan& plan, const LaneBlock<T>& block, double* phi) {
        const auto levels = std::size_t(plan.depth + 1), lane = std::size_t(kLanes);
        const auto points = std::size_t(plan.points()), width = std::size_t(trees.value.cols);
        grow(conditions, levels * lane);
        grow(lefts, levels * lane);
        grow(products, levels * points * lane);
        grow(sums, levels * points * width * lane);
        std::fill_n(sums.begin(), points * width * lane, 0.0);
        const Index first = trees.value.cols == 1 ? trees.forest.output[plan.tree] : 0;
        const double* known = block.known.empty() ? nullptr : block.known.data();
        return {trees, plan,          block.x.data(), known, phi,      trees.value.cols,
                first, plan.points(), conditions,     lefts, products, sums};
    }

    static void grow(std::vector<double>& buffer, std::size_t size) {
        if (buffer.size() < size) buffer.resize(size);
    }
};

// Half the interactions of all pairs of columns on the path to each leaf.
template <class T>
void add_interactions(const WeightedForest& trees, const TreePlan& plan, const T* row, double* phi, Index p) {
    const Index points = plan.points(), width = trees.value.cols;
    const Index first = width == 1 ? trees.forest.output[plan.tree] : 0;
    const Index levels = plan.depth + 1;
    // For every depth: the products, and the share (o - z) / (o t + z (1 - t)) of the edge's column.
    std::vector<double> products(levels * std::size_t(points)), shares(levels * std::size_t(points));
    std::vector<char> own(levels, 1), hidden(levels, 0);
    std::vector<const Edge*> path(levels);
    std::vector<int> shown;
    std::copy(plan.weight.begin(), plan.weight.end(), products.begin());
    int open = 0;
    for (int e = 0; e < int(plan.edges.size()); ++e) {
        const Edge& edge = plan.edges[e];
        for (; open >= edge.depth; --open) hidden[path[open]->above] = 0;
        const auto d = std::size_t(edge.depth), a = std::size_t(edge.above);
        const double x = double(row[edge.feature]);
        const bool above = own[a] && !(trees.hide_missing && x != x);
        own[d] = above && goes_left(trees.forest, edge.parent, x) == edge.left;
        const double* f = plan.factors_of(e);
        for (Index q = 0; q < points; ++q) {
            const auto to = d * std::size_t(points) + std::size_t(q);
            const double before = a ? shares[a * std::size_t(points) + std::size_t(q)] : 0.0;
            products[to] = products[to - std::size_t(points)] * (own[d] ? f[4 * q] : above ? f[4 * q + 1] : edge.ratio);
            shares[to] = before + (own[d] ? f[4 * q + 2] : above ? f[4 * q + 3] : 0.0);
        }
        path[d] = &edge;
        hidden[d] = 0;
        if (a) hidden[a] = 1;
        open = edge.depth;
        if (!edge.leaf) continue;
        shown.clear();
        for (int k = 1; k <= open; ++k)
            if (!hidden[k]) shown.push_back(k);
        for (std::size_t i = 0; i < shown.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                double total = 0.0;
                for (Index q = 0; q < points; ++q)
                    total += products[d * std::size_t(points) + std::size_t(q)] * shares[shown[i] * points + q] *
                             shares[shown[j] * points + q];
                const int fi = path[shown[i]]->feature, fj = path[shown[j]]->feature;
                for (Index k = 0; k < width; ++k) {
                    const double half = 0.5 * total * trees.value(edge.node, k);
                    phi[(fi * p + fj) * trees.outputs + first + k] += half;
                    phi[(fj * p + fi) * trees.outputs + first + k] += half;
                }
            }
    }
}

}  // namespace

template <class T>
void tree_shap(const WeightedForest& trees, Matrix<const T> X, const Interrupt& interrupt, Matrix<double> phi) {
    const Blocks blocks(X.rows, kLanes);
    const Index wide = X.cols * trees.outputs;
    for_batches(trees, interrupt, [&](const std::vector<TreePlan>& plans) {
        parallel_for(blocks.count(), [&](Index b) {
            if (interrupt.requested()) return;
            const LaneBlock<T> block(X, blocks.begin(b), trees.hide_missing);
            std::vector<double> part(wide * kLanes, 0.0);
            WalkBuffers buffers;
            for (const TreePlan& plan : plans) buffers.walk(trees, plan, block, part.data()).run(buffers.path);
            for (Index l = 0; l < block.lanes; ++l)
                for (Index j = 0; j < wide; ++j) phi(block.first + l, j) += part[j * kLanes + l];
        });
    });
}

template <class T>
void tree_shap_interactions(const WeightedForest& trees, Matrix<const T> X, const Interrupt& interrupt,
                            Matrix<double> phi) {
    for_batches(trees, interrupt, [&](const std::vector<TreePlan>& plans) {
        parallel_for(X.rows, [&](Index i) {
            if (interrupt.requested()) return;
            std::vector<T> row(X.cols);
            for (Index j = 0; j < X.cols; ++j) row[j] = X(i, j);
            for (const TreePlan& plan : plans) add_interactions(trees, plan, row.data(), phi.row(i), X.cols);
        });
    });
}

template <class T>
void forest_partial_dependence(const WeightedForest& trees, Span<const int> columns, Matrix<const T> grid,
                               const Interrupt& interrupt, Matrix<double> sums) {
    const ForestView& forest = trees.forest;
    parallel_for(grid.rows, [&](Index i) {
        std::vector<std::pair<int, double>> waiting;  // nodes and their weights
        for (Index t = 0; t < forest.roots.size(); ++t) {
            if (interrupt.requested()) return;
            waiting.assign(1, {forest.roots[t], 1.0});
            while (!waiting.empty()) {
                const auto [node, weight] = waiting.back();
                waiting.pop_back();
                const int child = forest.child[node];
                if (child == node) {
                    const Index first = trees.value.cols == 1 ? forest.output[t] : 0;
                    for (Index k = 0; k < trees.value.cols; ++k) sums(i, first + k) += weight * trees.value(node, k);
                    continue;
                }
                const auto at = std::find(columns.begin(), columns.end(), forest.feature[node]);
                if (at != columns.end()) {
                    const double x = double(grid(i, at - columns.begin()));
                    waiting.emplace_back(child + !goes_left(forest, node, x), weight);
                } else {
                    const double share = left_share(trees.cover, child);
                    waiting.emplace_back(child + 1, weight * (1.0 - share));
                    waiting.emplace_back(child, weight * share);
                }
            }
        }
    });
}

#define STATLEARN_INSTANTIATE(T)                                                                                       \
    template void tree_shap(const WeightedForest&, Matrix<const T>, const Interrupt&, Matrix<double>);                 \
    template void tree_shap_interactions(const WeightedForest&, Matrix<const T>, const Interrupt&, Matrix<double>);    \
    template void forest_partial_dependence(const WeightedForest&, Span<const int>, Matrix<const T>, const Interrupt&, \
                                            Matrix<double>);
STATLEARN_INSTANTIATE(float)
STATLEARN_INSTANTIATE(double)
#undef STATLEARN_INSTANTIATE

}  // namespace statlearn::trees
