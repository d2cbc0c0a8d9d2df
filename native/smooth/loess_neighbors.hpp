// The neighbourhood of a place: its nearest rows and their weights.
#pragma once

#include "common/interrupt.hpp"
#include "smooth/loess_rule.hpp"

namespace statlearn::smooth {

struct Counted {
    double square, count;
};

// A neighbourhood, and the memory to find the next one.
struct Neighborhood {
    std::vector<int> rows;  // with a positive weight
    std::vector<double> weights;
    double reach = 0.0;  // see nearness
    bool flat = false;   // all rows on the boundary, or without weight: they count equally

    std::vector<double> squares, scratch, far;
    std::vector<std::pair<Index, Index>> runs;
    std::vector<Counted> counted;
};

// Rows prepared for searches around so many places: one column as it is (sorted), several in the order of a KD-tree if
// that saves time.
class LoessNeighbors {
public:
    LoessNeighbors(const LoessData& data, const LoessRule& rule, Index places, const Interrupt& interrupt);

    LoessNeighbors(const LoessNeighbors&) = delete;  // views into itself
    LoessNeighbors& operator=(const LoessNeighbors&) = delete;

    // The rows in the order to which row numbers of a neighbourhood refer.
    const LoessData& data() const { return data_; }
    void find(const double* z, Neighborhood& out) const;

private:
    void index(const Interrupt& interrupt);
    void candidates(const double* z, Neighborhood& out) const;
    void window(double z, Neighborhood& out) const;
    void leaves_around(const double* z, Neighborhood& out) const;
    void measure(const double* z, Neighborhood& out) const;
    double radius(Neighborhood& out) const;
    double counted(Span<const double> squares, Span<const double> counts, Neighborhood& out) const;
    template <class Kernel>
    bool weigh(Neighborhood& out, double limit, Kernel&& kernel) const;

    LoessData data_;
    LoessRule rule_;
    std::vector<double> X_, y_, w_, counts_;          // in the order of the tree
    std::vector<double> low_, high_, leaf_counts_;    // boxes of its leaves and rows in them
    std::vector<std::pair<Index, Index>> leaf_runs_;  // empty: no tree
};

// The k-th smallest (from 0) of the values.
double kth_smallest(Span<const double> values, Index k, std::vector<double>& scratch);

// The smallest value up to which the counts are at least `target`; the items are reordered.
double counted_smallest(std::vector<Counted>& items, double target);

}  // namespace statlearn::smooth
