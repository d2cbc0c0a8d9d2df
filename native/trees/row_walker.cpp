#include "trees/row_walker.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace statlearn::trees {

RowWalker::RowWalker(const ForestView& forest, Span<const double> start, Index n_features)
    : start_(start.begin(), start.end()), n_features_(n_features), set_words_(forest.left_sets.cols) {
    for (Index k = 0; k < forest.feature.size(); ++k) {
        const bool leaf = forest.child[k] == int(k);
        // A leaf leads to itself: every number is at most infinity, and a missing one goes left.
        if (leaf)
            steps_.push_back({std::numeric_limits<double>::infinity(), forest.value[k], int(k), 0, -1, true});
        else
            steps_.push_back({forest.threshold[k], 0.0, forest.child[k], forest.feature[k], forest.category_set[k],
                              forest.missing_left[k] != 0});
    }
    roots_.assign(forest.roots.begin(), forest.roots.end());
    output_.assign(forest.output.begin(), forest.output.end());
    for (Index s = 0; s < forest.left_sets.rows; ++s)
        for (Index w = 0; w < set_words_; ++w) sets_.push_back(forest.left_sets(s, w));
}

int RowWalker::next(const Step& step, double x) const {
    if (x != x) return step.child + !step.missing_left;
    if (step.set < 0) return step.child + (x > step.threshold);
    if (!(x >= 0 && x < double(32 * set_words_))) return step.child + !step.missing_left;
    const auto bit = Index(x);
    return step.child + !(sets_[step.set * set_words_ + bit / 32] >> (bit % 32) & 1u);
}

void RowWalker::scores(const double* row, double* out) const {
    std::copy(start_.begin(), start_.end(), out);
    bool plain = sets_.empty();
    for (Index j = 0; j < n_features_; ++j) plain &= row[j] == row[j];
    for (std::size_t first = 0; first < roots_.size(); first += kLanes) {
        const std::size_t lanes = std::min(kLanes, roots_.size() - first);
        std::array<int, kLanes> at;
        for (std::size_t l = 0; l < lanes; ++l) at[l] = roots_[first + l];
        // Several trees in step, without a branch on where they go: their loads overlap.
        for (bool moved = true; moved;) {
            moved = false;
            for (std::size_t l = 0; l < lanes; ++l) {
                const Step& step = steps_[at[l]];
                const double x = row[step.feature];
                const int to = plain ? step.child + (x > step.threshold) : next(step, x);
                moved |= to != at[l];
                at[l] = to;
            }
        }
        for (std::size_t l = 0; l < lanes; ++l) out[output_[first + l]] += steps_[at[l]].value;
    }
}

}  // namespace statlearn::trees
