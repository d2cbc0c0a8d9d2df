#include "cluster/spanning_tree.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <numeric>

#include "cluster/box_tree.hpp"
#include "common/parallel.hpp"

namespace statlearn::cluster {

namespace {

constexpr Index kListed = 4;  // neighbours remembered of each point. Empirical.

struct Found {
    double length;  // squared
    int row;
    bool operator<(const Found& other) const {
        return length < other.length || (length == other.length && row < other.row);
    }
};

// The k smallest seen so far, in order.
class Shortlist {
public:
    Shortlist(Found* items, Index k, double limit) : items_(items), k_(k) {
        std::fill(items, items + k, Found{limit, std::numeric_limits<int>::max()});
    }
    double limit() const { return items_[k_ - 1].length; }
    void offer(Found f) {
        if (!(f < items_[k_ - 1])) return;
        Index at = k_ - 1;
        for (; at > 0 && f < items_[at - 1]; --at) items_[at] = items_[at - 1];
        items_[at] = f;
    }

private:
    Found* items_;
    Index k_;
};

// Points in the order of the tree: slot by slot.
template <class Body>
void for_slots(const BoxTree& tree, const Interrupt& interrupt, Body&& body) {
    const Blocks blocks(Index(tree.row.size()), 512);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        std::vector<double> x(std::size_t(tree.p));
        for (Index s = blocks.begin(b); s < blocks.end(b); ++s) {
            if (tree.row[std::size_t(s)] < 0) continue;
            tree.point(s, x.data());
            body(s, x.data());
        }
    });
}

class Boruvka {
public:
    Boruvka(std::span<const double> X, Index rows, Index p, std::span<const double> core, double alpha, double most,
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
            if (tree.row[s] >= 0) component[s] = int(s);
        if (!core.empty()) {
            core2.assign(slots, 0.0);
            least_core.assign(std::size_t(tree.nodes()), kInfinity);
            for (std::size_t s = 0; s < slots; ++s) {
                if (tree.row[s] < 0) continue;
                const double c = core[std::size_t(tree.row[s])];
                core2[s] = c * c;
                double& least = least_core[std::size_t(tree.first_leaf()) + s / kLeaf];
                least = std::min(least, core2[s]);
            }
            for (Index node = tree.first_leaf() - 1; node >= 0; --node)
                least_core[std::size_t(node)] =
                    std::min(least_core[std::size_t(2 * node + 1)], least_core[std::size_t(2 * node + 2)]);
        }
    }

    std::vector<Merge> run() {
        edges.reserve(std::size_t(n - 1));
        listed = std::min(kListed, n - 1);
        lists.resize(tree.row.size() * std::size_t(listed));
        known.assign(tree.row.size(), Found{kInfinity, -1});
        bound.assign(tree.row.size(), 0.0);
        limits = std::vector<std::atomic<double>>(tree.row.size());
        one.assign(std::size_t(tree.nodes()), -1);
        fill_lists();
        while (Index(edges.size()) < n - 1 && round()) {
        }
        for (Merge& edge : edges) {
            edge.a = tree.row[std::size_t(edge.a)];
            edge.b = tree.row[std::size_t(edge.b)];
            if (edge.a > edge.b) std::swap(edge.a, edge.b);
            edge.height = std::sqrt(edge.height);
        }
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
        return std::max(squared * shrink, std::max(core2[s], least_core[std::size_t(node)]));
    }

    void fill_lists() {
        for_slots(tree, interrupt, [&](Index s, const double* x) {
            const auto us = std::size_t(s);
            Shortlist list(lists.data() + s * listed, listed, longest);
            visit_leaves(
                tree, [&](Index node) { return node_bound(node, x, us); }, [&] { return list.limit(); },
                [&](Index leaf) {
                    double squared[kLeaf];
                    for (unsigned bits = tree.leaf_within(leaf, x, list.limit() * stretch, squared); bits != 0;
                         bits &= bits - 1) {
                        const int k = std::countr_zero(bits);
                        const auto t = std::size_t(leaf * kLeaf + k);
                        if (tree.row[t] >= 0 && t != us) list.offer({length(squared[k], us, t), int(t)});
                    }
                });
        });
    }

    // The component of a node's points if it is one, else -1.
    void mark_nodes() {
        for (Index l = 0; l < tree.leaves; ++l) {
            const int* c = component.data() + l * kLeaf;
            int same = c[0];
            for (Index k = 1; k < kLeaf; ++k)
                if (c[k] >= 0 && c[k] != same) same = -1;
            one[std::size_t(tree.first_leaf() + l)] = same;
        }
        for (Index node = tree.first_leaf() - 1; node >= 0; --node) {
            const int left = one[std::size_t(2 * node + 1)], right = one[std::size_t(2 * node + 2)];
            one[std::size_t(node)] = left == right ? left : -1;
        }
    }

    static void lower(std::atomic<double>& value, double to) {
        double now = value.load(std::memory_order_relaxed);
        while (to < now && !value.compare_exchange_weak(now, to, std::memory_order_relaxed)) {
        }
    }

    // The nearest point of another component, if it is within the limit of the own one; remembered either way.
    void search(Index s, const double* x) {
        const auto us = std::size_t(s);
        const int own = component[us];
        std::atomic<double>& shared = limits[std::size_t(own)];
        Found best{kInfinity, -1};
        double limit = shared.load(std::memory_order_relaxed);
        visit_leaves(
            tree, [&](Index node) { return one[std::size_t(node)] == own ? kInfinity : node_bound(node, x, us); },
            [&] { return limit; },
            [&](Index leaf) {
                double squared[kLeaf];
                for (unsigned bits = tree.leaf_within(leaf, x, limit * stretch, squared); bits != 0; bits &= bits - 1) {
                    const int k = std::countr_zero(bits);
                    const auto t = std::size_t(leaf * kLeaf + k);
                    if (component[t] == own || component[t] < 0) continue;
                    const Found f{length(squared[k], us, t), int(t)};
                    if (f < best && f.length <= limit) {
                        best = f;
                        limit = f.length;
                    }
                }
            });
        known[us] = best;
        bound[us] = limit;
        if (best.row >= 0) lower(shared, best.length);
    }

    // Whether any component found an edge.
    bool round() {
        mark_nodes();
        const std::size_t slots = component.size();
        for (std::size_t s = 0; s < slots; ++s) limits[s].store(longest, std::memory_order_relaxed);
        // What is known without a search: the list, or an edge found earlier that still leaves the component.
        std::vector<char> open(slots, 0);
        const Blocks blocks{Index(slots)};
        parallel_for(blocks.count(), [&](Index b) {
            for (Index s = blocks.begin(b); s < blocks.end(b); ++s) {
                const auto us = std::size_t(s);
                const int own = component[us];
                if (own < 0) continue;
                if (known[us].row >= 0 && component[std::size_t(known[us].row)] == own) known[us] = {kInfinity, -1};
                if (known[us].row < 0 && bound[us] == 0.0) {
                    const Found* list = lists.data() + s * listed;
                    for (Index k = 0; k < listed; ++k)
                        if (list[k].row == std::numeric_limits<int>::max()) {
                            bound[us] = kInfinity;  // there is nothing more within reach
                            break;
                        } else if (component[std::size_t(list[k].row)] != own) {
                            known[us] = list[k];
                            break;
                        }
                    if (known[us].row < 0) bound[us] = std::max(bound[us], list[listed - 1].length);
                }
                open[us] = known[us].row < 0;
                if (!open[us]) lower(limits[std::size_t(own)], known[us].length);
            }
        });
        for_slots(tree, interrupt, [&](Index s, const double* x) {
            const auto us = std::size_t(s);
            if (open[us] && bound[us] <= limits[std::size_t(component[us])].load(std::memory_order_relaxed))
                search(s, x);
        });
        const std::size_t before = edges.size();
        if (!interrupt.requested()) join();
        return edges.size() > before;
    }

    void join() {
        const std::size_t slots = component.size();
        std::vector<int> best(slots, -1);  // of each component: the slot whose edge is shortest
        for (std::size_t s = 0; s < slots; ++s) {
            if (component[s] < 0 || known[s].row < 0) continue;
            int& chosen = best[std::size_t(component[s])];
            if (chosen < 0 || known[s].length < known[std::size_t(chosen)].length) chosen = int(s);
        }
        // A component is named by one of its slots, and points to the one it joined.
        std::vector<int> parent(slots);
        std::iota(parent.begin(), parent.end(), 0);
        const auto find = [&](int i) {
            while (parent[std::size_t(i)] != i)
                i = parent[std::size_t(i)] = parent[std::size_t(parent[std::size_t(i)])];
            return i;
        };
        for (std::size_t c = 0; c < slots; ++c) {
            if (best[c] < 0) continue;
            const Found& edge = known[std::size_t(best[c])];
            const int a = find(int(c)), b = find(component[std::size_t(edge.row)]);
            if (a == b) continue;  // equal lengths can close a circle
            edges.push_back({best[c], edge.row, edge.length});
            parent[std::size_t(std::max(a, b))] = std::min(a, b);
        }
        for (std::size_t s = 0; s < slots; ++s)
            if (component[s] >= 0) component[s] = find(component[s]);
    }

    Index n, listed = 0;
    double shrink, stretch;  // 1 / alpha^2, and its inverse, a little larger than rounding could make it
    double longest;
    const Interrupt& interrupt;
    BoxTree tree;
    std::vector<int> component;               // by slot; -1 for empty slots
    std::vector<double> core2, least_core;    // squared core distances by slot, the least of them by node
    std::vector<Found> lists;                 // nearest neighbours of each slot
    std::vector<Found> known;                 // nearest point of another component, if known
    std::vector<double> bound;                // no edge of this slot that leaves its component is shorter
    std::vector<std::atomic<double>> limits;  // shortest edge known of each component
    std::vector<int> one;                     // by node
    std::vector<Merge> edges;
};

}  // namespace

void core_distances(std::span<const double> X, Index n, Index p, Index k, const Interrupt& interrupt,
                    std::span<double> core) {
    BoxTree tree;
    tree.build(X.data(), n, p);
    for_slots(tree, interrupt, [&](Index s, const double* x) {
        std::vector<Found> items(std::size_t(k), Found{});
        Shortlist list(items.data(), k, kInfinity);
        visit_leaves(
            tree, [&](Index node) { return tree.box_distance(node, x); }, [&] { return list.limit(); },
            [&](Index leaf) {
                double squared[kLeaf];
                for (unsigned bits = tree.leaf_within(leaf, x, list.limit(), squared); bits != 0; bits &= bits - 1) {
                    const int i = std::countr_zero(bits);
                    list.offer({squared[i], int(leaf * kLeaf + i)});
                }
            });
        core[std::size_t(tree.row[std::size_t(s)])] = std::sqrt(list.limit());
    });
}

std::vector<Merge> spanning_tree(std::span<const double> X, Index n, Index p, std::span<const double> core,
                                 double alpha, double longest, const Interrupt& interrupt) {
    return Boruvka(X, n, p, core, alpha, longest, interrupt).run();
}

std::vector<Merge> spanning_tree(std::span<const double> D, Index n, std::span<const double> core,
                                 const Interrupt& interrupt) {
    std::vector<Merge> edges;
    std::vector<double> reach(std::size_t(n), kInfinity);
    std::vector<int> from(std::size_t(n), 0), left(std::size_t(n - 1));
    std::iota(left.begin(), left.end(), 1);
    int now = 0;
    while (!left.empty() && !interrupt.requested()) {
        const double* row = D.data() + Index(now) * n;
        std::size_t next = 0;
        for (std::size_t k = 0; k < left.size(); ++k) {
            const auto j = std::size_t(left[k]);
            double d = row[j];
            if (!core.empty()) d = std::max(d, std::max(core[std::size_t(now)], core[j]));
            if (d < reach[j]) reach[j] = d, from[j] = now;
            if (reach[j] < reach[std::size_t(left[next])]) next = k;
        }
        now = left[next];
        edges.push_back({from[std::size_t(now)], now, reach[std::size_t(now)]});
        left.erase(left.begin() + Index(next));
    }
    return edges;
}

}  // namespace statlearn::cluster
