#include "logic/program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace statlearn::logic {

std::int32_t Symbols::atom(std::string_view name) {
    const auto [at, fresh] = atoms_.try_emplace(std::string(name), std::int32_t(names_.size()));
    if (fresh) names_.emplace_back(name);
    return at->second;
}

std::int32_t Symbols::functor(std::int32_t name, std::int32_t arity) {
    const auto key = std::uint64_t(std::uint32_t(name)) << 32 | std::uint32_t(arity);
    const auto [at, fresh] = numbers_.try_emplace(key, std::int32_t(functors_.size()));
    if (fresh) functors_.push_back({name, arity});
    return at->second;
}

// Index ---------------------------------------------------------------------------------------------------------------

namespace {

std::size_t spread(Word key) { return std::size_t((key * 0x9E3779B97F4A7C15ull) >> 20); }

}  // namespace

void KeyIndex::build(std::span<const Word> keys) {
    others_.clear();
    std::vector<std::vector<std::uint32_t>> buckets;
    std::unordered_map<Word, std::uint32_t> number;
    for (std::uint32_t c = 0; c < keys.size(); ++c) {
        if (keys[c] == 0) {
            for (auto& bucket : buckets) bucket.push_back(c);
            others_.push_back(c);
            continue;
        }
        const auto [at, fresh] = number.try_emplace(keys[c], std::uint32_t(buckets.size()));
        if (fresh) buckets.push_back(others_);
        buckets[at->second].push_back(c);
    }
    keys_ = buckets.size();
    std::size_t size = 16;
    while (size < 2 * keys_) size *= 2;
    table_.assign(size, {});
    places_.clear();
    for (const auto& [key, bucket] : number) {
        auto at = spread(key) & (size - 1);
        while (table_[at].key != 0) at = (at + 1) & (size - 1);
        table_[at] = {key, std::uint32_t(places_.size()), std::uint32_t(buckets[bucket].size())};
        places_.insert(places_.end(), buckets[bucket].begin(), buckets[bucket].end());
    }
}

std::span<const std::uint32_t> KeyIndex::find(Word key) const {
    for (auto at = spread(key) & (table_.size() - 1);; at = (at + 1) & (table_.size() - 1)) {
        const auto& slot = table_[at];
        if (slot.key == key) return {places_.data() + slot.begin, slot.size};
        if (slot.key == 0) return others_;
    }
}

// Compiler ------------------------------------------------------------------------------------------------------------

namespace {

constexpr int kDeepestControl = 2000;

Word key_of_pattern(Code w) {
    switch (tag_of(Word(w))) {
        case kRef:
            return 0;
        case kList:
            return kListKey;
        case kReal:
            return kRealKey;
        default:
            return Word(w);  // a constant, or a functor under the tag `str`
    }
}

class Compiler {
public:
    Compiler(Program& program, std::span<const Code> term, std::int32_t n_variables, std::vector<Code>& out)
        : p_(program), t_(term), out_(out), slots_(n_variables), n_variables_(n_variables) {
        find_ends();
        seen_.assign(std::size_t(n_variables), 0);
    }

    std::size_t end(std::size_t pos) const { return end_[pos]; }

    // head at 0, body behind it
    Clause clause() {
        Clause made;
        made.code = Code(out_.size());
        const auto head = Word(t_[0]);
        require(tag_of(head) == kAtom || tag_of(head) == kStr, "the head of a clause must be an atom");
        const std::size_t body = end_[0];
        require(body < t_.size() && end_[body] == t_.size(), "a clause is a head and a body");
        count_variables();
        const auto goals = conjunction(body);
        const bool fact = goals.empty();
        if (tag_of(head) == kStr) made.key = key_of_pattern(t_[1]);
        if (fact && constant_arguments()) {
            emit(kGetFact, Code(t_.size()) - 2);
            for (std::size_t k = 1; k + 1 < t_.size(); ++k) emit(t_[k]);
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

    void goal(std::int32_t& heap) {
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

private:
    static void require(bool condition, const char* message) {
        if (!condition) throw std::invalid_argument(message);
    }

    // Checks every word and finds the end of every subterm, from the last word to the first.
    void find_ends() {
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
            std::size_t at = i + 1;
            for (std::size_t k = 0; k < n; ++k) {
                require(at < t_.size(), "term: an argument is missing");
                at = end_[at];
            }
            end_[i] = at;
        }
    }

    void count_variables() {
        uses_.assign(std::size_t(n_variables_), 0);
        for (const auto w : t_)
            if (tag_of(Word(w)) == kRef) ++uses_[value_of(Word(w))];
    }

    bool constant_arguments() const {
        for (std::size_t k = 1; k + 1 < t_.size(); ++k) {
            const auto tag = tag_of(Word(t_[k]));
            if (tag == kRef || tag == kStr || tag == kList) return false;
        }
        return true;
    }

    bool is(std::size_t pos, std::int32_t functor) const { return t_[pos] == Code(word(kStr, Word(functor))); }
    bool is_name(std::size_t pos, std::int32_t atom) const { return t_[pos] == Code(word(kAtom, Word(atom))); }
    std::size_t second(std::size_t pos) const { return end_[pos + 1]; }

    // The goals of a conjunction, however it is nested; `true` is left out.
    std::vector<std::size_t> conjunction(std::size_t pos) const {
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

    bool is_control(std::size_t pos) const {
        return is(pos, p_.semicolon) || is(pos, p_.arrow) || is(pos, p_.soft_not) || is(pos, p_.word_not);
    }

    enum class Kind { control, cut, fail, inline_, call, meta };

    Kind kind(std::size_t pos) const {
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

    bool needs_environment(const std::vector<std::size_t>& goals) const {
        for (std::size_t k = 0; k < goals.size(); ++k) {
            const auto what = kind(goals[k]);
            if (what == Kind::control) return true;
            if ((what == Kind::call || what == Kind::meta) && k + 1 < goals.size()) return true;
        }
        return false;
    }

    // Whether a cut of the clause itself occurs; those inside conditions and negations are their own.
    bool has_cut(std::size_t pos) const {
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

    void emit(Code a) { out_.push_back(a); }
    void emit(Code a, Code b) { out_.push_back(a), out_.push_back(b); }
    void emit(Code a, Code b, Code c) { out_.push_back(a), out_.push_back(b), out_.push_back(c); }

    Code new_slot() {
        if (!free_.empty()) {
            const auto slot = free_.back();
            free_.pop_back();
            return slot;
        }
        require(slots_ < kMostSlots, "a clause has too many variables");
        most_slots_ = std::max(most_slots_, slots_ + 1);
        return slots_++;
    }

    // Structures -----------------------------------------------------------------------------------------------------

    void head_arguments() {
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

    void structure(std::size_t at) {
        const auto n = p_.symbols[std::int32_t(value_of(Word(t_[at])))].arity;
        heap_ += n + 1;
        arguments(at + 1, n);
    }

    // The arguments of a structure or list, then those of structures inside it, last in first out.
    void arguments(std::size_t at, int n) {
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

    void one_level(std::size_t at, int n, std::vector<std::pair<Code, std::size_t>>& inner) {
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

    void put(Code i, std::size_t at) {
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
    void initialise(std::size_t from, std::size_t to) {
        for (auto k = from; k < to; ++k) {
            const auto w = Word(t_[k]);
            if (tag_of(w) != kRef || seen_[value_of(w)]) continue;
            emit(kInitVar, Code(value_of(w)));
            ++heap_;
            seen_[value_of(w)] = 1;
        }
    }

    // Goals ----------------------------------------------------------------------------------------------------------

    void proceed() { emit(environment_ ? kProceedLast : kProceed); }

    void compile_goals(const std::vector<std::size_t>& goals, bool last) {
        most_slots_ = std::max(most_slots_, slots_);
        if (goals.empty() && last) proceed();
        for (std::size_t k = 0; k < goals.size(); ++k) compile_goal(goals[k], last && k + 1 == goals.size());
    }

    void compile_goal(std::size_t pos, bool last) {
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

    void call(std::size_t pos, bool last) {
        const auto w = Word(t_[pos]);
        const auto f =
            tag_of(w) == kAtom ? p_.symbols.functor(std::int32_t(value_of(w)), 0) : std::int32_t(value_of(w));
        put_arguments(pos, p_.symbols[f].arity);
        p_.predicate(f);
        emit(last ? (environment_ ? kExecuteLast : kExecute) : kCall, f, negated_);
    }

    void put_arguments(std::size_t pos, int n) {
        std::size_t at = pos + 1;
        for (Code i = 0; i < n; ++i, at = end_[at]) put(i, at);
    }

    void meta_goal(std::size_t pos, bool last) {
        const bool variable = tag_of(Word(t_[pos])) == kRef;
        const int n = variable ? 1 : p_.symbols[std::int32_t(value_of(Word(t_[pos])))].arity;
        if (variable)
            put(0, pos);
        else
            put_arguments(pos, n);
        emit(last ? (environment_ ? kExecuteMetaLast : kExecuteMeta) : kCallMeta, n, negated_);
    }

    void control(std::size_t pos, bool last) {
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

    std::size_t jump(bool last) {
        if (last) return 0;
        emit(kJump, 0);
        return out_.size() - 1;
    }

    void land(std::size_t hole) {
        if (hole) out_[hole] = Code(out_.size() - hole);
    }

    // (condition -> then ; otherwise); without `otherwise` it fails. Jumps are relative to the word that holds them.
    void condition(std::size_t test, std::size_t then, std::size_t otherwise, bool last) {
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
    void negation(std::size_t pos) {
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
    void local(std::size_t pos) {
        const auto outer = cut_;
        if (has_cut(pos)) {
            cut_ = new_slot();
            emit(kMark, cut_);
        }
        compile_goals(conjunction(pos), false);
        cut_ = outer;
    }

    void inline_goal(std::size_t pos) {
        const auto w = Word(t_[pos]);
        const auto f =
            tag_of(w) == kAtom ? p_.symbols.functor(std::int32_t(value_of(w)), 0) : std::int32_t(value_of(w));
        const auto builtin = p_.predicate(f).builtin;
        if (std::size_t(f) < p_.comparisons.size() && int(p_.comparisons[std::size_t(f)]) < 6 &&
            is_expression(pos + 1) && is_expression(second(pos))) {
            expression(pos + 1);
            expression(second(pos));
            emit(kCompare, Code(p_.comparisons[std::size_t(f)]));
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

    // Arithmetic -----------------------------------------------------------------------------------------------------

    Arith operation(Word w) const {
        const auto f = value_of(w);
        return tag_of(w) == kStr && f < p_.operations.size() ? p_.operations[f] : Arith::none;
    }

    bool constant(Word w, double& value) const {
        if (tag_of(w) != kAtom) return false;
        for (const auto& [name, number] : p_.constants)
            if (Word(name) == value_of(w)) return value = number, true;
        return false;
    }

    bool is_expression(std::size_t pos) const {
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
    void expression(std::size_t pos) {
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

    Program& p_;
    std::span<const Code> t_;
    std::vector<Code>& out_;
    std::vector<std::size_t> end_;
    std::vector<char> seen_;
    std::vector<int> uses_;
    std::vector<Code> free_;
    std::int32_t slots_, most_slots_ = 0;
    std::int64_t n_variables_;
    std::int32_t heap_ = 0;
    Code cut_ = 0;
    Code negated_ = 0;
    bool environment_ = false;
    int depth_ = 0;
};

struct Named {
    const char* name;
    int arity;
    Builtin builtin;
};

constexpr Named kBuiltins[] = {
    {"=", 2, Builtin::unify},
    {"\\=", 2, Builtin::not_unify},
    {"==", 2, Builtin::same},
    {"\\==", 2, Builtin::not_same},
    {"@<", 2, Builtin::before},
    {"@=<", 2, Builtin::before_eq},
    {"@>", 2, Builtin::after},
    {"@>=", 2, Builtin::after_eq},
    {"compare", 3, Builtin::compare},
    {"=@=", 2, Builtin::variant},
    {"\\=@=", 2, Builtin::not_variant},
    {"var", 1, Builtin::is_var},
    {"nonvar", 1, Builtin::is_nonvar},
    {"atom", 1, Builtin::is_atom},
    {"number", 1, Builtin::is_number},
    {"integer", 1, Builtin::is_integer},
    {"float", 1, Builtin::is_float},
    {"atomic", 1, Builtin::is_atomic},
    {"compound", 1, Builtin::is_compound},
    {"callable", 1, Builtin::is_callable},
    {"is_list", 1, Builtin::is_list},
    {"ground", 1, Builtin::is_ground},
    {"functor", 3, Builtin::functor},
    {"arg", 3, Builtin::arg},
    {"=..", 2, Builtin::univ},
    {"copy_term", 2, Builtin::copy_term},
    {"$length", 2, Builtin::length},
    {"msort", 2, Builtin::msort},
    {"sort", 2, Builtin::sort},
    {"=:=", 2, Builtin::num_eq},
    {"=\\=", 2, Builtin::num_ne},
    {"<", 2, Builtin::num_lt},
    {"=<", 2, Builtin::num_le},
    {">", 2, Builtin::num_gt},
    {">=", 2, Builtin::num_ge},
    {"is", 2, Builtin::is},
    {"succ", 2, Builtin::succ},
    {"atom_length", 2, Builtin::atom_length},
    {"$bag_open", 0, Builtin::bag_open},
    {"$bag_add", 1, Builtin::bag_add},
    {"$bag_close", 1, Builtin::bag_close},
    {"$refuse_cut", 0, Builtin::refuse_cut},
    {"unify_with_occurs_check", 2, Builtin::unify_occurs},
};

struct Operation {
    const char* name;
    int arity;
    Arith operation;
};

constexpr Operation kOperations[] = {
    {"+", 2, Arith::add},          {"-", 2, Arith::sub},           {"*", 2, Arith::mul},
    {"/", 2, Arith::div},          {"//", 2, Arith::int_div},      {"mod", 2, Arith::mod},
    {"rem", 2, Arith::rem},        {"div", 2, Arith::div_floor},   {"min", 2, Arith::min},
    {"max", 2, Arith::max},        {"**", 2, Arith::pow},          {"^", 2, Arith::int_pow},
    {"<<", 2, Arith::shift_left},  {">>", 2, Arith::shift_right},  {"/\\", 2, Arith::bit_and},
    {"\\/", 2, Arith::bit_or},     {"xor", 2, Arith::bit_xor},     {"gcd", 2, Arith::gcd},
    {"atan2", 2, Arith::atan2},    {"-", 1, Arith::neg},           {"+", 1, Arith::plus},
    {"abs", 1, Arith::abs},        {"sign", 1, Arith::sign},       {"sqrt", 1, Arith::sqrt},
    {"sin", 1, Arith::sin},        {"cos", 1, Arith::cos},         {"tan", 1, Arith::tan},
    {"asin", 1, Arith::asin},      {"acos", 1, Arith::acos},       {"atan", 1, Arith::atan},
    {"exp", 1, Arith::exp},        {"log", 1, Arith::log},         {"log2", 1, Arith::log2},
    {"float", 1, Arith::to_float}, {"integer", 1, Arith::to_int},  {"truncate", 1, Arith::truncate},
    {"round", 1, Arith::round},    {"ceiling", 1, Arith::ceiling}, {"floor", 1, Arith::floor},
    {"\\", 1, Arith::bit_not},     {"msb", 1, Arith::msb},
};

constexpr const char* kComparisons[] = {"=:=", "=\\=", "<", "=<", ">", ">="};

}  // namespace

Program::Program() {
    nil = symbols.atom("[]");
    true_ = symbols.atom("true");
    fail_ = symbols.atom("fail");
    false_ = symbols.atom("false");
    cut = symbols.atom("!");
    minus = symbols.atom("-");
    plus_ = symbols.atom("+");
    lt_ = symbols.atom("<");
    eq_ = symbols.atom("=");
    gt_ = symbols.atom(">");
    dot = symbols.atom(".");
    comma = symbols.functor(",", 2);
    semicolon = symbols.functor(";", 2);
    arrow = symbols.functor("->", 2);
    soft_not = symbols.functor("\\+", 1);
    word_not = symbols.functor("not", 1);
    equals = symbols.functor("=", 2);
    is_ = symbols.functor("is", 2);
    for (const auto& each : kBuiltins) predicate(symbols.functor(each.name, each.arity)).builtin = each.builtin;
    for (const auto& each : kOperations) {
        const auto f = std::size_t(symbols.functor(each.name, each.arity));
        if (f >= operations.size()) operations.resize(f + 1, Arith::none);
        operations[f] = each.operation;
    }
    for (int k = 0; k < 6; ++k) {
        const auto f = std::size_t(symbols.functor(kComparisons[k], 2));
        if (f >= comparisons.size()) comparisons.resize(f + 1, Compare(6));
        comparisons[f] = Compare(k);
    }
    const double infinity = std::numeric_limits<double>::infinity();
    constants = {{symbols.atom("pi"), 3.14159265358979323846},
                 {symbols.atom("e"), 2.71828182845904523536},
                 {symbols.atom("inf"), infinity},
                 {symbols.atom("infinite"), infinity},
                 {symbols.atom("nan"), std::numeric_limits<double>::quiet_NaN()},
                 {symbols.atom("epsilon"), std::numeric_limits<double>::epsilon()}};
}

std::int32_t Program::add(std::span<const Code> term, std::int32_t n_variables) {
    if (term.empty()) throw std::invalid_argument("a clause is a head and a body");
    const auto before = code.size();
    ++version;
    Clause made;
    try {
        Compiler compiler(*this, term, n_variables, code);
        made = compiler.clause();
    } catch (...) {
        code.resize(before);
        throw;
    }
    const auto head = Word(term[0]);
    const auto f =
        tag_of(head) == kAtom ? symbols.functor(std::int32_t(value_of(head)), 0) : std::int32_t(value_of(head));
    auto& p = predicate(f);
    if (p.builtin != Builtin::none) {
        code.resize(before);
        throw std::invalid_argument("a built-in predicate cannot be defined again");
    }
    p.clauses.push_back(made);
    p.indexed = false;
    std::size_t at = 1;
    for (int k = 0; k < std::min(symbols[f].arity, kIndexed); ++k) {
        p.keys[std::size_t(k)].push_back(key_of_pattern(term[at]));
        // skips the argument: counts open subterms
        for (std::int64_t open = 1; open > 0; ++at) {
            const auto w = Word(term[at]);
            open += (tag_of(w) == kList ? 2 : tag_of(w) == kStr ? symbols[std::int32_t(value_of(w))].arity : 0) - 1;
        }
    }
    most_slots = std::max(most_slots, made.slots);
    return f;
}

void Program::add_facts(std::int32_t functor, std::span<const Code> rows, std::int64_t n) {
    auto& p = predicate(functor);
    if (p.builtin != Builtin::none) throw std::invalid_argument("a built-in predicate cannot be defined again");
    ++version;
    const auto arity = std::size_t(symbols[functor].arity);
    for (const auto w : rows) {
        const auto tag = tag_of(Word(w));
        const bool fine = tag == kInt || (tag == kAtom && std::int64_t(value_of(Word(w))) < symbols.n_atoms()) ||
                          (tag == kReal && value_of(Word(w)) < reals.size());
        if (!fine) throw std::invalid_argument("facts: an argument is not a constant");
    }
    p.indexed = false;
    for (std::int64_t r = 0; r < n; ++r) {
        const auto row = rows.subspan(std::size_t(r) * arity, arity);
        Clause made;
        made.code = Code(code.size());
        code.push_back(kGetFact);
        code.push_back(Code(arity));
        code.insert(code.end(), row.begin(), row.end());
        code.push_back(kProceed);
        if (arity > 0) made.key = key_of_pattern(row[0]);
        p.clauses.push_back(made);
        for (std::size_t k = 0; k < std::min(arity, std::size_t(kIndexed)); ++k)
            p.keys[k].push_back(key_of_pattern(row[k]));
    }
    p.declared = true;
}

std::vector<Code> Program::compile_goal(std::span<const Code> body, std::int32_t n_variables, std::int32_t& heap) {
    if (body.empty()) throw std::invalid_argument("the goal is empty");
    std::vector<Code> made;
    Compiler compiler(*this, body, n_variables, made);
    if (compiler.end(0) != body.size()) throw std::invalid_argument("a goal is one term");
    compiler.goal(heap);
    return made;
}

void Program::prepare() {
    predicates.resize(std::max(predicates.size(), std::size_t(symbols.n_functors())));
    for (std::size_t f = 0; f < predicates.size(); ++f) {
        auto& p = predicates[f];
        if (p.indexed || p.clauses.size() <= kFewClauses) continue;
        const auto arity = std::size_t(symbols[std::int32_t(f)].arity);
        for (std::size_t k = 0; k < std::min(arity, std::size_t(kIndexed)); ++k) p.index[k].build(p.keys[k]);
        p.indexed = true;
    }
}

}  // namespace statlearn::logic
