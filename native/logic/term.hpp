// Terms as words: a tag in the low three bits, a value above them.
//
//     ref    index of a heap cell; a cell that refers to itself is an unbound variable
//     str    index of a heap cell that holds a functor number, the arguments follow
//     list   index of two heap cells, head and tail
//     int    the number itself, 61 bits
//     atom   number of an interned name
//     real   index into a table of doubles
//
// Outside of the machine a term is a sequence of such words in prefix order: a `ref` is then the number of a variable,
// a `str` holds the functor and is followed by its arguments, a `list` by head and tail.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace statlearn::logic {

using Word = std::uint64_t;
using Code = std::int64_t;

enum Tag : unsigned { kRef = 0, kStr = 1, kList = 2, kInt = 3, kAtom = 4, kReal = 5 };

constexpr Word word(Tag tag, Word value) { return value << 3 | tag; }
constexpr Word int_word(std::int64_t value) { return static_cast<Word>(value) << 3 | kInt; }
constexpr Tag tag_of(Word w) { return static_cast<Tag>(w & 7); }
constexpr Word value_of(Word w) { return w >> 3; }
constexpr std::int64_t int_of(Word w) { return static_cast<std::int64_t>(w) >> 3; }
constexpr std::int64_t kLargestInt = (std::int64_t{1} << 60) - 1;
constexpr bool fits(std::int64_t value) { return -kLargestInt - 1 <= value && value <= kLargestInt; }

struct Functor {
    std::int32_t name;
    std::int32_t arity;
};

// Names and functors, numbered in the order in which they are met.
class Symbols {
public:
    std::int32_t atom(std::string_view name);
    std::int32_t functor(std::int32_t name, std::int32_t arity);
    std::int32_t functor(std::string_view name, std::int32_t arity) { return functor(atom(name), arity); }
    std::int32_t find(std::int32_t name, std::int32_t arity) const {  // -1 if it was never met
        const auto at = numbers_.find(std::uint64_t(std::uint32_t(name)) << 32 | std::uint32_t(arity));
        return at == numbers_.end() ? -1 : at->second;
    }
    const std::string& name(std::int32_t atom) const { return names_[atom]; }
    Functor operator[](std::int32_t functor) const { return functors_[functor]; }
    std::int32_t n_atoms() const { return std::int32_t(names_.size()); }
    std::int32_t n_functors() const { return std::int32_t(functors_.size()); }

private:
    std::vector<std::string> names_;
    std::unordered_map<std::string, std::int32_t> atoms_;
    std::vector<Functor> functors_;
    std::unordered_map<std::uint64_t, std::int32_t> numbers_;
};

}  // namespace statlearn::logic
