#include "common/gate.hpp"
#include "decision/factored_mdp.hpp"
#include "decision/sparse_mdp.hpp"

namespace statlearn {
namespace {

// Offsets and next states must stay inside the arrays: a wrong one would read foreign memory.
void require_rows(const In<std::int64_t>& indptr, const In<int>& next, const In<double>& chance, Index rows,
                  Index n_states) {
    require(Index(indptr.shape(0)) == rows + 1, "transitions: one row per state and action is needed");
    require(next.shape(0) == chance.shape(0), "transitions: the arrays have different lengths");
    const auto starts = view(indptr);
    require(starts[0] == 0 && std::size_t(starts[rows]) == next.shape(0),
            "transitions: `indptr` does not match the data");
    for (Index r = 0; r < rows; ++r) require(starts[r] <= starts[r + 1], "transitions: `indptr` must not decrease");
    for (const int s : view(next)) require(0 <= s && s < n_states, "transitions: a next state is out of range");
}

decision::SparseMdp sparse_mdp(const In<std::int64_t>& indptr, const In<int>& next, const In<double>& chance,
                               const In<double, 2>& reward, double discount) {
    const auto n_states = Index(reward.shape(0)), n_actions = Index(reward.shape(1));
    require(n_states > 0 && n_actions > 0, "reward: at least one state and one action are needed");
    require_rows(indptr, next, chance, n_states * n_actions, n_states);
    return {view(indptr), view(next), view(chance), Span<const double>(reward.data(), reward.size()),
            n_states,     n_actions,  discount};
}

decision::Factor factor(const In<std::int64_t>& indptr, const In<int>& next, const In<double>& chance, Index n_states) {
    require(n_states > 0 && indptr.shape(0) > 1, "transitions: at least one state and one action are needed");
    const auto rows = Index(indptr.shape(0)) - 1;
    require(rows % n_states == 0, "transitions: one row per state and action is needed");
    require_rows(indptr, next, chance, rows, n_states);
    return {view(indptr), view(next), view(chance), n_states, rows / n_states};
}

using Arrays = nb::tuple;

decision::FactoredMdp factored_mdp(const Arrays& first, const Arrays& second, const In<double, 2>& state_reward,
                                   const In<double, 2>& action_reward, double floor, double discount) {
    const auto part = [](const Arrays& arrays, std::size_t n) {
        require(arrays.size() == 3, "transitions: three arrays are needed");
        // Never a converted copy: the views outlive these handles, and only the caller's tuple keeps the memory.
        return factor(nb::cast<In<std::int64_t>>(arrays[0], false), nb::cast<In<int>>(arrays[1], false),
                      nb::cast<In<double>>(arrays[2], false), Index(n));
    };
    decision::FactoredMdp mdp{part(first, state_reward.shape(0)),
                              part(second, state_reward.shape(1)),
                              Span<const double>(state_reward.data(), state_reward.size()),
                              Span<const double>(action_reward.data(), action_reward.size()),
                              floor,
                              discount};
    require(
        Index(action_reward.shape(0)) == mdp.first.n_actions && Index(action_reward.shape(1)) == mdp.second.n_actions,
        "action_reward: one value per pair of actions is needed");
    return mdp;
}

nb::tuple outcome(Status status, std::vector<double>&& changes) {
    const auto n = changes.size();
    return nb::make_tuple(int(status), to_numpy(std::move(changes), {n}));
}

}  // namespace

void bind_mdp(nb::module_& m) {
    m.def(
        "mdp_value_iteration",
        [](In<std::int64_t> indptr, In<int> next, In<double> chance, In<double, 2> reward, double discount,
           bool gauss_seidel, double tol, int max_iter, Out<double> V) {
            const auto mdp = sparse_mdp(indptr, next, chance, reward, discount);
            require(Index(V.shape(0)) == mdp.n_states, "V: one value per state is needed");
            std::vector<double> changes;
            const auto status = run_native([&](const Interrupt& stop) {
                return decision::mdp_value_iteration(mdp, gauss_seidel, tol, max_iter, stop, view(V), changes);
            });
            return outcome(status, std::move(changes));
        },
        "indptr"_array, "next"_array, "chance"_array, "reward"_array, "discount"_a, "gauss_seidel"_a, "tol"_a,
        "max_iter"_a, "V"_array);
    m.def(
        "mdp_policy_sweeps",
        [](In<std::int64_t> indptr, In<int> next, In<double> chance, In<double, 2> reward, double discount,
           In<int> policy, double tol, int max_iter, Out<double> V) {
            const auto mdp = sparse_mdp(indptr, next, chance, reward, discount);
            require(Index(V.shape(0)) == mdp.n_states && policy.shape(0) == V.shape(0),
                    "policy and V: one value per state is needed");
            for (const int a : view(policy)) require(0 <= a && a < mdp.n_actions, "policy: action out of range");
            std::vector<double> changes;
            const auto status = run_native([&](const Interrupt& stop) {
                return decision::mdp_policy_sweeps(mdp, view(policy), tol, max_iter, stop, view(V), changes);
            });
            return outcome(status, std::move(changes));
        },
        "indptr"_array, "next"_array, "chance"_array, "reward"_array, "discount"_a, "policy"_array, "tol"_a,
        "max_iter"_a, "V"_array);
    m.def(
        "mdp_action_values",
        [](In<std::int64_t> indptr, In<int> next, In<double> chance, In<double, 2> reward, double discount,
           In<double> V, Out<double, 2> Q) {
            const auto mdp = sparse_mdp(indptr, next, chance, reward, discount);
            require(Index(V.shape(0)) == mdp.n_states && Q.size() == reward.size(),
                    "V and Q: the shapes of the arrays do not match");
            run_native(
                [&](const Interrupt&) { decision::mdp_action_values(mdp, view(V), Span<double>(Q.data(), Q.size())); });
        },
        "indptr"_array, "next"_array, "chance"_array, "reward"_array, "discount"_a, "V"_array, "Q"_array);
    m.def(
        "factored_value_iteration",
        [](Arrays first, Arrays second, In<double, 2> state_reward, In<double, 2> action_reward, double floor,
           double discount, double tol, int max_iter, Out<double> V) {
            const auto mdp = factored_mdp(first, second, state_reward, action_reward, floor, discount);
            require(V.shape(0) == state_reward.size(), "V: one value per state is needed");
            std::vector<double> changes;
            const auto status = run_native([&](const Interrupt& stop) {
                return decision::factored_value_iteration(mdp, tol, max_iter, stop, view(V), changes);
            });
            return outcome(status, std::move(changes));
        },
        "first"_a, "second"_a, "state_reward"_array, "action_reward"_array, "floor"_a, "discount"_a, "tol"_a,
        "max_iter"_a, "V"_array);
    m.def(
        "factored_action_values",
        [](Arrays first, Arrays second, In<double, 2> state_reward, In<double, 2> action_reward, double floor,
           double discount, In<double> V, Out<float, 2> Q) {
            const auto mdp = factored_mdp(first, second, state_reward, action_reward, floor, discount);
            require(V.shape(0) == state_reward.size() && Q.shape(0) == V.shape(0) && Q.shape(1) == action_reward.size(),
                    "V and Q: the shapes of the arrays do not match");
            return int(run_native([&](const Interrupt& stop) {
                return decision::factored_action_values(mdp, view(V), stop, Span<float>(Q.data(), Q.size()));
            }));
        },
        "first"_a, "second"_a, "state_reward"_array, "action_reward"_array, "floor"_a, "discount"_a, "V"_array,
        "Q"_array);
}

}  // namespace statlearn
