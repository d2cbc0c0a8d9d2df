// Large nodes are worked on with all threads, over the columns; as soon as a node is small its rows move into arrays of
// their own, where its whole subtree is grown by one thread inside the cache. Subtrees do not know of each other, and
// random draws are keyed by the path to a node: the tree does not depend on the number of threads.
#include "trees/cart_grower.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "common/parallel.hpp"
#include "common/samplers.hpp"
#include "trees/cart_part.hpp"
#include "trees/cart_surrogates.hpp"

namespace statlearn::trees {
namespace {

constexpr double kTie = 1e-11;  // of the node's weighted impurity

// Rows of a node whose cells fit into the second-level cache, within bounds.
Index small_node(Index cols) { return std::clamp<Index>(Index(40000) / cols, 1024, 8192); }

// A split as the tree keeps it.
struct Split : ColumnSplit {
    int feature = -1;
    bool final = false;  // both sides are pure
    std::vector<std::uint32_t> left_set;

    bool goes_left(std::uint32_t rank) const {
        if (branch) return rank != kMissingRank;
        if (rank == kMissingRank) return missing_left;
        return by_set ? left_set[rank / 32] >> (rank % 32) & 1u : rank <= last_left;
    }
};

// A split that was chosen together with the one above it.
struct Preset {
    Split split;
    std::size_t next = 0;  // the level that branches off here
};

struct CartNode {
    Index begin = 0, end = 0;
    int id = 0, depth = 0;
    std::uint64_t key = 1;
    double lower = -std::numeric_limits<double>::infinity(), upper = std::numeric_limits<double>::infinity();
    std::vector<std::uint8_t> alive;  // sets of columns that hold all columns tested above
    std::shared_ptr<const Preset> preset;
    bool is_leaf = false;  // its rows are together in the first column only

    Index rows() const { return end - begin; }
};

// One part of the rows and the nodes grown on it.
class CartGrower {
public:
    CartGrower(const CartJob& job, CartPart& part, MakeScorer make_scorer, double total_weight)
        : job_(job),
          rule_(job.rule),
          part_(part),
          scorer_(make_scorer(part.target())),
          total_weight_(total_weight),
          side_(part.rows()) {
        tree_.words = part.words();
        tree_.width = part.target().width();
    }

    // Grows everything below `root`, which becomes node 0. Where `shared`, large nodes are shared between threads; with
    // `later` small ones are only listed there.
    CartTree grow(CartNode root, bool shared, std::vector<CartNode>* later) {
        shared_ = shared;
        root.id = add_node();
        if (rule_.max_leaves > 0 || rule_.target_risk >= 0.0)
            best_first(std::move(root));
        else
            depth_first(std::move(root), later);
        return std::move(tree_);
    }

    // The node's facts, and its split (no feature: a leaf).
    Split evaluate(const CartNode& node) {
        const Cells rows = part_.any_cells(node.begin, node.end, scratch_);
        scorer_->enter(rows);
        const Index k = node.id;
        tree_.rows[k] = node.rows();
        tree_.weight[k] = scorer_->weight();
        tree_.impurity[k] = scorer_->impurity();
        scorer_->value(node.lower, node.upper, tree_.value.data() + Index(k) * tree_.width);
        if (node.preset) return from_preset(*node.preset);
        if (node.depth >= rule_.max_depth || node.rows() < rule_.min_split || node.rows() < 2 * rule_.min_leaf ||
            scorer_->weight() < 2.0 * rule_.min_weight_leaf || scorer_->pure())
            return {};
        Split split = find_split(node);
        if (split.feature >= 0 && rule_.min_decrease > 0.0 &&
            split.gain / total_weight_ + std::numeric_limits<double>::epsilon() < rule_.min_decrease)
            return {};
        return split;
    }

    // Writes the split into the tree and makes the two children; their rows are the caller's business.
    std::pair<CartNode, CartNode> commit(const CartNode& node, const Split& split) {
        const int first = add_node();
        add_node();
        const Index k = node.id;
        tree_.feature[k] = split.feature;
        tree_.child[k] = first;
        tree_.gain[k] = split.gain;
        tree_.missing_left[k] = split.goes_left(kMissingRank);
        tree_.threshold[k] = threshold_of(split);
        if (split.by_set) tree_.category_set[k] = add_set(split.left_set);
        CartNode left, right;
        left.id = first;
        right.id = first + 1;
        left.depth = right.depth = node.depth + 1;
        left.key = mixed(2 * node.key);
        right.key = mixed(2 * node.key + 1);
        left.lower = right.lower = node.lower;
        left.upper = right.upper = node.upper;
        // Missing values that branch off have no place in the order of the column.
        const int monotone = split.branch ? 0 : monotone_of(split.feature);
        if (monotone != 0) {
            (monotone > 0 ? left : right).upper = split.middle;
            (monotone > 0 ? right : left).lower = split.middle;
        }
        if (rule_.together.rows > 0) {
            left.alive = node.alive;
            left.alive.resize(rule_.together.rows, 1);
            for (Index s = 0; s < rule_.together.rows; ++s) left.alive[s] &= rule_.together(s, split.feature);
            right.alive = left.alive;
        }
        set_presets(node, split, left, right);
        return {std::move(left), std::move(right)};
    }

    CartTree& tree() { return tree_; }
    double risk() const { return scorer_->risk(); }

    int add_node() {
        tree_.feature.push_back(-1);
        tree_.child.push_back(0);
        tree_.category_set.push_back(-1);
        tree_.threshold.push_back(0.0);
        tree_.gain.push_back(0.0);
        tree_.impurity.push_back(0.0);
        tree_.weight.push_back(0.0);
        tree_.missing_left.push_back(0);
        tree_.rows.push_back(0);
        tree_.value.resize(tree_.value.size() + std::size_t(tree_.width));
        return int(tree_.feature.size()) - 1;
    }

    void add_surrogates(const CartNode& node, const std::vector<Surrogate>& surrogates) {
        for (const auto& s : surrogates) {
            tree_.surrogate_node.push_back(node.id);
            tree_.surrogate_feature.push_back(s.feature);
            tree_.surrogate_agreement.push_back(s.agreement);
            tree_.surrogate_adjusted.push_back(s.adjusted);
            tree_.surrogate_below_left.push_back(s.below_left);
            tree_.surrogate_threshold.push_back(s.threshold);
            tree_.surrogate_set.push_back(s.by_set ? add_set(s.left_set) : -1);
        }
    }

private:
    // ---- Order of growth ----

    void depth_first(CartNode root, std::vector<CartNode>* later) {
        std::vector<CartNode> stack;
        stack.push_back(std::move(root));
        for (std::size_t turn = 0; !stack.empty(); ++turn) {
            if ((shared_ || turn % 64 == 0) && job_.interrupt.requested()) return;
            CartNode node = std::move(stack.back());
            stack.pop_back();
            if (later && !node.is_leaf && node.rows() <= small_ && node.id != 0) {
                later->push_back(std::move(node));
                continue;
            }
            const Split split = evaluate(node);
            if (split.feature < 0) continue;
            auto [left, right] = parted(node, split);
            stack.push_back(std::move(right));
            stack.push_back(std::move(left));
        }
    }

    // The node with the largest gain first, the older one among equals, until the tree is large or good enough.
    void best_first(CartNode root) {
        struct Open {
            double gain;
            int id;
            std::size_t at;
            bool operator<(const Open& other) const { return gain != other.gain ? gain < other.gain : id > other.id; }
        };
        std::vector<std::pair<CartNode, Split>> kept;
        std::priority_queue<Open> open;
        double total_risk = 0.0;
        std::vector<double> risks;
        const auto consider = [&](CartNode node) {
            Split split = evaluate(node);
            risks.resize(tree_.feature.size());
            risks[node.id] = risk();
            total_risk += risk();
            if (split.feature < 0) return;
            // A split of several parts is finished before any other.
            const double first = node.preset ? std::numeric_limits<double>::infinity() : split.gain;
            open.push({first, node.id, kept.size()});
            kept.emplace_back(std::move(node), std::move(split));
        };
        consider(std::move(root));
        Index leaves = 1;
        while (!open.empty() && (rule_.max_leaves == 0 || leaves < rule_.max_leaves) &&
               total_risk > rule_.target_risk && !job_.interrupt.requested()) {
            auto [node, split] = std::move(kept[open.top().at]);
            open.pop();
            total_risk -= risks[node.id];
            auto [left, right] = parted(node, split);
            consider(std::move(left));
            consider(std::move(right));
            ++leaves;
        }
    }

    std::pair<CartNode, CartNode> parted(const CartNode& node, const Split& split) {
        auto children = commit(node, split);
        const Cells cells = part_.cells(node.begin, node.end, split.feature, false, scratch_);
        for (const auto& cell : cells) side_[cell.row] = split.goes_left(cell.rank);
        if (rule_.missing == CartMissing::surrogate && rule_.max_surrogates > 0) {
            const auto found = find_surrogates(job_.columns, part_, node.begin, node.end, split.feature,
                                               stand_ins(children.first), side_, rule_.max_surrogates);
            add_surrogates(node, found);
            route_missing(part_, node.begin, node.end, cells, found, side_);
        }
        const bool shared = shared_ && node.rows() > small_;
        Index middle = 0;
        if (become_leaves(node, split, children)) {
            middle = part_.partition(node.begin, node.end, side_, 0, 1, shared);
            // A gain may be all there is up to rounding, and yet leave something to split.
            if (split.final && !(is_pure(node.begin, middle) && is_pure(middle, node.end)))
                part_.partition(node.begin, node.end, side_, 1, part_.cols(), shared);
            else
                children.first.is_leaf = children.second.is_leaf = true;
        } else {
            middle = part_.partition(node.begin, node.end, side_, 0, part_.cols(), shared);
        }
        children.first.begin = node.begin;
        children.first.end = children.second.begin = middle;
        children.second.end = node.end;
        return children;
    }

    // Leaves need the list of their rows only: one column.
    bool become_leaves(const CartNode& node, const Split& split, const std::pair<CartNode, CartNode>& children) const {
        if (children.first.preset || children.second.preset || rule_.missing != CartMissing::direction) return false;
        return split.final || node.depth + 1 >= rule_.max_depth ||
               std::max(split.left_rows, split.right_rows) < rule_.min_split;
    }

    bool is_pure(Index begin, Index end) {
        scorer_->enter(part_.any_cells(begin, end, scratch_));
        return scorer_->pure();
    }

    // ---- Choice of the split ----

    Split find_split(const CartNode& node) {
        const std::vector<int>& features = draw_columns(node);
        const double tie = kTie * scorer_->weight() * scorer_->impurity();
        std::vector<ColumnSplit>& found = found_;
        std::size_t scanned = features.size();
        found.resize(scanned);
        if (found.empty()) return {};
        if (shared_ && node.rows() > small_) {
            parallel_for(Index(features.size()), [&](Index k) {
                if (job_.interrupt.requested()) return;
                const auto own = scorer_->copy();
                std::vector<Cell> scratch;
                found[k] = scan(node, features[k], tie, *own, scratch);
            });
        } else {
            // Once both sides are pure no other column can do better.
            const double all = scorer_->weight() * scorer_->impurity() - tie;
            std::size_t k = 0;
            do found[k] = scan(node, features[k], tie, *scorer_, scratch_);
            while (found[k].gain < all && ++k < features.size());
            scanned = std::min(k + 1, features.size());
        }
        Split best;
        std::size_t at = features.size();
        for (std::size_t k = 0; k < scanned; ++k) {
            tree_.evaluations += found[k].evaluations;
            if (found[k].gain == kNoGain) continue;
            if (at < features.size() && !(found[k].gain > found[at].gain + tie)) continue;
            at = k;
        }
        if (at == features.size()) return best;
        static_cast<ColumnSplit&>(best) = std::move(found[at]);
        best.feature = features[at];
        best.final = best.gain >= scorer_->weight() * scorer_->impurity() - tie;
        if (best.by_set) fill_set(best, best.levels, best.left_rows > best.right_rows);
        return best;
    }

    ColumnSplit scan(const CartNode& node, int feature, double tie, CartScorer& scorer, std::vector<Cell>& scratch) {
        const Cells cells = part_.cells(node.begin, node.end, feature, !rule_.random_splits, scratch);
        const ScanRule rule{rule_.min_leaf, rule_.min_weight_leaf, monotone_of(feature), node.lower, node.upper, tie};
        return scorer.scan(cells, {rule, rule_.missing, rule_.categories, is_categorical(feature), rule_.random_splits,
                                   job_.columns.values[feature], rule_.seed ^ 0x9E3779B97F4A7C15u,
                                   node.key + std::uint64_t(feature) * 0xD1B54A32D192ED03u});
    }

    // Columns that may be tested here; the first of those that are equally good wins. All of them, or as many as wanted
    // drawn without replacement; where these are all constant, further ones until one is not.
    const std::vector<int>& draw_columns(const CartNode& node) {
        std::vector<int>& allowed = allowed_;
        allowed.clear();
        for (Index j = 0; j < part_.cols(); ++j)
            if (is_allowed(node, j)) allowed.push_back(int(j));
        const Index wanted = rule_.max_features;
        if (wanted >= part_.cols()) {
            std::erase_if(allowed, [&](int j) { return part_.is_constant(node.begin, node.end, j); });
            if (rule_.random_start && !allowed.empty()) {
                const auto first = Rng(rule_.seed, node.key).below(std::uint32_t(allowed.size()));
                std::rotate(allowed.begin(), allowed.begin() + first, allowed.end());
            }
            return allowed;
        }
        Rng rng(rule_.seed, node.key);
        std::vector<int>& drawn = drawn_;
        drawn.clear();
        const auto n_allowed = Index(allowed.size());
        for (Index k = 0; k < n_allowed && (k < wanted || drawn.empty()); ++k) {
            const int j = draw_next(allowed.begin(), k, n_allowed, rng);
            if (!part_.is_constant(node.begin, node.end, j)) drawn.push_back(j);
        }
        return drawn;
    }

    bool is_allowed(const CartNode& node, Index j) const {
        if (rule_.together.rows == 0) return true;
        for (Index s = 0; s < rule_.together.rows; ++s)
            if ((node.alive.empty() || node.alive[s]) && rule_.together(s, j)) return true;
        return false;
    }

    // Columns on which a split above `child` may be imitated. One with a direction would send a row to the other side
    // as it rises, whatever that side says; and the path must stay within each set that it may still be of.
    std::vector<int> stand_ins(const CartNode& child) const {
        std::vector<int> found;
        for (Index j = 0; j < part_.cols(); ++j) {
            bool fits = monotone_of(int(j)) == 0;
            for (std::size_t s = 0; s < child.alive.size(); ++s)
                fits = fits && (!child.alive[s] || rule_.together(Index(s), j));
            if (fits) found.push_back(int(j));
        }
        return found;
    }

    bool is_categorical(int feature) const {
        return !job_.columns.categorical.empty() && job_.columns.categorical[feature];
    }

    int monotone_of(int feature) const { return rule_.monotone.empty() ? 0 : rule_.monotone[feature]; }

    // ---- Splits of more than two parts, as chains ----

    void set_presets(const CartNode& node, const Split& split, CartNode& left, CartNode& right) {
        if (split.branch && split.first_right != kMissingRank) {
            Preset inner;
            inner.split = split;
            inner.split.branch = false;
            left.preset = std::make_shared<const Preset>(std::move(inner));
        } else if (split.multiway) {
            const std::size_t next = (node.preset ? node.preset->next : 0) + 1;
            if (next + 1 < split.levels.size()) right.preset = std::make_shared<const Preset>(Preset{split, next});
        }
    }

    // The gain of the whole split is booked at its first node.
    Split from_preset(const Preset& preset) {
        Split split = preset.split;
        split.gain = 0.0;
        if (split.multiway) {
            const std::uint32_t level = split.levels[preset.next];
            fill_set(split, {&level, 1}, false);
        }
        return split;
    }

    // The set of the levels that go left; levels that the node has not seen go where most of its rows go.
    void fill_set(Split& split, Span<const std::uint32_t> levels, bool others_left) {
        if (split.multiway) {
            levels = levels.first(1);
            others_left = false;
        }
        split.left_set.assign(tree_.words, 0u);
        if (others_left) {
            std::fill(split.left_set.begin(), split.left_set.end(), ~0u);
            for (const auto level : split.right_levels) split.left_set[level / 32] &= ~(1u << (level % 32));
        }
        for (const auto level : levels) split.left_set[level / 32] |= 1u << (level % 32);
    }

    int add_set(const std::vector<std::uint32_t>& words) {
        tree_.left_sets.insert(tree_.left_sets.end(), words.begin(), words.end());
        return int(tree_.left_sets.size() / std::size_t(tree_.words)) - 1;
    }

    double threshold_of(const Split& split) const {
        if (split.by_set) return 0.0;
        if (split.branch) return std::numeric_limits<double>::infinity();
        if (split.threshold == split.threshold) return split.threshold;
        if (split.first_right == kMissingRank) return std::numeric_limits<double>::infinity();
        return midway(job_.columns.values[split.feature], split.last_left, split.first_right);
    }

    static std::uint64_t mixed(std::uint64_t x) {  // splitmix64
        x += 0x9E3779B97F4A7C15u;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
        return x ^ (x >> 31);
    }

    const CartJob& job_;
    const CartRule& rule_;
    CartPart& part_;
    std::unique_ptr<CartScorer> scorer_;
    CartTree tree_;
    double total_weight_;
    Index small_ = small_node(part_.cols());
    bool shared_ = false;
    std::vector<std::uint8_t> side_;  // 1: the row goes left
    std::vector<Cell> scratch_;
    std::vector<ColumnSplit> found_;
    std::vector<int> allowed_, drawn_;
};

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

// Puts a subtree in the place of node `at`.
void graft(CartTree& tree, int at, const CartTree& branch) {
    if (tree.size() == 0) {
        tree = branch;
        return;
    }
    // The branch's root takes the place of `at`; its other nodes follow at the end.
    const auto n = tree.feature.size(), m = branch.feature.size();
    const int sets = int(tree.left_sets.size() / std::size_t(tree.words)), shift = int(n) - 1;
    const Index k = at;
    const auto move_in = [&](auto& to, const auto& from) {
        to[k] = from[0];
        to.insert(to.end(), from.begin() + 1, from.end());
    };
    move_in(tree.feature, branch.feature);
    move_in(tree.child, branch.child);
    move_in(tree.category_set, branch.category_set);
    move_in(tree.threshold, branch.threshold);
    move_in(tree.gain, branch.gain);
    move_in(tree.impurity, branch.impurity);
    move_in(tree.weight, branch.weight);
    move_in(tree.missing_left, branch.missing_left);
    move_in(tree.rows, branch.rows);
    const Index width = tree.width;
    std::copy_n(branch.value.begin(), width, tree.value.begin() + std::ptrdiff_t(k * width));
    tree.value.insert(tree.value.end(), branch.value.begin() + std::ptrdiff_t(width), branch.value.end());
    append(tree.left_sets, branch.left_sets);
    const auto settle = [&](std::size_t node) {
        if (tree.child[node] > 0) tree.child[node] += shift;
        if (tree.category_set[node] >= 0) tree.category_set[node] += sets;
    };
    settle(k);
    for (std::size_t node = n; node < n + m - 1; ++node) settle(node);
    for (std::size_t s = 0; s < branch.surrogate_node.size(); ++s) {
        const int node = branch.surrogate_node[s], set = branch.surrogate_set[s];
        tree.surrogate_node.push_back(node == 0 ? at : node + shift);
        tree.surrogate_set.push_back(set < 0 ? -1 : set + sets);
    }
    append(tree.surrogate_feature, branch.surrogate_feature);
    append(tree.surrogate_threshold, branch.surrogate_threshold);
    append(tree.surrogate_agreement, branch.surrogate_agreement);
    append(tree.surrogate_adjusted, branch.surrogate_adjusted);
    append(tree.surrogate_below_left, branch.surrogate_below_left);
    tree.evaluations += branch.evaluations;
}

// Numbers the nodes so that siblings are neighbours and subtrees lie together.
CartTree in_order(const CartTree& tree) {
    const auto n = tree.feature.size(), width = std::size_t(tree.width);
    CartTree out = tree;
    if (n == 0) return out;
    std::vector<int> old_of(n), new_of(n);
    std::vector<int> stack{0};
    int next = 1;
    while (!stack.empty()) {
        const int node = stack.back();
        stack.pop_back();
        const int first = tree.child[node];
        if (first == 0) continue;
        for (const int side : {0, 1}) {
            new_of[first + side] = next + side;
            old_of[next + side] = first + side;
        }
        next += 2;
        stack.push_back(first + 1);
        stack.push_back(first);
    }
    for (std::size_t k = 0; k < n; ++k) {
        const Index from = old_of[k];
        out.feature[k] = tree.feature[from];
        out.child[k] = tree.child[from] == 0 ? 0 : new_of[tree.child[from]];
        out.category_set[k] = tree.category_set[from];
        out.threshold[k] = tree.threshold[from];
        out.gain[k] = tree.gain[from];
        out.impurity[k] = tree.impurity[from];
        out.weight[k] = tree.weight[from];
        out.missing_left[k] = tree.missing_left[from];
        out.rows[k] = tree.rows[from];
        std::copy_n(tree.value.begin() + std::ptrdiff_t(from * width), width,
                    out.value.begin() + std::ptrdiff_t(k * width));
    }
    // Surrogates of a node stay together, in the order of the nodes.
    const auto m = tree.surrogate_node.size();
    std::vector<std::size_t> order(m);
    std::iota(order.begin(), order.end(), std::size_t(0));
    const auto node_of = [&](std::size_t s) { return new_of[tree.surrogate_node[s]]; };
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return node_of(a) < node_of(b); });
    for (std::size_t s = 0; s < m; ++s) {
        out.surrogate_node[s] = node_of(order[s]);
        out.surrogate_feature[s] = tree.surrogate_feature[order[s]];
        out.surrogate_set[s] = tree.surrogate_set[order[s]];
        out.surrogate_threshold[s] = tree.surrogate_threshold[order[s]];
        out.surrogate_agreement[s] = tree.surrogate_agreement[order[s]];
        out.surrogate_adjusted[s] = tree.surrogate_adjusted[order[s]];
        out.surrogate_below_left[s] = tree.surrogate_below_left[order[s]];
    }
    return out;
}

// Rows in pieces: every node has a part of its own, in which a row may stand with a fraction of its weight.
CartTree grow_pieces(const CartJob& job, MakeScorer make_scorer, double total) {
    struct Piece {
        std::unique_ptr<CartPart> part;
        CartNode node;
    };
    CartTree tree;
    std::vector<Piece> stack;
    CartNode root;
    auto whole = std::make_unique<CartPart>(job.columns, job.target, true);
    root.end = whole->rows();
    stack.push_back({std::move(whole), std::move(root)});
    std::vector<std::uint32_t> local;
    std::vector<double> shares;
    while (!stack.empty() && !job.interrupt.requested()) {
        Piece piece = std::move(stack.back());
        stack.pop_back();
        const int at = piece.node.id;
        CartGrower grower(job, *piece.part, make_scorer, total);
        piece.node.id = grower.add_node();
        const Split split = grower.evaluate(piece.node);
        if (split.feature < 0) {
            graft(tree, at, grower.tree());
            continue;
        }
        auto [left, right] = grower.commit(piece.node, split);
        graft(tree, at, grower.tree());
        left.id = tree.child[at];
        right.id = left.id + 1;
        const Index n = piece.part->rows();
        const CartTarget target = piece.part->target();
        std::vector<Cell> scratch;
        const Cells cells = piece.part->cells(0, n, split.feature, false, scratch);
        double known = 0.0, known_left = 0.0;
        for (const auto& cell : cells) {
            if (cell.rank == kMissingRank) continue;
            known += target.weight(cell.row);
            if (split.goes_left(cell.rank)) known_left += target.weight(cell.row);
        }
        for (const bool to_left : {false, true}) {
            const double share = (to_left ? known_left : known - known_left) / known;
            shares.assign(n, 0.0);
            for (const auto& cell : cells) {
                const bool here = split.goes_left(cell.rank) == to_left;
                shares[cell.row] = target.weight(cell.row) * (cell.rank == kMissingRank ? share : double(here));
            }
            local.resize(n);
            auto part = std::make_unique<CartPart>(*piece.part, 0, n, local, shares);
            CartNode node = to_left ? left : right;
            node.end = part->rows();
            stack.push_back({std::move(part), std::move(node)});
        }
    }
    return tree;
}

}  // namespace

CartTree grow_with(const CartJob& job, MakeScorer make_scorer) {
    double total = 0.0;
    for (Index i = 0; i < job.target.rows; ++i) total += job.target.weight(std::uint32_t(i));
    if (job.rule.missing == CartMissing::fractional) return in_order(grow_pieces(job, make_scorer, total));
    CartPart whole(job.columns, job.target, job.rule.presort);
    std::vector<CartNode> later;
    CartNode root;
    root.end = whole.rows();
    const bool best_first = job.rule.max_leaves > 0 || job.rule.target_risk >= 0.0;
    CartTree tree = CartGrower(job, whole, make_scorer, total).grow(root, true, best_first ? nullptr : &later);
    std::vector<CartTree> branches(later.size());
    std::vector<std::uint32_t> local(whole.rows());
    // The largest first, so that no thread is left with one at the end.
    std::vector<std::size_t> order(later.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return later[a].rows() > later[b].rows(); });
    parallel_for(Index(later.size()), [&](Index t) {
        if (job.interrupt.requested()) return;
        const auto k = order[t];
        CartPart part(whole, later[k].begin, later[k].end, local);
        CartNode node = later[k];
        node.begin = 0;
        node.end = part.rows();
        branches[k] = CartGrower(job, part, make_scorer, total).grow(std::move(node), false, nullptr);
    });
    for (std::size_t k = 0; k < later.size(); ++k)
        if (branches[k].size() > 0) graft(tree, later[k].id, branches[k]);
    return in_order(tree);
}

}  // namespace statlearn::trees
