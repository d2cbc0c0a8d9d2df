// Clauses compiled for the machine, grouped by predicate and indexed by their arguments.
//
// A clause becomes a sequence of words: the head is unified with the argument registers, the goals of the body are
// built in them and called. Variables live in slots: of an environment if the clause has to survive a call, of a
// scratch area otherwise. Slots never hold an unbound variable itself, only references to the heap, so nothing points
// into a frame.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "common/view.hpp"
#include "logic/code.hpp"
#include "logic/key_index.hpp"
#include "logic/term.hpp"

namespace statlearn::logic {

constexpr int kMostArguments = 255;
constexpr int kIndexed = 4;     // arguments that are indexed
constexpr int kFewClauses = 8;  // predicates with so few clauses are searched one by one (empirical)
constexpr std::int32_t kMostSlots = 1 << 20;

struct Clause {
    std::int64_t code = 0;   // where its code begins
    std::int32_t slots = 0;  // of its scratch area or environment
    std::int32_t heap = 0;   // cells that its code can take, builtins apart
    Word key = 0;            // of the first argument: 0 for a variable
};

struct Predicate {
    std::vector<Clause> clauses;
    std::array<std::vector<Word>, kIndexed> keys;
    std::array<KeyIndex, kIndexed> index;
    Builtin builtin = Builtin::none;
    bool declared = false;  // known without clauses: calls fail
    bool indexed = false;
};

struct Program {
    Program();

    // Adds a clause whose head and body stand in `term` one behind the other. Returns the predicate's functor.
    std::int32_t add(Span<const Code> term, std::int32_t n_variables);
    // Adds facts: rows of atomic words.
    void add_facts(std::int32_t functor, Span<const Code> rows, std::int64_t n);
    // Compiles a goal as a clause without head whose variables 0..n-1 are the slots of its environment.
    std::vector<Code> compile_goal(Span<const Code> body, std::int32_t n_variables, std::int32_t& heap);
    void declare(std::int32_t functor) { predicate(functor).declared = true; }
    void prepare();  // builds missing indices; has to be called before a machine runs

    Predicate& predicate(std::int32_t functor) {
        if (std::size_t(functor) >= predicates.size()) predicates.resize(std::size_t(functor) + 1);
        return predicates[functor];
    }

    Symbols symbols;
    std::vector<Code> code;
    std::vector<double> reals;
    std::vector<Predicate> predicates;  // by functor
    std::int32_t most_slots = 64;
    std::int64_t version = 0;  // changes with every clause: running machines point into the code
    // Names that the machine has to know.
    std::int32_t nil, true_, fail_, false_, cut, minus, plus_, lt_, eq_, gt_;
    std::int32_t comma, semicolon, arrow, soft_not, word_not, equals, is_, dot;
    std::vector<Compare> comparisons;                        // by functor, or 6
    std::vector<Arith> operations;                           // by functor
    std::vector<std::pair<std::int32_t, double>> constants;  // pi, e, inf ...
};

}  // namespace statlearn::logic
