// Friedman's super smoother: running lines whose span is chosen at every place by cross-validated residuals.
#pragma once

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::smooth {

struct SuperRule {
    double span = 0.0;      // share of the rows in a window, or 0: chosen at each place among .05, .2 and .5
    double bass = 0.0;      // 0 to 10: how far the choice leans to the widest span
    bool periodic = false;  // x in [0, 1], where 0 and 1 are the same place
};

struct SuperData {
    Span<const double> x;  // increasing, ties allowed
    Span<const double> y;
    Span<const double> w;  // positive
};

struct SuperFit {
    Span<double> value;  // equal where x is
    Span<double> slope;  // of the running line of the last pass
    Span<double> spans;  // the span in use at each row
};

// False if interrupted. Nine passes of O(n), or one for a given span.
bool supersmoother_fit(SuperData data, SuperRule rule, const Interrupt& interrupt, SuperFit fit);

}  // namespace statlearn::smooth
