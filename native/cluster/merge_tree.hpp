// Merges of clusters, from the order in which an algorithm finds them to the tree that users see.
#pragma once

#include <vector>

#include "common/view.hpp"

namespace statlearn::cluster {

// Up to so many items nearest-neighbour chains do all the work, and break ties in the order that other programs have
// too.
constexpr Index kChainItems = 1000;

// Two clusters, each named by any of its members, become one at a height.
struct Merge {
    int a, b;
    double height;
};

// Writes the tree of n - 1 merges: rows of Z (n - 1 x 4, row-major) hold the two nodes, the smaller number first, the
// height, and the number of members. Node n + k is made by row k. With `sort` the merges are sorted by height first
// (the earlier found first among equals), as fits all linkages whose heights cannot fall.
void merge_tree(std::vector<Merge>& merges, Index n, bool sort, Span<double> Z);

// Labels of the leaves from the labels of some nodes: a node without one (-1) takes its parent's. `labels` has n +
// merges elements, `children` two for each merge, none of them younger than its parent.
void spread_labels(Span<const Index> children, Index n, Span<Index> labels);

// Condensed cophenetic distances of the n leaves: the height at which two of them first share a node.
void cophenetic(Span<const double> Z, Index n, Span<double> out);

}  // namespace statlearn::cluster
