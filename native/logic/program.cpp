#include "logic/program.hpp"

#include <algorithm>
#include <limits>

#include "logic/compiler.hpp"

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

// What is built in ----------------------------------------------------------------------------------------------------

namespace {

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
        const std::size_t f = symbols.functor(each.name, each.arity);
        if (f >= operations.size()) operations.resize(f + 1, Arith::none);
        operations[f] = each.operation;
    }
    for (int k = 0; k < 6; ++k) {
        const std::size_t f = symbols.functor(kComparisons[k], 2);
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

std::int32_t Program::add(Span<const Code> term, std::int32_t n_variables) {
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
        p.keys[k].push_back(key_of_pattern(term[at]));
        // skips the argument: counts open subterms
        for (std::int64_t open = 1; open > 0; ++at) {
            const auto w = Word(term[at]);
            open += (tag_of(w) == kList ? 2 : tag_of(w) == kStr ? symbols[std::int32_t(value_of(w))].arity : 0) - 1;
        }
    }
    most_slots = std::max(most_slots, made.slots);
    return f;
}

void Program::add_facts(std::int32_t functor, Span<const Code> rows, std::int64_t n) {
    auto& p = predicate(functor);
    if (p.builtin != Builtin::none) throw std::invalid_argument("a built-in predicate cannot be defined again");
    ++version;
    const Index arity = symbols[functor].arity;
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
        for (Index k = 0; k < std::min<Index>(arity, kIndexed); ++k) p.keys[k].push_back(key_of_pattern(row[k]));
    }
    p.declared = true;
}

std::vector<Code> Program::compile_goal(Span<const Code> body, std::int32_t n_variables, std::int32_t& heap) {
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
        const Index arity = symbols[std::int32_t(f)].arity;
        for (Index k = 0; k < std::min<Index>(arity, kIndexed); ++k) p.index[k].build(p.keys[k]);
        p.indexed = true;
    }
}

}  // namespace statlearn::logic
