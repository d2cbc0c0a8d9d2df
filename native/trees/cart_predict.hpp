// Prediction where values are missing, and the weakest-link sequence of a tree.
#pragma once

#include "trees/forest.hpp"

namespace statlearn::trees {

// The surrogates of node k are numbers start[k] to start[k + 1] - 1 of the other arrays.
struct SurrogateView {
    std::span<const int> start, feature, set;
    std::span<const double> threshold;
    std::span<const std::uint8_t> below_left;
};

// Whether the surrogates' columns, sets and numbers exist. Requires a sound forest.
bool is_sound(const SurrogateView& surrogates, const ForestView& forest, Index n_features);

// The leaf of each row: a missing value follows the first surrogate whose value is known, else missing_left.
template <class T>
void surrogate_apply(const ForestView& forest, const SurrogateView& surrogates, MatrixView<const T> X,
                     const Interrupt& interrupt, std::span<int> leaves);

// Adds to each row of `sums` the values of its leaves; a missing value sends the share left_share[k] of the row left.
template <class T>
void fractional_predict(const ForestView& forest, std::span<const double> left_share, MatrixView<const double> values,
                        MatrixView<const T> X, const Interrupt& interrupt, MatrixView<double> sums);

// For each inner node the alpha from which on it is a leaf of the subtree that minimises sum of cost + alpha * leaves,
// or is gone with a node above it; 0 for leaves. cost: of each node as a leaf. Breiman et al. (1984), chapter 10.
// Requires children behind their parents. Cost O(nodes * depth * log nodes) at most.
void collapse_alphas(std::span<const int> child, std::span<const double> cost, std::span<double> alpha);

}  // namespace statlearn::trees
