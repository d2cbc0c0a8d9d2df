// A forest prepared for one row after the other: checked and packed once, then only walked.
#pragma once

#include <cstdint>
#include <vector>

#include "trees/forest.hpp"

namespace statlearn::trees {

class RowWalker {
public:
    // Copies what a walk reads; requires is_sound for n_features.
    RowWalker(const ForestView& forest, Span<const double> start, Index n_features);

    Index n_features() const { return n_features_; }
    Index n_outputs() const { return Index(start_.size()); }

    // The scores of one row: start plus the leaf values of all trees, in their order.
    void scores(const double* row, double* out) const;

private:
    static constexpr std::size_t kLanes = 16;

    struct Step {
        double threshold, value;
        int child, feature;
        int set;
        bool missing_left;
    };

    int next(const Step& step, double x) const;

    std::vector<Step> steps_;
    std::vector<int> roots_, output_;
    std::vector<std::uint32_t> sets_;
    std::vector<double> start_;
    Index n_features_, set_words_;
};

}  // namespace statlearn::trees
