#include "trees/newton_tree.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>

#include "common/parallel.hpp"
#include "common/rng.hpp"
#include "trees/histogram.hpp"

namespace statlearn::trees {

namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr Index kLargeNode = 1 << 15;  // rows from which the work inside one node is shared among threads
constexpr Index kManyColumns = 128;    // columns from which the search for a split is
constexpr double kSteps = 31.0;        // rounded gradients lie in -31..31, hessians in 0..62

double soft(double g, double alpha) { return std::copysign(std::max(std::abs(g) - alpha, 0.0), g); }

// Running sums over the bins of one column, in some order.
struct Prefix {
    std::array<double, kBins> g, h, rows;

    void set(int k, const Sums& s) { g[std::size_t(k)] = s.g, h[std::size_t(k)] = s.h, rows[std::size_t(k)] = s.rows; }
};

// ---- The two arithmetics: how rows become cells, and cells become sums ----

template <class T>
struct ExactMode {
    using Cell = ExactCell;

    const BinnedRows& data;
    std::span<const T> g, h;

    static bool present(const Cell& cell) { return cell.rows > 0.5; }
    double rows_per_h(const Cell&, Index) const { return 0.0; }  // the cells know their rows
    Sums sums(const Cell& cell, double) const { return {cell.g, cell.h, cell.rows}; }

    void running_sums(const Cell* cells, int bins, double, Prefix& prefix) const {
        Cell run;
        for (int b = 0; b < bins; ++b) {
            run += cells[b];
            prefix.set(b, {run.g, run.h, run.rows});
        }
    }

    // One column at a time and its rows in order: the same bits for any number of threads.
    void build(std::span<const std::uint32_t> order, bool shared, Index, Cell* cells) const {
        parallel_for(data.by_column.rows, shared ? threads() : 1, [&](Index j) {
            Cell* column = cells + j * kBins;
            const Bin* bin = data.by_column.row(j);
            std::fill_n(column, kBins, Cell{});
            for (const auto i : order) column[bin[i]] += Cell{double(g[i]), double(h[i]), 1.0};
        });
    }
};

// A uniform number for random rounding: a hash in place of a generator, one row, one number.
inline float dither(std::uint32_t salt, std::uint32_t key) {
    std::uint32_t x = key * 0x9E3779B1u ^ salt;
    x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
    x = (x ^ (x >> 13)) * 0xC2B2AE35u;
    return float((x ^ (x >> 16)) >> 8) * 0x1.0p-24f;
}

// Rounds the derivatives of the given rows at random, without bias, to whole numbers of units.
template <class T>
PackedRows pack_rows(std::span<const T> g, std::span<const T> h, std::span<const std::uint32_t> order,
                     std::uint64_t seed) {
    const Blocks blocks(Index(order.size()), 1 << 14);
    std::vector<T> most_g(std::size_t(blocks.count())), most_h(most_g), least_h(most_g);
    parallel_for(blocks.count(), [&](Index b) {
        T big = 0, high = 0, low = std::numeric_limits<T>::infinity();
        for (Index k = blocks.begin(b); k < blocks.end(b); ++k) {
            const auto i = order[std::size_t(k)];
            big = std::max(big, std::abs(g[i]));
            high = std::max(high, h[i]);
            low = std::min(low, h[i]);
        }
        most_g[std::size_t(b)] = big, most_h[std::size_t(b)] = high, least_h[std::size_t(b)] = low;
    });
    const double g_most = *std::max_element(most_g.begin(), most_g.end());
    const double h_most = *std::max_element(most_h.begin(), most_h.end());
    const bool constant_h = *std::min_element(least_h.begin(), least_h.end()) == T(h_most);
    // Sums over all rows must stay below 2^31.
    const double steps = std::max(1.0, std::min(kSteps, std::floor(0x1.0p31 / double(order.size())) - 1.0));
    PackedRows rows;
    rows.value.resize(g.size());
    rows.g_unit = g_most > 0 ? g_most / steps : 1.0;
    rows.h_unit = h_most > 0 ? h_most / (constant_h ? 1.0 : 2.0 * steps) : 1.0;
    rows.block = Index(32767.0 / steps);
    const T g_scale = T(1.0 / rows.g_unit), h_scale = T(1.0 / rows.h_unit);
    const auto salt = std::uint32_t(seed ^ (seed >> 32));
    const auto limit = std::int32_t(steps);
    parallel_for(blocks.count(), [&](Index b) {
        for (Index k = blocks.begin(b); k < blocks.end(b); ++k) {
            const auto i = order[std::size_t(k)];
            const T u = T(dither(salt, 2 * i)), v = constant_h ? T(0.5) : T(dither(salt, 2 * i + 1));
            const auto gq = std::clamp(std::int32_t(std::floor(g[i] * g_scale + u)), -limit, limit);
            const auto hq = std::clamp(std::int32_t(h[i] * h_scale + v), 0, 2 * limit);
            rows.value[i] = gq * 65536 + hq;
        }
    });
    return rows;
}

struct PackedMode {
    using Cell = PackedCell;

    const BinnedRows& data;
    PackedRows rows;
    std::vector<PackedTile> tiles;         // one per worker
    std::vector<std::vector<Cell>> parts;  // likewise, for nodes whose rows are shared out

    PackedMode(const BinnedRows& binned, PackedRows packed, int workers)
        : data(binned), rows(std::move(packed)), tiles(std::size_t(workers)), parts(std::size_t(workers)) {
        for (auto& part : parts) part.resize(std::size_t(binned.by_column.rows * kBins));
    }

    static bool present(Cell cell) { return cell != 0; }

    // The rows of a cell are judged by its share of the node's h.
    double rows_per_h(Cell total, Index count) const {
        return packed_h(total) ? double(count) / double(packed_h(total)) : 0.0;
    }
    Sums sums(Cell cell, double per_h) const {
        return {packed_g(cell) * rows.g_unit, packed_h(cell) * rows.h_unit, packed_h(cell) * per_h};
    }

    void running_sums(const Cell* cells, int bins, double per_h, Prefix& prefix) const {
        std::array<Cell, kBins> run;
        Cell sum = 0;
        for (int b = 0; b < bins; ++b) run[std::size_t(b)] = sum += cells[b];
        for (int b = 0; b < bins; ++b) prefix.set(b, sums(run[std::size_t(b)], per_h));
    }

    void build(std::span<const std::uint32_t> order, bool shared, Index worker, Cell* cells) {
        if (!shared) {
            build_serial(order, tiles[std::size_t(worker)], cells);
            return;
        }
        const Index units = Index(parts.size()), size = Index(order.size());
        parallel_for(units, [&](Index u) {
            const auto begin = std::size_t(size * u / units), end = std::size_t(size * (u + 1) / units);
            build_serial(order.subspan(begin, end - begin), tiles[std::size_t(u)], parts[std::size_t(u)].data());
        });
        const Index width = data.by_column.rows * kBins;
        std::copy_n(parts[0].data(), width, cells);
        for (std::size_t u = 1; u < parts.size(); ++u)
            for (Index c = 0; c < width; ++c) cells[c] += parts[u][std::size_t(c)];
    }

private:
    void build_serial(std::span<const std::uint32_t> order, PackedTile& tile, Cell* cells) const {
        const Index p = data.by_column.rows;
        std::fill_n(cells, p * kBins, Cell{0});
        const Index n_tiles = (p + PackedTile::kColumns - 1) / PackedTile::kColumns;
        const Index width = (p + n_tiles - 1) / n_tiles;
        for (Index first = 0; first < p; first += width)
            tile.add(data.by_row, rows, order, first, std::min(width, p - first), cells + first * kBins);
    }
};

// ---- Splits ----

using LeftSet = std::array<std::uint32_t, 8>;

struct Split {
    double gain = kNone;
    int feature = -1, bin = -1;
    bool missing_left = false, by_set = false;
    LeftSet left_set{};
    Sums left, right;
};

struct Bounds {
    double lower = kNone, upper = -kNone;
};

double leaf_value(double g, double h, const GrowRule& rule, const Bounds& bounds) {
    const double curvature = h + rule.lambda;
    const double best = curvature > 0 ? -soft(g, rule.alpha) / curvature : 0.0;
    return std::clamp(best, bounds.lower, bounds.upper);
}

// Twice the fall of the loss by a leaf of this value.
double score(double g, double h, double value, const GrowRule& rule) {
    return -2.0 * (g * value + rule.alpha * std::abs(value)) - (h + rule.lambda) * value * value;
}

// Equal up to rounding counts as equal: the first of such splits is taken whatever the order in which sums were made.
bool is_better(double score, double best) {
    return best == kNone ? score > best : score - best > 1e-10 * std::abs(best);
}

// The best candidate of the first `candidates` prefixes, plus `extra` on the left side: its index and score.
struct Candidate {
    int index = -1;
    double score = kNone;
};

Candidate best_candidate(const Prefix& prefix, int candidates, const Sums& extra, const Sums& total,
                         const GrowRule& rule, int monotone, const Bounds& bounds, bool plain) {
    std::array<double, kBins> scores;
    const double lambda = rule.lambda, min_h = rule.min_leaf_hessian;
    const double min_rows = double(rule.min_leaf_rows) * (1.0 - 1e-12);
    if (plain) {  // no L1 penalty, no bounds: S = G^2 / (H + lambda), in vector code
        for (int b = 0; b < candidates; ++b) {
            const auto k = std::size_t(b);
            const double gl = prefix.g[k] + extra.g, hl = prefix.h[k] + extra.h, rl = prefix.rows[k] + extra.rows;
            const double gr = total.g - gl, hr = total.h - hl, rr = total.rows - rl;
            const bool ok = (hl >= min_h) & (hr >= min_h) & (rl >= min_rows) & (rr >= min_rows) & (hl + lambda > 0) &
                            (hr + lambda > 0);
            const double s = gl * gl / (hl + lambda) + gr * gr / (hr + lambda);
            scores[k] = ok ? s : kNone;
        }
    } else {
        for (int b = 0; b < candidates; ++b) {
            const auto k = std::size_t(b);
            const double gl = prefix.g[k] + extra.g, hl = prefix.h[k] + extra.h, rl = prefix.rows[k] + extra.rows;
            const double gr = total.g - gl, hr = total.h - hl, rr = total.rows - rl;
            scores[k] = kNone;
            if (hl < min_h || hr < min_h || rl < min_rows || rr < min_rows) continue;
            const double vl = leaf_value(gl, hl, rule, bounds), vr = leaf_value(gr, hr, rule, bounds);
            if (monotone * (vr - vl) < 0) continue;
            scores[k] = score(gl, hl, vl, rule) + score(gr, hr, vr, rule);
        }
    }
    Candidate best;
    for (int b = 0; b < candidates; ++b)
        if (is_better(scores[std::size_t(b)], best.score)) best = {b, scores[std::size_t(b)]};
    return best;
}

// ---- Growing ----

template <class Cell>
struct Leaf {
    int node = 0, depth = 0;
    Index begin = 0, end = 0;
    Cell total{};
    double rows_per_h = 0.0;
    Bounds bounds;
    std::unique_ptr<Cell[]> cells;  // its histogram; null when it cannot be split any more
    Split split;
    double priority = kNone;  // gain by which leaves are ranked; a split that is corrected later keeps its rank
    bool expanded = false;
    std::array<std::unique_ptr<Leaf>, 2> parts;  // the leaves that its split makes, once expanded

    Index rows() const { return end - begin; }
};

template <class T, class Mode>
class Grower {
    using Cell = typename Mode::Cell;
    using Node = Leaf<Cell>;

public:
    Grower(const BinnedRows& data, Mode mode, std::span<const T> g, std::span<const T> h, const GrowRule& rule,
           const Interrupt& interrupt, std::span<std::uint32_t> order, std::span<std::uint32_t> scratch)
        : data_(data),
          mode_(std::move(mode)),
          g_(g),
          h_(h),
          rule_(rule),
          interrupt_(interrupt),
          order_(order),
          scratch_(scratch),
          plain_(rule.alpha == 0.0 && rule.monotone.empty()) {}

    NewtonTree grow() {
        auto root = std::make_unique<Node>();
        root->end = Index(order_.size());
        root->cells = new_cells();
        mode_.build(order_, root->rows() >= kLargeNode, 0, root->cells.get());
        for (int b = 0; b < kBins; ++b) root->total += root->cells[std::size_t(b)];  // of the first column: all rows
        find_split(*root, nullptr);
        root->node = add_node();
        std::vector<std::unique_ptr<Node>> leaves;
        leaves.push_back(std::move(root));
        int budget = rule_.max_leaves - 1;
        while (budget > 0 && !interrupt_.requested()) {
            const auto next = std::max_element(leaves.begin(), leaves.end(),
                                               [&](const auto& a, const auto& b) { return before(*b, *a); });
            if ((*next)->priority <= 0.0) break;
            if (!(*next)->expanded) {
                expand_some(leaves, budget);
                continue;  // it may have turned out to have no split
            }
            auto done = std::move(*next);
            leaves.erase(next);
            commit(*done);
            --budget;
            for (auto& part : done->parts) leaves.push_back(std::move(part));
        }
        finish(leaves);
        return std::move(tree_);
    }

private:
    // The order in which leaves are split: by gain, or level by level; then by node, which is unique.
    bool before(const Node& a, const Node& b) const {
        const bool can_a = a.priority > 0, can_b = b.priority > 0;
        if (can_a != can_b) return can_a;
        if (!rule_.best_first && a.depth != b.depth) return a.depth < b.depth;
        const auto gain_a = float(a.priority), gain_b = float(b.priority);  // equal up to rounding is equal
        if (rule_.best_first && gain_a != gain_b) return gain_a > gain_b;
        return a.node < b.node;
    }

    std::unique_ptr<Cell[]> new_cells() const {
        return std::unique_ptr<Cell[]>(new Cell[std::size_t(data_.by_column.rows * kBins)]);
    }

    int add_node() {
        tree_.feature.push_back(-1);
        tree_.bin.push_back(-1);
        tree_.child.push_back(0);
        tree_.missing_left.push_back(0);
        tree_.categories.push_back(-1);
        tree_.gain.push_back(0.0);
        tree_.value.push_back(0.0);
        tree_.hessian.push_back(0.0);
        tree_.rows.push_back(0);
        tree_.first.push_back(0);
        return int(tree_.feature.size()) - 1;
    }

    // Splits the next leaf, and beside it, on idle threads, leaves that will probably be next: what a split does
    // depends on its leaf alone, so that the tree is the same whether it was made early or in turn.
    void expand_some(std::vector<std::unique_ptr<Node>>& leaves, int budget) {
        std::vector<Node*> wave;
        for (auto& leaf : leaves)
            if (!leaf->expanded && leaf->priority > 0) wave.push_back(leaf.get());
        std::sort(wave.begin(), wave.end(), [&](const Node* a, const Node* b) { return before(*a, *b); });
        const int workers = threads();
        std::size_t width = 1;
        if (wave[0]->rows() < kLargeNode)
            while (width < wave.size() && width < std::size_t(std::min(workers, budget)) &&
                   wave[width]->rows() < kLargeNode)
                ++width;
        if (width == 1)
            expand(*wave[0], true, 0, budget == 1);
        else
            parallel_for(Index(width), [&](Index k) { expand(*wave[std::size_t(k)], false, k, false); });
    }

    // Makes the two leaves of the node's split; `last`: they will not be split themselves.
    void expand(Node& node, bool shared, Index worker, bool last) {
        Index middle = 0;
        for (;;) {
            std::array<std::uint8_t, kBins> left{};
            for (int b = 0; b < kBins; ++b) left[std::size_t(b)] = goes_left(node.split, b);
            middle = partition(node, left, shared && node.rows() >= kLargeNode);
            if (middle - node.begin >= rule_.min_leaf_rows && node.end - middle >= rule_.min_leaf_rows) break;
            // The share of h misjudged the rows: choose again among splits with enough of them.
            std::sort(order_.begin() + node.begin, order_.begin() + node.end);
            const auto counts = count_rows(node);
            find_split(node, counts.data());
            if (node.split.gain <= 0.0) {
                node.priority = kNone;
                return;
            }
        }
        for (int side = 0; side < 2; ++side) {
            auto part = std::make_unique<Node>();
            part->depth = node.depth + 1;
            part->begin = side == 0 ? node.begin : middle;
            part->end = side == 0 ? middle : node.end;
            part->bounds = node.bounds;
            node.parts[std::size_t(side)] = std::move(part);
        }
        share_bounds(node);
        const auto can_split = [&](const Node& part) {
            return !last && part.rows() >= 2 * rule_.min_leaf_rows &&
                   (!rule_.max_depth || part.depth < rule_.max_depth);
        };
        Node& first = *node.parts[0];
        Node& second = *node.parts[1];
        if (can_split(first) || can_split(second)) {
            Node& small = first.rows() <= second.rows() ? first : second;
            Node& large = first.rows() <= second.rows() ? second : first;
            small.cells = new_cells();
            mode_.build(rows_of(small), shared && small.rows() >= kLargeNode, worker, small.cells.get());
            large.cells = std::move(node.cells);
            const Index width = data_.by_column.rows * kBins;
            for (Index c = 0; c < width; ++c) large.cells[std::size_t(c)] -= small.cells[std::size_t(c)];
            for (Node* part : {&small, &large}) {
                for (int b = 0; b < kBins; ++b) part->total += part->cells[std::size_t(b)];
                if (can_split(*part)) find_split(*part, nullptr);
                if (part->priority <= 0.0) part->cells.reset();
            }
        }
        node.cells.reset();
        node.expanded = true;
    }

    static bool goes_left(const Split& split, int bin) {
        if (split.by_set) return split.left_set[std::size_t(bin / 32)] >> (bin % 32) & 1u;
        return bin == kMissing ? split.missing_left : bin <= split.bin;
    }

    std::span<const std::uint32_t> rows_of(const Node& node) const {
        return {order_.data() + node.begin, std::size_t(node.rows())};
    }

    // Rows that go left first, both sides in their former order; returns where the right side begins.
    Index partition(const Node& node, const std::array<std::uint8_t, kBins>& left, bool shared) {
        const Bin* bin = data_.by_column.row(node.split.feature);
        const Blocks blocks(node.rows(), shared ? Index(1) << 15 : std::max<Index>(node.rows(), 1));
        std::vector<Index> n_left(std::size_t(blocks.count()));
        parallel_for(blocks.count(), shared ? threads() : 1, [&](Index b) {
            std::uint32_t* rows = order_.data() + node.begin + blocks.begin(b);
            std::uint32_t* right = scratch_.data() + node.begin + blocks.begin(b);
            const Index m = blocks.end(b) - blocks.begin(b);
            Index l = 0, r = 0;
            for (Index k = 0; k < m; ++k) {
                const std::uint32_t row = rows[k];
                const Index go = left[bin[row]];
                rows[l] = row;
                right[r] = row;
                l += go;
                r += 1 - go;
            }
            n_left[std::size_t(b)] = l;
        });
        std::uint32_t* to = order_.data() + node.begin;
        for (Index b = 0; b < blocks.count(); ++b) {
            const auto n = std::size_t(n_left[std::size_t(b)]);
            std::memmove(to, order_.data() + node.begin + blocks.begin(b), n * sizeof *to);
            to += n;
        }
        const Index middle = to - order_.data();
        for (Index b = 0; b < blocks.count(); ++b) {
            const Index n = blocks.end(b) - blocks.begin(b) - n_left[std::size_t(b)];
            std::memcpy(to, scratch_.data() + node.begin + blocks.begin(b), std::size_t(n) * sizeof *to);
            to += n;
        }
        return middle;
    }

    std::vector<double> count_rows(const Node& node) const {
        std::vector<double> counts(std::size_t(data_.by_column.rows * kBins));
        for (Index j = 0; j < data_.by_column.rows; ++j)
            for (const auto i : rows_of(node)) counts[std::size_t(j * kBins + data_.by_column(j, i))] += 1.0;
        return counts;
    }

    // Under a monotone constraint the leaves of either side stay on their side of the mid-point.
    void share_bounds(Node& node) const {
        if (rule_.monotone.empty()) return;
        const int direction = rule_.monotone[std::size_t(node.split.feature)];
        if (direction == 0) return;
        const double middle = 0.5 * (leaf_value(node.split.left.g, node.split.left.h, rule_, node.bounds) +
                                     leaf_value(node.split.right.g, node.split.right.h, rule_, node.bounds));
        (direction > 0 ? node.parts[0] : node.parts[1])->bounds.upper = middle;
        (direction > 0 ? node.parts[1] : node.parts[0])->bounds.lower = middle;
    }

    // The node's best split over the columns; ties go to the lowest column, then to the lowest bin. `counts`: the rows
    // of every cell, where they are known.
    void find_split(Node& node, const double* counts) const {
        node.rows_per_h = mode_.rows_per_h(node.total, node.rows());
        Sums total = mode_.sums(node.total, node.rows_per_h);
        total.rows = double(node.rows());
        const double own = score(total.g, total.h, leaf_value(total.g, total.h, rule_, node.bounds), rule_);
        const Index p = data_.by_column.rows;
        const auto drawn = draw_columns(node);
        std::vector<Split> best(data_.n_bins.size());
        parallel_for(p, p >= kManyColumns ? threads() : 1, [&](Index j) {
            if (!drawn.empty() && !drawn[std::size_t(j)]) return;
            const double* rows = counts ? counts + j * kBins : nullptr;
            if (data_.ordered.empty() || data_.ordered[std::size_t(j)])
                scan_ordered(node, total, int(j), rows, best[std::size_t(j)]);
            else
                scan_categories(node, total, int(j), rows, best[std::size_t(j)]);
        });
        node.split = {};
        for (const auto& split : best)
            if (is_better(split.gain, node.split.gain)) node.split = split;
        node.split.gain = (node.split.gain - own) / 2 - rule_.gamma;
        if (!counts) node.priority = node.split.gain;
    }

    std::vector<std::uint8_t> draw_columns(const Node& node) const {
        const Index p = data_.by_column.rows;
        const auto wanted = std::max<Index>(1, Index(std::llround(rule_.column_share * double(p))));
        if (wanted >= p) return {};
        // A node is known by its rows and depth, whatever the order in which nodes are made.
        Rng rng(rule_.seed,
                (std::uint64_t(node.begin) << 24) ^ std::uint64_t(node.depth) ^ std::uint64_t(node.end) << 44);
        std::vector<int> column(data_.n_bins.size());
        std::iota(column.begin(), column.end(), 0);
        std::vector<std::uint8_t> drawn(column.size(), 0);
        for (Index k = 0; k < wanted; ++k) {
            std::swap(column[std::size_t(k)], column[std::size_t(k + rng.below(std::uint32_t(p - k)))]);
            drawn[std::size_t(column[std::size_t(k)])] = 1;
        }
        return drawn;
    }

    Sums cell_sums(const Node& node, int feature, int bin, const double* counts) const {
        Sums s = mode_.sums(node.cells[std::size_t(feature * kBins + bin)], node.rows_per_h);
        if (counts) s.rows = counts[bin];
        return s;
    }

    int monotone_of(int feature) const { return rule_.monotone.empty() ? 0 : rule_.monotone[std::size_t(feature)]; }

    void take(const Candidate& found, const Prefix& prefix, const Sums& extra, const Sums& total, Split& best) const {
        const auto k = std::size_t(found.index);
        best.gain = found.score;
        best.left = {prefix.g[k] + extra.g, prefix.h[k] + extra.h, prefix.rows[k] + extra.rows};
        best.right = {total.g - best.left.g, total.h - best.left.h, total.rows - best.left.rows};
    }

    void scan_ordered(const Node& node, const Sums& total, int feature, const double* counts, Split& best) const {
        Prefix prefix;
        const int bins = data_.n_bins[std::size_t(feature)];
        mode_.running_sums(node.cells.get() + feature * kBins, bins, node.rows_per_h, prefix);
        if (counts) {
            double rows = 0.0;
            for (int b = 0; b < bins; ++b) {
                rows += counts[b];
                prefix.rows[std::size_t(b)] = rows;
            }
        }
        const bool missing = Mode::present(node.cells[std::size_t(feature * kBins + kMissing)]);
        const Sums lost = missing ? cell_sums(node, feature, kMissing, counts) : Sums{};
        // Missing values to the right, then to the left; present against missing is the last candidate of the first.
        for (const bool left : {false, true}) {
            if (left && !missing) break;
            const auto found = best_candidate(prefix, missing && !left ? bins : bins - 1, left ? lost : Sums{}, total,
                                              rule_, monotone_of(feature), node.bounds, plain_);
            if (!is_better(found.score, best.gain)) continue;
            best.feature = feature;
            best.bin = found.index;
            take(found, prefix, left ? lost : Sums{}, total, best);
            // A value missing only at prediction goes where most of the rows went.
            best.missing_left = missing ? left : best.left.rows >= best.right.rows;
        }
    }

    // Categories in the order of their leaf values: for a convex loss the best of all subsets is a prefix of these.
    void scan_categories(const Node& node, const Sums& total, int feature, const double* counts, Split& best) const {
        std::vector<std::pair<double, int>> level;
        for (int b = 0; b < kBins; ++b) {
            if (!Mode::present(node.cells[std::size_t(feature * kBins + b)])) continue;
            const Sums s = cell_sums(node, feature, b, counts);
            level.emplace_back(s.g / (s.h + rule_.category_smoothing), b);
        }
        std::sort(level.begin(), level.end());
        Prefix prefix{};
        Sums run;
        for (std::size_t k = 0; k < level.size(); ++k) {
            const Sums s = cell_sums(node, feature, level[k].second, counts);
            run = {run.g + s.g, run.h + s.h, run.rows + s.rows};
            prefix.set(int(k), run);
        }
        const auto found = best_candidate(prefix, int(level.size()) - 1, {}, total, rule_, 0, node.bounds, plain_);
        if (found.index < 0) return;
        best.feature = feature;
        best.by_set = true;
        take(found, prefix, {}, total, best);
        // A category that the node has not seen goes where most of the rows went.
        const bool rest_left = best.left.rows >= best.right.rows;
        best.left_set.fill(rest_left ? ~0u : 0u);
        for (std::size_t k = 0; k < level.size(); ++k) {
            const int b = level[k].second;
            const std::uint32_t bit = 1u << (b % 32);
            auto& word = best.left_set[std::size_t(b / 32)];
            word = int(k) <= found.index ? word | bit : word & ~bit;
        }
        best.missing_left = goes_left(best, kMissing);
    }

    void commit(Node& node) {
        const auto k = std::size_t(node.node);
        tree_.feature[k] = node.split.feature;
        tree_.bin[k] = node.split.bin;
        tree_.missing_left[k] = node.split.missing_left;
        tree_.gain[k] = node.split.gain;
        tree_.rows[k] = node.rows();
        tree_.first[k] = node.begin;
        if (node.split.by_set) {
            tree_.categories[k] = int(tree_.left_sets.size());
            tree_.left_sets.push_back(node.split.left_set);
        }
        const int child = add_node();
        add_node();
        tree_.child[k] = child;
        node.parts[0]->node = child;
        node.parts[1]->node = child + 1;
        bounds_.resize(tree_.feature.size());
        bounds_[std::size_t(child)] = node.parts[0]->bounds;
        bounds_[std::size_t(child) + 1] = node.parts[1]->bounds;
    }

    // Exact sums of every leaf, then of the nodes above it; values from these.
    void finish(const std::vector<std::unique_ptr<Node>>& leaves) {
        const auto n_nodes = tree_.feature.size();
        bounds_.resize(n_nodes);
        for (const auto& leaf : leaves)  // split ahead of time and not in turn: its rows go back in order
            if (leaf->expanded)
                std::inplace_merge(order_.begin() + leaf->begin, order_.begin() + leaf->parts[1]->begin,
                                   order_.begin() + leaf->end);
        std::vector<double> g(n_nodes, 0.0), h(n_nodes, 0.0);
        std::vector<std::pair<const Node*, Index>> blocks;  // pieces of leaves, so that a large one is shared out
        constexpr Index kPiece = 1 << 14;
        for (const auto& leaf : leaves)
            for (Index b = leaf->begin; b < leaf->end; b += kPiece) blocks.emplace_back(leaf.get(), b);
        std::vector<std::pair<double, double>> sums(blocks.size());
        parallel_for(Index(blocks.size()), [&](Index b) {
            const auto& [leaf, begin] = blocks[std::size_t(b)];
            double sum_g = 0.0, sum_h = 0.0;
            for (Index k = begin; k < std::min(begin + kPiece, leaf->end); ++k) {
                sum_g += double(g_[order_[std::size_t(k)]]);
                sum_h += double(h_[order_[std::size_t(k)]]);
            }
            sums[std::size_t(b)] = {sum_g, sum_h};
        });
        for (std::size_t b = 0; b < blocks.size(); ++b) {
            const auto k = std::size_t(blocks[b].first->node);
            g[k] += sums[b].first;
            h[k] += sums[b].second;
        }
        for (const auto& leaf : leaves) {
            tree_.rows[std::size_t(leaf->node)] = leaf->rows();
            tree_.first[std::size_t(leaf->node)] = leaf->begin;
        }
        for (std::size_t k = n_nodes; k-- > 0;) {
            if (const auto child = std::size_t(tree_.child[k])) {
                g[k] = g[child] + g[child + 1];
                h[k] = h[child] + h[child + 1];
            }
            tree_.value[k] = leaf_value(g[k], h[k], rule_, bounds_[k]);
            tree_.hessian[k] = h[k];
        }
    }

    const BinnedRows& data_;
    Mode mode_;
    std::span<const T> g_, h_;
    const GrowRule& rule_;
    const Interrupt& interrupt_;
    std::span<std::uint32_t> order_, scratch_;
    const bool plain_;
    NewtonTree tree_;
    std::vector<Bounds> bounds_;
};

}  // namespace

template <class T>
NewtonTree grow_newton_tree(const BinnedRows& data, std::span<const T> g, std::span<const T> h, bool quantised,
                            const GrowRule& rule, const Interrupt& interrupt, std::span<std::uint32_t> order,
                            std::span<std::uint32_t> scratch) {
    if (quantised) {
        PackedMode mode(data, pack_rows(g, h, std::span<const std::uint32_t>(order), rule.seed), threads());
        return Grower<T, PackedMode>(data, std::move(mode), g, h, rule, interrupt, order, scratch).grow();
    }
    return Grower<T, ExactMode<T>>(data, {data, g, h}, g, h, rule, interrupt, order, scratch).grow();
}

template NewtonTree grow_newton_tree(const BinnedRows&, std::span<const float>, std::span<const float>, bool,
                                     const GrowRule&, const Interrupt&, std::span<std::uint32_t>,
                                     std::span<std::uint32_t>);
template NewtonTree grow_newton_tree(const BinnedRows&, std::span<const double>, std::span<const double>, bool,
                                     const GrowRule&, const Interrupt&, std::span<std::uint32_t>,
                                     std::span<std::uint32_t>);

}  // namespace statlearn::trees
