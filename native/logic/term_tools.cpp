// Order, comparison, inspection and copying of terms on the heap of the machine.
#include <bit>
#include <unordered_map>
#include <unordered_set>

#include "logic/machine.hpp"

namespace statlearn::logic {

namespace {

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

// Terms that share parts, or are cyclic, have few cells and many or endless paths. Walks over all of a term remember
// the cells that they have seen, but only once they have taken more steps than most terms have parts.
constexpr std::size_t kSimpleWalk = 1 << 14;
constexpr std::size_t kLongestWalk = 50'000'000;

// The cells of structures that a walk has seen.
class Seen {
public:
    explicit Seen(std::size_t cells) : cells_(cells) {}

    // Whether the cell was seen before.
    bool again(std::size_t cell) {
        if (++steps_ < kSimpleWalk) return false;
        if (seen_.empty()) seen_.resize(cells_);
        const bool before = seen_[cell];
        seen_[cell] = true;
        return before;
    }

private:
    std::size_t cells_, steps_ = 0;
    std::vector<bool> seen_;
};

}  // namespace

int Machine::order(Word first, Word second) {
    std::vector<std::pair<Word, Word>> open{{first, second}};
    std::size_t steps = 0;
    while (!open.empty()) {
        auto [a, b] = open.back();
        open.pop_back();
        a = deref(a), b = deref(b);
        if (a == b) continue;
        if (++steps > kLongestWalk) return type_error("comparison of a cyclic term does not end"), 0;
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
        for (Index k = f.arity; k-- > 0;) open.push_back({heap_[x + k], heap_[y + k]});
    }
    return 0;
}

bool Machine::variant(Word first, Word second) {
    std::vector<std::pair<Word, Word>> open{{first, second}};
    std::unordered_map<Word, Word> there, back;
    std::unordered_map<Word, std::unordered_set<Word>> seen;  // pairs of structures that are compared already
    std::size_t steps = 0;
    while (!open.empty()) {
        auto [a, b] = open.back();
        open.pop_back();
        a = deref(a), b = deref(b);
        const auto ta = tag_of(a), tb = tag_of(b);
        if (ta != tb) return false;
        if (ta == kRef) {
            if (there.try_emplace(a, b).first->second != b || back.try_emplace(b, a).first->second != a) return false;
        } else if (ta == kStr || ta == kList) {
            if (++steps > kLongestWalk) return type_error("comparison of a cyclic term does not end");
            if (steps > kSimpleWalk && !seen[a].insert(b).second) continue;
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
    return !reaches(w, [](Word t) { return tag_of(t) == kRef; });
}

bool Machine::occurs(Word variable, Word in) {
    return reaches(in, [variable](Word t) { return t == variable; });
}

template <class Wanted>
bool Machine::reaches(Word start, Wanted wanted) {
    work_.assign(1, start);
    Seen seen(top_);
    while (!work_.empty()) {
        const auto t = deref(work_.back());
        work_.pop_back();
        if (wanted(t)) return true;
        if ((tag_of(t) != kStr && tag_of(t) != kList) || seen.again(value_of(t))) continue;
        const auto x = value_of(t) + (tag_of(t) == kStr);
        const auto n = tag_of(t) == kList ? 2 : std::size_t(program_.symbols[std::int32_t(heap_[value_of(t)])].arity);
        for (auto k = n; k-- > 0;) work_.push_back(heap_[x + k]);
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

// Whether the term contains itself, by a walk in depth: a part is met again before its own parts are done.
bool Machine::cyclic(Word start) {
    enum State : std::uint8_t { kNew, kOpen, kDone };
    struct Part {
        std::size_t cell, next, end;
    };
    std::vector<std::uint8_t> state(top_, kNew);
    std::vector<Part> path;
    const auto enter = [&](Word w) {
        w = deref(w);
        if ((tag_of(w) != kStr && tag_of(w) != kList) || state[value_of(w)] == kDone) return true;
        const auto at = value_of(w);
        if (state[at] == kOpen) return false;
        state[at] = kOpen;
        const auto first = at + (tag_of(w) == kStr);
        const auto n = tag_of(w) == kList ? 2 : std::size_t(program_.symbols[std::int32_t(heap_[at])].arity);
        path.push_back({at, first, first + n});
        return true;
    };
    if (!enter(start)) return true;
    while (!path.empty()) {
        Part& part = path.back();
        if (part.next == part.end) {
            state[part.cell] = kDone;
            path.pop_back();
        } else if (!enter(heap_[part.next++])) {
            return true;
        }
    }
    return false;
}

// False, with the error set, for a cyclic term and one that is larger than the memory allowed.
bool Machine::copy_out(Word start, std::vector<Code>& out) {
    std::vector<Word> open{start};
    const auto most = limits_.max_bytes / sizeof(Code);
    for (std::size_t steps = 0; !open.empty(); ++steps) {
        if (steps == kSimpleWalk && cyclic(start)) return type_error("a cyclic term has no copy");
        const auto t = deref(open.back());
        open.pop_back();
        if (out.size() > most) return error_ = Outcome::memory, false;
        if (tag_of(t) == kStr) {
            const auto x = value_of(t);
            out.push_back(Code(word(kStr, heap_[x])));
            const Index n = program_.symbols[std::int32_t(heap_[x])].arity;
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
    return true;
}

// Builds a term from the prefix that copy_out wrote, with the bits of a double behind its word; equal variable numbers
// become one new variable. The caller has reserved the cells.
Word Machine::copy_in(Span<const Code> term) {
    std::unordered_map<Word, Word> variables;
    std::vector<std::size_t> holes;  // cells to be filled, last in first out
    Word result = 0;
    bool is_first = true;
    for (Index k = 0; k < term.size(); ++k) {
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

}  // namespace statlearn::logic
