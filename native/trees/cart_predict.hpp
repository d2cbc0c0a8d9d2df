// Prediction where values are missing, and the weakest-link sequence of a tree.
#pragma once

#include "trees/forest.hpp"

namespace statlearn::trees {

// The surrogates of node k are numbers start[k] to start[k + 1] - 1 of the other arrays.
struct SurrogateView {
    Span<const int> start, feature, set;
    Span<const double> threshold;
    Span<const std::uint8_t> below_left;
};

// Whether the surrogates' columns, sets and numbers exist. Requires a sound forest.
bool is_sound(const SurrogateView& surrogates, const ForestView& forest, Index n_features);

// The leaf of each row: a missing value follows the first surrogate whose value is known, else missing_left.
template <class T>
void surrogate_apply(const ForestView& forest, const SurrogateView& surrogates, Matrix<const T> X,
                     const Interrupt& interrupt, Span<int> leaves);

// Adds to each row of `sums` the values of its leaves; a missing value sends the share left_share[k] of the row left.
template <class T>
void fractional_predict(const ForestView& forest, Span<const double> left_share, Matrix<const double> values,
                        Matrix<const T> X, const Interrupt& interrupt, Matrix<double> sums);

// For each inner node the alpha from which on it is a leaf of the subtree that minimises sum of cost + alpha * leaves,
// or is gone with a node above it; 0 for leaves. cost: of each node as a leaf. Breiman et al. (1984), chapter 10.
// Requires children behind their parents. Cost O(nodes * depth * log nodes) at most.
void collapse_alphas(Span<const int> child, Span<const double> cost, Span<double> alpha);

}  // namespace statlearn::trees
