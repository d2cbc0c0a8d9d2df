// Stable models of ground programs.
//
// The program becomes clauses: a variable for each atom and each body, a body as the conjunction of its literals, an
// atom with its bodies as its only supports (Clark's completion). Models of the clauses are searched by conflict-driven
// learning with watched literals. Atoms that support only each other are excluded by loop clauses, added when such a
// set is found (Gebser, Kaufmann & Schaub, 2012, sections 4 and 5).
#pragma once

#include <cstdint>
#include <vector>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::logic {

// Rule r: heads[r] (0 for a constraint) if the literals body[starts[r]..starts[r + 1]) hold: an atom's number, negative
// for its negation. The head of a choice may remain false. Atoms are numbered from 1.
struct GroundRules {
    std::int32_t n_atoms;
    Span<const std::int32_t> heads;
    Span<const std::uint8_t> choice;
    Span<const std::int64_t> starts;
    Span<const std::int32_t> body;
};

// The sum over true atoms of weight[k], for each of n_levels levels; level 0 counts most.
struct GroundCosts {
    std::int32_t n_levels;
    Span<const std::int32_t> level;
    Span<const std::int64_t> weight;
    Span<const std::int32_t> atom;
};

enum class StableEnd : int {
    complete = 0,  // there are no further models
    enough = 1,    // as many as wanted
    nodes = 2,     // too many decisions
    interrupted = 3,
};

struct StableModels {
    StableEnd end = StableEnd::complete;
    std::int64_t nodes = 0;           // decisions
    std::vector<std::int32_t> atoms;  // true atoms of one model behind the other
    std::vector<std::int64_t> ends;   // where each model ends in `atoms`
    std::vector<std::int64_t> cost;   // of the models, by level
};

// All models, or the first n_models of them if that is positive; with costs, only those of the smallest cost.
// Requires heads, bodies and cost atoms within 0..n_atoms and starts that do not decrease.
StableModels stable_models(const GroundRules& rules, const GroundCosts& costs, std::int64_t n_models,
                           std::int64_t max_nodes, const Interrupt& interrupt);

}  // namespace statlearn::logic
