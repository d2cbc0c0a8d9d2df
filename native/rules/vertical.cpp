#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <type_traits>
#ifdef __BMI2__
#include <immintrin.h>
#endif

#include "common/parallel.hpp"
#include "rules/fp_tree.hpp"
#include "rules/itemsets.hpp"

namespace statlearn::rules {

namespace {

constexpr int kWord = 64;
constexpr double kSparse = 1.0 / 256.0;  // share of ones (or zeros) below which lists beat words of 64 rows; empirical
constexpr Index kWorthCompressing = 4;   // columns that repay their compression; empirical

Index words_for(Index rows) { return (rows + kWord - 1) / kWord; }

// The bits of `word` under the ones of `mask`, moved together.
inline std::uint64_t extract_bits(std::uint64_t word, std::uint64_t mask) {
#ifdef __BMI2__
    return _pext_u64(word, mask);
#else
    std::uint64_t out = 0;
    for (int k = 0; mask != 0; ++k, mask &= mask - 1) out |= std::uint64_t((word >> std::countr_zero(mask)) & 1) << k;
    return out;
#endif
}

// out = a & b; returns the number of ones.
inline Index and_count(const std::uint64_t* a, const std::uint64_t* b, Index words, std::uint64_t* out) {
    Index ones = 0;
    for (Index w = 0; w < words; ++w) {
        out[w] = a[w] & b[w];
        ones += std::popcount(out[w]);
    }
    return ones;
}

// The rows of `column` within `mask`, renumbered 0, 1, ... in the order of the mask; returns the number of ones.
Index compress_column(const std::uint64_t* column, const std::uint64_t* mask, Index words, std::uint64_t* out) {
    Index ones = 0;
    std::uint64_t pending = 0;
    int filled = 0;
    for (Index w = 0; w < words; ++w) {
        if (mask[w] == 0) continue;
        const int width = std::popcount(mask[w]);
        const std::uint64_t bits = extract_bits(column[w], mask[w]);
        ones += std::popcount(bits);
        pending |= bits << filled;
        if (filled + width >= kWord) {
            *out++ = pending;
            const int used = kWord - filled;
            pending = used == kWord ? 0 : bits >> used;
            filled = width - used;
        } else {
            filled += width;
        }
    }
    if (filled > 0) *out = pending;
    return ones;
}

// Increasing lists: what a and b share, or what b has and a has not.
Index list_common(Span<const std::uint32_t> a, Span<const std::uint32_t> b, std::uint32_t* out) {
    auto* end = std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), out);
    return end - out;
}
Index list_minus(Span<const std::uint32_t> b, Span<const std::uint32_t> a, std::uint32_t* out) {
    auto* end = std::set_difference(b.begin(), b.end(), a.begin(), a.end(), out);
    return end - out;
}

struct Column {
    std::int32_t item;
    Index rows;      // baskets of the prefix that contain the item
    double count;    // their weight
    Index at, size;  // its place in the arena of its level
};

// Depth-first search below one first item. Level 0 holds the columns of that item's baskets.
template <Representation R>
class Search {
public:
    using Cell = std::conditional_t<R == Representation::bits, std::uint64_t, std::uint32_t>;

    Search(Target target, double min_count, Collector& out) : target_(target), min_count_(min_count), out_(out) {}

    struct Level {
        std::vector<Cell> arena;
        std::vector<Column> after, before;  // items that may still join, and those whose branches are done
        std::vector<double> weights;        // of the rows, where they are not all one
        Index rows = 0;
    };
    Level& level(std::size_t depth) {
        while (levels_.size() <= depth) levels_.emplace_back();
        return levels_[depth];
    }
    std::vector<std::int32_t> prefix, free;

    // Writes what belongs to the prefix itself, then searches its branches. `frequent_before`: a finished item is
    // frequent together with the prefix, which is therefore not maximal.
    void visit(std::size_t depth, double count, bool frequent_before) {
        Level& here = level(depth);
        if (target_ == Target::all) {
            out_.emit(prefix, free, count);
        } else {
            if (Index(prefix.size() + free.size()) > out_.max_len()) return;
            if (target_ == Target::closed || (here.after.empty() && !frequent_before)) {
                whole_.assign(prefix.begin(), prefix.end());
                whole_.insert(whole_.end(), free.begin(), free.end());
                out_.write(whole_, count);
            }
        }
        if (Index(prefix.size()) >= out_.max_len()) return;
        if (target_ == Target::all && Index(prefix.size()) + 1 == out_.max_len()) {  // no need to look beyond the items
            for (std::size_t j = 0; j < here.after.size() && !out_.stopped(); ++j) {
                out_.poll();
                prefix.push_back(here.after[j].item);
                out_.write(prefix, here.after[j].count);
                prefix.pop_back();
            }
            return;
        }
        for (std::size_t j = 0; j < here.after.size() && !out_.stopped(); ++j) {
            out_.poll();
            branch(depth, j);
        }
    }

private:
    void branch(std::size_t depth, std::size_t j) {
        Level& next = level(depth + 1);  // before `here`: a deque keeps its elements in place
        Level& here = level(depth);
        const Column x = here.after[j];
        const std::size_t freed = free.size();
        next.after.clear();
        next.before.clear();
        begin_child(here, x, next, Index(here.after.size() - j) + Index(here.before.size() + (keeps_before() ? j : 0)));
        if (out_.stopped()) return;
        bool frequent_before = false, covered = false;
        if (keeps_before()) {
            const auto check = [&](const Column& e) {
                const Column both = combine(here, x, e, next);
                if (both.rows == x.rows)
                    covered = true;
                else if (both.count >= min_count_) {
                    frequent_before = true;
                    keep(next, next.before, both);
                }
            };
            for (const Column& e : here.before) {
                check(e);
                if (covered) return;  // a finished item is in all these baskets: the sets here are not closed
            }
            for (std::size_t k = 0; k < j; ++k) {
                check(here.after[k]);
                if (covered) return;
            }
        }
        prefix.push_back(x.item);
        for (std::size_t k = j + 1; k < here.after.size(); ++k) {
            const Column both = combine(here, x, here.after[k], next);
            if (both.rows == x.rows)
                free.push_back(both.item);
            else if (both.count >= min_count_)
                keep(next, next.after, both);
        }
        visit(depth + 1, x.count, frequent_before);
        prefix.pop_back();
        free.resize(freed);
    }

    bool keeps_before() const { return target_ != Target::all; }

    // Decides whether the child's rows are renumbered, and makes room for its columns.
    void begin_child(const Level& here, const Column& x, Level& next, Index columns) {
        used_ = 0;
        if constexpr (R == Representation::bits) {
            const Index words = words_for(here.rows), fewer = words_for(x.rows);
            compressing_ = 2 * fewer <= words && columns >= kWorthCompressing;
            next.rows = compressing_ ? x.rows : here.rows;
            child_words_ = words_for(next.rows);
            reserve(next, columns * child_words_);
            next.weights.clear();
            if (!here.weights.empty()) {
                if (!compressing_)
                    next.weights = here.weights;
                else
                    each_row(here.arena.data() + x.at, words,
                             [&](Index r) { next.weights.push_back(here.weights[r]); });
            }
        } else {
            next.rows = here.rows;
        }
    }

    void reserve(Level& level_here, Index cells) {
        if (Index(level_here.arena.size()) >= cells) return;
        held_ += (cells - Index(level_here.arena.size())) * Index(sizeof(Cell) / sizeof(std::int32_t));
        out_.hold(held_);
        level_here.arena.resize(cells);
    }

    // Column y among the rows of x, written behind the child's kept columns.
    Column combine(Level& here, const Column& x, const Column& y, Level& next) {
        Column both{y.item, 0, 0.0, used_, 0};
        if constexpr (R == Representation::bits) {
            const auto *a = here.arena.data() + x.at, *b = here.arena.data() + y.at;
            auto* to = next.arena.data() + used_;
            both.size = child_words_;
            both.rows =
                compressing_ ? compress_column(b, a, words_for(here.rows), to) : and_count(a, b, child_words_, to);
            both.count = double(both.rows);
            if (!next.weights.empty()) {
                both.count = 0.0;
                each_row(to, child_words_, [&](Index r) { both.count += next.weights[r]; });
            }
        } else {
            const Index room = std::max(x.size, y.size);
            if (Index(next.arena.size()) < used_ + room) reserve(next, 2 * (used_ + room));
            const Span<const Cell> a{here.arena.data() + x.at, x.size};
            const Span<const Cell> b{here.arena.data() + y.at, y.size};
            auto* to = next.arena.data() + used_;
            if constexpr (R == Representation::lists) {
                both.size = list_common(a, b, to);
                both.rows = both.size;
            } else {
                both.size = list_minus(b, a, to);
                both.rows = x.rows - both.size;
            }
            both.count = double(both.rows);
        }
        return both;
    }

    void keep(Level&, std::vector<Column>& columns, const Column& column) {
        columns.push_back(column);
        used_ += column.size;
    }

    template <class F>
    static void each_row(const Cell* bits, Index words, F&& body) {
        for (Index w = 0; w < words; ++w)
            for (auto left = bits[w]; left != 0; left &= left - 1) body(w * kWord + std::countr_zero(left));
    }

    Target target_;
    double min_count_;
    Collector& out_;
    std::deque<Level> levels_;
    std::vector<std::int32_t> whole_;
    Index used_ = 0, child_words_ = 0, held_ = 0;
    bool compressing_ = false;
};

// The ranked baskets by columns: which baskets contain a rank, and where in the basket.
struct Columns {
    std::vector<std::int64_t> start;
    std::vector<std::uint32_t> row, place;
};

Columns by_columns(const Ranked& data) {
    Columns out;
    const std::size_t k = data.item_of.size();
    out.start.assign(k + 1, 0);
    for (const auto rank : data.ranks) ++out.start[rank + 1];
    for (std::size_t i = 0; i < k; ++i) out.start[i + 1] += out.start[i];
    out.row.resize(data.ranks.size());
    out.place.resize(data.ranks.size());
    auto next = out.start;
    for (std::size_t r = 0; r + 1 < data.indptr.size(); ++r)
        for (auto e = data.indptr[r]; e < data.indptr[r + 1]; ++e) {
            const Index to = next[data.ranks[e]]++;
            out.row[to] = std::uint32_t(r);
            out.place[to] = std::uint32_t(e - data.indptr[r]);
        }
    return out;
}

// The columns of the other items among the baskets of one first item.
struct Conditional {
    const Ranked& data;
    const Columns& columns;
    std::int32_t first;
    bool both_sides;  // also the ranks before the first item, for closed and maximal sets
    std::vector<std::uint32_t> rows;
    std::vector<double> count;
    std::vector<std::int32_t> slot;
    std::vector<Column> after, before;
    std::vector<std::int32_t> free;
    bool covered = false;  // a rank before the first is in all its baskets
    Index size = 0, ones = 0;

    Conditional(const Ranked& d, const Columns& c, std::int32_t rank, bool both)
        : data(d), columns(c), first(rank), both_sides(both) {}

    template <class F>
    void each_entry(F&& body) const {
        const auto begin = columns.start[first], end = columns.start[first + 1];
        for (auto e = begin; e < end; ++e) {
            const auto row = columns.row[e];
            const auto from = data.indptr[row] + (both_sides ? 0 : columns.place[e] + 1);
            const auto own = data.indptr[row] + columns.place[e];
            for (auto k = from; k < data.indptr[row + 1]; ++k)
                if (k != own) body(Index(e - begin), Index(row), data.ranks[k]);
        }
    }

    // Whether one of the ranks just before the first is in all its baskets. Items that always come together have equal
    // counts and so neighbouring ranks; this finds them without counting all items.
    bool covered_by_neighbour() const {
        const auto begin = columns.start[first], end = columns.start[first + 1];
        std::int32_t low = std::max(first - 32, 0);
        std::uint32_t left = first > low ? std::uint32_t((std::uint64_t{1} << (first - low)) - 1) : 0;
        for (auto e = begin; e < end && left != 0; ++e) {
            const auto row = columns.row[e];
            std::uint32_t here = 0;
            for (auto k = data.indptr[row] + columns.place[e]; k-- > data.indptr[row];) {
                const auto rank = data.ranks[k];
                if (rank < low) break;
                here |= std::uint32_t{1} << (rank - low);
            }
            left &= here;
        }
        return left != 0;
    }

    void measure(double min_count) {
        const std::size_t k = data.item_of.size();
        size = Index(columns.start[first + 1] - columns.start[first]);
        rows.assign(k, 0);
        const bool weighted = !data.weights.empty();
        if (!data.pairs.empty()) {
            for (std::size_t j = both_sides ? 0 : std::size_t(first) + 1; j < k; ++j)
                if (j != std::size_t(first)) rows[j] = data.pair(std::size_t(first), j);
        } else if (weighted) {
            count.assign(k, 0.0);
            each_entry([&](Index, Index row, std::int32_t rank) {
                ++rows[rank];
                count[rank] += data.weights[row];
            });
        } else {
            each_entry([&](Index, Index, std::int32_t rank) { ++rows[rank]; });
        }
        for (std::size_t j = both_sides ? 0 : std::size_t(first) + 1; j < k; ++j) {
            const double here = weighted ? count[j] : double(rows[j]);
            if (rows[j] == 0 || here < min_count || j == std::size_t(first)) continue;
            const Column column{std::int32_t(j), Index(rows[j]), here, 0, 0};
            const bool earlier = j < std::size_t(first);
            if (column.rows == size) {
                if (earlier)
                    covered = true;
                else
                    free.push_back(std::int32_t(j));
            } else {
                (earlier ? before : after).push_back(column);
                ones += column.rows;
            }
        }
        std::stable_sort(after.begin(), after.end(), [](const Column& a, const Column& b) { return a.rows < b.rows; });
    }

    Representation smallest() const {
        const double cells = double(size) * double(after.size() + before.size());
        if (double(ones) < kSparse * cells) return Representation::lists;
        return cells - double(ones) < kSparse * cells ? Representation::differences : Representation::bits;
    }

    template <Representation R>
    void fill(typename Search<R>::Level& level) {
        slot.assign(data.item_of.size(), -1);
        level.rows = size;
        Index used = 0, next = 0;
        std::vector<Column*> all;
        for (auto* side : {&before, &after})
            for (auto& column : *side) {
                column.at = used;
                column.size = R == Representation::bits    ? words_for(size)
                              : R == Representation::lists ? column.rows
                                                           : size - column.rows;
                used += column.size;
                slot[column.item] = std::int32_t(next++);
                all.push_back(&column);
            }
        level.arena.assign(used, 0);
        if constexpr (R == Representation::bits) {
            each_entry([&](Index r, Index, std::int32_t rank) {
                const auto s = slot[rank];
                if (s >= 0) level.arena[all[s]->at + r / kWord] |= std::uint64_t{1} << (r % kWord);
            });
            if (!data.weights.empty()) {
                const auto begin = columns.start[first];
                level.weights.resize(size);
                for (Index r = 0; r < size; ++r) level.weights[r] = data.weights[columns.row[begin + r]];
            }
        } else if constexpr (R == Representation::lists) {
            std::vector<Index> end(all.size());
            for (std::size_t s = 0; s < all.size(); ++s) end[s] = all[s]->at;
            each_entry([&](Index r, Index, std::int32_t rank) {
                const auto s = slot[rank];
                if (s >= 0) level.arena[end[s]++] = std::uint32_t(r);
            });
        } else {
            std::vector<Index> end(all.size()), seen(all.size(), 0);  // rows from `seen` on are not yet looked at
            for (std::size_t s = 0; s < all.size(); ++s) end[s] = all[s]->at;
            const auto lacks_until = [&](std::size_t s, Index row) {
                for (; seen[s] < row; ++seen[s]) level.arena[end[s]++] = std::uint32_t(seen[s]);
                seen[s] = row + 1;
            };
            each_entry([&](Index r, Index, std::int32_t rank) {
                const auto s = slot[rank];
                if (s >= 0) lacks_until(std::size_t(s), r);
            });
            for (std::size_t s = 0; s < all.size(); ++s) lacks_until(s, size);
        }
        level.after = std::move(after);
        level.before = std::move(before);
    }
};

template <Representation R>
void search_below(Conditional& table, double own_count, Target target, double min_count, Collector& out) {
    Search<R> search(target, min_count, out);
    const bool frequent_before = !table.before.empty();
    search.prefix.push_back(table.first);
    search.free = std::move(table.free);
    table.fill<R>(search.level(0));
    search.visit(0, own_count, frequent_before);
}

}  // namespace

MineStatus mine(const Baskets& baskets, Span<const double> weights, double min_count, Target target,
                Representation representation, Bounds& bounds, const Interrupt& interrupt, SetList& found) {
    if (representation == Representation::tree) return tree_mine(baskets, weights, min_count, bounds, interrupt, found);
    const Ranked data = rank_items(baskets, weights, min_count, true, true);
    const Columns columns = by_columns(data);
    const std::size_t units = data.item_of.size();
    std::vector<SetList> parts(units);
    std::atomic<bool> interrupted{false};
    parallel_for(Index(units), Work(10.0 * double(data.ranks.size())), [&](Index unit) {
        if (bounds.exceeded.load(std::memory_order_relaxed) || interrupted.load(std::memory_order_relaxed)) return;
        Collector out(parts[unit], bounds, interrupt);
        const double own = data.counts[unit];
        const bool alone = !data.paired.empty() && data.paired[unit] == 0;
        if (alone || (target == Target::all && out.max_len() == 1)) {
            const auto rank = std::int32_t(unit);
            out.write({&rank, 1}, own);
            return;
        }
        Conditional table(data, columns, std::int32_t(unit), target != Target::all);
        if (target != Target::all && data.pairs.empty() && table.covered_by_neighbour()) return;
        table.measure(min_count);
        if (table.covered) return;
        auto kind = representation == Representation::automatic ? table.smallest() : representation;
        if (!data.weights.empty()) kind = Representation::bits;
        if (kind == Representation::lists)
            search_below<Representation::lists>(table, own, target, min_count, out);
        else if (kind == Representation::differences)
            search_below<Representation::differences>(table, own, target, min_count, out);
        else
            search_below<Representation::bits>(table, own, target, min_count, out);
        if (out.interrupted()) interrupted.store(true, std::memory_order_relaxed);
    });
    if (interrupted.load()) return MineStatus::interrupted;
    if (bounds.exceeded.load()) return MineStatus::too_many;
    found = in_order(std::move(parts), data.item_of, baskets.n_items);
    return MineStatus::ok;
}

}  // namespace statlearn::rules
