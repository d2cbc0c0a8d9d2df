#include "cluster/spanning_tree.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "cluster/box_tree.hpp"
#include "common/parallel.hpp"
#include "common/union_find.hpp"

namespace statlearn::cluster {

namespace {

constexpr Index kListed = 5;  // neighbours remembered of each point. Empirical.
constexpr int kNone = std::numeric_limits<int>::max();

struct Found {
    double length;  // squared
    int row;
    bool operator<(const Found& other) const {
        return length < other.length || (length == other.length && row < other.row);
    }
};

// Puts an item into its place among the k smallest seen so far, which are in order.
template <class Item>
void offer(Item* items, Index k, Item f) {
    if (!(f < items[k - 1])) return;
    Index at = k - 1;
    for (; at > 0 && f < items[at - 1]; --at) items[at] = items[at - 1];
    items[at] = f;
}

// Searches from all points of a leaf at once: a box is looked at for all of them, its points only for those near it.
class LeafSearch {
public:
    explicit LeafSearch(const BoxTree& boxes) : tree(boxes), points(kLeaf * boxes.p) {}

    // What is farther than `limit` (squared) from a point of the leaf is not looked at.
    void start(Index leaf, double limit) {
        home = leaf;
        for (Index k = 0; k < kLeaf; ++k) {
            const Index s = leaf * kLeaf + k;
            const bool empty = tree.row[s] < 0;
            reach[k] = empty ? -1.0 : limit;
            if (!empty) tree.point(s, points.data() + k * tree.p);
        }
    }

    // Calls scan(k, leaf, bits, squared) for slot k of the leaf and the slots of another (`bits`) that are within its
    // limit, at those squared distances; it returns the new limit of k. Boxes with least(node) > all limits are left
    // out. Climbs from the leaf to the root, so that near boxes come first.
    template <class Least, class Scan>
    void run(Least&& least, Scan&& scan) {
        look(home, scan);
        for (Index node = tree.first_leaf() + home; node > 0;) {
            descend(node % 2 ? node + 1 : node - 1, least, scan);
            node = (node - 1) / 2;
        }
    }

private:
    template <class Least, class Scan>
    void descend(Index node, Least&& least, Scan&& scan) {
        struct Entry {
            Index node;
            double gap;
        };
        Entry stack[64];
        int top = 0;
        const auto gap = [&](Index k) { return std::max(tree.box_gap(tree.first_leaf() + home, k), least(k)); };
        stack[top++] = {node, gap(node)};
        while (top > 0) {
            Entry here = stack[--top];
            while (!(here.gap > most)) {
                if (here.node >= tree.first_leaf()) {
                    look(here.node - tree.first_leaf(), scan);
                    break;
                }
                const Index left = 2 * here.node + 1, right = left + 1;
                Entry near{left, gap(left)}, far{right, gap(right)};
                if (far.gap < near.gap) std::swap(near, far);
                stack[top++] = far;
                here = near;
            }
        }
    }

    template <class Scan>
    void look(Index leaf, Scan&& scan) {
        unsigned from = tree.slots_near(home, tree.first_leaf() + leaf, reach);
        if (from == 0) return;
        for (; from != 0; from &= from - 1) {
            const int k = std::countr_zero(from);
            double squared[kLeaf];
            const unsigned bits = tree.leaf_within(leaf, points.data() + k * tree.p, reach[k], squared);
            if (bits != 0) reach[k] = scan(Index(k), leaf, bits, squared);
        }
        most = *std::max_element(reach, reach + kLeaf);
    }

    const BoxTree& tree;
    Index home = 0;
    std::vector<double> points;
    double reach[kLeaf], most = kInfinity;
};

template <class Body>
void parallel_blocks(Index count, Body&& body) {
    const Blocks blocks(count);
    parallel_for(blocks.count(), [&](Index b) {
        for (Index k = blocks.begin(b); k < blocks.end(b); ++k) body(k);
    });
}

// Points in the order of the tree: slot by slot.
template <class Body>
void for_slots(const BoxTree& tree, const Interrupt& interrupt, Body&& body) {
    const Blocks blocks(Index(tree.row.size()), 512);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        std::vector<double> x(tree.p);
        for (Index s = blocks.begin(b); s < blocks.end(b); ++s) {
            if (tree.row[s] < 0) continue;
            tree.point(s, x.data());
            body(s, x.data());
        }
    });
}

class Boruvka {
public:
    Boruvka(Span<const double> X, Index rows, Index p, Span<const double> core, double alpha, double most,
            const Interrupt& stop)
        : n(rows),
          shrink(1.0 / (alpha * alpha)),
          stretch(alpha * alpha * (1.0 + 1e-14)),
          longest(most),
          interrupt(stop) {
        tree.build(X.data(), n, p);
        const std::size_t slots = tree.row.size();
        component.assign(slots, -1);
        for (std::size_t s = 0; s < slots; ++s)
            if (tree.row[s] >= 0) component[s] = int(components++);
        if (!core.empty()) {
            core2.assign(slots, 0.0);
            least_core.assign(tree.nodes(), kInfinity);
            for (std::size_t s = 0; s < slots; ++s) {
                if (tree.row[s] < 0) continue;
                const double c = core[tree.row[s]];
                core2[s] = c * c;
                double& least = least_core[std::size_t(tree.first_leaf()) + s / kLeaf];
                least = std::min(least, core2[s]);
            }
            for (Index node = tree.first_leaf() - 1; node >= 0; --node)
                least_core[node] = std::min(least_core[2 * node + 1], least_core[2 * node + 2]);
        }
    }

    std::vector<Merge> run() {
        edges.reserve(n - 1);
        const std::size_t slots = tree.row.size();
        lists = std::make_unique_for_overwrite<Found[]>(slots * std::size_t(kListed));
        known = std::make_unique_for_overwrite<Found[]>(slots);
        bound = std::make_unique_for_overwrite<double[]>(slots);
        one.resize(tree.nodes());
        fill_lists();
        limits = std::vector<std::atomic<double>>(n);
        best = std::vector<std::atomic<int>>(n);
        while (components > 1 && round()) {
        }
        parallel_blocks(Index(edges.size()), [&](Index k) {
            Merge& edge = edges[k];
            edge.a = tree.row[edge.a];
            edge.b = tree.row[edge.b];
            if (edge.a > edge.b) std::swap(edge.a, edge.b);
            edge.height = std::sqrt(edge.height);
        });
        return std::move(edges);
    }

private:
    // Slots stand for points throughout: neighbours in space are neighbours in memory.
    bool weighted() const { return !core2.empty(); }

    double length(double squared, std::size_t s, std::size_t t) const {
        if (!weighted()) return squared;
        return std::max(squared * shrink, std::max(core2[s], core2[t]));
    }

    double node_bound(Index node, const double* x, std::size_t s) const {
        const double squared = tree.box_distance(node, x);
        if (!weighted()) return squared;
        return std::max(squared * shrink, std::max(core2[s], least_core[node]));
    }

    void fill_lists() {
        const Blocks blocks(tree.leaves, 32);
        parallel_for(blocks.count(), [&](Index b) {
            if (interrupt.requested()) return;
            LeafSearch near(tree);
            for (Index l = blocks.begin(b); l < blocks.end(b); ++l) {
                Found* items = lists.get() + l * kLeaf * kListed;
                std::fill(items, items + kLeaf * kListed, Found{longest, kNone});
                std::fill_n(known.get() + l * kLeaf, kLeaf, Found{kInfinity, -1});
                std::fill_n(bound.get() + l * kLeaf, kLeaf, 0.0);
                near.start(l, longest * stretch);
                near.run([&](Index node) { return weighted() ? least_core[node] * stretch : 0.0; },
                         [&](Index k, Index leaf, unsigned bits, const double* squared) {
                             const Index s = l * kLeaf + k;
                             Found* list = items + k * kListed;
                             for (; bits != 0; bits &= bits - 1) {
                                 const int i = std::countr_zero(bits);
                                 const Index t = leaf * kLeaf + i;
                                 if (tree.row[t] >= 0 && t != s)
                                     offer(list, kListed, Found{length(squared[i], s, t), int(t)});
                             }
                             return list[kListed - 1].length * stretch;
                         });
            }
        });
    }

    // The component of a node's points if it is one, else -1.
    void mark_nodes() {
        for (Index l = 0; l < tree.leaves; ++l) {
            const int* c = component.data() + l * kLeaf;
            int same = c[0];
            for (Index k = 1; k < kLeaf; ++k)
                if (c[k] >= 0 && c[k] != same) same = -1;
            one[tree.first_leaf() + l] = same;
        }
        for (Index node = tree.first_leaf() - 1; node >= 0; --node) {
            const int left = one[2 * node + 1], right = one[2 * node + 2];
            one[node] = left == right ? left : -1;
        }
    }

    template <class T>
    static void lower(std::atomic<T>& value, T to) {
        T now = value.load(std::memory_order_relaxed);
        while (to < now && !value.compare_exchange_weak(now, to, std::memory_order_relaxed)) {
        }
    }

    // The nearest point of another component, if it is within the limit of the own one; remembered either way.
    void search(Index s, const double* x) {
        const int own = component[s];
        std::atomic<double>& shared = limits[own];
        Found nearest{kInfinity, -1};
        double limit = shared.load(std::memory_order_relaxed);
        visit_leaves(
            tree, [&](Index node) { return one[node] == own ? kInfinity : node_bound(node, x, s); },
            [&] { return limit; },
            [&](Index leaf) {
                double squared[kLeaf];
                for (unsigned bits = tree.leaf_within(leaf, x, limit * stretch, squared); bits != 0; bits &= bits - 1) {
                    const int k = std::countr_zero(bits);
                    const Index t = leaf * kLeaf + k;
                    if (component[t] == own || component[t] < 0) continue;
                    const Found f{length(squared[k], s, t), int(t)};
                    if (f < nearest && f.length <= limit) {
                        nearest = f;
                        limit = f.length;
                    }
                }
            });
        known[s] = nearest;
        bound[s] = limit;
        if (nearest.row >= 0) lower(shared, nearest.length);
    }

    // Whether any component found an edge.
    bool round() {
        mark_nodes();
        for (Index c = 0; c < components; ++c) {
            limits[c].store(longest, std::memory_order_relaxed);
            best[c].store(kNone, std::memory_order_relaxed);
        }
        const Index slots = Index(component.size());
        parallel_blocks(slots, [&](Index s) {
            if (component[s] >= 0) recall(s);
        });
        for_slots(tree, interrupt, [&](Index s, const double* x) {
            if (known[s].row < 0 && bound[s] <= limits[component[s]].load(std::memory_order_relaxed)) search(s, x);
        });
        if (interrupt.requested()) return false;
        parallel_blocks(slots, [&](Index s) {
            if (component[s] < 0 || known[s].row < 0) return;
            const Index own = component[s];
            if (known[s].length == limits[own].load(std::memory_order_relaxed)) lower(best[own], int(s));
        });
        return join();
    }

    // What is known of a slot without a search: an edge found earlier that still leaves the component, or the list.
    void recall(Index s) {
        const int own = component[s];
        Found& edge = known[s];
        if (edge.row >= 0 && component[edge.row] == own) edge = {kInfinity, -1};
        if (edge.row < 0 && bound[s] == 0.0) {
            const Found* list = lists.get() + s * kListed;
            Index k = 0;
            while (k < kListed && list[k].row != kNone && component[list[k].row] == own) ++k;
            if (k == kListed)
                bound[s] = list[k - 1].length;
            else if (list[k].row == kNone)
                bound[s] = kInfinity;  // there is nothing more within reach
            else
                edge = list[k];
        }
        if (edge.row >= 0) lower(limits[own], edge.length);
    }

    // Components that took an edge become one; whether there was any.
    bool join() {
        const Index count = components;
        const std::size_t before = edges.size();
        std::vector<int> parent(count);
        std::iota(parent.begin(), parent.end(), 0);
        for (Index c = 0; c < count; ++c) {
            const int s = best[c].load(std::memory_order_relaxed);
            if (s == kNone) continue;
            const Found& edge = known[s];
            // Equal lengths can close a circle.
            if (join_sets(parent, int(c), component[edge.row])) edges.push_back({s, edge.row, edge.length});
        }
        // A root comes before what it leads: names of components stay without gaps, in the old order.
        components = 0;
        for (Index c = 0; c < count; ++c) parent[c] = parent[c] == int(c) ? int(components++) : parent[parent[c]];
        parallel_blocks(Index(component.size()), [&](Index s) {
            int& own = component[s];
            if (own >= 0) own = parent[own];
        });
        return edges.size() > before;
    }

    Index n, components = 0;
    double shrink, stretch;  // 1 / alpha^2, and its inverse, a little larger than rounding could make it
    double longest;
    const Interrupt& interrupt;
    BoxTree tree;
    std::vector<int> component;             // by slot; -1 for empty slots
    std::vector<double> core2, least_core;  // squared core distances by slot, the least of them by node
    std::unique_ptr<Found[]> lists;         // nearest neighbours of each slot
    std::unique_ptr<Found[]> known;         // nearest point of another component, if known
    std::unique_ptr<double[]> bound;        // no edge of this slot that leaves its component is shorter
    std::vector<int> one;                   // by node
    // By component: its shortest edge known, and the first slot that has it.
    std::vector<std::atomic<double>> limits;
    std::vector<std::atomic<int>> best;
    std::vector<Merge> edges;
};

}  // namespace

void core_distances(Span<const double> X, Index n, Index p, Index k, const Interrupt& interrupt, Span<double> core) {
    BoxTree tree;
    tree.build(X.data(), n, p);
    const Blocks blocks(tree.leaves, 32);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        LeafSearch near(tree);
        std::vector<double> smallest(kLeaf * k);
        for (Index l = blocks.begin(b); l < blocks.end(b); ++l) {
            std::fill(smallest.begin(), smallest.end(), kInfinity);
            near.start(l, kInfinity);
            near.run([](Index) { return 0.0; },
                     [&](Index at, Index, unsigned bits, const double* squared) {
                         double* list = smallest.data() + at * k;
                         for (; bits != 0; bits &= bits - 1) offer(list, k, squared[std::countr_zero(bits)]);
                         return list[k - 1];
                     });
            for (Index at = 0; at < kLeaf; ++at)
                if (const int row = tree.row[l * kLeaf + at]; row >= 0) core[row] = std::sqrt(smallest[at * k + k - 1]);
        }
    });
}

std::vector<Merge> spanning_tree(Span<const double> X, Index n, Index p, Span<const double> core, double alpha,
                                 double longest, const Interrupt& interrupt) {
    return Boruvka(X, n, p, core, alpha, longest, interrupt).run();
}

std::vector<Merge> spanning_tree(Span<const double> D, Index n, Span<const double> core, const Interrupt& interrupt) {
    std::vector<Merge> edges;
    std::vector<double> reach(n, kInfinity);
    std::vector<int> from(n, 0), left(n - 1);
    std::iota(left.begin(), left.end(), 1);
    int now = 0;
    while (!left.empty() && !interrupt.requested()) {
        const double* row = D.data() + Index(now) * n;
        std::size_t next = 0;
        for (std::size_t k = 0; k < left.size(); ++k) {
            const Index j = left[k];
            double d = row[j];
            if (!core.empty()) d = std::max(d, std::max(core[now], core[j]));
            if (d < reach[j]) reach[j] = d, from[j] = now;
            if (reach[j] < reach[left[next]]) next = k;
        }
        now = left[next];
        edges.push_back({from[now], now, reach[now]});
        left.erase(left.begin() + Index(next));
    }
    return edges;
}

}  // namespace statlearn::cluster
