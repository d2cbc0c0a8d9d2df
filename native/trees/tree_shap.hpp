// Shapley values of the predictions of binary trees, and averages of a prediction over some of its columns.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"
#include "trees/forest.hpp"

namespace statlearn::trees {

// Trees and how much of the training data reached each of their nodes.
struct WeightedForest {
    ForestView forest;           // `value` is not read
    Span<const double> cover;    // weight of the training rows in each node, >= 0
    Matrix<const double> value;  // of each node: one number, for column output[t], or one for every column
    Index outputs;               // columns of the prediction
    bool hide_missing = false;   // whether a missing value tells nothing: a row goes both ways, known or not
};

// Adds to phi(i, j * outputs + k) the Shapley value of column j in output k for row i of X. A column that is not
// known is averaged out by going both ways at its splits, in the proportions of the covers (Lundberg, Erion & Lee
// 2018, Algorithm 2).
//
// For a path to a leaf of value v, let z_j be the product of the proportions at the splits on column j, and o_j 1 if
// row i takes all of them, else 0. The Shapley value of j in that game of products is
//     v (o_j - z_j) * integral over t from 0 to 1 of prod over k != j of (o_k t + z_k (1 - t)),
// because t^|S| (1 - t)^(d - 1 - |S|) integrates to Shapley's weight of S. The integrand is a polynomial of degree
// d - 1: ceil(d / 2) points of Gauss and Legendre give it exactly. The products at these points are passed down the
// tree and the sums over the leaves up again, so that a row costs O(nodes * d / 2); all terms are positive before the
// last subtraction, and nothing is divided by a proportion, which may be 0. With hide_missing a missing column has the
// factor z_j whether it is known or not, and the value 0.
//
// Requires is_sound(forest), covers finite. Memory beside the result: O(depth * d) for each thread, O(nodes * d).
template <class T>
void tree_shap(const WeightedForest& trees, Matrix<const T> X, const Interrupt& interrupt, Matrix<double> phi);

// The same for pairs of columns: phi(i, (j * p + l) * outputs + k) for j != l gets half the interaction of j and l,
//     v (o_j - z_j) (o_l - z_l) * integral of the product over the other columns;
// entries with j = l are left alone. O(leaves * d^3) for a row.
template <class T>
void tree_shap_interactions(const WeightedForest& trees, Matrix<const T> X, const Interrupt& interrupt,
                            Matrix<double> phi);

// Shapley values where unknown columns take their values from the rows of `background` together, averaged over these
// rows with the given weights (of sum 1): for a row x and a row b only leaves count that x and b reach by sharing the
// columns between them; with a of x's and c of b's, each column of x gets v (a - 1)! c! / (a + c)!, each of b's loses
// v a! (c - 1)! / (a + c)!. The covers are not read. O(rows * background * leaves reached), or, where no path has more
// than ten columns and there are many rows, O(leaves * 3^d + (rows + background) * leaves * d) by tables of the leaves.
// Requires hide_missing = false.
template <class T>
void tree_shap_interventional(const WeightedForest& trees, Matrix<const T> X, Matrix<const T> background,
                              Span<const double> weights, const Interrupt& interrupt, Matrix<double> phi);

// Adds to sums(i, k) the prediction where column columns[l] has the value grid(i, l) and all others are averaged out by
// the covers (Friedman 2001, section 8.2).
template <class T>
void forest_partial_dependence(const WeightedForest& trees, Span<const int> columns, Matrix<const T> grid,
                               const Interrupt& interrupt, Matrix<double> sums);

}  // namespace statlearn::trees
