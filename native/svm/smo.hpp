// Sequential minimal optimisation by blocks: the dual problem of every kernel machine.
#pragma once

#include <cstdint>
#include <functional>

#include "common/interrupt.hpp"
#include "common/status.hpp"
#include "common/view.hpp"

namespace statlearn::svm {

// What the solver asks of a kernel K of order n. The solver restricts itself to the columns that still matter.
template <class T>
class KernelRows {
public:
    virtual ~KernelRows() = default;
    virtual Index order() const = 0;
    virtual T diagonal(Index i) const = 0;
    // From now on `evaluate` gives these columns, in this order (at first: all of them), and is asked for rows that are
    // among `columns` or `others` (which have no row in common).
    virtual void select(Span<const int> columns, Span<const int> others = {}) = 0;
    // out[k][j] = K(which[k], columns[j]); the same bits for any number of threads.
    virtual void evaluate(Span<const int> which, T* const* out) = 0;
};

// min over b of b'Kb / 2 + linear'b subject to lower <= b <= upper and, within every group, a fixed sum of b.
//
// This is the dual of all machines in signed multipliers b = y alpha. Variable v belongs to row row_of[v] of the
// kernel:
//   classification   linear = -y, b in [0, C] for y = +1 and in [-C, 0] for y = -1
//   regression       two variables a row: linear = epsilon - y, b in [0, C], and linear = -epsilon - y, b in [-C, 0]
//   novelty          linear = 0, b in [0, C]
//   nu-machines      the same with linear = -0 or -y, and the two signs as two groups
// The gradient of variable v is g_v = (Kb)_row + linear_v. It may grow where b < upper and fall where b > lower; the
// violation is the largest g_j - g_i over pairs of a group in which j may fall and i may grow.
struct DualProblem {
    Span<const int> row_of;
    Span<const double> linear, lower, upper;
    Span<const std::uint8_t> group;  // 0 or 1; empty: one group
};

struct SmoOptions {
    double tol;             // stop when the violation is below
    std::int64_t max_iter;  // pair steps; negative: no limit
    std::size_t cache_bytes;
    Index working_set;
    bool shrinking;
};

struct SmoProgress {
    std::int64_t steps;
    double violation, objective;
    Index active;  // variables that have not been set aside
};

struct SmoInfo {
    std::int64_t steps;   // pair steps
    std::int64_t rounds;  // working sets
    std::int64_t kernel_rows;
    double violation, objective;
    Status status;  // ok | max_iter | interrupted | diverged (the gradient is not finite; the violation is NaN then)
};

using SmoReport = std::function<void(const SmoProgress&)>;

// Solves from the given b (feasible); `score` receives Kb.
//
// A round takes the most violating variables (half of the working set stays from the round before), evaluates their
// kernel rows as one block, solves the problem in these variables by pair steps with second-order selection (Fan, Chen
// & Lin 2005) inside the cache of the processor, and brings Kb up to date. With `shrinking`, variables at a bound whose
// gradient points firmly outwards are set aside together with their columns, and are checked before the end.
// Rows of the kernel are kept as long as cache_bytes allow (at least two), the least recently used go first.
template <class T>
SmoInfo smo_solve(const DualProblem& problem, KernelRows<T>& kernel, const SmoOptions& options,
                  const Interrupt& interrupt, const SmoReport& report, Span<double> b, Span<double> score);

}  // namespace statlearn::svm
