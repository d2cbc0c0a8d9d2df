// Classification trees whose tests have any number of branches: C4.5 and ID3 growth, pessimistic pruning, prediction.
#pragma once

#include <cstdint>
#include <vector>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::trees {

// Rows of a table: column j holds numbers where levels[j] = 0, else codes 0..levels[j]-1; NaN is a missing cell.
struct AttributeTable {
    Matrix<const double> X;
    Span<const int> levels;
    Span<const int> classes;     // of each row
    Span<const double> weights;  // of each row, positive
    int n_classes;
};

// The children of node k are first_child[k] .. first_child[k] + n_children[k] - 1, behind their parent; a leaf has
// none. A number goes to the first of two children when x <= threshold[k], a code to the child whose `branch` it is
// (branches of one node increase). weight[k * n_classes + c] is the weight of the training rows of class c that reach
// node k.
struct MultiwayTree {
    std::vector<int> feature;  // -1 in leaves
    std::vector<double> threshold;
    std::vector<int> first_child, n_children, branch;
    std::vector<double> weight;

    Index size() const { return Index(feature.size()); }
};

struct MultiwayView {
    Span<const int> feature;
    Span<const double> threshold;
    Span<const int> first_child, n_children, branch;
    Span<const double> weight;
    int n_classes;
    Span<const int> levels;
};

struct MultiwayRule {
    bool gain_ratio;         // else plain information gain
    bool threshold_penalty;  // a cut pays log2(number of cuts) / rows of its gain (Quinlan, 1996)
    double min_leaf;         // two branches at least must weigh this
    double min_gain;         // a split gains more bits than this
    int max_depth;           // 0: any
};

// Whether every walk ends inside the arrays.
bool is_sound(const MultiwayView& tree, Index n_features);

// Grows by C4.5's rule (Quinlan, 1993): gain on the known rows times their share; of the splits with at least the mean
// gain the largest gain / split information; rows with a missing cell go down every branch in pieces. Equal splits:
// the first column, the lowest threshold. Cost O(p m log m) for a node of m rows; large nodes share out their columns.
MultiwayTree multiway_grow(const AttributeTable& data, const MultiwayRule& rule, const Interrupt& interrupt);

// Pessimistic pruning from the leaves up: a node becomes a leaf, or (raising) its heaviest child takes its place, where
// the upper `confidence` limit of the errors does not grow by more than 0.1 (Quinlan, 1993, chapter 4).
MultiwayTree multiway_prune(const AttributeTable& data, const MultiwayView& tree, double confidence, bool raising,
                            const Interrupt& interrupt);

// Class shares of every row, `smoothing` rows of each class added: those of its leaf, or of the node whose test has no
// branch for its code; averaged over the pieces where a tested cell is missing or has a code that is not one of the
// table's levels.
void multiway_predict(const MultiwayView& tree, Matrix<const double> X, double smoothing, const Interrupt& interrupt,
                      Matrix<double> shares);

}  // namespace statlearn::trees
