// The inner problem of a lasso path: coordinate descent and Newton steps on the features that may matter.
#pragma once

#include <vector>

#include "common/interrupt.hpp"
#include "common/rng.hpp"
#include "common/view.hpp"
#include "linear/active_factor.hpp"
#include "linear/columns.hpp"
#include "linear/duality_gap.hpp"
#include "linear/elastic_net.hpp"

namespace statlearn::linear {

// The members of the working set, by position: coefficients w, correlations g = X'r, and the cross-products that keep
// g up to date. Minimises 1/2 |y - X w|^2 + sum_k f_k (l1 |w_k| + l2/2 w_k^2) over the members.
class WorkingSet {
public:
    WorkingSet(const PathOptions& options, double target_norm2, const Interrupt& interrupt)
        : options_(options), interrupt_(interrupt), rng_(options.seed, 0), target_norm2_(target_norm2) {}

    Index size() const { return Index(w_.size()); }
    Index nonzero() const;
    bool stalled() const { return stalled_; }  // the last pass changed nothing

    // A new member, its coefficient 0; its cross-products go where products() says, before the next solve().
    void append(double correlation, double norm2, double factor, double target_dot);
    // Room for cross-products of `size` members (of at most `limit`), the present ones kept; leading dimension ld().
    double* products(Index size, Index limit);
    Index ld() const { return ld_; }
    void drop_products();

    // The coefficients that are not 0; and back to them, with the correlations g they go with.
    Solution snapshot() const;
    void restore(const Solution& solution, std::vector<double> g);

    // To a duality gap of at most `target` as if there were no other features, in at most `budget` passes and Newton
    // steps, of which it returns the number. `along_path`: the present point solves the model before.
    int solve(Penalty penalty, double target, int budget, bool along_path);
    // The same by updates of the residual, for sets too large for cross-products; the source has the same members.
    int solve_by_residual(ColumnSource& source, Penalty penalty, double target, int budget);

private:
    double gap(Penalty penalty) const;
    double objective(Penalty penalty) const;
    double coordinate(std::size_t k, double pull, Penalty penalty) const;
    bool violates(std::size_t k, Penalty penalty) const;
    double side(std::size_t k) const { return w_[k] != 0.0 ? w_[k] : g_[k]; }
    void sweep(Penalty penalty);
    void move(std::size_t k, double value);
    void moved(const std::vector<Index>& places, const std::vector<double>& steps);
    bool newton(Penalty penalty, bool enter);
    bool update_factor(Penalty penalty, bool enter);
    void direction(Penalty penalty, std::vector<double>& step, std::vector<double>& sign) const;
    bool enter_dependent(Index k, Penalty penalty, const RidgedProducts& at);

    const PathOptions& options_;
    const Interrupt& interrupt_;
    Rng rng_;
    double target_norm2_;

    std::vector<double> w_, g_, norm2_, factor_, target_dot_;  // of each member
    std::vector<double> G_;                                    // their cross-products
    Index ld_ = 0;
    ActiveFactor active_;
    bool settled_ = false;  // the last pass changed no sign
    bool stalled_ = false;
};

}  // namespace statlearn::linear
