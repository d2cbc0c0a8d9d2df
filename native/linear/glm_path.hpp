// Elastic-net generalised linear models along a path of penalties (newton_path.hpp).
#pragma once

#include "linear/glm_rows.hpp"
#include "linear/newton_path.hpp"

namespace statlearn::linear {

struct GlmData {
    GlmFamily family;
    double parameter;      // theta of the negative binomial, power (between 1 and 2) of the Tweedie family
    Span<const double> y;  // n, inside the range of the family
    PathRows rows;
};

// The loss of a row is half its unit deviance; everything else as newton_path says.
template <class Columns>
void glm_path(const Columns& X, const GlmData& data, Span<const double> l1, Span<const double> l2,
              Span<const double> theta, StopRule stop, const Interrupt& interrupt, const NewtonPathOut& out);

}  // namespace statlearn::linear
