// Draws without replacement and draws by weight. Each takes its numbers from the stream of its unit of work.
#pragma once

#include <algorithm>
#include <utility>

#include "common/parallel.hpp"
#include "common/rng.hpp"

namespace statlearn {

// Draws without replacement one by one: the k-th of n things, for k = 0, 1, ..., is brought to place k and returned.
template <class It>
decltype(auto) draw_next(It things, std::size_t k, std::size_t n, Rng& rng) {
    std::swap(things[k], things[k + rng.below(static_cast<std::uint32_t>(n - k))]);
    return things[k];
}

// Brings `count` of n things, drawn without replacement, to the front in random order; n of n is a shuffle.
template <class It>
void draw_to_front(It things, std::size_t count, std::size_t n, Rng& rng) {
    for (std::size_t k = 0; k < count && k + 1 < n; ++k) draw_next(things, k, n, rng);
}

// Draws a position by weight, given the running sums of the weights.
inline Index draw_by_sums(Span<const double> sums, Rng& rng) {
    const double u = rng.uniform() * sums.back();
    return std::min(std::upper_bound(sums.begin(), sums.end(), u) - sums.begin(), sums.size() - 1);
}

// Draws one of n states by their probabilities, which sum to one but for rounding; -1 if none is possible.
inline int draw_state(const double* probability, Index n, Rng& rng) {
    const double u = rng.uniform();
    double sum = 0.0;
    int state = -1;
    for (Index s = 0; s < n; ++s) {
        if (probability[s] <= 0.0) continue;
        state = int(s);  // the last possible state takes what rounding leaves
        sum += probability[s];
        if (u < sum) break;
    }
    return state;
}

// The place whose share of the total mass contains `target`, given the mass of every block of places and mass(place);
// -1 if no place has any. Memory and time are those of the blocks and of one of them.
template <class Mass>
Index place_of_mass(double target, const Blocks& blocks, Span<const double> block_mass, Mass&& mass) {
    Index b = 0;
    while (b + 1 < blocks.count() && target >= block_mass[b]) target -= block_mass[b++];
    Index last = -1;
    for (Index place = blocks.begin(b); place < blocks.end(b) && target >= 0.0; ++place) {
        const double m = mass(place);
        if (!(m > 0.0)) continue;
        last = place;
        target -= m;
    }
    // Rounding may carry the target into a last block without mass: the last place that has some is the one.
    for (Index place = blocks.begin(b) - 1; last < 0 && place >= 0; --place)
        if (mass(place) > 0.0) last = place;
    return last;
}

}  // namespace statlearn
