// Checks of large tables of numbers that a kernel uses as addresses.
#pragma once

#include <atomic>
#include <cstdint>

#include "common/parallel.hpp"

namespace statlearn {

// Whether key(value) < end for all n values; key(0) is 0, and keys are unsigned. For a call's body, where the GIL is
// free and the threads are known.
template <class T, class Key>
bool all_below(const T* values, Index n, std::uint64_t end, Key key) {
    const Blocks blocks(n, Index{1} << 16);
    std::atomic<bool> sound{true};
    parallel_for(blocks.count(), Work(n), [&](Index b) {
        auto largest = key(T{});  // of 0, and of the key's own width: vector code
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) largest = std::max(largest, key(values[i]));
        if (largest >= end) sound.store(false, std::memory_order_relaxed);
    });
    return sound.load(std::memory_order_relaxed);
}

template <class T>
bool all_below(const T* values, Index n, std::uint64_t end) {
    return all_below(values, n, end, [](T value) { return static_cast<std::make_unsigned_t<T>>(value); });
}

// Whether all values are finite.
inline bool all_finite(const double* values, Index n) {
    return parallel_sum(Blocks(n, Index{1} << 16), [&](Index begin, Index end) {
               double sum = 0.0;
               for (Index i = begin; i < end; ++i) sum += 0.0 * values[i];  // NaN or 0
               return sum;
           }) == 0.0;
}

// Whether no value is smaller than the one before it.
template <class T>
bool never_falls(const T* values, Index n) {
    const Blocks blocks(n - 1, Index{1} << 16);
    std::atomic<bool> sound{true};
    parallel_for(blocks.count(), Work(n), [&](Index b) {
        bool falls = false;  // of the whole block: vector code
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) falls |= values[i] > values[i + 1];
        if (falls) sound.store(false, std::memory_order_relaxed);
    });
    return sound.load(std::memory_order_relaxed);
}

}  // namespace statlearn
