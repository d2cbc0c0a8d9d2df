// Rows, and pieces of rows, on their way down a tree with any number of branches: what growing and pruning share.
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "trees/multiway.hpp"

namespace statlearn::trees {

constexpr double kLightPiece = 1e-3;  // a smaller share of a row is not divided any further

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

struct Rows {
    std::vector<int> row;
    std::vector<double> weight;
    Index size() const { return Index(row.size()); }
    void add(int r, double w) {
        row.push_back(r);
        weight.push_back(w);
    }
};

inline std::vector<double> class_weights(const AttributeTable& data, const Rows& rows) {
    std::vector<double> n(at(data.n_classes), 0.0);
    for (Index i = 0; i < rows.size(); ++i) n[data.classes[rows.row[i]]] += rows.weight[i];
    return n;
}

inline double sum(Span<const double> values) {
    double total = 0.0;
    for (const double v : values) total += v;
    return total;
}

// The child that a code or number leads to, -1 where there is none.
inline Index child_of(const MultiwayView& tree, int node, double x) {
    const auto k = at(node);
    const int first = tree.first_child[k], n = tree.n_children[k];
    if (tree.levels[tree.feature[k]] == 0) return x <= tree.threshold[k] ? first : first + 1;
    const auto begin = tree.branch.begin() + first, end = begin + n;
    const auto found = std::lower_bound(begin, end, int(x));
    return found != end && double(*found) == x ? first + (found - begin) : -1;
}

inline MultiwayView view_of(const MultiwayTree& tree, int n_classes, Span<const int> levels) {
    return {tree.feature, tree.threshold, tree.first_child, tree.n_children,
            tree.branch,  tree.weight,    n_classes,        levels};
}

inline double node_weight(const MultiwayView& tree, Index node) {
    return sum(tree.weight.subspan(at(node) * at(tree.n_classes), at(tree.n_classes)));
}

// Sends the rows of a node to its children; a missing cell goes to all in their shares of the known weight. Returns the
// rows whose code has no branch.
inline Rows divide(const AttributeTable& data, const MultiwayView& tree, int node, const Rows& rows,
                   std::vector<Rows>& children) {
    const auto k = at(node);
    const Index n = tree.n_children[k];
    children.assign(at(n), Rows{});
    Rows stopped;
    std::vector<Index> missing;
    std::vector<double> known(at(n), 0.0);
    for (Index i = 0; i < rows.size(); ++i) {
        const int r = rows.row[i];
        const double x = data.X(r, tree.feature[k]), w = rows.weight[i];
        if (x != x) {
            missing.push_back(i);
            continue;
        }
        const Index child = child_of(tree, node, x);
        if (child < 0) {
            stopped.add(r, w);
        } else {
            children[child - tree.first_child[k]].add(r, w);
            known[child - tree.first_child[k]] += w;
        }
    }
    const double total = sum(known);
    const auto heaviest = std::max_element(known.begin(), known.end()) - known.begin();
    for (const Index i : missing) {
        const int r = rows.row[i];
        const double w = rows.weight[i];
        if (total <= 0.0)
            stopped.add(r, w);
        else if (w < kLightPiece * data.weights[r])
            children[heaviest].add(r, w);
        else
            for (Index c = 0; c < n; ++c)
                if (known[c] > 0.0) children[c].add(r, w * known[c] / total);
    }
    return stopped;
}

inline Rows all_rows(const AttributeTable& data) {
    Rows rows;
    for (Index i = 0; i < data.X.rows; ++i) rows.add(int(i), data.weights[i]);
    return rows;
}

inline void add_node(MultiwayTree& tree, int branch, Span<const double> weights) {
    tree.feature.push_back(-1);
    tree.threshold.push_back(std::numeric_limits<double>::quiet_NaN());
    tree.first_child.push_back(0);
    tree.n_children.push_back(0);
    tree.branch.push_back(branch);
    tree.weight.insert(tree.weight.end(), weights.begin(), weights.end());
}

// A piece whose tested cell is unknown: to all children in their shares, or, where it is light, to the heaviest.
inline void scatter(const MultiwayView& tree, int node, double w, bool light,
                    std::vector<std::pair<int, double>>& pieces) {
    const int first = tree.first_child[node], n = tree.n_children[node];
    double total = 0.0, largest = -1.0;
    int heaviest = first;
    for (int c = first; c < first + n; ++c) {
        const double own = node_weight(tree, c);
        total += own;
        if (own > largest) {
            largest = own;
            heaviest = c;
        }
    }
    if (light || total <= 0.0) {
        pieces.emplace_back(heaviest, w);
        return;
    }
    for (int c = first; c < first + n; ++c)
        if (const double own = node_weight(tree, c); own > 0.0) pieces.emplace_back(c, w * own / total);
}

}  // namespace statlearn::trees
