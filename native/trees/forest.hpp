// Prediction by an ensemble of binary trees held in flat arrays.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::trees {

// All trees one after the other. The children of node k are child[k] and child[k] + 1; a leaf is its own child.
// x goes left when x <= threshold[k], or, where category_set[k] >= 0, when bit x of that set is 1; NaN goes left where
// missing_left[k] is 1.
struct ForestView {
    Span<const int> feature, child, category_set;
    Span<const double> threshold;
    Span<const std::uint8_t> missing_left;
    Matrix<const std::uint32_t> left_sets;  // 32 bits in each column
    Span<const int> roots;                  // first node of each tree
    Span<const int> output;                 // column of the result that each tree adds to
    Span<const double> value;               // of each node; empty where the values are vectors
};

// The side a row takes at node k, given its value there.
template <class T>
bool goes_left(const ForestView& forest, std::size_t k, T x) {
    const int set = forest.category_set[k];
    if (x != x) return forest.missing_left[k] != 0;
    if (set < 0) return double(x) <= forest.threshold[k];
    if (!(x >= 0 && x < T(32 * forest.left_sets.cols))) return forest.missing_left[k] != 0;
    const auto bin = Index(x);
    return forest.left_sets(set, bin / 32) >> (bin % 32) & 1u;
}

// The largest number of type T that is not above the threshold: x <= threshold stays true for the same x.
template <class T>
T floor_to(double threshold) {
    const T t = T(threshold);
    return double(t) > threshold ? std::nextafter(t, -std::numeric_limits<T>::infinity()) : t;
}

// Whether every walk ends: no node has two parents, and its parent lies before it in its own tree; features and sets
// exist.
bool is_sound(const ForestView& forest, Index n_features);

// Adds to row i of `sums` the leaf values of all trees; requires is_sound. Trees of one block of rows are walked
// together, so that the block stays in the cache; the order of additions is that of the trees.
template <class T>
void forest_predict(const ForestView& forest, Matrix<const T> X, const Interrupt& interrupt, Matrix<double> sums);

// The same for values that are vectors: row i of `sums` gets row `leaf` of `values` from every tree.
template <class T>
void forest_predict_vectors(const ForestView& forest, Matrix<const double> values, Matrix<const T> X,
                            const Interrupt& interrupt, Matrix<double> sums);

// The leaf (node number) of every row in every tree: n x n_trees.
template <class T>
void forest_apply(const ForestView& forest, Matrix<const T> X, const Interrupt& interrupt, Matrix<int> leaves);

// The same for a few rows of a large forest, which is read where they walk and nowhere else: so are its arrays checked,
// and the answer is false where they do not describe trees.
template <class T>
bool forest_leaves_of_few(const ForestView& forest, Matrix<const T> X, Matrix<int> leaves);

// The depth of every node, roots at 0; false where the arrays do not describe trees.
bool node_depths(Span<const int> child, Span<const int> roots, Span<int> depth);

}  // namespace statlearn::trees
