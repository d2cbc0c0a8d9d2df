// Checks and conversions of baskets and item sets, for the bindings of this family.
#pragma once

#include "common/gate.hpp"
#include "rules/itemsets.hpp"

namespace statlearn {

constexpr std::size_t kMostRows = std::size_t{1} << 31;

// Offsets must grow from 0 to the number of entries, and entries must be items.
inline void require_lists(Span<const std::int64_t> offsets, Span<const std::int32_t> items, Index n_items,
                          const char* message) {
    require(!offsets.empty() && offsets[0] == 0 && std::size_t(offsets[offsets.size() - 1]) == items.size(), message);
    for (std::size_t k = 0; k + 1 < offsets.size(); ++k) require(offsets[k] <= offsets[k + 1], message);
    for (const auto item : items) require(0 <= item && item < n_items, message);
}

inline rules::Baskets baskets_view(const In<std::int64_t>& indptr, const In<std::int32_t>& indices, Index n_items) {
    require_lists(view(indptr), view(indices), n_items, "baskets: offsets or items out of range");
    require(indptr.shape(0) < kMostRows, "baskets: too many rows");
    rules::Baskets baskets{view(indptr), view(indices), n_items};
    for (Index r = 0; r < baskets.size(); ++r) {
        const auto row = baskets[r];
        for (std::size_t k = 1; k < row.size(); ++k)
            require(row[k - 1] < row[k], "baskets: items of a basket must increase");
    }
    return baskets;
}

inline void require_weights(const In<double>& weights, const rules::Baskets& baskets) {
    require(weights.shape(0) == 0 || Index(weights.shape(0)) == baskets.size(), "baskets: another number of weights");
}

inline nb::tuple to_python(rules::MineStatus status, rules::SetList&& found) {
    const auto entries = found.items.size(), sets = found.counts.size();
    return nb::make_tuple(int(status), to_numpy(std::move(found.items), {entries}),
                          to_numpy(std::move(found.offsets), {sets + 1}), to_numpy(std::move(found.counts), {sets}));
}

}  // namespace statlearn
