// Arithmetic on integers of 61 bits and on doubles.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "logic/machine.hpp"

namespace statlearn::logic {

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
            const std::size_t f = heap_[x];
            if (f >= program_.operations.size() || program_.operations[f] == Arith::none)
                return arithmetic_error("unknown arithmetic function " + show(t));
            const Index n = program_.symbols[std::int32_t(f)].arity;
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
            const Index f = heap_[value_of(t)];
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

}  // namespace statlearn::logic
