// The machine that proves goals: SLD resolution over compiled clauses.
//
// Depth first, clauses in their order, with a trail, choice points and environments on stacks of their own; nothing
// recurses on the C stack. The depth of a goal is the number of its ancestors plus one. A goal deeper than the bound
// fails, and `depth_hit` is set; a negation or condition whose test was cut off so fails as well. Unification has no
// occurs check (as in Prolog), except where a program asks for it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "common/interrupt.hpp"
#include "common/view.hpp"
#include "logic/program.hpp"

namespace statlearn::logic {

enum class Outcome : int {
    solution = 0,
    failed = 1,
    paused = 2,  // solutions are waiting, and the next one is taking long
    interrupted = 3,
    inferences = 4,  // a budget is used up: steps, seconds, memory
    seconds = 5,
    memory = 6,
    unknown = 7,     // a predicate without clauses: `culprit` is its functor
    arithmetic = 8,  // `message` says what
    type = 9,
};

struct Limits {
    std::int64_t max_depth = 100'000;
    std::int64_t max_inferences = std::int64_t{1} << 62;
    double max_seconds = 1e18;
    std::size_t max_bytes = std::size_t{1} << 30;
    bool unknown_fails = false;
};

struct Number {
    bool real = false;
    std::int64_t i = 0;
    double d = 0.0;
    double value() const { return real ? d : double(i); }
};

inline int sign_of(std::int64_t a, std::int64_t b) { return a < b ? -1 : a > b; }

class Machine {
public:
    Machine(const Program& program, const Limits& limits);

    // Sets up a compiled goal; its first n slots are unbound, or hold the given atomic words.
    void start(Span<const Code> goal, std::int32_t heap, std::int32_t n_variables, Span<const Code> given);
    // The next solution. With `patience` the machine pauses after so many further inferences.
    Outcome next(const Interrupt& interrupt, std::int64_t patience = 0);
    // The values of the goal's variables, in prefix order; unbound variables are numbered by their cells.
    void write_answer(std::vector<Code>& out);
    void write_proof(std::vector<Code>& out);  // of the last solution: functor, clause, depth, arguments

    bool trace = false;
    bool depth_hit = false;
    std::int64_t inferences = 0;
    std::int64_t deepest = 0;  // of the proof of the last solution
    std::int32_t culprit = 0;
    std::string message;
    std::vector<double> reals;

private:
    static constexpr std::size_t kNone = ~std::size_t{0};
    static constexpr std::size_t kBuiltinHeap = 1 << 10;  // cells that small builtins may take without asking
    static constexpr std::size_t kFrame = 4;  // words of an environment before its slots: parent, return, depth, slots

    struct Choice {
        const std::uint32_t* list = nullptr;  // candidate clauses; null for all in order
        const Code* resume = nullptr;         // where a choice inside a clause goes on; null for clauses
        std::int32_t functor = 0;
        std::uint32_t at = 0, end = 0;
        Word key = 0;
        std::size_t arguments = 0, n_arguments = 0;
        std::size_t trail = 0, heap = 0, environment = 0, top = 0, log = 0, reals = 0;
        std::size_t cut = 0;
        const Code* back = nullptr;
        std::int64_t depth = 0, deepest = 0;
    };

    Word deref(Word w) const {
        while (tag_of(w) == kRef) {
            const Word next = heap_[value_of(w)];
            if (next == w) return w;
            w = next;
        }
        return w;
    }
    void bind(Word ref, Word value) {
        const auto at = value_of(ref);
        heap_[at] = value;
        if (at < protected_) trail_.push_back(at);
    }
    Word fresh() {
        heap_[top_] = word(kRef, top_);
        return word(kRef, top_++);
    }
    bool reserve(std::size_t cells);
    bool unify(Word a, Word b);
    bool occurs(Word variable, Word in);
    std::size_t frame_top() const;
    std::size_t bytes() const;
    void protect() { protected_ = choices_.empty() ? 0 : choices_.back().heap; }
    void cut_to(std::size_t height);
    void undo(std::size_t to);
    Outcome stop(Outcome why, std::string text) {
        message = std::move(text);
        return why;
    }
    Outcome look_around(const Interrupt& interrupt);

    bool builtin(Builtin which);  // arguments in a_; sets error_ for errors

    // term_tools.cpp
    int order(Word a, Word b);
    bool variant(Word a, Word b);
    bool ground(Word w);
    template <class Wanted>
    bool reaches(Word start, Wanted wanted);  // whether some part of a term is wanted
    std::int64_t list_length(Word w, Word& tail);
    bool cyclic(Word w);
    bool copy_out(Word w, std::vector<Code>& out);
    void write(Word w, std::vector<Code>& out);
    Word copy_in(Span<const Code> term);
    std::string show(Word w);

    // arithmetic.cpp
    bool evaluate(Word w, Number& out);
    bool apply(Arith operation, const Number& x, const Number& y, Number& out);
    bool arithmetic_error(std::string text) {
        message = std::move(text);
        error_ = Outcome::arithmetic;
        return false;
    }
    bool type_error(std::string text) {
        message = std::move(text);
        error_ = Outcome::type;
        return false;
    }
    Number number_of(Word w) const {
        if (tag_of(w) == kInt) return {false, int_of(w), 0.0};
        return {true, 0, reals[value_of(w)]};
    }
    Word word_of(const Number& x);
    static bool holds(Compare how, const Number& x, const Number& y);

    const Program& program_;
    Limits limits_;
    std::vector<Word> memory_;
    Word* heap_ = nullptr;
    std::size_t top_ = 0, protected_ = 0;
    std::vector<std::size_t> trail_;
    std::vector<Word> frames_;
    std::vector<Word> scratch_;
    std::vector<Choice> choices_;
    std::vector<Word> saved_;
    std::vector<Word> log_;
    std::vector<std::vector<Code>> bag_;
    std::vector<std::size_t> bags_;  // where the open bags begin
    std::vector<std::pair<Word, Word>> pairs_;
    std::vector<Word> work_;
    std::size_t environment_ = kNone;
    Word a_[kMostArguments + 1] = {};
    Number stack_[256];
    int stack_top_ = 0;
    Outcome error_ = Outcome::solution;
    const Code* back_ = nullptr;
    std::int64_t depth_ = 0;
    std::int64_t hits_ = 0;  // goals that failed at the depth bound
    bool started_ = false, done_ = false, paused_ = false, paused_negated_ = false;
    std::vector<Code> goal_;
    std::vector<Word> answer_;
    std::int64_t fuel_ = 0, given_fuel_ = 0, spent_ = 0;
    std::int64_t wait_until_ = 0;
    const Code* resume_p_ = nullptr;
    std::chrono::steady_clock::time_point begin_;
};

inline std::size_t Machine::frame_top() const {
    std::size_t top = environment_ == kNone ? 0 : environment_ + kFrame + frames_[environment_ + 3];
    if (!choices_.empty()) top = std::max(top, choices_.back().top);
    return top;
}

inline void Machine::cut_to(std::size_t height) {
    if (choices_.size() <= height) return;
    choices_.resize(height);
    saved_.resize(choices_.empty() ? 0 : choices_.back().arguments + choices_.back().n_arguments);
    protect();
}

inline void Machine::undo(std::size_t to) {
    for (auto k = trail_.size(); k-- > to;) heap_[trail_[k]] = word(kRef, trail_[k]);
    trail_.resize(to);
}

// Which examples a clause body covers: example r binds the first `arity` variables of the goal to row r of `rows`.
// covered[r] is 1 or 0; rows with active[r] = 0 are left out. `limits` hold for each example.
// exceeded[0] counts examples that ran out of depth, exceeded[1] those that ran out of inferences.
Outcome cover(const Program& program, Span<const Code> goal, std::int32_t heap, std::int32_t n_variables,
              Span<const Code> rows, std::int32_t arity, Span<const std::uint8_t> active, const Limits& limits,
              const Interrupt& interrupt, Span<std::uint8_t> covered, Span<std::int64_t> exceeded, std::string& message,
              std::int32_t& culprit);

}  // namespace statlearn::logic
