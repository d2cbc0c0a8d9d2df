#include "rules/fp_tree.hpp"

#include <algorithm>
#include <numeric>

#include "common/parallel.hpp"

namespace statlearn::rules {

FpTree::FpTree(Index n, bool keep_pairs)
    : head(n, -1),
      tail(n, -1),
      total(n, 0.0),
      pairs(keep_pairs && n > 1 ? std::size_t(n * (n - 1) / 2) : 0, 0.0),
      top_(n, -1) {}

std::int32_t FpTree::child_of(std::int32_t node, std::int32_t item_here) {
    if (node == 0) {
        if (top_[item_here] >= 0) return top_[item_here];
    } else {
        for (auto k = child[node]; k >= 0; k = sibling[k])
            if (item[k] == item_here) return k;
    }
    const auto made = std::int32_t(item.size());
    item.push_back(item_here);
    parent.push_back(node);
    child.push_back(-1);
    sibling.push_back(child[node]);
    next.push_back(-1);
    count.push_back(0.0);
    child[node] = made;
    if (node == 0) top_[item_here] = made;
    auto& last = tail[item_here];
    if (last < 0)
        head[item_here] = made;
    else
        next[last] = made;
    last = made;
    return made;
}

void FpTree::insert(Span<const std::int32_t> path, double weight) {
    std::int32_t node = 0;
    count[0] += weight;
    for (Index k = 0; k < path.size(); ++k) {
        node = child_of(node, path[k]);
        count[node] += weight;
        total[path[k]] += weight;
        if (!pairs.empty()) {
            const Index i = path[k];
            double* row = pairs.data() + i * (i - 1) / 2;
            for (Index m = 0; m < k; ++m) row[path[m]] += weight;
        }
    }
}

bool FpTree::single_path() const {
    for (std::size_t node = 0; node < item.size(); ++node) {
        const auto first = child[node];
        if (first >= 0 && sibling[first] >= 0) return false;
    }
    return true;
}

namespace {

// The array of pairs pays if it is not larger than the walks it saves.
bool pairs_pay(Index n_items, Index entries) { return n_items > 1 && n_items * (n_items - 1) / 2 <= 2 * entries; }

class Growth {
public:
    Growth(double min_count, Collector& out) : min_count_(min_count), out_(out) {}

    // `name[i]` is the rank of the tree's item i at the top.
    void grow(const FpTree& tree, const std::vector<std::int32_t>& name) {
        if (out_.stopped() || Index(base.size()) >= out_.max_len()) return;
        if (tree.single_path()) {
            path_.clear();
            for (auto node = tree.child[0]; node >= 0; node = tree.child[node]) path_.push_back(node);
            if (!out_.too_many_subsets(Index(base.size()), Index(path_.size()))) subsets(tree, name, 0);
            return;
        }
        for (auto i = std::int32_t(tree.n_items()) - 1; i >= 0 && !out_.stopped(); --i) grow_item(tree, name, i);
    }

    void grow_item(const FpTree& tree, const std::vector<std::int32_t>& name, std::int32_t i) {
        out_.poll();
        base.push_back(name[i]);
        out_.write(base, tree.total[i]);
        if (i > 0 && Index(base.size()) < out_.max_len()) below(tree, name, i);
        base.pop_back();
    }

    std::vector<std::int32_t> base;

private:
    void below(const FpTree& tree, const std::vector<std::int32_t>& name, std::int32_t i) {
        std::vector<double> count(i, 0.0);
        Index entries = 0;
        if (!tree.pairs.empty()) {
            const double* row = tree.pairs.data() + std::size_t(i) * (std::size_t(i) - 1) / 2;
            std::copy(row, row + i, count.begin());
        } else {
            each_path(tree, i, [&](std::int32_t item, double weight) { count[item] += weight; });
        }
        std::vector<std::int32_t> order;
        for (std::int32_t j = 0; j < i; ++j)
            if (count[j] >= min_count_ && count[j] > 0) order.push_back(j);
        if (order.empty()) return;
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return count[a] > count[b]; });
        std::vector<std::int32_t> place(i, -1), inner(order.size());
        for (std::size_t k = 0; k < order.size(); ++k) {
            place[order[k]] = std::int32_t(k);
            inner[k] = name[order[k]];
        }
        for (auto node = tree.head[i]; node >= 0; node = tree.next[node]) ++entries;
        FpTree conditional(Index(order.size()), pairs_pay(Index(order.size()), entries * 4));
        std::vector<std::int32_t> path;
        for (auto node = tree.head[i]; node >= 0; node = tree.next[node]) {
            path.clear();
            for (auto up = tree.parent[node]; up > 0; up = tree.parent[up]) {
                const auto p = place[tree.item[up]];
                if (p >= 0) path.push_back(p);
            }
            if (path.empty()) continue;
            std::sort(path.begin(), path.end());
            conditional.insert(path, tree.count[node]);
        }
        grow(conditional, inner);
    }

    template <class F>
    static void each_path(const FpTree& tree, std::int32_t i, F&& body) {
        for (auto node = tree.head[i]; node >= 0; node = tree.next[node])
            for (auto up = tree.parent[node]; up > 0; up = tree.parent[up]) body(tree.item[up], tree.count[node]);
    }

    // Every non-empty subset of the path: the deepest chosen node has the smallest count.
    void subsets(const FpTree& tree, const std::vector<std::int32_t>& name, std::size_t from) {
        if (Index(base.size()) >= out_.max_len()) return;
        for (std::size_t k = from; k < path_.size() && !out_.stopped(); ++k) {
            out_.poll();
            const Index node = path_[k];
            base.push_back(name[tree.item[node]]);
            out_.write(base, tree.count[node]);
            subsets(tree, name, k + 1);
            base.pop_back();
        }
    }

    double min_count_;
    Collector& out_;
    std::vector<std::int32_t> path_;
};

}  // namespace

MineStatus tree_mine(const Baskets& baskets, Span<const double> weights, double min_count, Bounds& bounds,
                     const Interrupt& interrupt, SetList& found) {
    const Ranked data = rank_items(baskets, weights, min_count, false, false);
    const Index k = Index(data.item_of.size());
    FpTree tree(k, pairs_pay(k, Index(data.ranks.size())));
    for (std::size_t r = 0; r + 1 < data.indptr.size(); ++r) {
        const auto begin = std::size_t(data.indptr[r]), end = std::size_t(data.indptr[r + 1]);
        tree.insert(Span(data.ranks).subspan(begin, end - begin), data.weights.empty() ? 1.0 : data.weights[r]);
        if ((r & 4095) == 0 && interrupt.requested()) return MineStatus::interrupted;
    }
    std::vector<std::int32_t> name(k);
    std::iota(name.begin(), name.end(), 0);
    const bool path = tree.single_path();
    std::vector<SetList> parts(path ? 1 : k);
    std::atomic<bool> interrupted{false};
    parallel_for(Index(parts.size()), Work(10.0 * double(data.ranks.size())), [&](Index unit) {
        if (bounds.exceeded.load(std::memory_order_relaxed) || interrupted.load(std::memory_order_relaxed)) return;
        Collector out(parts[unit], bounds, interrupt);
        Growth growth(min_count, out);
        if (path)
            growth.grow(tree, name);
        else
            growth.grow_item(tree, name, std::int32_t(k - 1 - unit));
        if (out.interrupted()) interrupted.store(true, std::memory_order_relaxed);
    });
    if (interrupted.load()) return MineStatus::interrupted;
    if (bounds.exceeded.load()) return MineStatus::too_many;
    found = in_order(std::move(parts), data.item_of, baskets.n_items);
    return MineStatus::ok;
}

}  // namespace statlearn::rules
