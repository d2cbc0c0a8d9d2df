#include <algorithm>
#include <cmath>
#include <limits>

#include "trees/multiway_rows.hpp"

namespace statlearn::trees {

namespace {

// Errors to expect of a leaf that made e errors in n rows: e plus what the upper `confidence` limit adds.
class PessimisticErrors {
public:
    explicit PessimisticErrors(double confidence) : confidence_(confidence), z2_(squared_quantile(confidence)) {}

    double operator()(double n, double e) const { return n > 0.0 ? e + extra(n, e) : 0.0; }

private:
    double extra(double n, double e) const {
        const double none = n * (1.0 - std::exp(std::log(confidence_) / n));
        if (e < 1e-6) return none;
        if (e < 0.9999) return none + e * (extra(n, 1.0) - none);
        if (e + 0.5 >= n) return 0.67 * std::max(n - e, 0.0);
        // Normal limit with the continuity correction.
        const double f = e + 0.5;
        const double upper = (f + z2_ / 2.0 + std::sqrt(z2_ * (f * (1.0 - f / n) + z2_ / 4.0))) / (n + z2_);
        return std::max(n * upper - e, 0.0);
    }

    // Square of the normal quantile at 1 - confidence, by bisection: it is needed once.
    static double squared_quantile(double confidence) {
        double low = 0.0, high = 40.0;
        for (int i = 0; i < 200; ++i) {
            const double z = (low + high) / 2.0;
            (std::erfc(z / std::sqrt(2.0)) / 2.0 > confidence ? low : high) = z;
        }
        return low * low;
    }

    double confidence_, z2_;
};

class Pruner {
public:
    Pruner(const AttributeTable& data, const MultiwayView& tree, double confidence, bool raising)
        : data_(data),
          errors_(confidence),
          raising_(raising),
          expected_(tree.feature.size(), 0.0),
          scratch_(tree.weight.size(), 0.0) {
        tree_.feature.assign(tree.feature.begin(), tree.feature.end());
        tree_.threshold.assign(tree.threshold.begin(), tree.threshold.end());
        tree_.first_child.assign(tree.first_child.begin(), tree.first_child.end());
        tree_.n_children.assign(tree.n_children.begin(), tree.n_children.end());
        tree_.branch.assign(tree.branch.begin(), tree.branch.end());
        tree_.weight.assign(tree.weight.begin(), tree.weight.end());
    }

    MultiwayTree run(const Interrupt& interrupt) {
        std::vector<Frame> path;
        path.push_back({all_rows(data_), 0});
        while (!path.empty() && !interrupt.requested()) {
            Frame& frame = path.back();
            if (!frame.entered) enter(frame);
            if (frame.next < Index(frame.children.size())) {
                const int child = tree_.first_child[frame.node] + int(frame.next);
                Rows rows = std::move(frame.children[frame.next]);
                ++frame.next;
                path.push_back({std::move(rows), child});  // `frame` is invalid from here on
                continue;
            }
            if (settle(frame))
                path.pop_back();
            else
                frame.entered = false;  // its child took its place: prune what is there now
        }
        return compact();
    }

private:
    struct Frame {
        Rows rows;
        int node;
        bool entered = false;
        Index next = 0;
        std::vector<Rows> children = {};
        double stopped_errors = 0.0;
    };

    MultiwayView tree() const { return view_of(tree_, data_.n_classes, data_.levels); }
    bool is_leaf(int node) const { return tree_.n_children[node] == 0; }

    double expected_errors(Span<const double> counts) const {
        const double n = sum(counts);
        return errors_(n, n - *std::max_element(counts.begin(), counts.end()));
    }

    void enter(Frame& frame) {
        frame.entered = true;
        frame.next = 0;
        frame.children.clear();
        frame.stopped_errors = 0.0;
        const auto counts = class_weights(data_, frame.rows);
        std::copy(counts.begin(), counts.end(), tree_.weight.begin() + Index(frame.node) * data_.n_classes);
        if (is_leaf(frame.node)) return;
        const Rows stopped = divide(data_, tree(), frame.node, frame.rows, frame.children);
        if (stopped.size() > 0) frame.stopped_errors = stopped_errors(counts, class_weights(data_, stopped));
    }

    // Rows that stop inside the tree take the class that leads there.
    double stopped_errors(Span<const double> node, Span<const double> stopped) const {
        const auto label = std::max_element(node.begin(), node.end()) - node.begin();
        const double n = sum(stopped);
        return errors_(n, std::max(n - stopped[label], 0.0));
    }

    // Decides over a node whose children are settled; false where its heaviest child was put in its place.
    bool settle(Frame& frame) {
        const int node = frame.node;
        const auto K = at(data_.n_classes);
        const Span<const double> counts(&tree_.weight[at(node) * K], K);
        const double as_leaf = expected_errors(counts);
        if (is_leaf(node)) {
            expected_[node] = as_leaf;
            return true;
        }
        double as_is = frame.stopped_errors;
        int heaviest = tree_.first_child[node];
        for (int c = 0; c < tree_.n_children[node]; ++c) {
            const int child = tree_.first_child[node] + c;
            as_is += expected_[child];
            if (node_weight(tree(), child) > node_weight(tree(), heaviest)) heaviest = child;
        }
        const bool may_raise = raising_ && !is_leaf(heaviest);
        const double raised = may_raise ? errors_below(heaviest, frame.rows) : std::numeric_limits<double>::infinity();
        expected_[node] = as_is;
        if (as_leaf <= as_is + 0.1 && as_leaf <= raised + 0.1) {
            tree_.feature[node] = -1;
            tree_.n_children[node] = 0;
            expected_[node] = as_leaf;
        } else if (raised <= as_is + 0.1) {
            tree_.feature[node] = tree_.feature[heaviest];
            tree_.threshold[node] = tree_.threshold[heaviest];
            tree_.n_children[node] = tree_.n_children[heaviest];
            tree_.first_child[node] = tree_.first_child[heaviest];
            return false;
        }
        return true;
    }

    // Errors to expect if all these rows were sent into the subtree of a node.
    double errors_below(int top, const Rows& rows) {
        const auto view = tree();
        const auto K = at(data_.n_classes);
        std::vector<int> reached;
        std::vector<std::pair<int, double>> pieces;
        for (Index i = 0; i < rows.size(); ++i) {
            const int r = rows.row[i];
            pieces.emplace_back(top, rows.weight[i]);
            while (!pieces.empty()) {
                const auto [node, w] = pieces.back();
                pieces.pop_back();
                const int j = view.feature[node];
                const double x = j < 0 ? 0.0 : data_.X(r, j);
                if (j >= 0 && x != x) {
                    scatter(view, node, w, w < kLightPiece * data_.weights[r], pieces);
                    continue;
                }
                const Index child = j < 0 ? -1 : child_of(view, node, x);
                if (child >= 0) {
                    pieces.emplace_back(int(child), w);
                    continue;
                }
                double* counts = &scratch_[at(node) * K];
                if (sum({counts, K}) == 0.0) reached.push_back(node);
                counts[data_.classes[r]] += w;
            }
        }
        double total = 0.0;
        for (const int node : reached) {
            const Span<double> counts(&scratch_[at(node) * K], K);
            total +=
                is_leaf(node) ? expected_errors(counts) : stopped_errors(view.weight.subspan(at(node) * K, K), counts);
            std::fill(counts.begin(), counts.end(), 0.0);
        }
        return total;
    }

    // The nodes that are still reached, parents before children, the children of one node side by side.
    MultiwayTree compact() const {
        const auto K = at(data_.n_classes);
        MultiwayTree out;
        std::vector<int> old{0};
        const auto copy = [&](int node) { add_node(out, tree_.branch[node], {&tree_.weight[at(node) * K], K}); };
        copy(0);
        for (std::size_t k = 0; k < old.size(); ++k) {
            const int node = old[k];
            if (is_leaf(node)) continue;
            out.feature[k] = tree_.feature[node];
            out.threshold[k] = tree_.threshold[node];
            out.first_child[k] = int(old.size());
            out.n_children[k] = tree_.n_children[node];
            for (int c = 0; c < tree_.n_children[node]; ++c) {
                const int child = tree_.first_child[node] + c;
                old.push_back(child);
                copy(child);
            }
        }
        return out;
    }

    const AttributeTable& data_;
    PessimisticErrors errors_;
    bool raising_;
    MultiwayTree tree_;
    std::vector<double> expected_;  // errors of the settled subtree of each node
    std::vector<double> scratch_;   // class weights per node, zero between uses
};

}  // namespace

MultiwayTree multiway_prune(const AttributeTable& data, const MultiwayView& tree, double confidence, bool raising,
                            const Interrupt& interrupt) {
    return Pruner(data, tree, confidence, raising).run(interrupt);
}

}  // namespace statlearn::trees
