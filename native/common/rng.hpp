// A counter-based random generator: Philox 4x32-10 (Salmon, Moraes, Dror & Shaw, 2011).
//
// `Rng(seed, item)` is the stream of one unit of work (a tree, a restart, a row), so results do not depend on threads.
// The samplers are our own because the distributions of the C++ library differ between its implementations.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "common/view.hpp"

namespace statlearn {

class Rng {
public:
    Rng(std::uint64_t seed, std::uint64_t item)
        : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
          counter_{0, 0, static_cast<std::uint32_t>(item), static_cast<std::uint32_t>(item >> 32)} {}

    std::uint32_t bits32() {
        if (used_ == 4) {
            block_ = philox(counter_, key_);
            if (++counter_[0] == 0) ++counter_[1];
            used_ = 0;
        }
        return block_[used_++];
    }

    std::uint64_t bits64() {
        const std::uint64_t high = bits32();
        return high << 32 | bits32();
    }

    // Uniform on [0, 1) with 53 random bits.
    double uniform() { return static_cast<double>(bits64() >> 11) * 0x1.0p-53; }

    // Uniform on 0..n-1 without bias (Lemire, 2019).
    std::uint32_t below(std::uint32_t n) {
        std::uint64_t product = std::uint64_t{bits32()} * n;
        if (static_cast<std::uint32_t>(product) < n) {
            const std::uint32_t threshold = static_cast<std::uint32_t>(-n) % n;
            while (static_cast<std::uint32_t>(product) < threshold) product = std::uint64_t{bits32()} * n;
        }
        return static_cast<std::uint32_t>(product >> 32);
    }

    // Standard normal by Box and Muller; the second value of each pair is kept for the next call.
    double normal() {
        if (has_spare_) {
            has_spare_ = false;
            return spare_;
        }
        const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
        const double angle = 6.283185307179586476925 * uniform();
        spare_ = radius * std::sin(angle);
        has_spare_ = true;
        return radius * std::cos(angle);
    }

    template <class It>
    void shuffle(It first, Index n) {
        for (Index i = n - 1; i > 0; --i) std::swap(first[i], first[below(static_cast<std::uint32_t>(i + 1))]);
    }

    static std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> x, std::array<std::uint32_t, 2> key) {
        for (int round = 0; round < 10; ++round) {
            const std::uint64_t a = std::uint64_t{0xD2511F53u} * x[0];
            const std::uint64_t b = std::uint64_t{0xCD9E8D57u} * x[2];
            x = {static_cast<std::uint32_t>(b >> 32) ^ x[1] ^ key[0], static_cast<std::uint32_t>(b),
                 static_cast<std::uint32_t>(a >> 32) ^ x[3] ^ key[1], static_cast<std::uint32_t>(a)};
            key[0] += 0x9E3779B9u;
            key[1] += 0xBB67AE85u;
        }
        return x;
    }

private:
    std::array<std::uint32_t, 2> key_;
    std::array<std::uint32_t, 4> counter_;
    std::array<std::uint32_t, 4> block_{};
    int used_ = 4;
    double spare_ = 0.0;
    bool has_spare_ = false;
};

}  // namespace statlearn
