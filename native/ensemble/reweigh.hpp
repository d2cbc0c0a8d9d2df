// Weights of the rows in AdaBoost.
#pragma once

#include <cstdint>

#include "common/view.hpp"

namespace statlearn::ensemble {

// Sum of the weights of the marked rows.
double marked_weight(Span<const double> weights, Span<const std::uint8_t> marks);

struct Reweighed {
    double total;  // of the new weights before they are scaled to sum 1
    double loss;   // sum of start x exp(-margin) after the step
    double error;  // sum of start over rows with a negative margin, or one of 0 where `second` is set
};

// One step of boosting: margins grow by `right` or, on wrong rows, by `wrong_move`; weights are multiplied by e to the
// minus of that, scaled to sum 1 and kept at `floor` at least. Weights stay as they are if their total is not a
// positive finite number. Same bits for any number of threads.
Reweighed reweigh(Span<const std::uint8_t> wrong, double right, double wrong_move, Span<const double> start,
                  Span<const std::uint8_t> second, double floor, Span<double> margins, Span<double> weights);

}  // namespace statlearn::ensemble
