// From a single-linkage tree of densities to flat clusters: what HDBSCAN makes of it.
#pragma once

#include <cstdint>
#include <vector>

#include "common/view.hpp"

namespace statlearn::cluster {

// A child (a point below n, or a cluster from n on) leaves its parent cluster at the density lambda = 1 / height.
struct Departure {
    Index parent, child;
    double lambda;
    Index size;
};

// Walks the tree Z (n - 1 x 4, row-major, heights increasing) from the root, which is cluster n. Merges of one height
// that follow each other are one split into many parts, whatever their order in Z: densities are often equal here, and
// the result must not depend on how a spanning tree breaks the tie. If two or more parts have at least `least` points
// they are new clusters, numbered level by level and by their first points; a single one keeps the name. Points of
// small parts leave.
std::vector<Departure> condense(Span<const double> Z, Index n, Index least);

struct Selection {
    bool leaves;     // the leaves of the tree of clusters, rather than the most stable ones
    bool single;     // whether the root may be a cluster
    double epsilon;  // clusters born at a smaller height than this are joined (0: none are)
    Index largest;   // the most points of a cluster chosen by stability
};

// Chooses clusters that do not overlap. Stability of a cluster: the sum over its points of lambda (when they leave)
// minus the lambda of its birth; from the leaves up a cluster is kept if it is at least as stable as its kept
// descendants together. Labels are numbered by cluster; a point that left before its cluster was born is -1.
// Strengths: lambda of the point over the largest of its cluster.
void select_clusters(const std::vector<Departure>& tree, Index n, const Selection& how, Span<Index> labels,
                     Span<double> strengths);

}  // namespace statlearn::cluster
