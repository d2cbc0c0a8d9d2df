// Deterministic automata with few facts (transitions and accepting states) that agree with example words.
//
// The words form a tree of prefixes. A prefix is placed in a state as soon as the transitions lead there, which labels
// the state if the prefix is an example. The first positive word that lacks a transition decides where the search
// branches: to each known state, then to a new one. A branch ends when a state would have to accept and to reject, or
// when the facts that are certainly still needed exceed the budget.
#pragma once

#include <cstdint>
#include <vector>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::logic {

// Word w is symbols[starts[w]..starts[w + 1]), symbols from 0; positive[w] says whether it must be accepted.
struct LabelledWords {
    Span<const std::int32_t> symbols;
    Span<const std::int64_t> starts;
    Span<const std::uint8_t> positive;
    std::int32_t n_symbols;
};

struct AutomatonLimits {
    std::int32_t max_facts, max_states;
    std::int64_t max_solutions;  // 0 for all
    std::int64_t max_nodes;
    double max_seconds;
};

enum class AutomatonEnd : int { complete = 0, enough = 1, nodes = 2, seconds = 3, interrupted = 4 };

struct Automata {
    AutomatonEnd end = AutomatonEnd::complete;
    std::int64_t nodes = 0;  // transitions tried
    // Solutions one behind the other: number of accepting states, these, number of transitions, these as (state,
    // symbol, target). Start state 0; states are numbered by their first use.
    std::vector<std::int32_t> found;
};

// The order of solutions is that of the search: words in the order given, known targets before new ones.
Automata induce_automata(const LabelledWords& words, const AutomatonLimits& limits, const Interrupt& interrupt);

}  // namespace statlearn::logic
