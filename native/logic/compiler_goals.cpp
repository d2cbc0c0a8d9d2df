// Goals of a body: calls, control constructs, arithmetic.
#include <algorithm>

#include "logic/compiler.hpp"

namespace statlearn::logic {

namespace {

constexpr int kDeepestControl = 2000;

}  // namespace

// Goals ---------------------------------------------------------------------------------------------------------------

void Compiler::compile_goals(const std::vector<std::size_t>& goals, bool last) {
    most_slots_ = std::max(most_slots_, slots_);
    if (goals.empty() && last) proceed();
    for (std::size_t k = 0; k < goals.size(); ++k) compile_goal(goals[k], last && k + 1 == goals.size());
}

void Compiler::compile_goal(std::size_t pos, bool last) {
    switch (kind(pos)) {
        case Kind::control:
            control(pos, last);
            return;
        case Kind::cut:
            emit(kCut, cut_);
            break;
        case Kind::fail:
            emit(kFail);
            return;
        case Kind::inline_:
            inline_goal(pos);
            break;
        case Kind::meta:
            meta_goal(pos, last);
            return;
        case Kind::call:
            call(pos, last);
            return;
    }
    if (last) proceed();
}

void Compiler::call(std::size_t pos, bool last) {
    const auto w = Word(t_[pos]);
    const auto f = tag_of(w) == kAtom ? p_.symbols.functor(std::int32_t(value_of(w)), 0) : std::int32_t(value_of(w));
    put_arguments(pos, p_.symbols[f].arity);
    p_.predicate(f);
    emit(last ? (environment_ ? kExecuteLast : kExecute) : kCall, f, negated_);
}

void Compiler::put_arguments(std::size_t pos, int n) {
    std::size_t at = pos + 1;
    for (Code i = 0; i < n; ++i, at = end_[at]) put(i, at);
}

void Compiler::meta_goal(std::size_t pos, bool last) {
    const bool variable = tag_of(Word(t_[pos])) == kRef;
    const int n = variable ? 1 : p_.symbols[std::int32_t(value_of(Word(t_[pos])))].arity;
    if (variable)
        put(0, pos);
    else
        put_arguments(pos, n);
    emit(last ? (environment_ ? kExecuteMetaLast : kExecuteMeta) : kCallMeta, n, negated_);
}

void Compiler::control(std::size_t pos, bool last) {
    require(++depth_ < kDeepestControl, "control constructs are nested too deeply");
    initialise(pos + 1, end_[pos]);
    if (is(pos, p_.soft_not) || is(pos, p_.word_not)) {
        negation(pos + 1);
        if (last) proceed();
    } else if (is(pos, p_.arrow)) {
        condition(pos + 1, second(pos), 0, last);
    } else if (is(pos + 1, p_.arrow)) {
        condition(pos + 2, second(pos + 1), second(pos), last);
    } else {
        emit(kTryElse, 0);
        const auto hole = out_.size() - 1;
        compile_goals(conjunction(pos + 1), last);
        const auto over = jump(last);
        out_[hole] = Code(out_.size() - hole);
        compile_goals(conjunction(second(pos)), last);
        land(over);
    }
    --depth_;
}

std::size_t Compiler::jump(bool last) {
    if (last) return 0;
    emit(kJump, 0);
    return out_.size() - 1;
}

void Compiler::land(std::size_t hole) {
    if (hole) out_[hole] = Code(out_.size() - hole);
}

// (condition -> then ; otherwise); without `otherwise` it fails. Jumps are relative to the word that holds them.
void Compiler::condition(std::size_t test, std::size_t then, std::size_t otherwise, bool last) {
    const auto mark = new_slot(), hits = new_slot();
    emit(kMark, mark);
    emit(kMarkHits, hits);
    emit(kTryElse, 0);
    const auto hole = out_.size() - 1;
    local(test);
    emit(kCut, mark);
    compile_goals(conjunction(then), last);
    const auto over = jump(last);
    out_[hole] = Code(out_.size() - hole);
    emit(kCheckHits, hits);
    if (otherwise)
        compile_goals(conjunction(otherwise), last);
    else
        emit(kFail);
    land(over);
}

// A test that was cut off at the depth bound is neither true nor false: kCheckHits then fails.
void Compiler::negation(std::size_t pos) {
    const auto mark = new_slot(), hits = new_slot();
    emit(kMark, mark);
    emit(kMarkHits, hits);
    emit(kTryElse, 0);
    const auto hole = out_.size() - 1;
    const auto before = negated_;
    negated_ = 1;
    local(pos);
    negated_ = before;
    emit(kCut, mark);
    emit(kFail);
    out_[hole] = Code(out_.size() - hole);
    emit(kCheckHits, hits);
}

// Goals whose cuts are their own.
void Compiler::local(std::size_t pos) {
    const auto outer = cut_;
    if (has_cut(pos)) {
        cut_ = new_slot();
        emit(kMark, cut_);
    }
    compile_goals(conjunction(pos), false);
    cut_ = outer;
}

void Compiler::inline_goal(std::size_t pos) {
    const auto w = Word(t_[pos]);
    const auto f = tag_of(w) == kAtom ? p_.symbols.functor(std::int32_t(value_of(w)), 0) : std::int32_t(value_of(w));
    const auto builtin = p_.predicate(f).builtin;
    if (std::size_t(f) < p_.comparisons.size() && int(p_.comparisons[f]) < 6 && is_expression(pos + 1) &&
        is_expression(second(pos))) {
        expression(pos + 1);
        expression(second(pos));
        emit(kCompare, Code(p_.comparisons[f]));
        return;
    }
    if (f == p_.is_ && is_expression(second(pos))) {
        const auto target = Word(t_[pos + 1]);
        if (tag_of(target) == kRef && !seen_[value_of(target)]) {
            initialise(second(pos), end_[pos]);  // variables of the expression, unbound: an error when it runs
            if (!seen_[value_of(target)]) {
                expression(second(pos));
                emit(kIsSlot, Code(value_of(target)));
                seen_[value_of(target)] = 1;
                return;
            }
        }
        expression(second(pos));
        put(0, pos + 1);
        emit(kIsRegister);
        return;
    }
    put_arguments(pos, p_.symbols[f].arity);
    emit(kBuiltin, Code(builtin));
}

// Arithmetic ----------------------------------------------------------------------------------------------------------

Arith Compiler::operation(Word w) const {
    const auto f = value_of(w);
    return tag_of(w) == kStr && f < p_.operations.size() ? p_.operations[f] : Arith::none;
}

bool Compiler::constant(Word w, double& value) const {
    if (tag_of(w) != kAtom) return false;
    for (const auto& [name, number] : p_.constants)
        if (Word(name) == value_of(w)) return value = number, true;
    return false;
}

bool Compiler::is_expression(std::size_t pos) const {
    for (auto k = pos; k < end_[pos]; ++k) {
        const auto w = Word(t_[k]);
        double value;
        const auto tag = tag_of(w);
        const bool fine =
            tag == kInt || tag == kReal || tag == kRef || operation(w) != Arith::none || constant(w, value);
        if (!fine) return false;
    }
    return end_[pos] - pos < 200;
}

// In postfix order, which a walk over the prefix from its end gives, with arguments swapped back when applied.
void Compiler::expression(std::size_t pos) {
    const auto w = Word(t_[pos]);
    double value = 0.0;
    if (tag_of(w) == kRef) {
        initialise(pos, pos + 1);
        emit(kPushSlot, Code(value_of(w)));
    } else if (constant(w, value)) {
        p_.reals.push_back(value);
        emit(kPushConst, Code(word(kReal, p_.reals.size() - 1)));
    } else if (tag_of(w) != kStr) {
        emit(kPushConst, t_[pos]);
    } else if (p_.symbols[std::int32_t(value_of(w))].arity == 1) {
        expression(pos + 1);
        emit(kApply1, Code(operation(w)));
    } else {
        expression(pos + 1);
        expression(second(pos));
        emit(kApply2, Code(operation(w)));
    }
}

}  // namespace statlearn::logic
