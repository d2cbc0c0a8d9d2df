// Clauses found by one of their arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "common/view.hpp"
#include "logic/term.hpp"

namespace statlearn::logic {

// What an argument is looked up by: constants themselves, functors of structures, 0 for a variable. Numbers with a
// fractional part have one key for all.
constexpr Word kListKey = word(kList, 0);
constexpr Word kRealKey = word(kReal, 0);

// The key of an argument of a clause, given its first word.
inline Word key_of_pattern(Code w) {
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

// Clauses by the key of one argument, in their order, those with a variable there among them.
class KeyIndex {
public:
    void build(Span<const Word> keys);
    Span<const std::uint32_t> find(Word key) const;
    bool useful() const { return keys_ > 1; }

private:
    struct Slot {
        Word key = 0;
        std::uint32_t begin = 0, size = 0;
    };
    std::vector<Slot> table_;
    std::vector<std::uint32_t> places_;
    std::vector<std::uint32_t> others_;  // clauses with a variable: for keys that do not occur
    std::size_t keys_ = 0;
};

}  // namespace statlearn::logic
