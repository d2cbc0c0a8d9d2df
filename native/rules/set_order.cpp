#include <algorithm>
#include <bit>
#include <numeric>

#include "common/parallel.hpp"
#include "common/radix.hpp"
#include "rules/itemsets.hpp"

namespace statlearn::rules {

namespace {

constexpr std::size_t kMostPaired = 4096;  // items whose pairs are counted: 32 MB of counters for each thread
constexpr double kRowsPerBlock = 20'000;   // of the loops over baskets; empirical

// Baskets in consecutive blocks, one or a few for each thread. Results of blocks are joined in their order or are sums
// of integers, so that the number of blocks changes nothing.
struct Blocks {
    Index rows, count;

    explicit Blocks(Index n) : rows(n) { count = std::min<Index>(threads(), Index(double(n) / kRowsPerBlock) + 1); }
    Index begin(Index block) const { return rows * block / count; }
    template <class F>
    void each(F&& body) const {  // body(block, first row, row behind the last)
        parallel_for(count, int(count), [&](Index block) { body(block, begin(block), begin(block + 1)); });
    }
};

template <class T>
void add_blocks(std::vector<std::vector<T>>& parts) {
    for (std::size_t b = 1; b < parts.size(); ++b)
        for (std::size_t k = 0; k < parts[b].size(); ++k) parts[0][k] += parts[b][k];
}

std::vector<double> item_counts(const Baskets& baskets, Span<const double> weights) {
    std::vector<double> count(baskets.n_items, 0.0);
    if (!weights.empty()) {
        for (Index r = 0; r < baskets.size(); ++r)
            for (const auto item : baskets[r]) count[item] += weights[r];
        return count;
    }
    const Blocks blocks(baskets.size());
    std::vector<std::vector<std::int64_t>> parts(blocks.count);
    blocks.each([&](Index block, Index first, Index last) {
        auto& own = parts[block];
        own.assign(count.size(), 0);
        for (auto e = baskets.indptr[first]; e < baskets.indptr[last]; ++e) ++own[baskets.indices[e]];
    });
    add_blocks(parts);
    std::copy(parts[0].begin(), parts[0].end(), count.begin());
    return count;
}

// Counts of the pairs of ranks. Baskets are sorted by item, so that pairs are counted in the order of the items first:
// one pass over the baskets, in the order of the memory.
std::vector<std::uint32_t> pair_counts(const Baskets& baskets, Span<const std::int32_t> rank_of, std::size_t k) {
    std::vector<std::int32_t> place(rank_of.size(), -1);  // among the frequent items, by item
    std::vector<std::size_t> rank_at;
    for (Index item = 0; item < rank_of.size(); ++item)
        if (rank_of[item] >= 0) {
            place[item] = std::int32_t(rank_at.size());
            rank_at.push_back(std::size_t(rank_of[item]));
        }
    const std::size_t cells = k * (k - 1) / 2;
    const Blocks blocks(baskets.size());
    std::vector<std::vector<std::uint32_t>> parts(blocks.count);
    blocks.each([&](Index block, Index first, Index last) {
        auto& own = parts[block];
        own.assign(cells, 0);
        std::vector<std::size_t> here(k);
        for (Index r = first; r < last; ++r) {
            std::size_t size = 0;
            for (const auto item : baskets[r]) {
                const auto p = place[item];
                if (p < 0) continue;
                auto* row = own.data() + std::size_t(p) * (std::size_t(p) - (p > 0)) / 2;
                for (std::size_t e = 0; e < size; ++e) ++row[here[e]];
                here[size++] = std::size_t(p);
            }
        }
    });
    add_blocks(parts);
    std::vector<std::uint32_t> out(cells);
    for (std::size_t a = 1; a < k; ++a)
        for (std::size_t b = 0; b < a; ++b) {
            const auto low = std::min(rank_at[a], rank_at[b]), high = std::max(rank_at[a], rank_at[b]);
            out[high * (high - 1) / 2 + low] = parts[0][a * (a - 1) / 2 + b];
        }
    return out;
}

// The baskets of ranks, increasing, without those that are empty.
void fill_ranks(const Baskets& baskets, Span<const double> weights, Span<const std::int32_t> rank_of, Ranked& out) {
    const Blocks blocks(baskets.size());
    std::vector<Ranked> parts(blocks.count);
    blocks.each([&](Index block, Index first, Index last) {
        auto& own = parts[block];
        for (Index r = first; r < last; ++r) {
            const auto begin = own.ranks.size();
            for (const auto item : baskets[r])
                if (rank_of[item] >= 0) own.ranks.push_back(rank_of[item]);
            if (own.ranks.size() == begin) continue;
            std::sort(own.ranks.begin() + std::ptrdiff_t(begin), own.ranks.end());
            own.indptr.push_back(std::int64_t(own.ranks.size()));
            if (!weights.empty()) own.weights.push_back(weights[r]);
        }
    });
    out.indptr.push_back(0);
    for (auto& part : parts) {
        const auto before = std::int64_t(out.ranks.size());
        for (const auto end : part.indptr) out.indptr.push_back(before + end);
        if (before == 0) {
            out.ranks = std::move(part.ranks);
            out.weights = std::move(part.weights);
        } else {
            out.ranks.insert(out.ranks.end(), part.ranks.begin(), part.ranks.end());
            out.weights.insert(out.weights.end(), part.weights.begin(), part.weights.end());
        }
        part = Ranked{};
    }
}

}  // namespace

Ranked rank_items(const Baskets& baskets, Span<const double> weights, double min_count, bool rarest_first,
                  bool count_pairs) {
    Ranked out;
    const auto count = item_counts(baskets, weights);
    for (std::size_t j = 0; j < count.size(); ++j)
        if (count[j] >= min_count && count[j] > 0) out.item_of.push_back(std::int32_t(j));
    std::stable_sort(out.item_of.begin(), out.item_of.end(),
                     [&](auto a, auto b) { return rarest_first ? count[a] < count[b] : count[a] > count[b]; });
    const std::size_t k = out.item_of.size();
    std::vector<std::int32_t> rank_of(count.size(), -1);
    for (std::size_t rank = 0; rank < k; ++rank) {
        rank_of[out.item_of[rank]] = std::int32_t(rank);
        out.counts.push_back(count[out.item_of[rank]]);
    }
    out.total = double(baskets.size());
    if (!weights.empty()) out.total = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (count_pairs && weights.empty() && k > 1 && k <= kMostPaired) {
        out.pairs = pair_counts(baskets, rank_of, k);
        out.paired.assign(k, 0);
        for (std::size_t a = 1; a < k; ++a)
            for (std::size_t b = 0; b < a; ++b)
                if (double(out.pairs[a * (a - 1) / 2 + b]) >= min_count && out.pairs[a * (a - 1) / 2 + b] > 0)
                    out.paired[a] = out.paired[b] = 1;
        for (std::size_t rank = 0; rank < k; ++rank)
            if (out.paired[rank] == 0) rank_of[out.item_of[rank]] = -1;
    }
    fill_ranks(baskets, weights, rank_of, out);
    return out;
}

CleanBaskets clean_baskets(Span<const std::int64_t> indptr, Span<const std::int32_t> codes,
                           Span<const std::int32_t> place) {
    const Blocks blocks(Index(indptr.size()) - 1);
    std::vector<CleanBaskets> parts(blocks.count);
    blocks.each([&](Index block, Index first, Index last) {
        auto& own = parts[block];
        own.indptr.reserve(std::size_t(last - first) + 1);
        own.indices.reserve(indptr[last] - indptr[first]);
        if (block == 0) own.indptr.push_back(0);
        for (Index r = first; r < last; ++r) {
            const auto begin = std::ptrdiff_t(own.indices.size());
            bool increasing = true;
            std::int32_t before = -1;
            for (auto e = indptr[r]; e < indptr[r + 1]; ++e) {
                const auto item = place[codes[e]];
                increasing = increasing && before < item;
                before = item;
                own.indices.push_back(item);
            }
            if (!increasing) {
                std::sort(own.indices.begin() + begin, own.indices.end());
                own.indices.erase(std::unique(own.indices.begin() + begin, own.indices.end()), own.indices.end());
            }
            own.indptr.push_back(std::int64_t(own.indices.size()));
        }
    });
    CleanBaskets out = std::move(parts[0]);
    for (std::size_t b = 1; b < parts.size(); ++b) {
        const auto before = std::int64_t(out.indices.size());
        for (const auto end : parts[b].indptr) out.indptr.push_back(before + end);
        out.indices.insert(out.indices.end(), parts[b].indices.begin(), parts[b].indices.end());
        parts[b] = CleanBaskets{};
    }
    return out;
}

namespace {

struct Keyed {
    std::uint64_t key;
    std::uint32_t set;
};

}  // namespace

SetList in_order(std::vector<SetList>&& parts, Span<const std::int32_t> item_of, Index n_items) {
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
            for (auto e = part.offsets[s]; e < part.offsets[s + 1]; ++e) all.items.push_back(item_of[part.items[e]]);
            std::sort(all.items.begin() + std::ptrdiff_t(begin), all.items.end());
            longest = std::max(longest, all.items.size() - begin);
            all.close(part.counts[s]);
        }
        part = SetList{};
    }
    // Sets of one length are sorted together. As many items as fit share one key; longer sets take several stable
    // passes, the last items first.
    std::vector<std::vector<std::uint32_t>> by_length(longest + 1);
    for (std::size_t s = 0; s < sets; ++s) by_length[all.offsets[s + 1] - all.offsets[s]].push_back(std::uint32_t(s));
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
            radix_sort(Span<Keyed>(keyed), Span<Keyed>(scratch), [](const Keyed& item) { return item.key; });
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
