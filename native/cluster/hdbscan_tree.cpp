#include "cluster/hdbscan_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace statlearn::cluster {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

struct Tree {
    Span<const double> Z;
    Index n;

    Index left(Index node) const { return Index(Z[4 * (node - n)]); }
    Index right(Index node) const { return Index(Z[4 * (node - n) + 1]); }
    double height(Index node) const { return Z[4 * (node - n) + 2]; }
    Index size(Index node) const { return node < n ? 1 : Index(Z[4 * (node - n) + 3]); }

    template <class F>
    void for_points(Index top, F&& f) const {
        std::vector<Index> stack{top};
        while (!stack.empty()) {
            const Index node = stack.back();
            stack.pop_back();
            if (node < n) {
                f(node);
            } else {
                stack.push_back(right(node));
                stack.push_back(left(node));
            }
        }
    }
};

// Clusters by number from 0 (the root).
struct Clusters {
    std::vector<Index> parent;         // -1 for the root
    std::vector<double> birth, death;  // lambda at which it began, the largest of a departure from it
    std::vector<double> stability;
    std::vector<Index> size;
    std::vector<std::vector<Index>> children;

    Clusters(const std::vector<Departure>& tree, Index n) {
        Index count = 1;
        for (const Departure& d : tree) count = std::max(count, d.child - n + 1);
        parent.assign(count, -1), birth.assign(count, 0.0), death.assign(count, 0.0), stability.assign(count, 0.0),
            size.assign(count, 0);
        children.resize(count);
        for (const Departure& d : tree) {
            if (d.child < n) continue;
            const Index c = d.child - n;
            parent[c] = d.parent - n, birth[c] = d.lambda, size[c] = d.size;
            children[d.parent - n].push_back(d.child - n);
        }
        for (const Departure& d : tree) {
            const Index c = d.parent - n;
            stability[c] += (d.lambda - birth[c]) * double(d.size);
            death[c] = std::max(death[c], d.lambda);
        }
        for (const Index c : children[0]) size[0] += size[c];
    }

    Index count() const { return Index(parent.size()); }
};

void unselect_below(const Clusters& all, Index top, std::vector<char>& selected) {
    std::vector<Index> stack(all.children[top]);
    while (!stack.empty()) {
        const Index c = stack.back();
        stack.pop_back();
        selected[c] = 0;
        stack.insert(stack.end(), all.children[c].begin(), all.children[c].end());
    }
}

std::vector<char> most_stable(Clusters& all, const Selection& how) {
    std::vector<char> selected(all.count(), 1);
    if (!how.single) selected[0] = 0;
    for (Index c = all.count() - 1; c >= (how.single ? 0 : 1); --c) {  // children have larger numbers
        double below = 0.0;
        for (const Index child : all.children[c]) below += all.stability[child];
        if (below > all.stability[c] || all.size[c] > how.largest) {
            selected[c] = 0;
            all.stability[c] = below;
        } else {
            unselect_below(all, c, selected);
        }
    }
    return selected;
}

// Clusters born too late (at a height below epsilon) give way to their first ancestor that was not.
void join_small(const Clusters& all, const Selection& how, std::vector<char>& selected) {
    std::vector<char> result(selected.size(), 0), done(selected.size(), 0);
    for (Index c = 0; c < all.count(); ++c) {
        if (!selected[c]) continue;
        if (1.0 / all.birth[c] >= how.epsilon) {
            result[c] = 1;
            continue;
        }
        if (done[c]) continue;
        Index up = c;
        for (;;) {
            const Index parent = all.parent[up];
            if (parent == 0) {
                if (how.single) up = 0;
                break;  // or the cluster nearest to the root
            }
            up = parent;
            if (1.0 / all.birth[parent] > how.epsilon) break;
        }
        result[up] = 1;
        std::vector<Index> stack{up};
        while (!stack.empty()) {
            const Index below = stack.back();
            stack.pop_back();
            done[below] = 1;
            const auto& children = all.children[below];
            stack.insert(stack.end(), children.begin(), children.end());
        }
    }
    // An ancestor that was chosen takes in what lies below it.
    for (Index c = 0; c < all.count(); ++c)
        if (result[c]) unselect_below(all, c, result);
    selected = result;
}

std::vector<char> choose(Clusters& all, const Selection& how) {
    std::vector<char> selected;
    if (how.leaves) {
        selected.assign(all.count(), 0);
        for (Index c = 1; c < all.count(); ++c) selected[c] = all.children[c].empty();
        if (all.count() == 1) selected[0] = how.single;  // the root is the only leaf
    } else {
        selected = most_stable(all, how);
    }
    if (how.epsilon > 0.0 && all.count() > 1 && !selected[0]) join_small(all, how, selected);
    return selected;
}

}  // namespace

std::vector<Departure> condense(Span<const double> Z, Index n, Index least) {
    const Tree tree{Z, n};
    std::vector<Index> first(2 * n - 1);  // the smallest point of each node
    for (Index node = 0; node < 2 * n - 1; ++node)
        first[node] = node < n ? node : std::min(first[tree.left(node)], first[tree.right(node)]);
    std::vector<Departure> found;
    struct Part {
        Index node, name;
    };
    std::vector<Part> level{{2 * n - 2, n}};
    Index next = n + 1;
    // Level by level, so that clusters are numbered from the root down.
    while (!level.empty()) {
        std::vector<Part> below;
        for (const auto& [node, own] : level) {
            const double height = tree.height(node), lambda = height > 0.0 ? 1.0 / height : kInfinite;
            std::vector<Index> parts, stack{node};
            while (!stack.empty()) {
                const Index part = stack.back();
                stack.pop_back();
                if (part < n || tree.height(part) < height) {
                    parts.push_back(part);
                } else {
                    stack.push_back(tree.left(part));
                    stack.push_back(tree.right(part));
                }
            }
            std::sort(parts.begin(), parts.end(), [&](Index a, Index b) { return first[a] < first[b]; });
            const auto large =
                std::count_if(parts.begin(), parts.end(), [&](Index a) { return tree.size(a) >= least; });
            for (const Index part : parts) {
                if (tree.size(part) < least) {
                    tree.for_points(part, [&](Index point) { found.push_back({own, point, lambda, 1}); });
                    continue;
                }
                if (large > 1) found.push_back({own, next, lambda, tree.size(part)});
                below.push_back({part, large > 1 ? next++ : own});
            }
        }
        level = std::move(below);
    }
    return found;
}

void select_clusters(const std::vector<Departure>& tree, Index n, const Selection& how, Span<Index> labels,
                     Span<double> strengths) {
    Clusters all(tree, n);
    const std::vector<char> selected = choose(all, how);
    // For each cluster, the chosen one at or above it, and its number.
    std::vector<Index> owner(selected.size(), -1), number(selected.size(), -1);
    Index chosen = 0;
    for (Index c = 0; c < all.count(); ++c) {
        if (selected[c]) number[c] = chosen++;
        owner[c] = selected[c] ? c : c > 0 ? owner[all.parent[c]] : -1;
    }
    // Points of the root alone belong to it only while it is as dense as its densest (or epsilon).
    const double dense = how.epsilon > 0.0 ? 1.0 / how.epsilon : all.death[0];
    for (const Departure& d : tree) {
        if (d.child >= n) continue;
        const Index point = d.child;
        const Index c = owner[d.parent - n];
        labels[point] = -1, strengths[point] = 0.0;
        if (c < 0 || (c == 0 && (chosen != 1 || d.lambda < dense))) continue;
        labels[point] = number[c];
        const double most = all.death[c];
        strengths[point] = most == 0.0 || std::isinf(d.lambda) ? 1.0 : std::min(d.lambda, most) / most;
    }
}

}  // namespace statlearn::cluster
