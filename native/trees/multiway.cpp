#include "trees/multiway.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/parallel.hpp"
#include "trees/multiway_rows.hpp"

namespace statlearn::trees {

namespace {

constexpr double kTie = 1e-12;   // differences of gains below this are rounding
constexpr Index kCellSteps = 5;  // operations for each cell of a node that is searched, roughly

// x log2 x, from a table where x is a small whole number, as most weights are.
class XLogX {
public:
    explicit XLogX(double largest) : table_(at(Index(std::min(largest, 1e6))) + 2, 0.0) {
        for (std::size_t k = 2; k < table_.size(); ++k) table_[k] = double(k) * std::log2(double(k));
    }
    double operator()(double x) const {
        if (x <= 0.0) return 0.0;
        if (x < double(table_.size())) {
            const auto k = static_cast<std::size_t>(x);
            if (double(k) == x) return table_[k];
        }
        return x * std::log2(x);
    }
    // Total weight times entropy of counts.
    double mass(Span<const double> counts, double total) const {
        double sum = (*this)(total);
        for (const double n : counts) sum -= (*this)(n);
        return std::max(sum, 0.0);
    }

private:
    std::vector<double> table_;
};

struct Split {
    bool found = false;
    double gain = 0.0, split_information = 0.0, threshold = std::numeric_limits<double>::quiet_NaN();
};

struct Cell {
    double x, weight;
    int cls;
};

struct Node {
    Rows rows;
    int node, depth;
};

class Search {
public:
    Search(const AttributeTable& data, const MultiwayRule& rule, double all_weight, const Interrupt& interrupt)
        : data_(data), rule_(rule), xlogx_(all_weight), all_weight_(all_weight), interrupt_(interrupt) {}

    // The column to split on (-1: none) and its split.
    int best(const Rows& rows, double total, Split& chosen) {
        const Index p = data_.X.cols;
        splits_.assign(at(p), Split{});
        parallel_for(p, Work(kCellSteps * rows.size() * p), [&](Index j) {
            if (!interrupt_.requested()) splits_[j] = split(rows, j, total);
        });
        const double least = rule_.gain_ratio ? mean_gain() - 1e-9 : 0.0;
        int winner = -1;
        double best_worth = 0.0;
        for (Index j = 0; j < p; ++j) {
            const auto& s = splits_[j];
            if (!s.found || s.gain < least) continue;
            const double worth = rule_.gain_ratio ? s.gain / s.split_information : s.gain;
            if (worth > best_worth + kTie) {
                best_worth = worth;
                winner = int(j);
            }
        }
        if (winner >= 0) chosen = splits_[winner];
        return winner;
    }

private:
    // Columns with very many levels would lift the mean until nothing but themselves reached it.
    double mean_gain() const {
        double few_sum = 0.0, all_sum = 0.0;
        int few = 0, all = 0;
        for (Index j = 0; j < Index(splits_.size()); ++j) {
            if (!splits_[j].found) continue;
            all_sum += splits_[j].gain;
            ++all;
            if (double(data_.levels[j]) < 0.3 * all_weight_) {
                few_sum += splits_[j].gain;
                ++few;
            }
        }
        return few > 0 ? few_sum / few : all > 0 ? all_sum / all : 0.0;
    }

    Split split(const Rows& rows, Index j, double total) const {
        return data_.levels[j] > 0 ? by_level(rows, j, total) : by_threshold(rows, j, total);
    }

    Split by_level(const Rows& rows, Index j, double total) const {
        const auto K = at(data_.n_classes), L = at(data_.levels[j]);
        // Few rows of a column with many levels: only the levels present are looked at.
        std::vector<double> counts;
        std::vector<int> slot(L, -1);
        double known = 0.0;
        std::vector<double> known_counts(K, 0.0);
        for (Index i = 0; i < rows.size(); ++i) {
            const int r = rows.row[i];
            const double x = data_.X(r, j), w = rows.weight[i];
            if (x != x) continue;
            auto& place = slot[Index(x)];
            if (place < 0) {
                place = int(counts.size() / K);
                counts.resize(counts.size() + K, 0.0);
            }
            const auto c = at(data_.classes[r]);
            counts[at(place) * K + c] += w;
            known_counts[c] += w;
            known += w;
        }
        Split s;
        if (counts.size() < 2 * K) return s;
        double inside = 0.0, spread = xlogx_(total) - xlogx_(total - known);
        int large = 0;
        for (const int place : slot) {  // in the order of the levels: the same sums for any order of the rows
            if (place < 0) continue;
            const Span<const double> branch(&counts[at(place) * K], K);
            const double n = sum(branch);
            inside += xlogx_.mass(branch, n);
            spread -= xlogx_(n);
            large += n >= rule_.min_leaf;
        }
        if (large < 2) return s;
        s.gain = (xlogx_.mass(known_counts, known) - inside) / total;
        s.split_information = spread / total;
        s.found = s.gain > rule_.min_gain && s.split_information > kTie;
        return s;
    }

    Split by_threshold(const Rows& rows, Index j, double total) const {
        const auto K = at(data_.n_classes);
        std::vector<Cell> cells;
        cells.reserve(at(rows.size()));
        std::vector<double> right(K, 0.0), left(K, 0.0);
        double known = 0.0;
        for (Index i = 0; i < rows.size(); ++i) {
            const int r = rows.row[i];
            const double x = data_.X(r, j);
            if (x != x) continue;
            cells.push_back({x, rows.weight[i], data_.classes[r]});
            right[cells.back().cls] += cells.back().weight;
            known += cells.back().weight;
        }
        Split s;
        if (cells.empty()) return s;
        std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return a.x < b.x; });
        if (cells.front().x == cells.back().x) return s;
        // Quinlan's least size of a side: a tenth of the mean class, between min_leaf and 25.
        const double tenth = 0.1 * known / double(K);
        const double least = std::max(rule_.min_leaf, std::min(tenth, 25.0)) - 1e-9;
        const double before = xlogx_.mass(right, known);
        double best_inside = before, n_left = 0.0, n_best = 0.0;
        int cuts = 0;
        for (std::size_t i = 0; i + 1 < cells.size(); ++i) {
            left[cells[i].cls] += cells[i].weight;
            right[cells[i].cls] -= cells[i].weight;
            n_left += cells[i].weight;
            if (cells[i + 1].x == cells[i].x || n_left < least || known - n_left < least) continue;
            ++cuts;
            const double inside = xlogx_.mass(left, n_left) + xlogx_.mass(right, known - n_left);
            if (inside < best_inside - kTie * known) {
                best_inside = inside;
                n_best = n_left;
                s.threshold = midpoint(cells[i].x, cells[i + 1].x);
            }
        }
        if (n_best == 0.0) return s;
        s.gain = (before - best_inside) / total;
        if (rule_.threshold_penalty) s.gain -= std::log2(double(cuts)) / total;
        s.split_information = (xlogx_(total) - xlogx_(n_best) - xlogx_(known - n_best) - xlogx_(total - known)) / total;
        s.found = s.gain > rule_.min_gain && s.split_information > kTie;
        return s;
    }

    // Between two values, never equal to the larger one.
    static double midpoint(double low, double high) {
        const double middle = low + (high - low) / 2.0;
        return middle < high ? middle : low;
    }

    const AttributeTable& data_;
    const MultiwayRule& rule_;
    XLogX xlogx_;
    double all_weight_;
    const Interrupt& interrupt_;
    std::vector<Split> splits_;
};

// The branches that a split makes of these rows: the levels present, or 0 and 1 for the sides of a cut.
std::vector<int> branches_of(const AttributeTable& data, const Rows& rows, int feature) {
    if (data.levels[feature] == 0) return {0, 1};
    std::vector<char> present(at(data.levels[feature]), 0);
    for (const int r : rows.row)
        if (const double x = data.X(r, feature); x == x) present[Index(x)] = 1;
    std::vector<int> found;
    for (std::size_t v = 0; v < present.size(); ++v)
        if (present[v]) found.push_back(int(v));
    return found;
}

}  // namespace

bool is_sound(const MultiwayView& tree, Index n_features) {
    const Index n = Index(tree.feature.size());
    if (n == 0 || Index(tree.levels.size()) != n_features || tree.n_classes < 1) return false;
    for (Index k = 0; k < n; ++k) {
        const int first = tree.first_child[k], children = tree.n_children[k], j = tree.feature[k];
        if (children == 0 && j < 0) continue;
        if (j < 0 || j >= n_features || children < 1 || first <= k || children > n - first) return false;
        if (tree.levels[j] == 0 && children != 2) return false;
        for (int c = first + 1; c < first + children; ++c)
            if (tree.branch[c] <= tree.branch[c - 1]) return false;
    }
    return true;
}

MultiwayTree multiway_grow(const AttributeTable& data, const MultiwayRule& rule, const Interrupt& interrupt) {
    MultiwayTree tree;
    std::vector<Node> open;
    open.push_back({all_rows(data), 0, 0});
    const auto root = class_weights(data, open.back().rows);
    add_node(tree, 0, root);
    Search search(data, rule, sum(root), interrupt);
    while (!open.empty() && !interrupt.requested()) {
        const Node task = std::move(open.back());
        open.pop_back();
        const auto counts = class_weights(data, task.rows);
        const double total = sum(counts), top = *std::max_element(counts.begin(), counts.end());
        if (total - top <= kTie * total || total < 2.0 * rule.min_leaf - 1e-9) continue;
        if (rule.max_depth > 0 && task.depth >= rule.max_depth) continue;
        Split split;
        const int feature = search.best(task.rows, total, split);
        if (feature < 0) continue;
        const auto branches = branches_of(data, task.rows, feature);
        tree.feature[task.node] = feature;
        tree.threshold[task.node] = split.threshold;
        tree.first_child[task.node] = int(tree.size());
        tree.n_children[task.node] = int(branches.size());
        const std::vector<double> none(at(data.n_classes), 0.0);
        for (const int b : branches) add_node(tree, b, none);
        std::vector<Rows> children;
        divide(data, view_of(tree, data.n_classes, data.levels), task.node, task.rows, children);
        for (Index c = Index(children.size()) - 1; c >= 0; --c) {
            const int node = tree.first_child[task.node] + int(c);
            const auto own = class_weights(data, children[c]);
            std::copy(own.begin(), own.end(), tree.weight.begin() + Index(node) * data.n_classes);
            open.push_back({std::move(children[c]), node, task.depth + 1});
        }
    }
    return tree;
}

void multiway_predict(const MultiwayView& tree, Matrix<const double> X, double smoothing, const Interrupt& interrupt,
                      Matrix<double> shares) {
    const Blocks blocks(X.rows, 512);
    const auto K = tree.n_classes;
    std::vector<double> totals(tree.feature.size());
    for (std::size_t k = 0; k < totals.size(); ++k) totals[k] = node_weight(tree, Index(k));
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        std::vector<std::pair<int, double>> pieces;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            double* out = shares.row(i);
            std::fill(out, out + K, 0.0);
            pieces.emplace_back(0, 1.0);
            while (!pieces.empty()) {
                const auto [node, w] = pieces.back();
                pieces.pop_back();
                const int j = tree.feature[node];
                const double x = j < 0 ? 0.0 : X(i, j);
                // A code that the table never had is as good as missing.
                if (j >= 0 && (x != x || (tree.levels[j] > 0 && !(x >= 0.0 && x < tree.levels[j])))) {
                    scatter(tree, node, w, w < kLightPiece, pieces);
                    continue;
                }
                const Index child = j < 0 ? -1 : child_of(tree, node, x);
                if (child >= 0 && totals[child] > 0.0) {
                    pieces.emplace_back(int(child), w);
                    continue;
                }
                const double all = totals[node] + smoothing * K;
                for (int c = 0; c < K; ++c) out[c] += w * (tree.weight[at(node) * at(K) + at(c)] + smoothing) / all;
            }
        }
    });
}

}  // namespace statlearn::trees
