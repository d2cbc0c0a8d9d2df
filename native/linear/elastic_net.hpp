// Lasso and elastic-net paths by coordinate descent on a working set, certified by the duality gap.
#pragma once

#include <cstdint>

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"
#include "linear/columns.hpp"

namespace statlearn::linear {

struct PathOptions {
    double tol;     // a model is accepted when its duality gap is at most tol |y|^2
    int max_iter;   // passes over the working set, per model
    bool positive;  // w >= 0
    bool random;    // draw coordinates at random instead of cycling
    std::uint64_t seed;
};

// One path: l1 and l2 hold the penalties of each model, the strongest first; `factor` is empty or multiplies both
// penalties of a feature (0: not penalised); `init` is empty or the starting point.
struct PathProblem {
    Span<const double> l1, l2, factor, init;
};

// coef has one row of p values per model; gap is on the scale of the objective below.
struct PathModels {
    Matrix<double> coef;
    Span<double> gap;
    Span<int> n_iter;
};

// For each model minimises 1/2 |y - X w|^2 + sum_j f_j (l1 |w_j| + l2/2 w_j^2), X and y weighted and centred as
// the source says (columns.hpp).
//
// Coordinate descent (Friedman, Hastie & Tibshirani, 2010) runs on a working set with updates of the correlations
// x_j' r; the set is predicted by extrapolating all correlations along the path, which is piecewise linear, and once
// the signs have settled a Newton step solves the model exactly. Several models are solved ahead, then one pass over X
// computes the correlations of all features for all of them: the gap of each is exact, and a model that is not
// certified is solved again with the features that were missing. Dual point: the scaled residual (Massias, Gramfort &
// Salmon, 2018), with the rows sqrt(l2) I added to X for the ridge part.
//
// Returns ok, max_iter if a model stopped before its gap was reached, or interrupted.
Status enet_path(ColumnSource& source, const PathProblem& problem, const PathOptions& options,
                 const Interrupt& interrupt, const PathModels& models);

}  // namespace statlearn::linear
