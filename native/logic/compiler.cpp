// Clauses and their terms.
#include "logic/compiler.hpp"

#include <algorithm>

namespace statlearn::logic {

Compiler::Compiler(Program& program, Span<const Code> term, std::int32_t n_variables, std::vector<Code>& out)
    : p_(program), t_(term), out_(out), slots_(n_variables), n_variables_(n_variables) {
    find_ends();
    seen_.assign(n_variables, 0);
}

// head at 0, body behind it
Clause Compiler::clause() {
    Clause made;
    made.code = Code(out_.size());
    const auto head = Word(t_[0]);
    require(tag_of(head) == kAtom || tag_of(head) == kStr, "the head of a clause must be an atom");
    const Index body = end_[0];
    require(body < t_.size() && end(body) == t_.size(), "a clause is a head and a body");
    count_variables();
    const auto goals = conjunction(body);
    const bool fact = goals.empty();
    if (tag_of(head) == kStr) made.key = key_of_pattern(t_[1]);
    if (fact && constant_arguments()) {
        emit(kGetFact, Code(t_.size()) - 2);
        for (Index k = 1; k + 1 < t_.size(); ++k) emit(t_[k]);
        emit(kProceed);
        return made;
    }
    environment_ = needs_environment(goals);
    std::size_t allocate = 0;
    if (environment_) {
        allocate = out_.size() + 1;
        emit(kAllocate, 0);
    }
    if (has_cut(body)) {
        cut_ = new_slot();
        emit(kSaveChoice, cut_);
    }
    if (tag_of(head) == kStr) head_arguments();
    compile_goals(goals, true);
    if (environment_) out_[allocate] = most_slots_;
    made.slots = most_slots_;
    made.heap = heap_;
    return made;
}

void Compiler::goal(std::int32_t& heap) {
    environment_ = true;
    count_variables();
    std::fill(seen_.begin(), seen_.end(), char(1));
    const std::size_t allocate = out_.size() + 1;
    emit(kAllocate, 0);
    if (has_cut(0)) {
        cut_ = new_slot();
        emit(kMark, cut_);
    }
    compile_goals(conjunction(0), false);
    emit(kSolution);
    out_[allocate] = most_slots_;
    heap = heap_;
}

// Checks every word and finds the end of every subterm, from the last word to the first.
void Compiler::find_ends() {
    end_.assign(t_.size(), 0);
    for (std::size_t i = t_.size(); i-- > 0;) {
        const auto w = Word(t_[i]);
        std::size_t n = 0;
        switch (tag_of(w)) {
            case kRef:
                require(std::int64_t(value_of(w)) < n_variables_, "term: unknown variable");
                break;
            case kStr:
                require(std::int64_t(value_of(w)) < p_.symbols.n_functors(), "term: unknown functor");
                n = std::size_t(p_.symbols[std::int32_t(value_of(w))].arity);
                require(n >= 1 && n <= kMostArguments, "term: a structure has 1 to 255 arguments");
                break;
            case kList:
                n = 2;
                break;
            case kAtom:
                require(std::int64_t(value_of(w)) < p_.symbols.n_atoms(), "term: unknown atom");
                break;
            case kReal:
                require(value_of(w) < p_.reals.size(), "term: unknown number");
                break;
            case kInt:
                break;
            default:
                require(false, "term: unknown tag");
        }
        Index at = i + 1;
        for (std::size_t k = 0; k < n; ++k) {
            require(at < t_.size(), "term: an argument is missing");
            at = end_[at];
        }
        end_[i] = at;
    }
}

void Compiler::count_variables() {
    uses_.assign(n_variables_, 0);
    for (const auto w : t_)
        if (tag_of(Word(w)) == kRef) ++uses_[value_of(Word(w))];
}

bool Compiler::constant_arguments() const {
    for (Index k = 1; k + 1 < t_.size(); ++k) {
        const auto tag = tag_of(Word(t_[k]));
        if (tag == kRef || tag == kStr || tag == kList) return false;
    }
    return true;
}

// The goals of a conjunction, however it is nested; `true` is left out.
std::vector<std::size_t> Compiler::conjunction(std::size_t pos) const {
    std::vector<std::size_t> goals, open{pos};
    while (!open.empty()) {
        const auto at = open.back();
        open.pop_back();
        if (is(at, p_.comma)) {
            open.push_back(second(at));
            open.push_back(at + 1);
        } else if (!is_name(at, p_.true_)) {
            goals.push_back(at);
        }
    }
    return goals;
}

bool Compiler::is_control(std::size_t pos) const {
    return is(pos, p_.semicolon) || is(pos, p_.arrow) || is(pos, p_.soft_not) || is(pos, p_.word_not);
}

Compiler::Kind Compiler::kind(std::size_t pos) const {
    const auto w = Word(t_[pos]);
    if (tag_of(w) == kRef) return Kind::meta;
    if (is_control(pos)) return Kind::control;
    if (is_name(pos, p_.cut)) return Kind::cut;
    if (is_name(pos, p_.fail_) || is_name(pos, p_.false_)) return Kind::fail;
    require(tag_of(w) == kStr || tag_of(w) == kAtom, "a goal must be an atom, a structure or a variable");
    if (tag_of(w) == kAtom) {
        const auto f = p_.symbols.functor(std::int32_t(value_of(w)), 0);
        return p_.predicate(f).builtin != Builtin::none ? Kind::inline_ : Kind::call;
    }
    const auto f = std::int32_t(value_of(w));
    if (p_.predicate(f).builtin != Builtin::none) return Kind::inline_;
    return p_.symbols.name(p_.symbols[f].name) == "call" ? Kind::meta : Kind::call;
}

bool Compiler::needs_environment(const std::vector<std::size_t>& goals) const {
    for (std::size_t k = 0; k < goals.size(); ++k) {
        const auto what = kind(goals[k]);
        if (what == Kind::control) return true;
        if ((what == Kind::call || what == Kind::meta) && k + 1 < goals.size()) return true;
    }
    return false;
}

// Whether a cut of the clause itself occurs; those inside conditions and negations are their own.
bool Compiler::has_cut(std::size_t pos) const {
    std::vector<std::size_t> open{pos};
    while (!open.empty()) {
        const auto at = open.back();
        open.pop_back();
        if (is_name(at, p_.cut)) return true;
        if (is(at, p_.comma) || is(at, p_.semicolon)) {
            open.push_back(at + 1);
            open.push_back(second(at));
        } else if (is(at, p_.arrow)) {
            open.push_back(second(at));
        }
    }
    return false;
}

Code Compiler::new_slot() {
    if (!free_.empty()) {
        const auto slot = free_.back();
        free_.pop_back();
        return slot;
    }
    require(slots_ < kMostSlots, "a clause has too many variables");
    most_slots_ = std::max(most_slots_, slots_ + 1);
    return slots_++;
}

// Structures ----------------------------------------------------------------------------------------------------------

void Compiler::head_arguments() {
    const auto n = p_.symbols[std::int32_t(value_of(Word(t_[0])))].arity;
    std::size_t at = 1;
    for (Code i = 0; i < n; ++i, at = end_[at]) {
        const auto w = Word(t_[at]);
        switch (tag_of(w)) {
            case kRef: {
                const auto v = value_of(w);
                if (uses_[v] == 1) break;
                emit(seen_[v] ? kGetValue : kGetVar, i, Code(v));
                seen_[v] = 1;
                break;
            }
            case kList:
                emit(kGetList, i), heap_ += 2, arguments(at + 1, 2);
                break;
            case kStr:
                emit(kGetStr, i, Code(value_of(w))), structure(at);
                break;
            default:
                emit(kGetConst, i, t_[at]);
        }
    }
}

void Compiler::structure(std::size_t at) {
    const auto n = p_.symbols[std::int32_t(value_of(Word(t_[at])))].arity;
    heap_ += n + 1;
    arguments(at + 1, n);
}

// The arguments of a structure or list, then those of structures inside it, last in first out.
void Compiler::arguments(std::size_t at, int n) {
    std::vector<std::pair<Code, std::size_t>> inner;
    one_level(at, n, inner);
    while (!inner.empty()) {
        const auto [slot, pos] = inner.back();
        inner.pop_back();
        const auto w = Word(t_[pos]);
        free_.push_back(slot);
        if (tag_of(w) == kList) {
            emit(kSlotList, slot);
            heap_ += 2;
            one_level(pos + 1, 2, inner);
        } else {
            const auto arity = p_.symbols[std::int32_t(value_of(w))].arity;
            emit(kSlotStr, slot, Code(value_of(w)));
            heap_ += arity + 1;
            one_level(pos + 1, arity, inner);
        }
    }
}

void Compiler::one_level(std::size_t at, int n, std::vector<std::pair<Code, std::size_t>>& inner) {
    for (int k = 0; k < n; ++k, at = end_[at]) {
        const auto w = Word(t_[at]);
        if (tag_of(w) == kRef) {
            const auto v = value_of(w);
            if (uses_[v] == 1 && !seen_[v]) {
                emit(kUnifyVoid);
            } else {
                emit(seen_[v] ? kUnifyValue : kUnifyVar, Code(v));
                seen_[v] = 1;
            }
        } else if (tag_of(w) == kStr || tag_of(w) == kList) {
            const auto slot = new_slot();
            emit(kUnifyVar, slot);
            inner.push_back({slot, at});
        } else {
            emit(kUnifyConst, t_[at]);
        }
    }
}

void Compiler::put(Code i, std::size_t at) {
    const auto w = Word(t_[at]);
    switch (tag_of(w)) {
        case kRef: {
            const auto v = value_of(w);
            if (!seen_[v]) ++heap_;
            emit(seen_[v] ? kPutValue : kPutVar, i, Code(v));
            seen_[v] = 1;
            break;
        }
        case kList:
            emit(kPutList, i), heap_ += 2, arguments(at + 1, 2);
            break;
        case kStr:
            emit(kPutStr, i, Code(value_of(w))), structure(at);
            break;
        default:
            emit(kPutConst, i, t_[at]);
    }
}

// Variables that a part of the body meets first become unbound before it: its branches may not all meet them.
void Compiler::initialise(std::size_t from, std::size_t to) {
    for (auto k = from; k < to; ++k) {
        const auto w = Word(t_[k]);
        if (tag_of(w) != kRef || seen_[value_of(w)]) continue;
        emit(kInitVar, Code(value_of(w)));
        ++heap_;
        seen_[value_of(w)] = 1;
    }
}

}  // namespace statlearn::logic
