// Built-in predicates of the machine.
#include <algorithm>

#include "logic/machine.hpp"

namespace statlearn::logic {

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
            if (!copy_out(a, copy)) return false;
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
            return copy_out(a, bag_.back());
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
