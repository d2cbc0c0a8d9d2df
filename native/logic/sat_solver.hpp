// Search for assignments that satisfy clauses: watched literals, learning at the first unique implication point,
// activities, restarts. A theory beside the clauses (loops, costs) is asked at every fixed point of propagation.
//
// Literals are 2 v for a variable v and 2 v + 1 for its negation.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "common/view.hpp"

namespace statlearn::logic {

using Lit = std::int32_t;
constexpr Lit negation(Lit x) { return x ^ 1; }

class Clauses {
public:
    int n_variables() const { return int(value_.size() / 2); }
    int new_variable();
    void set_activity(int variable, double activity) { activity_[variable] = activity; }
    void order();  // after changes of activities

    // Before the search: adds a clause; false once the clauses contradict each other.
    bool add(std::vector<Lit> clause);

    // 1 if true, -1 if false, 0 if open.
    int value(Lit x) const { return value_[x]; }
    int level() const { return int(limits_.size()); }
    Span<const Lit> trail() const { return trail_; }
    Lit decision(int level) const { return trail_[limits_[level - 1]]; }

    // Consequences of the assignment. False at a conflict, which `resolve` then takes up.
    bool propagate();
    // Learns from the clause all of whose literals are false, left by propagate or given; goes back and asserts what
    // follows. False if the conflict does not depend on a decision: the search has ended.
    bool resolve() { return resolve(conflict_); }
    bool resolve(std::vector<Lit> clause);
    // A clause that follows from the theory: all literals but at most the first are false. It is kept. Returns false
    // if the first is false as well: then it is the conflict.
    bool add_implied(std::vector<Lit> clause);
    // Excludes the current decisions for good, and goes back by one. False if there are none.
    bool exclude();
    // Decides the open variable of the highest activity; false if none is open.
    bool decide();
    void restart_if_due();

    // The shortest trail since this was last asked: a theory has seen what stands before.
    std::size_t seen_until() { return std::exchange(shortest_, trail_.size()); }

private:
    using Ref = std::int32_t;  // place of a clause in arena_: size, flags, then its literals
    static constexpr Ref kNone = -1;
    struct Watch {
        Ref clause;
        Lit other;  // a literal of the clause: if it is true, the clause need not be visited
    };

    Ref store(Span<const Lit> clause, bool learned);
    void attach(Ref clause);
    void assign(Lit x, Ref reason);
    void back_to(int level);
    int level_of(Lit x) const { return level_[x >> 1]; }
    void bump(int variable);
    void reduce();
    bool redundant(Lit x) const;
    // A binary heap of variables by activity.
    bool before(int a, int b) const {
        const double x = activity_[a], y = activity_[b];
        return x > y || (x == y && a < b);
    }
    void up(std::size_t at);
    void down(std::size_t at);
    void insert(int variable);

    std::vector<std::int8_t> value_;  // by literal
    std::vector<std::int8_t> phase_;  // last value by variable: 1 for true
    std::vector<std::int32_t> level_;
    std::vector<Ref> reason_;
    std::vector<std::vector<Watch>> watches_;  // by literal: clauses to visit when it becomes false
    std::vector<std::int32_t> arena_;
    std::vector<Ref> learned_;
    std::vector<Lit> trail_;
    std::vector<std::int32_t> limits_;
    std::size_t head_ = 0, shortest_ = 0;
    std::vector<Lit> conflict_;
    std::vector<std::uint8_t> seen_;
    std::vector<double> activity_;
    std::vector<std::int32_t> heap_, place_;
    double step_ = 1.0;
    std::int64_t conflicts_ = 0, next_restart_ = 100, n_restarts_ = 0;
    std::size_t most_learned_ = 4000;
    bool contradiction_ = false;
};

}  // namespace statlearn::logic
