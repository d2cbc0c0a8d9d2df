#include "decision/sparse_mdp.hpp"

#include <algorithm>
#include <cmath>

#include "common/parallel.hpp"

namespace statlearn::decision {
namespace {

double row_value(const SparseMdp& mdp, std::size_t row, const double* V) {
    double sum = 0.0;
    const auto end = mdp.indptr[row + 1];
    for (auto k = mdp.indptr[row]; k < end; ++k) sum += mdp.chance[k] * V[mdp.next[k]];
    return mdp.reward[row] + mdp.discount * sum;
}

double best_value(const SparseMdp& mdp, Index state, const double* V) {
    const Index first = state * mdp.n_actions;
    double best = row_value(mdp, first, V);
    for (Index a = 1; a < mdp.n_actions; ++a) best = std::max(best, row_value(mdp, first + std::size_t(a), V));
    return best;
}

Work work_of(const SparseMdp& mdp) { return Work(2.0 * double(mdp.chance.size()) + double(mdp.reward.size())); }

// Sweeps of new(s) = update(s, old) until the largest change is at most tol. The largest of numbers does not depend on
// their order, so that any number of threads gives the same bits.
template <class Update>
Status synchronous_sweeps(const SparseMdp& mdp, double tol, int max_iter, const Interrupt& interrupt, Span<double> V,
                          std::vector<double>& changes, Update&& update) {
    std::vector<double> other(V.size());
    const Blocks blocks(mdp.n_states, 1024);
    std::vector<double> change(blocks.count());
    double* old_values = V.data();
    double* new_values = other.data();
    Status status = Status::max_iter;
    for (int sweep = 0; sweep < max_iter; ++sweep) {
        if (interrupt.requested()) {
            status = Status::interrupted;
            break;
        }
        parallel_for(blocks.count(), work_of(mdp), [&](Index b) {
            double most = 0.0;
            for (Index s = blocks.begin(b); s < blocks.end(b); ++s) {
                new_values[s] = update(s, old_values);
                most = std::max(most, std::abs(new_values[s] - old_values[s]));
            }
            change[b] = most;
        });
        std::swap(old_values, new_values);
        changes.push_back(change.empty() ? 0.0 : *std::max_element(change.begin(), change.end()));
        if (changes.back() <= tol) {
            status = Status::ok;
            break;
        }
    }
    if (old_values != V.data()) std::copy(old_values, old_values + V.size(), V.data());
    return status;
}

}  // namespace

Status mdp_value_iteration(const SparseMdp& mdp, bool gauss_seidel, double tol, int max_iter,
                           const Interrupt& interrupt, Span<double> V, std::vector<double>& changes) {
    if (!gauss_seidel)
        return synchronous_sweeps(mdp, tol, max_iter, interrupt, V, changes,
                                  [&](Index s, const double* old) { return best_value(mdp, s, old); });
    for (int sweep = 0; sweep < max_iter; ++sweep) {
        double most = 0.0;
        for (Index s = 0; s < mdp.n_states; ++s) {
            if ((s & 4095) == 0 && interrupt.requested()) return Status::interrupted;
            const double value = best_value(mdp, s, V.data());
            most = std::max(most, std::abs(value - V[s]));
            V[s] = value;
        }
        changes.push_back(most);
        if (most <= tol) return Status::ok;
    }
    return Status::max_iter;
}

Status mdp_policy_sweeps(const SparseMdp& mdp, Span<const int> policy, double tol, int max_iter,
                         const Interrupt& interrupt, Span<double> V, std::vector<double>& changes) {
    return synchronous_sweeps(mdp, tol, max_iter, interrupt, V, changes, [&](Index s, const double* old) {
        return row_value(mdp, std::size_t(s * mdp.n_actions + policy[s]), old);
    });
}

void mdp_action_values(const SparseMdp& mdp, Span<const double> V, Span<double> Q) {
    const Blocks blocks(Index(Q.size()), 4096);
    parallel_for(blocks.count(), work_of(mdp), [&](Index b) {
        for (Index row = blocks.begin(b); row < blocks.end(b); ++row)
            Q[row] = row_value(mdp, std::size_t(row), V.data());
    });
}

}  // namespace statlearn::decision
