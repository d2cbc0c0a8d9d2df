#include <algorithm>
#include <bit>
#include <numeric>

#include "common/parallel.hpp"
#include "common/radix.hpp"
#include "rules/itemsets.hpp"

namespace statlearn::rules {

Ranked rank_items(const Baskets& baskets, std::span<const double> weights, double min_count, bool rarest_first) {
    Ranked out;
    const Index n = baskets.size();
    std::vector<double> count(std::size_t(baskets.n_items), 0.0);
    if (weights.empty()) {
        std::vector<std::int64_t> whole(std::size_t(baskets.n_items), 0);
        for (const auto item : baskets.indices) ++whole[std::size_t(item)];
        std::copy(whole.begin(), whole.end(), count.begin());
    } else {
        for (Index r = 0; r < n; ++r)
            for (const auto item : baskets[r]) count[std::size_t(item)] += weights[std::size_t(r)];
    }
    for (std::size_t j = 0; j < count.size(); ++j)
        if (count[j] >= min_count && count[j] > 0) out.item_of.push_back(std::int32_t(j));
    std::stable_sort(out.item_of.begin(), out.item_of.end(), [&](auto a, auto b) {
        return rarest_first ? count[std::size_t(a)] < count[std::size_t(b)]
                            : count[std::size_t(a)] > count[std::size_t(b)];
    });
    std::vector<std::int32_t> rank_of(count.size(), -1);
    for (std::size_t k = 0; k < out.item_of.size(); ++k) {
        rank_of[std::size_t(out.item_of[k])] = std::int32_t(k);
        out.counts.push_back(count[std::size_t(out.item_of[k])]);
    }
    out.indptr.push_back(0);
    out.ranks.reserve(baskets.indices.size());
    for (Index r = 0; r < n; ++r) {
        const auto begin = out.ranks.size();
        for (const auto item : baskets[r])
            if (rank_of[std::size_t(item)] >= 0) out.ranks.push_back(rank_of[std::size_t(item)]);
        out.total += weights.empty() ? 1.0 : weights[std::size_t(r)];
        if (out.ranks.size() == begin) continue;
        std::sort(out.ranks.begin() + std::ptrdiff_t(begin), out.ranks.end());
        out.indptr.push_back(std::int64_t(out.ranks.size()));
        if (!weights.empty()) out.weights.push_back(weights[std::size_t(r)]);
    }
    return out;
}

CleanBaskets clean_baskets(std::span<const std::int64_t> indptr, std::span<const std::int32_t> codes,
                           std::span<const std::int32_t> place) {
    CleanBaskets out;
    out.indptr.reserve(indptr.size());
    out.indices.reserve(codes.size());
    out.indptr.push_back(0);
    for (std::size_t r = 0; r + 1 < indptr.size(); ++r) {
        const auto begin = std::ptrdiff_t(out.indices.size());
        for (auto e = indptr[r]; e < indptr[r + 1]; ++e)
            out.indices.push_back(place[std::size_t(codes[std::size_t(e)])]);
        std::sort(out.indices.begin() + begin, out.indices.end());
        out.indices.erase(std::unique(out.indices.begin() + begin, out.indices.end()), out.indices.end());
        out.indptr.push_back(std::int64_t(out.indices.size()));
    }
    return out;
}

namespace {

struct Keyed {
    std::uint64_t key;
    std::uint32_t set;
};

}  // namespace

SetList in_order(std::vector<SetList>&& parts, std::span<const std::int32_t> item_of, Index n_items) {
    SetList all;
    std::size_t entries = 0, sets = 0;
    for (const auto& part : parts) {
        entries += part.items.size();
        sets += part.counts.size();
    }
    all.items.reserve(entries);
    all.counts.reserve(sets);
    all.offsets.reserve(sets + 1);
    std::size_t longest = 0;
    for (auto& part : parts) {  // freed one by one: never two copies of everything
        for (Index s = 0; s < part.size(); ++s) {
            const auto begin = all.items.size();
            for (auto e = part.offsets[std::size_t(s)]; e < part.offsets[std::size_t(s) + 1]; ++e)
                all.items.push_back(item_of[std::size_t(part.items[std::size_t(e)])]);
            std::sort(all.items.begin() + std::ptrdiff_t(begin), all.items.end());
            longest = std::max(longest, all.items.size() - begin);
            all.close(part.counts[std::size_t(s)]);
        }
        part = SetList{};
    }
    // Sets of one length are sorted together. As many items as fit share one key; longer sets take several stable
    // passes, the last items first.
    std::vector<std::vector<std::uint32_t>> by_length(longest + 1);
    for (std::size_t s = 0; s < sets; ++s)
        by_length[std::size_t(all.offsets[s + 1] - all.offsets[s])].push_back(std::uint32_t(s));
    const int bits = std::max(1, int(std::bit_width(std::uint64_t(std::max<Index>(n_items - 1, 1)))));
    const int per_key = 64 / bits;
    std::vector<std::size_t> first_set(longest + 2, 0), first_entry(longest + 2, 0);
    for (std::size_t length = 1; length <= longest; ++length) {
        first_set[length + 1] = first_set[length] + by_length[length].size();
        first_entry[length + 1] = first_entry[length] + length * by_length[length].size();
    }
    SetList sorted;
    sorted.items.resize(entries);
    sorted.counts.resize(sets);
    sorted.offsets.assign(sets + 1, 0);
    parallel_for(Index(longest), [&](Index unit) {
        const std::size_t length = std::size_t(unit) + 1;
        auto& members = by_length[length];
        std::vector<Keyed> keyed(members.size()), scratch(members.size());
        for (std::size_t k = 0; k < members.size(); ++k) keyed[k].set = members[k];
        const bool few = members.size() < 512;  // digits cost more than comparisons
        if (few) {
            std::sort(keyed.begin(), keyed.end(), [&](const Keyed& x, const Keyed& y) {
                const auto *u = all.items.data() + all.offsets[x.set], *v = all.items.data() + all.offsets[y.set];
                return std::lexicographical_compare(u, u + length, v, v + length);
            });
        }
        for (std::size_t end = few ? 0 : length; end > 0;) {
            const std::size_t begin = end > std::size_t(per_key) ? end - std::size_t(per_key) : 0;
            for (auto& item : keyed) {
                const auto* set = all.items.data() + all.offsets[item.set];
                std::uint64_t key = 0;
                for (std::size_t k = begin; k < end; ++k) key = (key << bits) | std::uint64_t(set[k]);
                item.key = key;
            }
            radix_sort(std::span<Keyed>(keyed), std::span<Keyed>(scratch), [](const Keyed& item) { return item.key; });
            end = begin;
        }
        auto* to = sorted.items.data() + first_entry[length];
        for (std::size_t k = 0; k < keyed.size(); ++k) {
            const auto* from = all.items.data() + all.offsets[keyed[k].set];
            to = std::copy(from, from + length, to);
            sorted.counts[first_set[length] + k] = all.counts[keyed[k].set];
            sorted.offsets[first_set[length] + k + 1] = std::int64_t(first_entry[length] + length * (k + 1));
        }
    });
    return sorted;
}

}  // namespace statlearn::rules
