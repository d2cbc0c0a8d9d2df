// Elastic-net logistic and multinomial regression along a path of penalties (newton_path.hpp).
#pragma once

#include "linear/newton_path.hpp"

namespace statlearn::linear {

// Two classes (codes 0, 1) have one score, the log-odds of class 1; more have one each, with the softmax.
struct LogisticData {
    Index n_scores;         // 1 for two classes, else the number of classes
    Span<const int> codes;  // n
    PathRows rows;
};

// The loss is the mean of -log P(class); everything else as newton_path says.
template <class Columns>
void logistic_path(const Columns& X, const LogisticData& data, Span<const double> l1, Span<const double> l2,
                   Span<const double> theta, StopRule stop, const Interrupt& interrupt, const NewtonPathOut& out);

}  // namespace statlearn::linear
