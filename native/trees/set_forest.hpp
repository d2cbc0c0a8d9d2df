// Prediction by many small trees that split on sets of categories, without walking.
//
// A tree is a set of leaves, one bit each, from left to right; a node that sends a row to the right strikes out the
// leaves of its left side, and the first leaf that is left is the row's (Lucchese et al., 2015: QuickScorer). All nodes
// of a tree that read one column of categories strike out together what a table says for the row's category: a row
// costs one look-up for each such column of the tree, and one comparison for each node on an ordered column.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trees/forest.hpp"

namespace statlearn::trees {

template <class T>
class SetForest {
public:
    static constexpr Index kRows = 256;  // rows handled together

    // Nothing where the forest does not fit (trees of more than 64 leaves, values that are vectors), or where making
    // the tables would cost more than walking `rows` rows. Requires is_sound.
    static std::optional<SetForest> prepare(const ForestView& forest, Index rows);

    // Adds the leaf values of all trees to rows first .. first + rows - 1 of `sums`, in the order of the trees; rows is
    // at most kRows.
    void add(Matrix<const T> X, Index first, Index rows, Matrix<double> sums) const;

private:
    using Leaves = std::uint64_t;

    struct Table {
        int column;  // among columns_
        std::size_t begin;
    };
    struct Cut {
        int column;
        T threshold;
        bool missing_left;
        Leaves left;
    };
    struct SmallTree {
        std::size_t tables_end, cuts_end, values_begin;
        int output;
    };

    void read_tree(const ForestView& forest, Index begin, Index end);
    void strike(const ForestView& forest, std::size_t node, int column, Leaves left, std::size_t first_table);
    int column_of(int feature);

    Index codes_ = 0;  // categories that sets tell apart; the entry behind them is for all other values
    std::vector<int> columns_, column_of_;
    std::vector<Table> tables_;
    std::vector<Cut> cuts_;
    std::vector<Leaves> open_;  // entries of the tables: leaves that are not struck out
    std::vector<SmallTree> trees_;
    std::vector<double> values_;
};

extern template class SetForest<float>;
extern template class SetForest<double>;

}  // namespace statlearn::trees
