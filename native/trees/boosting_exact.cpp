#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "common/parallel.hpp"
#include "trees/boosting_tree.hpp"
#include "trees/frontier.hpp"

namespace statlearn::trees {

namespace {

// Every column keeps the rows of a leaf together and by increasing value, missing ones last: a stable partition by
// side preserves that.
template <class T>
class ExactGrower {
public:
    ExactGrower(Matrix<const T> X, Matrix<const std::uint32_t> sorted, Span<const int> n_levels, Span<const T> g,
                Span<const T> h, Span<const T> weight, const GrowRule& rule, const Interrupt& interrupt,
                Span<std::uint32_t> order, Span<std::uint32_t> scratch)
        : X_(X),
          n_levels_(n_levels),
          g_(g),
          h_(h),
          weight_(weight),
          rule_(rule),
          choice_(rule, X.cols),
          interrupt_(interrupt),
          order_(order),
          scratch_(scratch),
          goes_left_(X.rows) {
        take_columns(sorted);
    }

    BoostingTree grow() {
        std::vector<OpenLeaf> leaves(1);
        leaves[0].end = Index(order_.size());
        leaves[0].node = draft_.add_node({});
        find_split(leaves[0]);
        for (int budget = rule_.max_leaves - 1; budget > 0 && !interrupt_.requested(); --budget) {
            const auto next = std::max_element(leaves.begin(), leaves.end(),
                                               [&](const auto& a, const auto& b) { return comes_before(b, a, rule_); });
            if (!(next->priority > 0.0)) break;
            const OpenLeaf done = std::move(*next);
            leaves.erase(next);
            const Index middle = partition(done);
            const auto [left, right] = child_bounds(done.split, rule_, done.bounds);
            const auto groups = choice_.groups_below(done.groups, done.split.feature);
            const int child = draft_.split(done.node, done.split, done.begin, done.end, left, right);
            leaves.push_back(done.child(done.begin, middle, left, groups));
            leaves.back().node = child;
            find_split(leaves.back());
            leaves.push_back(done.child(middle, done.end, right, groups));
            leaves.back().node = child + 1;
            find_split(leaves.back());
        }
        std::vector<TreeDraft::LeafRows> rows;
        for (const auto& leaf : leaves) rows.push_back({leaf.node, leaf.begin, leaf.end});
        return std::move(draft_).template finish<T>(rows, order_, g_, h_, rule_);
    }

private:
    // The sorted columns, of the rows in the order only.
    void take_columns(Matrix<const std::uint32_t> sorted) {
        std::vector<std::uint8_t> taken(X_.rows, 0);
        for (const auto i : order_) taken[i] = 1;
        columns_.resize(X_.cols, std::vector<std::uint32_t>());
        parallel_for(X_.cols, [&](Index j) {
            auto& column = columns_[j];
            column.reserve(order_.size());
            for (Index k = 0; k < X_.rows; ++k)
                if (taken[sorted(j, k)]) column.push_back(sorted(j, k));
            if (Index(column.size()) != order_.size())
                throw std::invalid_argument("sorted: every column must be a permutation of the rows");
        });
    }

    Sums of_row(std::uint32_t i) const {
        return {double(g_[i]), double(h_[i]), 1.0, weight_.empty() ? 0.0 : double(weight_[i])};
    }

    void find_split(OpenLeaf& leaf) const {
        if (!leaf.may_split(rule_)) return;
        Sums total;
        for (Index k = leaf.begin; k < leaf.end; ++k) total = total + of_row(order_[k]);
        const auto chosen = choice_.features(leaf.groups, leaf.name());
        std::vector<BoostingSplit> best(X_.cols, BoostingSplit{});
        parallel_for(X_.cols, [&](Index j) {
            if (!chosen.empty() && !chosen[j]) return;
            const Span<const std::uint32_t> rows(columns_[j].data() + leaf.begin, leaf.rows());
            if (n_levels_[j] == 0)
                scan_ordered(leaf, total, int(j), rows, best[j]);
            else
                scan_categories(leaf, total, int(j), rows, best[j]);
        });
        for (const auto& split : best)
            if (is_better(split.gain, leaf.split.gain)) leaf.split = split;
        leaf.priority = settle_gain(leaf.split, total, rule_, leaf.bounds);
    }

    void scan_ordered(const OpenLeaf& leaf, const Sums& total, int feature, Span<const std::uint32_t> rows,
                      BoostingSplit& best) const {
        Index present = rows.size();
        Sums lost;
        while (present > 0 && std::isnan(X_(rows[present - 1], feature))) lost = lost + of_row(rows[--present]);
        const bool missing = present < rows.size();
        Sums run;
        for (Index k = 0; k < present; ++k) {
            run = run + of_row(rows[k]);
            const T x = X_(rows[k], feature);
            const bool last = k + 1 == present;
            if (last ? !missing : X_(rows[k + 1], feature) == x) continue;
            // Missing values to the right; to the left, too, where there are values on both sides.
            for (const bool left : {false, true}) {
                if (left && (!missing || last)) break;
                const Sums side = left ? run + lost : run;
                const double s = split_score(side, total - side, rule_, monotone_of(rule_, feature), leaf.bounds);
                if (!is_better(s, best.gain)) continue;
                best.gain = s;
                best.feature = feature;
                best.threshold =
                    last ? double(std::numeric_limits<T>::infinity()) : double(between(x, X_(rows[k + 1], feature)));
                best.left = side;
                best.right = total - side;
                best.missing_left = missing ? left : side.rows >= best.right.rows;
            }
        }
    }

    void scan_categories(const OpenLeaf& leaf, const Sums& total, int feature, Span<const std::uint32_t> rows,
                         BoostingSplit& best) const {
        std::vector<std::pair<int, Sums>> level;
        for (const auto i : rows) {
            const int code = code_of(X_(i, feature), feature);
            if (level.empty() || level.back().first != code) level.emplace_back(code, Sums{});
            level.back().second = level.back().second + of_row(i);
        }
        best = best_category_split(level, n_levels_[feature] + 1, total, feature, rule_, leaf.bounds);
    }

    int code_of(T x, int feature) const {
        const int levels = n_levels_[feature];
        return x >= 0 && x < T(levels) ? int(x) : levels;
    }

    bool goes_left(const BoostingSplit& split, T x) const {
        if (split.by_set) return split.goes_left(code_of(x, split.feature));
        return std::isnan(x) ? split.missing_left : double(x) <= split.threshold;
    }

    // Brings the leaf's rows into the order of its split, in every column; returns where the right side begins.
    Index partition(const OpenLeaf& leaf) {
        for (Index k = leaf.begin; k < leaf.end; ++k) {
            const auto i = order_[k];
            goes_left_[i] = goes_left(leaf.split, X_(i, leaf.split.feature));
        }
        const auto sweep = [&](Span<std::uint32_t> rows, Span<std::uint32_t> right) {
            std::size_t l = 0, r = 0;
            for (Index k = 0; k < rows.size(); ++k) {
                const auto i = rows[k];
                if (goes_left_[i])
                    rows[l++] = i;
                else
                    right[r++] = i;
            }
            std::copy_n(right.begin(), r, rows.begin() + Index(l));
            return Index(l);
        };
        const auto begin = std::size_t(leaf.begin), size = std::size_t(leaf.rows());
        parallel_for(X_.cols, [&](Index j) {
            std::vector<std::uint32_t> right(size);
            sweep(Span(columns_[j]).subspan(begin, size), right);
        });
        return leaf.begin + sweep(order_.subspan(begin, size), scratch_.subspan(begin, size));
    }

    Matrix<const T> X_;
    Span<const int> n_levels_;
    Span<const T> g_, h_, weight_;
    const GrowRule& rule_;
    FeatureChoice choice_;
    const Interrupt& interrupt_;
    Span<std::uint32_t> order_, scratch_;
    std::vector<std::uint8_t> goes_left_;
    std::vector<std::vector<std::uint32_t>> columns_;
    TreeDraft draft_;
};

}  // namespace

template <class T>
BoostingTree grow_boosting_tree_exact(Matrix<const T> X, Matrix<const std::uint32_t> sorted, Span<const int> n_levels,
                                      Span<const T> g, Span<const T> h, Span<const T> weight, const GrowRule& rule,
                                      const Interrupt& interrupt, Span<std::uint32_t> order,
                                      Span<std::uint32_t> scratch) {
    return ExactGrower<T>(X, sorted, n_levels, g, h, weight, rule, interrupt, order, scratch).grow();
}

template BoostingTree grow_boosting_tree_exact(Matrix<const float>, Matrix<const std::uint32_t>, Span<const int>,
                                               Span<const float>, Span<const float>, Span<const float>, const GrowRule&,
                                               const Interrupt&, Span<std::uint32_t>, Span<std::uint32_t>);
template BoostingTree grow_boosting_tree_exact(Matrix<const double>, Matrix<const std::uint32_t>, Span<const int>,
                                               Span<const double>, Span<const double>, Span<const double>,
                                               const GrowRule&, const Interrupt&, Span<std::uint32_t>,
                                               Span<std::uint32_t>);

}  // namespace statlearn::trees
