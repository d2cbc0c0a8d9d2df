// Rows on which a tree, or a part of one, is grown: cells and targets in arrays of their own.
#pragma once

#include <vector>

#include "trees/cart_data.hpp"

namespace statlearn::trees {

// A node is a range begin..end of every column. With presorted columns a range holds the cells of its rows by rank;
// otherwise only the list of rows is kept, and cells are sorted when they are asked for.
class CartPart {
public:
    // The whole table; uses up columns.sorted.
    CartPart(CartColumns& columns, const CartTarget& target, bool presort);

    // The rows of a node alone, numbered anew; `local` is scratch for the rows of `whole`. With `weights` (by row of
    // `whole`) the rows get these weights, and those of weight 0 are left out.
    CartPart(const CartPart& whole, Index begin, Index end, std::vector<std::uint32_t>& local,
             Span<const double> weights = {});

    CartPart(const CartPart&) = delete;
    CartPart& operator=(const CartPart&) = delete;

    Index rows() const { return target_.rows; }
    Index cols() const { return cols_; }
    Index words() const { return words_; }  // 32-bit words of a set of levels
    const CartTarget& target() const { return target_; }

    // The node's rows in some order; ranks have no meaning.
    Span<const Cell> any_cells(Index begin, Index end, std::vector<Cell>& scratch) const;
    // The cells of column j, missing values last; by rank, and by row within a rank, where `sorted`.
    Span<const Cell> cells(Index begin, Index end, Index j, bool sorted, std::vector<Cell>& scratch) const;
    bool is_constant(Index begin, Index end, Index j) const;

    // Rows with side 1 first, both sides in their former order, in columns first_col..last_col - 1; returns where the
    // others begin. The list of rows itself counts as column 0.
    Index partition(Index begin, Index end, Span<const std::uint8_t> side, Index first_col, Index last_col,
                    bool shared);

private:
    void take_target(const CartTarget& from, Span<const std::uint32_t> rows, Span<const double> weights);

    Index cols_ = 0, words_ = 1;
    bool presorted_ = true;
    std::vector<std::vector<Cell>> columns_;   // presorted
    std::vector<std::uint32_t> ranks_, list_;  // otherwise: cols x rows, and the rows
    CartTarget target_;
    std::vector<double> y_, weights_;
    std::vector<int> codes_;
    std::vector<Cell> right_;
    std::vector<std::uint32_t> right_rows_;
};

// Midway between the values of two ranks, never above the lower one's neighbour.
double midway(const std::vector<double>& values, std::uint32_t low, std::uint32_t high);

}  // namespace statlearn::trees
