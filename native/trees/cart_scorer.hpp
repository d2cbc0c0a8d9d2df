// A criterion behind virtual functions that work on whole nodes and columns, so that the growing of a tree is compiled
// once for all criteria.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "trees/cart.hpp"
#include "trees/cart_data.hpp"

namespace statlearn::trees {

using Cells = Span<const Cell>;

constexpr double kNoGain = -std::numeric_limits<double>::infinity();

struct ScanRule {
    Index min_rows;
    double min_weight;
    int monotone;         // of this column
    double lower, upper;  // of the values on both sides
    double tie;           // gains closer than this are equal: the first one stays
};

// A split of one column. Ranks up to `last_left` go left, or the levels listed.
struct ColumnSplit {
    double gain = kNoGain;
    bool by_set = false, missing_left = false;
    bool multiway = false;  // one branch for each of `levels`
    bool branch = false;    // missing values get a branch of their own first
    std::uint32_t last_left = 0, first_right = 0;
    double threshold = std::numeric_limits<double>::quiet_NaN();  // NaN: midway between the two ranks
    std::vector<std::uint32_t> levels;                            // on the left, or all of them in a multiway split
    std::vector<std::uint32_t> right_levels;                      // the others that the node has
    Index left_rows = 0, right_rows = 0;
    double middle = 0.0;  // of the values of both sides
    Index evaluations = 0;
};

// How one column is searched at a node.
struct ColumnTask {
    const ScanRule& rule;
    CartMissing missing;
    CartCategories categories;
    bool categorical;
    bool random;                        // one split, drawn with the stream below
    const std::vector<double>& values;  // of the column's ranks
    std::uint64_t seed, stream;
};

class CartScorer {
public:
    virtual ~CartScorer() = default;
    // A copy made after enter() scans on its own.
    virtual std::unique_ptr<CartScorer> copy() const = 0;

    // Takes the rows of a node; what follows speaks of them.
    virtual void enter(Cells cells) = 0;
    virtual double weight() const = 0;
    virtual double impurity() const = 0;
    virtual double risk() const = 0;
    virtual bool pure() const = 0;
    virtual void value(double low, double high, double* out) const = 0;

    // The best split of a column; `cells` in the order of ranks (any for a random split), missing values last.
    virtual ColumnSplit scan(Cells cells, const ColumnTask& task) = 0;
};

using MakeScorer = std::unique_ptr<CartScorer> (*)(const CartTarget&);

}  // namespace statlearn::trees
