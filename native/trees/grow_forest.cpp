#include "trees/grow_forest.hpp"

#include <cassert>
#include <mutex>
#include <type_traits>
#include <utility>

#include "common/parallel.hpp"
#include "common/samplers.hpp"
#include "trees/forest_arrays.hpp"
#include "trees/forest_rows.hpp"
#include "trees/forest_targets.hpp"

namespace statlearn::trees {

namespace {

using namespace binned;

// A row of bins beyond this is not moved about: a node reads too little of it. Nor is a larger table, or one of which
// the threads would hold more copies than these bytes; rows stay in the same order either way, and results the same.
constexpr Index kWidestMoved = 512;
constexpr Index kMovedBytes = Index{1} << 28;
constexpr Index kAllMovedBytes = Index{1} << 30;

// A node that is not finished, and its place in the tree.
struct Open {
    int node;
    Range rows;
    int depth;
    double lower, upper;     // bounds that monotone columns above have set
    std::uint64_t side = 0;  // all that the target wants to know of the rows, where it knows_sides()
};

struct Candidate {
    double gain;
    Open open;
    Split split;
};

template <class Target, template <class> class RowStore>
class Grower {
public:
    Grower(const ForestTable& table, const ForestTarget& target, const ForestRules& rules, Index largest,
           const Interrupt& interrupt)
        : table_(table),
          rules_(rules),
          interrupt_(interrupt),
          width_(target.width()),
          rows_(table),
          target_(table, target, rules, largest),
          columns_(table, rules),
          order_(table.columns()) {
        classes_ = !target.n_classes.empty();
    }

    // Fills an empty tree.
    void grow(Span<const std::uint32_t> counts, Rng& rng, GrownTree& tree) {
        std::swap(tree_, tree);
        std::iota(order_.begin(), order_.end(), 0);
        target_.begin(counts);
        const Range all = rows_.begin(counts, target_);
        bytes_.resize(std::max(bytes_.size(), std::size_t(all.size() + kPad) * kTogether));
        add_nodes(1);
        const double infinite = std::numeric_limits<double>::infinity();
        const Open root{0, all, 0, -infinite, infinite};
        if (rules_.max_leaves > 0)
            best_first(root, rng);
        else
            depth_first(root, rng);
        tree_.evaluations = std::exchange(columns_.evaluations, 0);
        std::swap(tree_, tree);
    }

private:
    void add_nodes(std::size_t more) {
        tree_.nodes.resize(tree_.nodes.size() + more);
        tree_.value.resize(tree_.value.size() + more * std::size_t(width_));
    }

    void depth_first(const Open& root, Rng& rng) {
        std::vector<Open> stack{root};
        Split split;
        while (!stack.empty()) {
            Open open = stack.back();
            stack.pop_back();
            if (stopped(open)) return;
            if (!look(open, rng, split)) continue;
            const auto [left, right] = divide(open, split);
            stack.push_back(right);
            stack.push_back(left);
        }
    }

    void best_first(const Open& root, Rng& rng) {
        std::vector<Candidate> heap;
        const auto less = [](const Candidate& a, const Candidate& b) {
            return a.gain < b.gain || (a.gain == b.gain && a.open.node > b.open.node);
        };
        const auto offer = [&](const Open& open) {
            Candidate candidate{0.0, open, {}};
            if (stopped(open) || !look(candidate.open, rng, candidate.split)) return;
            candidate.gain = target_.gain(candidate.split.score);
            heap.push_back(candidate);
            std::push_heap(heap.begin(), heap.end(), less);
        };
        offer(root);
        for (int leaves = 1; leaves < rules_.max_leaves && !heap.empty(); ++leaves) {
            std::pop_heap(heap.begin(), heap.end(), less);
            const Candidate best = heap.back();
            heap.pop_back();
            const auto [left, right] = divide(best.open, best.split);
            offer(left);
            offer(right);
        }
        for (const auto& left : heap) tree_.nodes[left.open.node].gain = 0.0;
    }

    bool stopped(const Open& open) {
        if (open.rows.size() < 1000 && ++unasked_ < 256) return stop_;
        unasked_ = 0;
        return stop_ = stop_ || interrupt_.requested();
    }

    // Measures a node and finds its split; whether there is one.
    bool look(Open& open, Rng& rng, Split& split) {
        const Index k = open.node;
        const auto rows = rows_.view(open.rows);
        const Index m = rows.size();
        double* value = tree_.value.data() + k * std::size_t(width_);
        const NodeFacts facts = measured(open, rows, value);
        GrownNode& node = tree_.nodes[k];
        node.child = open.node;
        node.rows = m;
        node.weight = facts.weight;
        node.impurity = facts.impurity;
        if (open.node == 0) total_ = facts.weight;
        if (!rules_.monotone.empty()) clip(facts.mean, open, value);
        Limits limits;
        limits.min_leaf = rules_.min_leaf;
        limits.min_weight = rules_.min_leaf_share * total_;
        limits.monotone = !rules_.monotone.empty();
        limits.lower = open.lower, limits.upper = open.upper;
        limits.careful = limits.min_leaf > 1 || limits.min_weight > 0 || limits.monotone;
        if (facts.pure || m < rules_.min_split || m < 2 * rules_.min_leaf || facts.weight < 2 * limits.min_weight ||
            (rules_.max_depth > 0 && open.depth >= rules_.max_depth))
            return false;
        target_.prepare(rows);
        split.score = kNever;
        split.feature = -1;
        search(open.rows, limits, rng, split);
        if (split.feature < 0) return false;
        const double gain = target_.gain(split.score);
        if (gain / total_ + std::numeric_limits<double>::epsilon() < rules_.min_decrease) return false;
        node.gain = gain;
        return true;
    }

    template <class Rows>
    NodeFacts measured(Open& open, const Rows& rows, double* value) {
        if constexpr (Target::kSides) {
            if (target_.knows_sides()) {
                if (open.node != 0) return target_.recall(open.side, value);
                const NodeFacts facts = target_.measure(rows, value);
                open.side = target_.side();
                return facts;
            }
        }
        return target_.measure(rows, value);
    }

    void search(const Range& range, const Limits& limits, Rng& rng, Split& best) {
        const int p = int(order_.size());
        const bool all = rules_.max_features >= p;
        // All columns are looked at: only ties depend on their order, for which a random start is enough.
        int next = all ? int(rng.below(std::uint32_t(p))) : 0;
        int constant = 0, seen = 0;
        while (seen < p && (seen < rules_.max_features || seen == constant)) {
            std::array<int, kTogether> features;
            const int wanted = std::clamp(rules_.max_features - seen, 1, std::min(p - seen, int(kTogether)));
            for (int l = 0; l < wanted; ++l, ++seen) {
                if (all) {
                    features[l] = next;
                    next = next + 1 == p ? 0 : next + 1;
                } else {
                    features[l] = draw_next(order_.begin(), std::size_t(seen), std::size_t(p), rng);
                }
            }
            const Index m = range.size(), apart = m + kPad;
            rows_.gather(range, {features.data(), wanted}, bytes_.data(), apart);
            for (int l = 0; l < wanted; ++l) {
                Bin* bytes = bytes_.data() + l * apart;
                pad(bytes, m);
                constant += !target_.search(columns_, features[l], bytes, m, limits, rng, best);
                if (best.score >= target_.highest_score()) return;  // of equals the first one stays
            }
        }
    }

    std::pair<Open, Open> divide(const Open& open, const Split& split) {
        const Index left = part(open, split);
        assert(left > 0 && left < open.rows.size());
        const int child = int(tree_.nodes.size());
        GrownNode& node = tree_.nodes[open.node];
        node.feature = split.feature;
        node.child = child;
        node.threshold = split.threshold;
        node.missing_left = split.missing_left;
        if (split.categorical) {
            node.category_set = int(tree_.left_sets.size());
            std::array<std::uint32_t, kSetWords> set{};
            for (std::size_t b = 0; b < kBins; ++b) set[b / 32] |= std::uint32_t{split.left[b]} << (b % 32);
            tree_.left_sets.push_back(set);
        }
        add_nodes(2);
        const Index cut = open.rows.begin + left;
        Open lower{child, {open.rows.begin, cut, open.rows.buffer}, open.depth + 1, open.lower, open.upper};
        Open upper{child + 1, {cut, open.rows.end, 1 - open.rows.buffer}, open.depth + 1, open.lower, open.upper};
        if (!rules_.monotone.empty() && rules_.monotone[split.feature] != 0) {
            const double mid = (split.left_mean + split.right_mean) / 2;
            (rules_.monotone[split.feature] > 0 ? lower.upper : lower.lower) = mid;
            (rules_.monotone[split.feature] > 0 ? upper.lower : upper.upper) = mid;
        }
        lower.side = split.left_side, upper.side = open.side - split.left_side;
        return {lower, upper};
    }

    // Moves the rows to either side; the number of those on the left.
    Index part(const Open& open, const Split& split) {
        if constexpr (Target::kSides) {
            // Nobody asks for the rows of leaves that are known.
            const std::uint64_t left = split.left_side, right = open.side - left;
            if (target_.knows_sides() && Target::is_pure(left) && Target::is_pure(right)) return Target::rows_of(left);
        }
        if (split.categorical)
            return rows_.split(open.rows, split.feature, [&](Bin bin) { return std::size_t{split.left[bin]}; });
        // One further, the missing bin is the first.
        const Bin step = split.missing_left, last = Bin(split.cut + step);
        return rows_.split(open.rows, split.feature, [=](Bin bin) { return std::size_t{Bin(bin + step) <= last}; });
    }

    void clip(double mean, const Open& open, double* value) const {
        const double inside = std::min(std::max(mean, open.lower), open.upper);
        value[width_ - 1] = inside;
        if (classes_ && width_ == 2) value[0] = 1.0 - inside;
    }

    const ForestTable& table_;
    const ForestRules& rules_;
    const Interrupt& interrupt_;
    Index width_;
    RowStore<Target> rows_;
    Target target_;
    ColumnSearch columns_;
    std::vector<int> order_;
    std::vector<Bin> bytes_;
    GrownTree tree_;
    double total_ = 0.0;
    bool classes_ = false, stop_ = false;
    int unasked_ = 0;
};

// Whole weights as counts; empty if some weight is not a whole number, or a large one.
std::vector<std::uint32_t> whole(Span<const double> weight) {
    std::vector<std::uint32_t> counts;
    counts.reserve(weight.size());
    for (const double w : weight) {
        if (!(w >= 1 && w <= 1 << 20) || w != std::floor(w)) return {};
        counts.push_back(std::uint32_t(w));
    }
    return counts;
}

template <class Target, template <class> class RowStore>
ForestArrays grow_all(const ForestTable& table, const ForestTarget& target, const ForestRules& rules,
                      Span<const std::uint32_t> fixed, Span<const std::uint64_t> seeds, const Interrupt& interrupt) {
    std::vector<double> cumulative(rules.bootstrap ? target.weight.size() : 0);
    double sum = 0.0;
    for (std::size_t i = 0; i < cumulative.size(); ++i) cumulative[i] = sum += target.weight[i];
    Index largest = rules.draws;
    if (!rules.bootstrap) {
        largest = table.rows();
        if (!fixed.empty()) largest = std::accumulate(fixed.begin(), fixed.end(), Index{0});
    }
    using Own = Grower<Target, RowStore>;
    ForestCollector trees(seeds.size(), target.width());
    // A thread keeps its buffers from tree to tree.
    std::vector<std::unique_ptr<Own>> idle;
    std::mutex guard;
    parallel_for(Index(seeds.size()), [&](Index t) {
        if (interrupt.requested()) return;
        std::unique_ptr<Own> grower;
        {
            const std::lock_guard lock(guard);
            if (!idle.empty()) {
                grower = std::move(idle.back());
                idle.pop_back();
            }
        }
        if (!grower) grower = std::make_unique<Own>(table, target, rules, largest, interrupt);
        const std::uint64_t seed = seeds[t];
        std::vector<std::uint32_t> counts(table.rows(), 1);
        if (rules.bootstrap)
            bootstrap_counts(seed, rules.draws, cumulative, counts);
        else if (!fixed.empty())
            counts.assign(fixed.begin(), fixed.end());
        Rng rng(seed, 1);
        GrownTree tree = trees.spare();
        grower->grow(counts, rng, tree);
        if (interrupt.requested()) return;
        trees.add(std::size_t(t), std::move(tree));
        const std::lock_guard lock(guard);
        idle.push_back(std::move(grower));
    });
    return trees.finish();
}

}  // namespace

template <class T>
void bin_ranges(Matrix<const T> X, Matrix<const Bin> by_column, Matrix<double> low, Matrix<double> high) {
    parallel_for(X.cols, [&](Index j) {
        std::array<T, kBins> least, most;
        least.fill(std::numeric_limits<T>::infinity());
        most.fill(-std::numeric_limits<T>::infinity());
        const Bin* bin = by_column.row(j);
        for (Index i = 0; i < X.rows; ++i) {
            const T x = X(i, j);
            least[bin[i]] = std::min(least[bin[i]], x);
            most[bin[i]] = std::max(most[bin[i]], x);
        }
        double before = 0.0;
        for (Index b = 0; b < kMissing; ++b) {
            const bool empty = least[b] > most[b];
            low(j, b) = empty ? before : double(least[b]);
            high(j, b) = before = empty ? before : double(most[b]);
        }
    });
}

template void bin_ranges(Matrix<const float>, Matrix<const Bin>, Matrix<double>, Matrix<double>);
template void bin_ranges(Matrix<const double>, Matrix<const Bin>, Matrix<double>, Matrix<double>);

void bootstrap_counts(std::uint64_t seed, Index draws, Span<const double> cumulative, Span<std::uint32_t> counts) {
    Rng rng(seed, 0);
    std::fill(counts.begin(), counts.end(), 0u);
    if (cumulative.empty()) {
        const auto n = std::uint32_t(counts.size());
        for (Index i = 0; i < draws; ++i) ++counts[rng.below(n)];
        return;
    }
    for (Index i = 0; i < draws; ++i) ++counts[draw_by_sums(cumulative, rng)];
}

ForestArrays grow_forest(const ForestTable& table, const ForestTarget& target, const ForestRules& rules,
                         Span<const std::uint64_t> seeds, const Interrupt& interrupt) {
    const auto counts = rules.bootstrap ? std::vector<std::uint32_t>{} : whole(target.weight);
    const bool whole_weights = rules.bootstrap || target.weight.empty() || !counts.empty();
    const bool simple = whole_weights && !rules.balanced && target.y.cols == 1;
    const Index bytes = table.rows() * (table.columns() + 32),
                growers = std::min<Index>(threads(), Index(seeds.size()));
    const bool moved = table.columns() <= kWidestMoved && bytes <= kMovedBytes && bytes * growers <= kAllMovedBytes;
    const auto run = [&]<class Target>(std::type_identity<Target>) {
        const auto fixed = simple ? Span<const std::uint32_t>(counts) : Span<const std::uint32_t>{};
        return moved ? grow_all<Target, MovedRows>(table, target, rules, fixed, seeds, interrupt)
                     : grow_all<Target, NumberedRows>(table, target, rules, fixed, seeds, interrupt);
    };
    if (!simple) return run(std::type_identity<AnyTarget>{});
    if (target.n_classes.empty()) return run(std::type_identity<NumberTarget>{});
    return run(std::type_identity<ClassTarget>{});
}

}  // namespace statlearn::trees
