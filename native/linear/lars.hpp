// Least-angle regression and its lasso modification (Efron, Hastie, Johnstone & Tibshirani, 2004).
#pragma once

#include <vector>

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn::linear {

struct LarsOptions {
    bool lasso;      // drop an active coefficient that reaches 0
    bool positive;   // coefficients >= 0; only with lasso
    double c_min;    // the path ends where the largest inner product has fallen to this value
    int max_iter;    // largest number of steps
    int max_rank;    // no more columns than this are independent: the rows, less one if they are centred
    double eps;      // a column is dependent on the active ones when its squared pivot is below 64 eps of its norm
    bool keep_path;  // all nodes, or the last one only
};

struct LarsPath {
    std::vector<double> level;     // largest inner product at each node
    std::vector<double> coefs;     // nodes x p
    std::vector<double> products;  // nodes x p: inner products of the columns with the residual
    std::vector<int> active;       // at the end of the path, in order of entry
    std::vector<int> events;       // pairs (step, +j + 1 for an entry, -j - 1 for a drop)
    std::vector<int> degenerate;   // columns left out because they depend on the active ones
    int n_iter = 0;                // steps taken
    Status status = Status::ok;
};

// `design` is the Gram matrix X'X (p x p) when `is_gram`, else X itself (n x p, column-major); xy = X'y.
//
// Along a step the coefficients move by w = (X_A'X_A)^-1 s with s the signs of the active inner products, so that all
// of these fall by one unit per unit of step; the step ends at the first of: another column ties, an active
// coefficient reaches 0 (lasso), the level reaches c_min. Columns that tie at one point are admitted by Murty's
// least-index rule, which keeps the lasso conditions whatever their number; a column that depends on the active ones
// stays outside until one of those leaves.
//
// Cost per step O(np) with X, O(p |A|) with the Gram matrix, plus O(|A|^2) for the Cholesky factor, which is updated.
LarsPath lars_path(Matrix<const double> design, bool is_gram, Span<const double> xy, const LarsOptions& options,
                   const Interrupt& interrupt);

}  // namespace statlearn::linear
