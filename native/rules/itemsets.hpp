// Baskets, item sets and the bounds that every search keeps.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::rules {

// N baskets in compressed rows: basket r holds the items indices[indptr[r]] .. indices[indptr[r + 1] - 1], increasing
// and without repetition, each in 0..n_items-1.
struct Baskets {
    Span<const std::int64_t> indptr;
    Span<const std::int32_t> indices;
    Index n_items;

    Index size() const { return Index(indptr.size()) - 1; }
    Span<const std::int32_t> operator[](Index row) const {
        const auto begin = indptr[row], end = indptr[row + 1];
        return indices.subspan(begin, end - begin);
    }
};

// Item sets end to end: set s holds items[offsets[s]] .. items[offsets[s + 1] - 1]. Counts are doubles, because weights
// need not be whole; without weights they are exact integers.
struct SetList {
    std::vector<std::int32_t> items;
    std::vector<std::int64_t> offsets{0};
    std::vector<double> counts;

    Index size() const { return Index(counts.size()); }
    void close(double count) {
        offsets.push_back(std::int64_t(items.size()));
        counts.push_back(count);
    }
};

enum class Target : int { all = 0, closed = 1, maximal = 2 };
enum class Representation : int { automatic = 0, bits = 1, lists = 2, differences = 3, tree = 4 };
enum class MineStatus : int { ok = 0, interrupted = 2, too_many = 4 };

// What a search may find: no set longer than max_len, and the end when more than max_sets sets or max_items entries in
// all of them are stored. The totals are shared by the threads; whether they pass a bound does not depend on the order.
struct Bounds {
    Index max_len, max_sets, max_items;
    std::atomic<Index> sets{0}, entries{0};
    std::atomic<bool> exceeded{false};

    Bounds(Index length, Index count, Index total) : max_len(length), max_sets(count), max_items(total) {}

    // Whether all subsets of `free` items, joined with `fixed` others, would pass the bound on the number of sets.
    bool too_many_subsets(Index fixed, Index free) const {
        double term = 1.0, sum = 1.0;
        for (Index k = 1; k <= free && k + fixed <= max_len; ++k) {
            term *= double(free - k + 1) / double(k);
            sum += term;
            if (sum > 2.0 * double(max_sets) + 2.0) return true;
        }
        return false;
    }
    void exceed() { exceeded.store(true, std::memory_order_relaxed); }
    void add(Index more_sets, Index more_entries) {
        if (sets.fetch_add(more_sets, std::memory_order_relaxed) + more_sets > max_sets ||
            entries.fetch_add(more_entries, std::memory_order_relaxed) + more_entries > max_items)
            exceeded.store(true, std::memory_order_relaxed);
    }
};

// Collects the sets of one unit of work. `emit` writes the prefix joined with every subset of the free items: those
// that all baskets of the prefix contain, so that all these sets have its count (perfect extensions).
class Collector {
public:
    Collector(SetList& out, Bounds& bounds, const Interrupt& interrupt)
        : out_(out), bounds_(bounds), interrupt_(interrupt) {}
    ~Collector() { flush(); }
    Collector(const Collector&) = delete;
    Collector& operator=(const Collector&) = delete;

    void emit(Span<const std::int32_t> prefix, Span<const std::int32_t> free, double count) {
        if (bounds_.too_many_subsets(Index(prefix.size()), Index(free.size()))) bounds_.exceed();
        write(prefix, count);
        chosen_.assign(prefix.begin(), prefix.end());
        expand(free, 0, count);
    }
    void write(Span<const std::int32_t> set, double count) {
        if (set.empty() || Index(set.size()) > bounds_.max_len || stopped()) return;
        out_.items.insert(out_.items.end(), set.begin(), set.end());
        out_.close(count);
        if (out_.size() - seen_sets_ >= 1024) flush();
    }
    // Asked in the loops of a search: a bound is passed, or the user has pressed Ctrl-C.
    bool stopped() const { return stop_ || bounds_.exceeded.load(std::memory_order_relaxed); }
    void poll() {
        if ((++polls_ & 255) == 0 && interrupt_.requested()) stop_ = true;
    }
    bool interrupted() const { return stop_; }
    Index max_len() const { return bounds_.max_len; }
    // Working memory counts as well as the result: a search that holds more than the bound ends.
    void hold(Index cells) {
        if (cells > bounds_.max_items) bounds_.exceed();
    }
    bool too_many_subsets(Index fixed, Index free) {
        if (!bounds_.too_many_subsets(fixed, free)) return false;
        bounds_.exceed();
        return true;
    }

private:
    void expand(Span<const std::int32_t> free, std::size_t from, double count) {
        if (Index(chosen_.size()) >= bounds_.max_len) return;
        for (Index k = from; k < free.size() && !stopped(); ++k) {
            poll();
            chosen_.push_back(free[k]);
            write(chosen_, count);
            expand(free, k + 1, count);
            chosen_.pop_back();
        }
    }
    void flush() {
        const Index sets = out_.size(), entries = Index(out_.items.size());
        bounds_.add(sets - seen_sets_, entries - seen_entries_);
        seen_sets_ = sets;
        seen_entries_ = entries;
        if (interrupt_.requested()) stop_ = true;
    }

    SetList& out_;
    Bounds& bounds_;
    const Interrupt& interrupt_;
    std::vector<std::int32_t> chosen_;
    Index seen_sets_ = 0, seen_entries_ = 0;
    unsigned polls_ = 0;
    bool stop_ = false;
};

// The baskets reduced to their frequent items, which are renamed by rank. `item_of` gives the item of a rank.
struct Ranked {
    std::vector<std::int64_t> indptr;
    std::vector<std::int32_t> ranks;  // of each basket, increasing
    std::vector<std::int32_t> item_of;
    std::vector<double> counts;         // of the ranks
    std::vector<double> weights;        // of the baskets; empty for ones
    std::vector<std::uint32_t> pairs;   // lower triangle of the counts of pairs of ranks; empty if not counted
    std::vector<unsigned char> paired;  // whether a rank belongs to a frequent pair; baskets hold no others
    double total = 0.0;                 // weight of all baskets

    // Baskets that contain both ranks, where pairs were counted.
    std::uint32_t pair(std::size_t a, std::size_t b) const {
        return a > b ? pairs[a * (a - 1) / 2 + b] : pairs[b * (b - 1) / 2 + a];
    }
};
// Ranks go by increasing count (rarest first) or by decreasing count; ties by item. Empty baskets are left out, which
// changes `total` by nothing. `count_pairs` asks for the counts of all pairs, if there are no weights and not too many
// items; baskets are then also free of the items without a frequent partner, which for sparse data are most of them.
Ranked rank_items(const Baskets& baskets, Span<const double> weights, double min_count, bool rarest_first,
                  bool count_pairs);

// Baskets of codes in any order, with repetitions, as baskets of increasing items: code c is item place[c].
struct CleanBaskets {
    std::vector<std::int64_t> indptr;
    std::vector<std::int32_t> indices;
};
CleanBaskets clean_baskets(Span<const std::int64_t> indptr, Span<const std::int32_t> codes,
                           Span<const std::int32_t> place);

// Puts the items of every set into increasing order, and the sets into the order of their lengths, then their items.
SetList in_order(std::vector<SetList>&& parts, Span<const std::int32_t> item_of, Index n_items);

// All sets with a count of at least min_count, or the closed or maximal ones among them, in order. A set is closed if
// no larger set has the same baskets, and maximal if no larger set is frequent; both whatever max_len, which only
// limits what is written. Weights are empty or one positive number for each basket; they need bits (or the tree, for
// all sets).
//
// Depth-first search from the rarest items on. The baskets of a first item become a small table of their own, whose
// columns are bit sets, lists of row numbers, or lists of the rows that lack an item, whichever is smallest
// (`representation` forces one); bit sets are compressed whenever a branch has lost half of its rows. One first item is
// one unit of work.
MineStatus mine(const Baskets& baskets, Span<const double> weights, double min_count, Target target,
                Representation representation, Bounds& bounds, const Interrupt& interrupt, SetList& found);

}  // namespace statlearn::rules
