#include "trees/boosting_tree.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "common/parallel.hpp"
#include "trees/frontier.hpp"
#include "trees/histogram.hpp"

namespace statlearn::trees {

namespace {

constexpr Index kLargeNode = 1 << 15;      // rows from which the work inside one node is shared among threads
constexpr Index kPartitionRows = 1 << 13;  // rows that a thread parts at a time
constexpr Index kSharedRows = 1 << 12;     // rows from which threads share the work on a histogram
constexpr Index kManyCells = 1 << 15;      // cells of a histogram from which the search for a split always is

template <class Cell>
struct Leaf : OpenLeaf {
    Cell total{};
    double rows_per_h = 0.0;
    std::unique_ptr<Cell[]> cells;  // its histogram; null when it cannot be split any more
    bool expanded = false;
    std::array<std::unique_ptr<Leaf>, 2> parts;  // the leaves that its split makes, once expanded

    Leaf() = default;
    explicit Leaf(OpenLeaf&& open) : OpenLeaf(std::move(open)) {}
};

// Moves the rows that go left to the front, both sides in their former order; returns how many there are.
template <class CodeOf>
Index partition_rows(Span<std::uint32_t> rows, Span<std::uint32_t> scratch, CodeOf code_of,
                     const std::vector<std::uint8_t>& left, bool shared) {
    const Blocks blocks(Index(rows.size()), shared ? kPartitionRows : std::max<Index>(Index(rows.size()), 1));
    const int workers = shared ? threads() : 1;
    std::vector<Index> n_left(blocks.count());
    // Each block to its place in the scratch: what goes left from its front, what goes right from its back.
    parallel_for(blocks.count(), workers, [&](Index b) {
        const std::uint32_t* row = rows.data() + blocks.begin(b);
        const Index m = blocks.end(b) - blocks.begin(b);
        std::uint32_t *front = scratch.data() + blocks.begin(b), *back = front + m - 1;
        for (Index k = 0; k < m; ++k) {
            const std::uint32_t i = row[k];
            const Index go = left[code_of(i)];
            *front = i;
            *back = i;
            front += go;
            back -= 1 - go;
        }
        n_left[b] = front - (scratch.data() + blocks.begin(b));
    });
    std::vector<Index> before(n_left.size() + 1);  // how many go left in all blocks before one
    for (std::size_t b = 0; b < n_left.size(); ++b) before[b + 1] = before[b] + n_left[b];
    const Index middle = before.back();
    parallel_for(blocks.count(), workers, [&](Index b) {
        const std::uint32_t *from = scratch.data() + blocks.begin(b), *to = scratch.data() + blocks.end(b);
        const Index first = before[b], lefts = n_left[b];
        std::copy(from, from + lefts, rows.data() + first);
        std::reverse_copy(from + lefts, to, rows.data() + middle + blocks.begin(b) - first);
    });
    return middle;
}

template <class T, class Mode>
class Grower {
    using Cell = typename Mode::Cell;
    using Node = Leaf<Cell>;
    using Nodes = std::vector<std::unique_ptr<Node>>;

public:
    Grower(const BinnedRows& data, Mode mode, const GrowRule& rule, const Interrupt& interrupt,
           Span<std::uint32_t> order, Span<std::uint32_t> scratch)
        : data_(data),
          mode_(std::move(mode)),
          rule_(rule),
          choice_(rule, data.features.count()),
          interrupt_(interrupt),
          order_(order),
          scratch_(scratch),
          by_work_(data.features.count()) {
        std::iota(by_work_.begin(), by_work_.end(), 0);
        std::stable_sort(by_work_.begin(), by_work_.end(), [&](int a, int b) { return work(a) > work(b); });
    }

    BoostingTree grow(Span<const T> g, Span<const T> h) {
        auto root = std::make_unique<Node>();
        root->end = Index(order_.size());
        root->node = draft_.add_node({});
        if (root->may_split(rule_)) {
            root->cells = new_cells();
            mode_.build(order_, root->rows() >= kLargeNode, 0, root->cells.get());
            for (int b = 0; b < kBins; ++b) root->total += root->cells[b];  // one column has all rows
            Node* const nodes[] = {root.get()};
            find_splits(nodes, nullptr, root->rows() >= kLargeNode);
        }
        Nodes leaves;
        leaves.push_back(std::move(root));
        int budget = rule_.max_leaves - 1;
        while (budget > 0 && !interrupt_.requested()) {
            const auto next = std::max_element(leaves.begin(), leaves.end(), [&](const auto& a, const auto& b) {
                return comes_before(*b, *a, rule_);
            });
            if (!((*next)->priority > 0.0)) break;
            if (!(*next)->expanded) {
                expand_some(leaves, budget);
                continue;  // it may have turned out to have no split
            }
            auto done = std::move(*next);
            leaves.erase(next);
            auto& [left, right] = done->parts;
            left->node = draft_.split(done->node, done->split, done->begin, done->end, left->bounds, right->bounds);
            right->node = left->node + 1;
            --budget;
            leaves.push_back(std::move(left));
            leaves.push_back(std::move(right));
        }
        return finish(leaves, g, h);
    }

private:
    // What the search of a feature costs, roughly: categories are sorted.
    Index work(int feature) const {
        const Index codes = data_.codes(feature);
        return data_.features.ordered[feature] ? codes : 8 * codes;
    }

    std::unique_ptr<Cell[]> new_cells() const { return std::unique_ptr<Cell[]>(new Cell[data_.cells()]); }

    // Splits the next leaf, and beside it, on idle threads, leaves that will probably be next: what a split does
    // depends on its leaf alone, so that the tree is the same whether it was made early or in turn.
    void expand_some(Nodes& leaves, int budget) {
        std::vector<Node*> wave;
        for (auto& leaf : leaves)
            if (!leaf->expanded && leaf->priority > 0) wave.push_back(leaf.get());
        std::sort(wave.begin(), wave.end(), [&](const Node* a, const Node* b) { return comes_before(*a, *b, rule_); });
        const int workers = threads();
        std::size_t width = 1;
        if (wave[0]->rows() < kLargeNode)
            while (width < wave.size() && width < std::size_t(std::min(workers, budget)) &&
                   wave[width]->rows() < kLargeNode)
                ++width;
        if (width == 1)
            expand(*wave[0], true, 0, budget == 1);
        else
            parallel_for(Index(width), [&](Index k) { expand(*wave[k], false, k, false); });
    }

    // Makes the two leaves of the node's split; `last`: they will not be split themselves.
    void expand(Node& node, bool shared, Index worker, bool last) {
        const Index middle = partition(node, shared);
        if (middle < 0) return;
        const auto [left, right] = child_bounds(node.split, rule_, node.bounds);
        const auto groups = choice_.groups_below(node.groups, node.split.feature);
        node.parts[0] = std::make_unique<Node>(node.child(node.begin, middle, left, groups));
        node.parts[1] = std::make_unique<Node>(node.child(middle, node.end, right, groups));
        Node& first = *node.parts[0];
        Node& second = *node.parts[1];
        if (!last && (first.may_split(rule_) || second.may_split(rule_))) {
            Node& small = first.rows() <= second.rows() ? first : second;
            Node& large = first.rows() <= second.rows() ? second : first;
            small.cells = new_cells();
            mode_.build(rows_of(small), shared && small.rows() >= kSharedRows, worker, small.cells.get());
            large.cells = std::move(node.cells);
            const Index width = data_.cells();
            for (Index c = 0; c < width; ++c) large.cells[c] -= small.cells[c];
            std::vector<Node*> open;
            for (Node* part : {&small, &large}) {
                for (int b = 0; b < kBins; ++b) part->total += part->cells[b];
                if (part->may_split(rule_)) open.push_back(part);
            }
            find_splits(open, nullptr, shared && node.rows() >= kLargeNode);
            for (Node* part : {&small, &large})
                if (part->priority <= 0.0) part->cells.reset();
        }
        node.cells.reset();
        node.expanded = true;
    }

    // Brings the node's rows into the order of its split and returns where the right side begins; -1 when it turns out
    // that no split leaves both sides enough rows.
    Index partition(Node& node, bool shared) {
        const Span<std::uint32_t> rows = order_.subspan(node.begin, node.rows());
        for (;;) {
            const Index feature = node.split.feature;
            std::vector<std::uint8_t> left(data_.codes(feature));
            for (std::size_t code = 0; code < left.size(); ++code)
                left[code] = node.split.goes_left(data_.features.bin(feature, int(code)));
            const auto scratch = scratch_.subspan(node.begin);
            const bool split_work = shared && node.rows() >= kLargeNode;
            const auto split_by = [&](auto code_of) {
                return partition_rows(rows, scratch, code_of, left, split_work);
            };
            const auto& slots = data_.features;
            const Index w = slots.wide[feature];
            const Bin* bins = w < 0 ? data_.by_column.row(slots.column[feature]) : nullptr;
            const Index n_left = w < 0 ? split_by([&](std::uint32_t i) { return bins[i]; })
                                       : split_by([&](std::uint32_t i) { return data_.wide(i, w); });
            if (n_left >= rule_.min_leaf_rows && node.rows() - n_left >= rule_.min_leaf_rows)
                return node.begin + n_left;
            // The share of h misjudged the rows: choose again among splits with enough of them.
            std::sort(rows.begin(), rows.end());
            const double priority = node.priority;
            const auto counts = count_rows(node);
            Node* const nodes[] = {&node};
            find_splits(nodes, counts.data(), split_work);
            if (node.priority <= 0.0) return -1;
            node.priority = priority;
        }
    }

    Span<const std::uint32_t> rows_of(const Node& node) const { return {order_.data() + node.begin, node.rows()}; }

    // The rows of every code of every column.
    std::vector<double> count_rows(const Node& node) const {
        std::vector<double> counts(data_.cells());
        for (Index j = 0; j < data_.columns(); ++j)
            for (const auto i : rows_of(node)) counts[j * kBins + data_.by_column(j, i)] += 1.0;
        for (const auto i : rows_of(node))
            for (Index w = 0; w < data_.wide.cols; ++w) counts[data_.wide_cells[w] + data_.wide(i, w)] += 1.0;
        return counts;
    }

    // The best split of each node over the features; ties go to the lowest feature, then to the lowest bin. `counts`:
    // the rows of every code, where they are known (of one node only). `shared`: whether threads share the features.
    void find_splits(Span<Node* const> nodes, const double* counts, bool shared) const {
        struct Search {
            Sums total;
            std::vector<std::uint8_t> chosen;
            std::vector<BoostingSplit> best;
        };
        const Index p = data_.features.count();
        std::vector<Search> searches;
        for (Node* node : nodes) {
            node->rows_per_h = mode_.rows_per_h(node->total, node->rows());
            Sums total = mode_.sums(node->total, node->rows_per_h);
            total.rows = double(node->rows());
            searches.push_back(
                {total, choice_.features(node->groups, node->name()), std::vector<BoostingSplit>(p, BoostingSplit{})});
        }
        const bool many = shared || data_.cells() >= kManyCells;
        const auto count = Index(nodes.size());
        parallel_for(count * p, many ? threads() : 1, [&](Index unit) {
            auto& search = searches[unit % count];
            const Index j = by_work_[unit / count];
            if (search.chosen.empty() || search.chosen[j])
                search_feature(*nodes[unit % count], search.total, int(j), counts, search.best[j]);
        });
        for (Index k = 0; k < nodes.size(); ++k) {
            Node& node = *nodes[k];
            node.split = {};
            for (auto& split : searches[k].best)
                if (is_better(split.gain, node.split.gain)) node.split = std::move(split);
            node.priority = settle_gain(node.split, searches[k].total, rule_, node.bounds);
        }
    }

    void search_feature(const Node& node, const Sums& total, int j, const double* counts, BoostingSplit& best) const {
        if (data_.features.shares_column(j)) {
            std::array<Cell, kBins> cells;
            std::array<double, kBins> rows;
            unbundle(node, j, counts, cells.data(), rows.data());
            scan_ordered(node, total, j, cells.data(), counts ? rows.data() : nullptr, best);
            return;
        }
        const Index at = data_.first_cell(j);
        const Cell* cells = node.cells.get() + at;
        const double* rows = counts ? counts + at : nullptr;
        if (data_.features.ordered[j])
            scan_ordered(node, total, j, cells, rows, best);
        else
            scan_categories(node, total, j, cells, rows, best);
    }

    // The cells of a feature's own bins; what is nowhere else is in its bin `zero`.
    void unbundle(const Node& node, int feature, const double* counts, Cell* cells, double* rows) const {
        const auto& features = data_.features;
        const Index at = features.column[feature] * kBins;
        const int zero = features.zero[feature];
        Cell rest = node.total;
        double rest_rows = double(node.rows());
        for (int b = 0; b < features.n_bins[feature]; ++b) {
            if (b == zero) continue;
            const Index code = at + features.code(feature, b);
            cells[b] = node.cells[code];
            rest -= cells[b];
            if (counts) rest_rows -= rows[b] = counts[code];
        }
        cells[zero] = rest;
        rows[zero] = rest_rows;
        cells[kMissing] = Cell{};
    }

    Sums cell_sums(const Node& node, const Cell* cells, int bin, const double* counts) const {
        Sums s = mode_.sums(cells[bin], node.rows_per_h);
        if (counts) s.rows = counts[bin];
        return s;
    }

    void scan_ordered(const Node& node, const Sums& total, int feature, const Cell* cells, const double* counts,
                      BoostingSplit& best) const {
        Prefix prefix;
        const int bins = data_.features.n_bins[feature];
        mode_.running_sums(cells, bins, node.rows_per_h, prefix);
        if (counts) {
            double rows = 0.0;
            for (int b = 0; b < bins; ++b) prefix.rows[b] = rows += counts[b];
        }
        const bool missing = Mode::present(cells[kMissing]);
        const Sums lost = missing ? cell_sums(node, cells, kMissing, counts) : Sums{};
        // Missing values to the right, then to the left; present against missing is the last candidate of the first.
        for (const bool left : {false, true}) {
            if (left && !missing) break;
            const Sums extra = left ? lost : Sums{};
            const auto found = best_candidate(prefix, missing && !left ? bins : bins - 1, extra, total, rule_,
                                              monotone_of(rule_, feature), node.bounds);
            if (!is_better(found.score, best.gain)) continue;
            best.gain = found.score;
            best.feature = feature;
            best.bin = found.index;
            best.left = prefix.at(found.index) + extra;
            best.right = total - best.left;
            // A value missing only at prediction goes where most of the rows went.
            best.missing_left = missing ? left : best.left.rows >= best.right.rows;
        }
    }

    void scan_categories(const Node& node, const Sums& total, int feature, const Cell* cells, const double* counts,
                         BoostingSplit& best) const {
        std::vector<std::pair<int, Sums>> level;
        const int codes = data_.codes(feature);
        level.reserve(std::size_t(data_.features.n_bins[feature]) + 1);
        for (int b = 0; b < codes; ++b)
            if (Mode::present(cells[b])) level.emplace_back(b, cell_sums(node, cells, b, counts));
        best = best_category_split(level, codes, total, feature, rule_, node.bounds);
    }

    BoostingTree finish(const Nodes& leaves, Span<const T> g, Span<const T> h) {
        std::vector<TreeDraft::LeafRows> rows;
        for (const auto& leaf : leaves) {
            if (leaf->expanded)  // split ahead of time and not in turn: its rows go back in order
                std::inplace_merge(order_.begin() + leaf->begin, order_.begin() + leaf->parts[1]->begin,
                                   order_.begin() + leaf->end);
            rows.push_back({leaf->node, leaf->begin, leaf->end});
        }
        return std::move(draft_).template finish<T>(rows, order_, g, h, rule_);
    }

    const BinnedRows& data_;
    Mode mode_;
    const GrowRule& rule_;
    FeatureChoice choice_;
    const Interrupt& interrupt_;
    Span<std::uint32_t> order_, scratch_;
    TreeDraft draft_;
    std::vector<int> by_work_;  // features, the longest search first, so that threads end together
};

}  // namespace

template <class T>
BoostingTree grow_boosting_tree(const BinnedRows& data, Span<const T> g, Span<const T> h, Span<const T> weight,
                                const GrowRule& rule, const Interrupt& interrupt, Span<std::uint32_t> order,
                                Span<std::uint32_t> scratch, Span<std::int32_t> packed) {
    if (!packed.empty()) {
        PackedMode mode(data, pack_rows(g, h, Span<const std::uint32_t>(order), rule.seed, packed), threads());
        return Grower<T, PackedMode>(data, std::move(mode), rule, interrupt, order, scratch).grow(g, h);
    }
    return Grower<T, ExactMode<T>>(data, {data, g, h, weight}, rule, interrupt, order, scratch).grow(g, h);
}

template BoostingTree grow_boosting_tree(const BinnedRows&, Span<const float>, Span<const float>, Span<const float>,
                                         const GrowRule&, const Interrupt&, Span<std::uint32_t>, Span<std::uint32_t>,
                                         Span<std::int32_t>);
template BoostingTree grow_boosting_tree(const BinnedRows&, Span<const double>, Span<const double>, Span<const double>,
                                         const GrowRule&, const Interrupt&, Span<std::uint32_t>, Span<std::uint32_t>,
                                         Span<std::int32_t>);

}  // namespace statlearn::trees
