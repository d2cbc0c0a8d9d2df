#include "common/gate.hpp"
#include "logic/stable_models.hpp"

namespace statlearn {

void bind_stable(nb::module_& m) {
    // (end, decisions, true atoms of all models, where each ends, cost); see logic/stable_models.hpp.
    m.def("stable_models", [](int n_atoms, In<std::int32_t> heads, In<std::uint8_t> choice, In<std::int64_t> starts,
                              In<std::int32_t> body, int n_levels, In<std::int32_t> level, In<std::int64_t> weight,
                              In<std::int32_t> atom, std::int64_t n_models, std::int64_t max_nodes) {
        require(n_atoms >= 0 && n_levels >= 0, "stable_models: sizes must not be negative");
        require(choice.shape(0) == heads.shape(0) && starts.shape(0) == heads.shape(0) + 1,
                "stable_models: the arrays of rules have different lengths");
        const auto begins = view(starts);
        require(begins[0] == 0 && begins[heads.shape(0)] == std::int64_t(body.shape(0)),
                "stable_models: `starts` does not match `body`");
        for (std::size_t r = 0; r < heads.shape(0); ++r)
            require(begins[r] <= begins[r + 1], "stable_models: `starts` must not decrease");
        for (const int head : view(heads)) require(0 <= head && head <= n_atoms, "stable_models: an unknown head");
        for (const int x : view(body))
            require(x != 0 && -n_atoms <= x && x <= n_atoms, "stable_models: an unknown atom in a body");
        require(level.shape(0) == weight.shape(0) && level.shape(0) == atom.shape(0),
                "stable_models: the arrays of costs have different lengths");
        for (const int l : view(level)) require(0 <= l && l < n_levels, "stable_models: an unknown level");
        for (const int a : view(atom)) require(1 <= a && a <= n_atoms, "stable_models: an unknown atom of a cost");
        auto found = run_native([&](const Interrupt& stop) {
            return logic::stable_models({n_atoms, view(heads), view(choice), begins, view(body)},
                                        {n_levels, view(level), view(weight), view(atom)}, n_models, max_nodes, stop);
        });
        const auto n_true = found.atoms.size(), n_found = found.ends.size(), n_costs = found.cost.size();
        return nb::make_tuple(int(found.end), found.nodes, to_numpy(std::move(found.atoms), {n_true}),
                              to_numpy(std::move(found.ends), {n_found}), to_numpy(std::move(found.cost), {n_costs}));
    });
}

}  // namespace statlearn
