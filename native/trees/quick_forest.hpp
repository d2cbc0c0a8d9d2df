// Prediction by many small trees at once, without walking: QuickScorer (Lucchese et al., 2015) on bytes.
//
// Thresholds are replaced by their ranks in their column, so that a row is a string of bytes. A tree is a set of
// leaves, one bit each, from left to right; a node whose test sends the row to the right strikes out the leaves of its
// left side, and the first leaf that is left is the row's. There is no branch and no pointer: rows are handled 32 at a
// time, and the cost is that of all nodes instead of those on the path, at a fraction of a cycle each.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/interrupt.hpp"
#include "trees/forest.hpp"

namespace statlearn::trees {

template <class T>
class QuickForest {
public:
    static constexpr Index kRows = 128;  // rows handled together

    // Nothing where the forest does not fit: categories, trees of more than 64 leaves, columns of more than 254
    // thresholds or with one that is no number, values that are vectors. Requires is_sound.
    static std::optional<QuickForest> prepare(const ForestView& forest);

    // Adds the leaf values of all trees to rows first .. first + rows - 1 of `sums`, in the order of the trees; rows is
    // at most kRows.
    void add(Matrix<const T> X, Index first, Index rows, Matrix<double> sums) const;

private:
    // A column in use, with its sorted thresholds; missing values get the lowest rank in one copy of its ranks (they go
    // left at every node that reads it) and the highest in the other.
    struct Column {
        int feature;
        int low_slot = -1, high_slot = -1;
        int steps = 0;  // of the search, or 0: few thresholds, all are counted
        std::vector<T> edges;
    };
    struct Strike {
        std::int16_t slot;
        std::int8_t rank;  // shifted by 128: vectors compare signed bytes
        std::uint8_t leaves;
    };
    struct Part {  // eight leaves of a tree
        int begin, end;
    };
    struct SmallTree {
        int part_begin, part_end;
        int value;  // of its first leaf
        int output;
    };

    bool read_columns(const ForestView& forest);
    bool read_tree(const ForestView& forest, std::size_t t, Index begin);
    void rank_rows(Matrix<const T> X, Index first, Index rows, std::int8_t* ranks) const;

    std::vector<Column> columns_;
    std::vector<int> column_of_;  // by feature
    int n_slots_ = 0;
    std::vector<Strike> strikes_;
    std::vector<Part> parts_;
    std::vector<SmallTree> trees_;
    std::vector<double> values_;
};

extern template class QuickForest<float>;
extern template class QuickForest<double>;

}  // namespace statlearn::trees
