// The most similar rows of each row of a sparse table of ratings.
#pragma once

#include "common/interrupt.hpp"
#include "common/rows.hpp"
#include "common/view.hpp"

namespace statlearn::decomposition {

enum class Similarity : int {
    whole = 0,    // cosine over all columns, with 0 for those that a row does not have
    cosine = 1,   // over the columns that both rows have
    pearson = 2,  // likewise, with the means over these columns
    jaccard = 3,  // columns in both, by columns in either
};

struct SimilarPlan {
    Similarity kind;
    int min_common;    // columns that both rows must have
    double shrinkage;  // the similarity is multiplied by m / (m + shrinkage), m the number of common columns
};

// For each row the rows of the largest positive similarity, in decreasing order, ties by the lowest index; `neighbors`
// (n x K) is filled up with -1. `turned` holds the same table by columns. Cost: the sum over the columns of the squared
// number of their entries; O(n) memory per thread.
void similar_rows(const RowsView<double>& table, const RowsView<double>& turned, const SimilarPlan& plan,
                  const Interrupt& interrupt, Matrix<int> neighbors, Matrix<double> similarities);

}  // namespace statlearn::decomposition
