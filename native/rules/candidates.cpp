#include "rules/candidates.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "common/parallel.hpp"

namespace statlearn::rules {

namespace {

using Set = Span<const std::int32_t>;

// Whether a sorted list of sets of one width contains a set.
bool contains(Span<const std::int32_t> sets, Index width, Set wanted) {
    Index low = 0, high = Index(sets.size()) / width;
    while (low < high) {
        const Index middle = (low + high) / 2;
        const Set here = sets.subspan(middle * width, width);
        const auto order =
            std::lexicographical_compare_three_way(here.begin(), here.end(), wanted.begin(), wanted.end());
        if (order == 0) return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

Joined join_prefixes(Span<const std::int32_t> sets, Index width, bool prune, Index most, const Interrupt& interrupt) {
    Joined out;
    const Index n = Index(sets.size()) / width, k = width + 1;
    std::vector<std::int32_t> subset(width), union_of(k);
    for (Index a = 0; a < n; ++a) {
        if ((a & 255) == 0 && interrupt.requested()) {
            out.status = MineStatus::interrupted;
            return out;
        }
        const auto* first = sets.data() + a * width;
        for (Index b = a + 1; b < n && std::equal(first, first + width - 1, sets.data() + b * width); ++b) {
            std::copy(first, first + width, union_of.begin());
            union_of.back() = sets[b * width + width - 1];
            ++out.n_joined;
            bool whole = true;
            for (Index d = 0; prune && whole && d < width - 1; ++d) {
                std::copy(union_of.begin(), union_of.begin() + d, subset.begin());
                std::copy(union_of.begin() + d + 1, union_of.end(), subset.begin() + d);
                whole = contains(sets, width, subset);
            }
            if (whole) out.sets.insert(out.sets.end(), union_of.begin(), union_of.end());
            if (Index(out.sets.size()) > most * k) {
                out.status = MineStatus::too_many;
                return out;
            }
        }
    }
    return out;
}

// The order of sets of one width.
std::vector<Index> sorted_order(Span<const std::int32_t> sets, Index width) {
    std::vector<Index> order(sets.size() / std::size_t(width));
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(), [&](Index a, Index b) {
        const auto *x = sets.data() + a * width, *y = sets.data() + b * width;
        return std::lexicographical_compare(x, x + width, y, y + width);
    });
    return order;
}

// A candidate with m frequent subsets is the union of m(m-1)/2 pairs of them.
Joined join_shared(Span<const std::int32_t> sets, Index width, bool prune, Index most, const Interrupt& interrupt) {
    Joined out;
    const Index n = Index(sets.size()) / width, k = width + 1, rest = width - 1;
    // Each set without one of its items: key of rest items, and the item left out.
    std::vector<std::int32_t> keys;
    keys.reserve(n * width * width);
    for (Index s = 0; s < n; ++s)
        for (Index d = 0; d < width; ++d) {
            for (Index j = 0; j < width; ++j)
                if (j != d) keys.push_back(sets[s * width + j]);
            keys.push_back(sets[s * width + d]);
        }
    const auto order = sorted_order(keys, width);
    std::vector<std::int32_t> unions;
    for (std::size_t a = 0; a < order.size(); ++a) {
        if ((a & 255) == 0 && interrupt.requested()) {
            out.status = MineStatus::interrupted;
            return out;
        }
        const auto* first = keys.data() + order[a] * width;
        for (std::size_t b = a + 1; b < order.size(); ++b) {
            const auto* second = keys.data() + order[b] * width;
            if (!std::equal(first, first + rest, second)) break;
            const auto begin = unions.size();
            unions.insert(unions.end(), first, first + width);
            unions.push_back(second[rest]);
            std::sort(unions.begin() + std::ptrdiff_t(begin), unions.end());
            if (Index(unions.size()) > most * k) {
                out.status = MineStatus::too_many;
                return out;
            }
        }
    }
    const auto sorted = sorted_order(unions, k);
    for (std::size_t a = 0; a < sorted.size();) {
        const auto* here = unions.data() + sorted[a] * k;
        std::size_t b = a + 1;
        while (b < sorted.size() && std::equal(here, here + k, unions.data() + sorted[b] * k)) ++b;
        ++out.n_joined;
        if (!prune || Index(b - a) == k * (k - 1) / 2) out.sets.insert(out.sets.end(), here, here + k);
        a = b;
    }
    return out;
}

constexpr Index kRowsAtOnce = 1 << 16;  // a block of bit sets of some hundred items fits the caches; empirical
constexpr Index kSetsAtOnce = 1 << 12;
constexpr Index kPairTable = 1 << 26;  // cells of the table of pairs

void count_pairs(const Baskets& baskets, Span<const double> weights, Span<const std::int32_t> items,
                 Span<const std::int32_t> place, Index k, Span<double> counts) {
    std::vector<double> table(k * k, 0.0);
    std::vector<std::int32_t> here;
    for (Index r = 0; r < baskets.size(); ++r) {
        here.clear();
        for (const auto item : baskets[r])
            if (place[item] >= 0) here.push_back(place[item]);
        const double weight = weights.empty() ? 1.0 : weights[r];
        for (std::size_t a = 0; a < here.size(); ++a)
            for (std::size_t b = a + 1; b < here.size(); ++b) table[here[a] * k + here[b]] += weight;
    }
    for (Index s = 0; s < counts.size(); ++s) counts[s] += table[place[items[2 * s]] * k + place[items[2 * s + 1]]];
}

}  // namespace

Joined join_sets(Span<const std::int32_t> sets, Index width, bool shared, bool prune, Index most,
                 const Interrupt& interrupt) {
    return shared && width > 1 ? join_shared(sets, width, prune, most, interrupt)
                               : join_prefixes(sets, width, prune, most, interrupt);
}

void count_sets(const Baskets& baskets, Span<const double> weights, Span<const std::int32_t> items,
                Span<const std::int64_t> offsets, const Interrupt& interrupt, Span<double> counts) {
    std::vector<std::int32_t> place(baskets.n_items, -1);
    for (const auto item : items) place[item] = 0;
    Index k = 0;
    for (auto& p : place)
        if (p == 0) p = std::int32_t(k++);
    const Index n_sets = Index(counts.size());
    bool pairs = true;
    for (Index s = 0; s < offsets.size() && pairs; ++s) pairs = offsets[s] == 2 * std::int64_t(s);
    if (pairs && k * k <= kPairTable && 2 * n_sets > k) {
        count_pairs(baskets, weights, items, place, k, counts);
        return;
    }
    for (Index begin = 0; begin < baskets.size() && !interrupt.requested(); begin += kRowsAtOnce) {
        const Index end = std::min(baskets.size(), begin + kRowsAtOnce), words = (end - begin + 63) / 64;
        std::vector<std::uint64_t> bits(k * words, 0);
        for (Index r = begin; r < end; ++r)
            for (const auto item : baskets[r]) {
                const auto p = place[item];
                if (p >= 0) bits[p * words + (r - begin) / 64] |= std::uint64_t{1} << ((r - begin) % 64);
            }
        const Blocks blocks(n_sets, kSetsAtOnce);
        parallel_for(blocks.count(), Work(double(items.size()) * double(words)), [&](Index block) {
            std::vector<std::uint64_t> stack;  // intersections of the beginnings of the current set
            Set before;
            for (Index s = blocks.begin(block); s < blocks.end(block); ++s) {
                const Set set = items.subspan(offsets[s], offsets[s + 1] - offsets[s]);
                Index known = 0;
                while (known < Index(before.size()) && known < set.size() && before[known] == set[known]) ++known;
                stack.resize(std::max(stack.size(), set.size() * std::size_t(words)));
                for (Index d = known; d < set.size(); ++d) {
                    const auto* column = bits.data() + place[set[d]] * words;
                    auto* to = stack.data() + d * std::size_t(words);
                    if (d == 0)
                        std::copy(column, column + words, to);
                    else
                        for (Index w = 0; w < words; ++w) to[w] = to[w - words] & column[w];
                }
                before = set;
                const auto* last = stack.data() + (set.size() - 1) * std::size_t(words);
                double sum = 0.0;
                if (weights.empty()) {
                    Index ones = 0;
                    for (Index w = 0; w < words; ++w) ones += std::popcount(last[w]);
                    sum = double(ones);
                } else {
                    for (Index w = 0; w < words; ++w)
                        for (auto left = last[w]; left != 0; left &= left - 1)
                            sum += weights[begin + w * 64 + std::countr_zero(left)];
                }
                counts[s] += sum;
            }
        });
    }
}

namespace {

// Depth-first over items; `rows` are the closed sets that contain the prefix, by decreasing count.
class Unfold {
public:
    Unfold(const SetList& closed, Span<const Index> by_count, Collector& out)
        : closed_(closed), by_count_(by_count), out_(out) {}

    struct Place {
        std::uint32_t row;    // in by_count
        std::int64_t behind;  // the next entry of the closed set
    };
    void visit(std::int32_t item, const std::vector<Place>& places) {
        if (out_.stopped()) return;
        out_.poll();
        prefix_.push_back(item);
        out_.write(prefix_, closed_.counts[by_count_[places.front().row]]);
        if (Index(prefix_.size()) < out_.max_len()) {
            struct Entry {
                std::int32_t item;
                Place place;
            };
            std::vector<Entry> entries;
            for (const auto& place : places) {
                const auto end = closed_.offsets[by_count_[place.row] + 1];
                for (auto e = place.behind; e < end; ++e) entries.push_back({closed_.items[e], {place.row, e + 1}});
            }
            std::stable_sort(entries.begin(), entries.end(),
                             [](const Entry& a, const Entry& b) { return a.item < b.item; });
            std::vector<Place> inner;
            for (std::size_t a = 0; a < entries.size() && !out_.stopped();) {
                const auto here = entries[a].item;
                inner.clear();
                for (; a < entries.size() && entries[a].item == here; ++a) inner.push_back(entries[a].place);
                visit(here, inner);
            }
        }
        prefix_.pop_back();
    }

private:
    const SetList& closed_;
    Span<const Index> by_count_;
    Collector& out_;
    std::vector<std::int32_t> prefix_;
};

}  // namespace

MineStatus closed_supports(const SetList& closed, Index n_items, Bounds& bounds, const Interrupt& interrupt,
                           SetList& found) {
    for (std::size_t s = 0; s < closed.counts.size(); ++s)
        if (bounds.too_many_subsets(0, Index(closed.offsets[s + 1] - closed.offsets[s]))) return MineStatus::too_many;
    std::vector<Index> by_count(closed.size());
    std::iota(by_count.begin(), by_count.end(), Index{0});
    std::stable_sort(by_count.begin(), by_count.end(),
                     [&](Index a, Index b) { return closed.counts[a] > closed.counts[b]; });
    std::vector<std::vector<Unfold::Place>> first(n_items);
    for (std::size_t r = 0; r < by_count.size(); ++r) {
        const Index s = by_count[r];
        for (auto e = closed.offsets[s]; e < closed.offsets[s + 1]; ++e)
            first[closed.items[e]].push_back({std::uint32_t(r), e + 1});
    }
    std::vector<SetList> parts(n_items);
    std::atomic<bool> interrupted{false};
    parallel_for(n_items, Work(20.0 * double(closed.items.size())), [&](Index unit) {
        if (first[unit].empty() || bounds.exceeded.load() || interrupted.load()) return;
        Collector out(parts[unit], bounds, interrupt);
        Unfold(closed, by_count, out).visit(std::int32_t(unit), first[unit]);
        if (out.interrupted()) interrupted.store(true);
    });
    if (interrupted.load()) return MineStatus::interrupted;
    if (bounds.exceeded.load()) return MineStatus::too_many;
    std::vector<std::int32_t> same(n_items);
    std::iota(same.begin(), same.end(), 0);
    found = in_order(std::move(parts), same, n_items);
    return MineStatus::ok;
}

}  // namespace statlearn::rules
