// Splits on other columns that imitate a split, for rows in which its value is missing.
#pragma once

#include <vector>

#include "trees/cart_part.hpp"

namespace statlearn::trees {

struct Surrogate {
    int feature = -1;
    bool by_set = false, below_left = true;
    std::uint32_t last_below = 0, first_above = 0;
    double threshold = 0.0;
    std::vector<std::uint32_t> left_set;
    double agreement = 0.0;  // weight of the rows sent to the same side, by that of all rows with a known first split
    double adjusted = 0.0;   // 0: as good as sending all rows with the majority, 1: perfect
};

// The best surrogate of each of these columns that sends at least two rows to each side and beats the majority, best
// first, at most `most`; equal ones in the order of `candidates`. `side` holds where the first split, on column
// `primary`, sends the rows of the node.
std::vector<Surrogate> find_surrogates(const CartColumns& columns, const CartPart& part, Index begin, Index end,
                                       int primary, Span<const int> candidates, Span<const std::uint8_t> side,
                                       int most);

// Sends the rows whose value of the first split is missing where the first surrogate with a known value sends them;
// the others keep their side. `cells`: those of the first split.
void route_missing(const CartPart& part, Index begin, Index end, Span<const Cell> cells,
                   const std::vector<Surrogate>& surrogates, Span<std::uint8_t> side);

}  // namespace statlearn::trees
