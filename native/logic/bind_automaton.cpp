#include "common/gate.hpp"
#include "logic/automaton.hpp"

namespace statlearn {

void bind_automaton(nb::module_& m) {
    // (end, transitions tried, solutions); see logic/automaton.hpp.
    m.def("induce_automata", [](In<std::int32_t> symbols, In<std::int64_t> starts, In<std::uint8_t> positive,
                                int n_symbols, int max_facts, int max_states, std::int64_t max_solutions,
                                std::int64_t max_nodes, double max_seconds) {
        require(starts.shape(0) == positive.shape(0) + 1, "induce_automata: the arrays have different lengths");
        const auto begins = view(starts);
        require(begins[0] == 0 && begins[positive.shape(0)] == std::int64_t(symbols.shape(0)),
                "induce_automata: `starts` does not match `symbols`");
        for (std::size_t w = 0; w < positive.shape(0); ++w)
            require(begins[w] <= begins[w + 1], "induce_automata: `starts` must not decrease");
        for (const int c : view(symbols)) require(0 <= c && c < n_symbols, "induce_automata: an unknown symbol");
        require(max_facts >= 1 && max_facts < (1 << 20) && max_states >= 1, "induce_automata: limits out of range");
        auto made = run_native([&](const Interrupt& stop) {
            return logic::induce_automata({view(symbols), begins, view(positive), n_symbols},
                                          {max_facts, max_states, max_solutions, max_nodes, max_seconds}, stop);
        });
        const auto size = made.found.size();
        return nb::make_tuple(int(made.end), made.nodes, to_numpy(std::move(made.found), {size}));
    });
}

}  // namespace statlearn
