// Sorting floating-point numbers by their bits: linear in their number, the same order on every machine.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "common/view.hpp"

namespace statlearn {

// The unsigned integer whose order is the order of the numbers; -0 and +0 share one. NaN has no place here.
template <class T>
auto radix_key(T x) {
    using Key = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    constexpr Key kSign = Key{1} << (8 * sizeof(T) - 1);
    const Key bits = std::bit_cast<Key>(x + T(0));
    return (bits & kSign) ? Key(~bits) : Key(bits | kSign);
}

template <class T>
T radix_value(std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t> key) {
    using Key = decltype(key);
    constexpr Key kSign = Key{1} << (8 * sizeof(T) - 1);
    return std::bit_cast<T>((key & kSign) ? Key(key & ~kSign) : Key(~key));
}

// Sorts `items` by the unsigned integer `key_of(item)`, stably, with `scratch` of the same length: 11 bits a pass,
// lowest first; a digit that all items share costs nothing but its counting.
template <class Item, class KeyOf>
void radix_sort(Span<Item> items, Span<Item> scratch, KeyOf key_of) {
    using Key = std::decay_t<decltype(key_of(items[0]))>;
    constexpr int kBits = 11, kDigits = int((8 * sizeof(Key) + kBits - 1) / kBits);
    constexpr Key kMask = (Key{1} << kBits) - 1;
    std::vector<std::array<std::uint32_t, std::size_t{1} << kBits>> counts(kDigits);
    for (auto& digit : counts) digit.fill(0);
    for (const Item& item : items) {
        const Key key = key_of(item);
        for (int d = 0; d < kDigits; ++d) ++counts[d][(key >> (kBits * d)) & kMask];
    }
    Item *from = items.data(), *to = scratch.data();
    for (int d = 0; d < kDigits; ++d) {
        auto& count = counts[d];
        if (!items.empty() && count[(key_of(items[0]) >> (kBits * d)) & kMask] == items.size()) continue;
        std::uint32_t start = 0;
        for (auto& c : count) {
            const std::uint32_t here = c;
            c = start;
            start += here;
        }
        for (Index i = 0; i < items.size(); ++i) to[count[(key_of(from[i]) >> (kBits * d)) & kMask]++] = from[i];
        std::swap(from, to);
    }
    if (from != items.data()) std::copy(from, from + items.size(), items.data());
}

// Sorts numbers in increasing order.
template <class T>
void radix_sort(Span<T> values) {
    std::vector<T> scratch(values.size());
    radix_sort<T>(values, scratch, [](T x) { return radix_key(x); });
}

}  // namespace statlearn
