// Built-in predicates of the machine: comparison, inspection and copying of terms, arithmetic, bags of solutions.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "logic/machine.hpp"

namespace statlearn::logic {

namespace {

int sign_of(std::int64_t a, std::int64_t b) { return a < b ? -1 : a > b; }

// Standard order of kinds: variables, numbers, names, structures.
int rank(Tag tag) {
    switch (tag) {
        case kRef:
            return 0;
        case kInt:
        case kReal:
            return 1;
        case kAtom:
            return 2;
        default:
            return 3;
    }
}

}  // namespace

// Terms ---------------------------------------------------------------------------------------------------------------

int Machine::order(Word first, Word second) {
    std::vector<std::pair<Word, Word>> open{{first, second}};
    std::size_t steps = 0;
    while (!open.empty()) {
        auto [a, b] = open.back();
        open.pop_back();
        a = deref(a), b = deref(b);
        if (a == b) continue;
        if (++steps > 50'000'000) return type_error("comparison of a cyclic term does not end"), 0;
        const auto ta = tag_of(a), tb = tag_of(b);
        if (rank(ta) != rank(tb)) return rank(ta) < rank(tb) ? -1 : 1;
        if (ta == kRef) return sign_of(std::int64_t(value_of(a)), std::int64_t(value_of(b)));
        if (rank(ta) == 1) {
            const auto x = number_of(a), y = number_of(b);
            if (!x.real && !y.real) return sign_of(x.i, y.i);
            if (x.value() != y.value()) return x.value() < y.value() ? -1 : 1;
            if (x.real != y.real) return x.real ? -1 : 1;
            continue;
        }
        if (ta == kAtom) {
            const int c = program_.symbols.name(std::int32_t(value_of(a)))
                              .compare(program_.symbols.name(std::int32_t(value_of(b))));
            return c < 0 ? -1 : 1;
        }
        const auto parts = [&](Word w) {
            return tag_of(w) == kList ? Functor{program_.dot, 2} : program_.symbols[std::int32_t(heap_[value_of(w)])];
        };
        const auto f = parts(a), g = parts(b);
        if (f.arity != g.arity) return f.arity < g.arity ? -1 : 1;
        if (f.name != g.name) return program_.symbols.name(f.name) < program_.symbols.name(g.name) ? -1 : 1;
        const auto x = value_of(a) + (ta == kStr), y = value_of(b) + (tb == kStr);
        for (auto k = std::size_t(f.arity); k-- > 0;) open.push_back({heap_[x + k], heap_[y + k]});
    }
    return 0;
}

bool Machine::variant(Word first, Word second) {
    std::vector<std::pair<Word, Word>> open{{first, second}};
    std::unordered_map<Word, Word> there, back;
    while (!open.empty()) {
        auto [a, b] = open.back();
        open.pop_back();
        a = deref(a), b = deref(b);
        const auto ta = tag_of(a), tb = tag_of(b);
        if (ta != tb) return false;
        if (ta == kRef) {
            if (there.try_emplace(a, b).first->second != b || back.try_emplace(b, a).first->second != a) return false;
        } else if (ta == kStr || ta == kList) {
            std::size_t n = 2, x = value_of(a), y = value_of(b);
            if (ta == kStr) {
                if (heap_[x] != heap_[y]) return false;
                n = std::size_t(program_.symbols[std::int32_t(heap_[x])].arity);
                ++x, ++y;
            }
            for (auto k = n; k-- > 0;) open.push_back({heap_[x + k], heap_[y + k]});
        } else if (ta == kReal ? reals[value_of(a)] != reals[value_of(b)] : a != b) {
            return false;
        }
    }
    return true;
}

bool Machine::ground(Word w) {
    work_.assign(1, w);
    while (!work_.empty()) {
        const auto t = deref(work_.back());
        work_.pop_back();
        if (tag_of(t) == kRef) return false;
        if (tag_of(t) == kStr) {
            const auto x = value_of(t);
            const auto n = std::size_t(program_.symbols[std::int32_t(heap_[x])].arity);
            for (std::size_t k = n; k > 0; --k) work_.push_back(heap_[x + k]);
        } else if (tag_of(t) == kList) {
            work_.push_back(heap_[value_of(t) + 1]);
            work_.push_back(heap_[value_of(t)]);
        }
    }
    return true;
}

bool Machine::occurs(Word variable, Word in) {
    work_.assign(1, in);
    while (!work_.empty()) {
        const auto t = deref(work_.back());
        work_.pop_back();
        if (t == variable) return true;
        if (tag_of(t) == kStr) {
            const auto x = value_of(t);
            const auto n = std::size_t(program_.symbols[std::int32_t(heap_[x])].arity);
            for (std::size_t k = n; k > 0; --k) work_.push_back(heap_[x + k]);
        } else if (tag_of(t) == kList) {
            work_.push_back(heap_[value_of(t) + 1]);
            work_.push_back(heap_[value_of(t)]);
        }
    }
    return false;
}

std::int64_t Machine::list_length(Word w, Word& tail) {
    std::int64_t n = 0;
    for (w = deref(w); tag_of(w) == kList; w = deref(heap_[value_of(w) + 1])) {
        if (++n > std::int64_t(top_)) break;  // cyclic
    }
    tail = w;
    return n;
}

void Machine::copy_out(Word start, std::vector<Code>& out) {
    std::vector<Word> open{start};
    const auto most = limits_.max_bytes / sizeof(Code);
    while (!open.empty()) {
        const auto t = deref(open.back());
        open.pop_back();
        if (out.size() > most) throw std::bad_alloc();  // a cyclic term
        if (tag_of(t) == kStr) {
            const auto x = value_of(t);
            out.push_back(Code(word(kStr, heap_[x])));
            const auto n = std::size_t(program_.symbols[std::int32_t(heap_[x])].arity);
            for (std::size_t k = n; k > 0; --k) open.push_back(heap_[x + k]);
        } else if (tag_of(t) == kList) {
            out.push_back(Code(word(kList, 0)));
            open.push_back(heap_[value_of(t) + 1]);
            open.push_back(heap_[value_of(t)]);
        } else {
            out.push_back(Code(tag_of(t) == kReal ? word(kReal, 0) : t));
            if (tag_of(t) == kReal) out.push_back(std::bit_cast<Code>(reals[value_of(t)]));
        }
    }
}

// Builds a term from the prefix that copy_out wrote, with the bits of a double behind its word; equal variable numbers
// become one new variable. The caller has reserved the cells.
Word Machine::copy_in(std::span<const Code> term) {
    std::unordered_map<Word, Word> variables;
    std::vector<std::size_t> holes;  // cells to be filled, last in first out
    Word result = 0;
    bool is_first = true;
    for (std::size_t k = 0; k < term.size(); ++k) {
        auto w = Word(term[k]);
        std::size_t n = 0, first = 0;
        if (tag_of(w) == kRef) {
            const auto [known, is_new] = variables.try_emplace(w, 0);
            if (is_new) known->second = fresh();
            w = known->second;
        } else if (tag_of(w) == kStr) {
            n = std::size_t(program_.symbols[std::int32_t(value_of(w))].arity);
            heap_[top_] = value_of(w);
            w = word(kStr, top_);
            first = top_ + 1;
            top_ += n + 1;
        } else if (tag_of(w) == kList) {
            n = 2;
            w = word(kList, top_);
            first = top_;
            top_ += 2;
        }
        if (tag_of(w) == kReal) {
            reals.push_back(std::bit_cast<double>(term[++k]));
            w = word(kReal, reals.size() - 1);
        }
        if (is_first) {
            result = w;
            is_first = false;
        } else {
            heap_[holes.back()] = w;
            holes.pop_back();
        }
        for (auto i = n; i-- > 0;) holes.push_back(first + i);
    }
    return result;
}

std::string Machine::show(Word w) {
    w = deref(w);
    switch (tag_of(w)) {
        case kInt:
            return std::to_string(int_of(w));
        case kReal:
            return std::to_string(reals[value_of(w)]);
        case kAtom:
            return program_.symbols.name(std::int32_t(value_of(w)));
        case kRef:
            return "an unbound variable";
        case kList:
            return "a list";
        default: {
            const auto f = program_.symbols[std::int32_t(heap_[value_of(w)])];
            return program_.symbols.name(f.name) + "/" + std::to_string(f.arity);
        }
    }
}

// Arithmetic ----------------------------------------------------------------------------------------------------------

Word Machine::word_of(const Number& x) {
    if (!x.real) return int_word(x.i);
    reals.push_back(x.d);
    return word(kReal, reals.size() - 1);
}

bool Machine::holds(Compare how, const Number& x, const Number& y) {
    int order = 0;
    if (!x.real && !y.real) {
        order = sign_of(x.i, y.i);
    } else {
        const double a = x.value(), b = y.value();
        if (a != a || b != b) return how == Compare::ne;
        order = a < b ? -1 : a > b;
    }
    switch (how) {
        case Compare::eq:
            return order == 0;
        case Compare::ne:
            return order != 0;
        case Compare::lt:
            return order < 0;
        case Compare::le:
            return order <= 0;
        case Compare::gt:
            return order > 0;
        default:
            return order >= 0;
    }
}

bool Machine::apply(Arith how, const Number& x, const Number& y, Number& out) {
    const auto integer = [&](std::int64_t value) {
        if (!fits(value)) return arithmetic_error("integer overflow");
        out = {false, value, 0.0};
        return true;
    };
    const auto real = [&](double value) {
        if (value != value) return arithmetic_error("the result of an arithmetic operation is undefined");
        out = {true, 0, value};
        return true;
    };
    const auto rounded = [&](double value) {
        if (!(std::abs(value) <= double(kLargestInt))) return arithmetic_error("integer overflow");
        return integer(std::int64_t(value));
    };
    const bool whole = !x.real && !y.real;
    std::int64_t product = 0;
    switch (how) {
        case Arith::add:
            return whole ? integer(x.i + y.i) : real(x.value() + y.value());
        case Arith::sub:
            return whole ? integer(x.i - y.i) : real(x.value() - y.value());
        case Arith::mul:
            if (!whole) return real(x.value() * y.value());
            if (__builtin_mul_overflow(x.i, y.i, &product)) return arithmetic_error("integer overflow");
            return integer(product);
        case Arith::div:
            if (whole && y.i == 0) return arithmetic_error("division by zero");
            if (whole && x.i % y.i == 0) return integer(x.i / y.i);
            if (y.value() == 0.0) return arithmetic_error("division by zero");
            return real(x.value() / y.value());
        case Arith::int_div:
        case Arith::mod:
        case Arith::rem:
        case Arith::div_floor: {
            if (!whole) return arithmetic_error("integers expected in an integer division");
            if (y.i == 0) return arithmetic_error("division by zero");
            const auto q = x.i / y.i, r = x.i % y.i;
            const bool down = r != 0 && (r < 0) != (y.i < 0);
            if (how == Arith::int_div) return integer(q);
            if (how == Arith::rem) return integer(r);
            return how == Arith::mod ? integer(down ? r + y.i : r) : integer(down ? q - 1 : q);
        }
        case Arith::min:
            out = holds(Compare::le, x, y) ? x : y;
            return true;
        case Arith::max:
            out = holds(Compare::ge, x, y) ? x : y;
            return true;
        case Arith::pow:
        case Arith::int_pow: {
            if (!whole) return real(std::pow(x.value(), y.value()));
            if (y.i < 0) {
                if (x.i == 1) return integer(1);
                if (x.i == -1) return integer(y.i % 2 ? -1 : 1);
                if (x.i == 0) return arithmetic_error("division by zero");
                if (how == Arith::int_pow) return arithmetic_error("a negative power of an integer is not an integer");
                return real(std::pow(double(x.i), double(y.i)));
            }
            std::int64_t result = 1, base = x.i;
            for (auto n = y.i; n > 0; n >>= 1) {
                if ((n & 1) && __builtin_mul_overflow(result, base, &result))
                    return arithmetic_error("integer overflow");
                if (n > 1 && __builtin_mul_overflow(base, base, &base)) return arithmetic_error("integer overflow");
            }
            return integer(result);
        }
        case Arith::shift_left:
            if (!whole || y.i < 0 || y.i > 60) return arithmetic_error("a shift needs integers, by 0 to 60 bits");
            if (__builtin_mul_overflow(x.i, std::int64_t{1} << y.i, &product))
                return arithmetic_error("integer overflow");
            return integer(product);
        case Arith::shift_right:
            if (!whole || y.i < 0) return arithmetic_error("a shift needs integers, by 0 to 60 bits");
            return integer(x.i >> std::min<std::int64_t>(y.i, 62));
        case Arith::bit_and:
        case Arith::bit_or:
        case Arith::bit_xor:
            if (!whole) return arithmetic_error("integers expected in a bitwise operation");
            return integer(how == Arith::bit_and ? x.i & y.i : how == Arith::bit_or ? x.i | y.i : x.i ^ y.i);
        case Arith::gcd:
            return whole ? integer(std::gcd(x.i, y.i)) : arithmetic_error("gcd needs integers");
        case Arith::atan2:
            return real(std::atan2(x.value(), y.value()));
        case Arith::neg:
            return x.real ? real(-x.d) : integer(-x.i);
        case Arith::plus:
            out = x;
            return true;
        case Arith::abs:
            return x.real ? real(std::abs(x.d)) : integer(std::abs(x.i));
        case Arith::sign:
            return x.real ? real(x.d > 0 ? 1.0 : x.d < 0 ? -1.0 : 0.0) : integer(x.i > 0 ? 1 : x.i < 0 ? -1 : 0);
        case Arith::sqrt:
            return real(std::sqrt(x.value()));
        case Arith::sin:
            return real(std::sin(x.value()));
        case Arith::cos:
            return real(std::cos(x.value()));
        case Arith::tan:
            return real(std::tan(x.value()));
        case Arith::asin:
            return real(std::asin(x.value()));
        case Arith::acos:
            return real(std::acos(x.value()));
        case Arith::atan:
            return real(std::atan(x.value()));
        case Arith::exp:
            return real(std::exp(x.value()));
        case Arith::log:
            if (x.value() <= 0.0)
                return arithmetic_error("the logarithm of a number that is not positive is undefined");
            return real(std::log(x.value()));
        case Arith::log2:
            if (x.value() <= 0.0)
                return arithmetic_error("the logarithm of a number that is not positive is undefined");
            return real(std::log2(x.value()));
        case Arith::to_float:
            return real(x.value());
        case Arith::to_int:
        case Arith::round:
            return x.real ? rounded(std::round(x.d)) : integer(x.i);
        case Arith::truncate:
            return x.real ? rounded(std::trunc(x.d)) : integer(x.i);
        case Arith::ceiling:
            return x.real ? rounded(std::ceil(x.d)) : integer(x.i);
        case Arith::floor:
            return x.real ? rounded(std::floor(x.d)) : integer(x.i);
        case Arith::bit_not:
            return x.real ? arithmetic_error("integers expected in a bitwise operation") : integer(~x.i);
        case Arith::msb:
            if (x.real || x.i <= 0) return arithmetic_error("msb needs a positive integer");
            return integer(std::bit_width(std::uint64_t(x.i)) - 1);
        case Arith::none:
            break;
    }
    return arithmetic_error("unknown arithmetic function");
}

// The value of an expression that is known only now: its operations are collected, then applied from the last one.
bool Machine::evaluate(Word start, Number& out) {
    std::vector<Word> open{start};
    std::vector<Word> order;
    while (!open.empty()) {
        const auto t = deref(open.back());
        open.pop_back();
        if (order.size() > 10'000'000) return arithmetic_error("the expression is too long, or cyclic");
        order.push_back(t);
        if (tag_of(t) == kStr) {
            const auto x = value_of(t);
            const auto f = std::size_t(heap_[x]);
            if (f >= program_.operations.size() || program_.operations[f] == Arith::none)
                return arithmetic_error("unknown arithmetic function " + show(t));
            const auto n = std::size_t(program_.symbols[std::int32_t(f)].arity);
            for (std::size_t k = n; k > 0; --k) open.push_back(heap_[x + k]);
        } else if (tag_of(t) == kRef) {
            return arithmetic_error("an unbound variable in an arithmetic expression");
        } else if (tag_of(t) == kList) {
            return arithmetic_error("a list in an arithmetic expression");
        }
    }
    std::vector<Number> values;
    for (auto k = order.size(); k-- > 0;) {
        const auto t = order[k];
        if (tag_of(t) == kAtom) {
            const auto known = std::find_if(program_.constants.begin(), program_.constants.end(),
                                            [&](const auto& each) { return Word(each.first) == value_of(t); });
            if (known == program_.constants.end())
                return arithmetic_error(std::string("'").append(show(t)) +
                                        "' in an arithmetic expression is not a number");
            values.push_back({true, 0, known->second});
        } else if (tag_of(t) != kStr) {
            values.push_back(number_of(t));
        } else {
            const auto f = std::size_t(heap_[value_of(t)]);
            const auto x = values.back();
            values.pop_back();
            Number y = x;
            if (program_.symbols[std::int32_t(f)].arity == 2) {
                y = values.back();
                values.pop_back();
            }
            Number z;
            if (!apply(program_.operations[f], x, y, z)) return false;
            values.push_back(z);
        }
    }
    out = values.back();
    return true;
}

// Predicates ----------------------------------------------------------------------------------------------------------

bool Machine::builtin(Builtin which) {
    const Word a = deref(a_[0]);
    switch (which) {
        case Builtin::unify:
            return unify(a, a_[1]);
        case Builtin::unify_occurs: {
            // Unified on trial: afterwards no variable may occur in what it was bound to.
            const auto before = trail_.size();
            const auto guard = protected_;
            protected_ = top_;
            bool fine = unify(a, a_[1]);
            for (auto k = before; fine && k < trail_.size(); ++k) {
                const auto cell = trail_[k];
                const Word value = heap_[cell];
                heap_[cell] = word(kRef, cell);
                fine = !occurs(word(kRef, cell), value);
                heap_[cell] = value;
            }
            protected_ = guard;
            if (!fine) undo(before);
            return fine;
        }
        case Builtin::not_unify: {
            const auto before = trail_.size();
            const auto guard = protected_;
            protected_ = top_;  // everything is trailed, to be undone
            const bool equal = unify(a, a_[1]);
            protected_ = guard;
            undo(before);
            return !equal && error_ == Outcome::solution;
        }
        case Builtin::same:
            return order(a, a_[1]) == 0;
        case Builtin::not_same:
            return order(a, a_[1]) != 0;
        case Builtin::before:
            return order(a, a_[1]) < 0;
        case Builtin::before_eq:
            return order(a, a_[1]) <= 0;
        case Builtin::after:
            return order(a, a_[1]) > 0;
        case Builtin::after_eq:
            return order(a, a_[1]) >= 0;
        case Builtin::compare: {
            const int c = order(a_[1], a_[2]);
            return unify(a, word(kAtom, Word(c < 0 ? program_.lt_ : c > 0 ? program_.gt_ : program_.eq_)));
        }
        case Builtin::variant:
            return variant(a, a_[1]);
        case Builtin::not_variant:
            return !variant(a, a_[1]);
        case Builtin::is_var:
            return tag_of(a) == kRef;
        case Builtin::is_nonvar:
            return tag_of(a) != kRef;
        case Builtin::is_atom:
            return tag_of(a) == kAtom;
        case Builtin::is_number:
            return tag_of(a) == kInt || tag_of(a) == kReal;
        case Builtin::is_integer:
            return tag_of(a) == kInt;
        case Builtin::is_float:
            return tag_of(a) == kReal;
        case Builtin::is_atomic:
            return tag_of(a) >= kInt;
        case Builtin::is_compound:
            return tag_of(a) == kStr || tag_of(a) == kList;
        case Builtin::is_callable:
            return tag_of(a) == kStr || tag_of(a) == kList || tag_of(a) == kAtom;
        case Builtin::is_list: {
            Word tail;
            list_length(a, tail);
            return tail == word(kAtom, Word(program_.nil));
        }
        case Builtin::is_ground:
            return ground(a);
        case Builtin::functor: {
            if (tag_of(a) == kStr || tag_of(a) == kList) {
                const auto f =
                    tag_of(a) == kList ? Functor{program_.dot, 2} : program_.symbols[std::int32_t(heap_[value_of(a)])];
                return unify(a_[1], word(kAtom, Word(f.name))) && unify(a_[2], int_word(f.arity));
            }
            if (tag_of(a) != kRef) return unify(a_[1], a) && unify(a_[2], int_word(0));
            const Word name = deref(a_[1]), count = deref(a_[2]);
            if (tag_of(count) != kInt || tag_of(name) == kRef)
                return type_error("functor/3: arguments are not sufficiently bound");
            const auto n = int_of(count);
            if (n == 0) return unify(a, name);
            if (tag_of(name) != kAtom || n < 0 || n > kMostArguments)
                return type_error("functor/3: invalid name or arity");
            if (Word(program_.dot) == value_of(name) && n == 2) {
                const auto at = top_;
                fresh(), fresh();
                return unify(a, word(kList, at));
            }
            const auto f = program_.symbols.find(std::int32_t(value_of(name)), std::int32_t(n));
            if (f < 0)
                return type_error("functor/3: " + show(name) + "/" + std::to_string(n) +
                                  " occurs nowhere in the program");
            const auto at = top_;
            heap_[top_++] = Word(f);
            for (std::int64_t k = 0; k < n; ++k) fresh();
            return unify(a, word(kStr, at));
        }
        case Builtin::arg: {
            const Word t = deref(a_[1]);
            if (tag_of(a) != kInt || (tag_of(t) != kStr && tag_of(t) != kList))
                return type_error("arg/3: an integer and a compound term are needed");
            const auto n = tag_of(t) == kList ? 2 : program_.symbols[std::int32_t(heap_[value_of(t)])].arity;
            const auto k = int_of(a);
            if (k < 1 || k > n) return false;
            return unify(a_[2], heap_[value_of(t) + std::size_t(k) - (tag_of(t) == kList ? 1 : 0)]);
        }
        case Builtin::univ: {
            if (tag_of(a) != kRef) {
                std::size_t n = 0, first = 0;
                Word name = a;
                if (tag_of(a) == kStr) {
                    const auto f = program_.symbols[std::int32_t(heap_[value_of(a)])];
                    n = std::size_t(f.arity), first = value_of(a) + 1, name = word(kAtom, Word(f.name));
                } else if (tag_of(a) == kList) {
                    n = 2, first = value_of(a), name = word(kAtom, Word(program_.dot));
                }
                Word rest = word(kAtom, Word(program_.nil));
                for (std::size_t k = n + 1; k-- > 0;) {
                    heap_[top_] = k ? heap_[first + k - 1] : name;
                    heap_[top_ + 1] = rest;
                    rest = word(kList, top_);
                    top_ += 2;
                }
                return unify(a_[1], rest);
            }
            Word tail;
            const auto n = list_length(a_[1], tail) - 1;
            if (n < 0 || tail != word(kAtom, Word(program_.nil))) return type_error("=../2: a proper list is needed");
            if (n > kMostArguments) return type_error("=../2: too many arguments");
            Word cell = deref(a_[1]);
            const Word name = deref(heap_[value_of(cell)]);
            if (n == 0) return unify(a, name);
            if (tag_of(name) != kAtom) return type_error("=../2: the first element must be an atom");
            const auto at = top_;
            const bool pair = Word(program_.dot) == value_of(name) && n == 2;
            if (!pair) {
                const auto f = program_.symbols.find(std::int32_t(value_of(name)), std::int32_t(n));
                if (f < 0)
                    return type_error("=../2: " + show(name) + "/" + std::to_string(n) +
                                      " occurs nowhere in the program");
                heap_[top_++] = Word(f);
            }
            for (std::int64_t k = 0; k < n; ++k) {
                cell = deref(heap_[value_of(cell) + 1]);
                heap_[top_++] = heap_[value_of(cell)];
            }
            return unify(a, word(pair ? kList : kStr, at));
        }
        case Builtin::copy_term: {
            std::vector<Code> copy;
            copy_out(a, copy);
            if (!reserve(4 * copy.size())) return error_ = Outcome::memory, false;
            return unify(a_[1], copy_in(copy));
        }
        case Builtin::length: {
            // Proper lists only; the library enumerates the others.
            Word tail;
            const auto n = list_length(a, tail);
            return tail == word(kAtom, Word(program_.nil)) && unify(a_[1], int_word(n));
        }
        case Builtin::msort:
        case Builtin::sort: {
            Word tail;
            const auto n = list_length(a, tail);
            if (tail != word(kAtom, Word(program_.nil))) return type_error("sort/2: a proper list is needed");
            std::vector<Word> items;
            for (Word cell = a; tag_of(cell) == kList; cell = deref(heap_[value_of(cell) + 1]))
                items.push_back(heap_[value_of(cell)]);
            std::stable_sort(items.begin(), items.end(), [&](Word x, Word y) { return order(x, y) < 0; });
            if (which == Builtin::sort)
                items.erase(std::unique(items.begin(), items.end(), [&](Word x, Word y) { return order(x, y) == 0; }),
                            items.end());
            if (!reserve(2 * std::size_t(n) + 2)) return error_ = Outcome::memory, false;
            Word rest = word(kAtom, Word(program_.nil));
            for (auto k = items.size(); k-- > 0;) {
                heap_[top_] = items[k];
                heap_[top_ + 1] = rest;
                rest = word(kList, top_);
                top_ += 2;
            }
            return unify(a_[1], rest);
        }
        case Builtin::num_eq:
        case Builtin::num_ne:
        case Builtin::num_lt:
        case Builtin::num_le:
        case Builtin::num_gt:
        case Builtin::num_ge: {
            Number x, y;
            if (!evaluate(a, x) || !evaluate(a_[1], y)) return false;
            return holds(static_cast<Compare>(int(which) - int(Builtin::num_eq)), x, y);
        }
        case Builtin::is: {
            Number x;
            return evaluate(a_[1], x) && unify(a, word_of(x));
        }
        case Builtin::succ: {
            const Word b = deref(a_[1]);
            if (tag_of(a) == kInt && int_of(a) >= 0) return unify(b, int_word(int_of(a) + 1));
            if (tag_of(a) == kRef && tag_of(b) == kInt && int_of(b) >= 0)
                return int_of(b) > 0 && unify(a, int_word(int_of(b) - 1));
            return type_error("succ/2: a natural number is needed");
        }
        case Builtin::atom_length:
            if (tag_of(a) != kAtom) return type_error("atom_length/2: an atom is needed");
            return unify(a_[1], int_word(std::int64_t(program_.symbols.name(std::int32_t(value_of(a))).size())));
        case Builtin::bag_open:
            bags_.push_back(bag_.size());
            return true;
        case Builtin::bag_add:
            bag_.emplace_back();
            copy_out(a, bag_.back());
            return true;
        case Builtin::bag_close: {
            const auto first = bags_.back();
            bags_.pop_back();
            std::size_t cells = 2;
            for (auto k = first; k < bag_.size(); ++k) cells += 2 * bag_[k].size() + 4;
            if (!reserve(cells)) return error_ = Outcome::memory, false;
            Word rest = word(kAtom, Word(program_.nil));
            for (auto k = bag_.size(); k-- > first;) {
                const auto item = copy_in(bag_[k]);
                heap_[top_] = item;
                heap_[top_ + 1] = rest;
                rest = word(kList, top_);
                top_ += 2;
            }
            bag_.resize(first);
            return unify(a, rest);
        }
        case Builtin::refuse_cut:
            return type_error("a cut inside call/N is not supported; use once/1 or (If -> Then ; Else)");
        default:
            return type_error("unknown built-in predicate");
    }
}

}  // namespace statlearn::logic
