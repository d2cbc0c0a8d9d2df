// The k nearest so far, and what a search hands back.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "common/lanes.hpp"

namespace statlearn::neighbors {

struct Neighbor {
    double r;  // reduced distance
    int row;
    bool operator<(const Neighbor& other) const { return r < other.r || (r == other.r && row < other.row); }
};

// Keeps the k smallest by (distance, row): a sorted list for few, a heap with the worst on top for many. Places not yet
// taken hold an infinite distance and the largest row number.
class TopK {
public:
    explicit TopK(Index k) : items_(std::size_t(k)) { clear(); }

    void clear() { std::fill(items_.begin(), items_.end(), Neighbor{kFar, kNobody}); }

    // The distance that a newcomer must not exceed.
    double worst() const { return sorted() ? items_.back().r : items_.front().r; }

    void offer(double r, int row) {
        const Neighbor item{r, row};
        if (sorted()) {
            if (!(item < items_.back())) return;
            std::size_t i = items_.size() - 1;
            for (; i > 0 && item < items_[i - 1]; --i) items_[i] = items_[i - 1];
            items_[i] = item;
            return;
        }
        if (!(item < items_.front())) return;
        std::size_t i = 0;
        for (std::size_t child; (child = 2 * i + 1) < items_.size(); i = child) {
            if (child + 1 < items_.size() && items_[child] < items_[child + 1]) ++child;
            if (!(item < items_[child])) break;
            items_[i] = items_[child];
        }
        items_[i] = item;
    }

    // Offers the lanes of a block whose bit is set; `rows` are the rows of the block's points.
    void offer(const Lanes& r, unsigned bits, const int* rows) {
        double values[kLanes];
        store(r, values);
        for (; bits; bits &= bits - 1) {
            const int lane = std::countr_zero(bits);
            offer(values[lane], rows[lane]);
        }
    }

    // Sorts, and writes true distances and row numbers; a place that nobody took gets NaN and -1. Distances that became
    // equal by the root are put in the order of their rows.
    template <class M>
    void write(const M& metric, double* distance, std::int64_t* row) {
        if (!sorted()) std::sort_heap(items_.begin(), items_.end());
        for (std::size_t i = 0; i < items_.size(); ++i) {
            if (items_[i].row == kNobody) {
                distance[i] = std::numeric_limits<double>::quiet_NaN();
                row[i] = -1;
                continue;
            }
            const double d = metric.distance(items_[i].r);
            std::size_t at = i;
            for (; at > 0 && distance[at - 1] == d && row[at - 1] > items_[i].row; --at) row[at] = row[at - 1];
            distance[i] = d;
            row[at] = items_[i].row;
        }
    }

private:
    static constexpr std::size_t kSorted = 24;  // empirical
    static constexpr int kNobody = std::numeric_limits<int>::max();
    static constexpr double kFar = std::numeric_limits<double>::infinity();
    bool sorted() const { return items_.size() <= kSorted; }

    std::vector<Neighbor> items_;
};

// Rows within a radius, query by query: those of query i stand at start[i] to start[i + 1] - 1, by row number or by
// (distance, row).
struct Within {
    std::vector<std::int64_t> start, rows;
    std::vector<double> distances;
};

// Collects the answers of blocks of queries and joins them.
class WithinBlocks {
public:
    WithinBlocks(Index queries, Index blocks) : counts_(std::size_t(queries), 0), found_(std::size_t(blocks)) {}

    // The answers of one block, in the order of its queries; `add` closes each query with its sorted neighbours.
    struct Part {
        std::vector<Neighbor> items;
    };
    Part& part(Index block) { return found_[std::size_t(block)]; }
    void count(Index query, std::size_t number) { counts_[std::size_t(query)] = std::int64_t(number); }

    // `queries_of(b)` lists the queries of block b in the order in which they were answered.
    template <class M, class Q>
    Within join(const M& metric, Q&& queries_of) {
        Within all;
        all.start.assign(counts_.size() + 1, 0);
        for (std::size_t i = 0; i < counts_.size(); ++i) all.start[i + 1] = all.start[i] + counts_[i];
        all.rows.resize(std::size_t(all.start.back()));
        all.distances.resize(all.rows.size());
        for (std::size_t b = 0; b < found_.size(); ++b) {
            auto item = found_[b].items.begin();
            for (const Index query : queries_of(Index(b))) {
                auto to = std::size_t(all.start[std::size_t(query)]);
                for (auto left = counts_[std::size_t(query)]; left > 0; --left, ++item, ++to) {
                    all.rows[to] = item->row;
                    all.distances[to] = metric.distance(item->r);
                }
            }
            std::vector<Neighbor>().swap(found_[b].items);
        }
        return all;
    }

private:
    std::vector<std::int64_t> counts_;
    std::vector<Part> found_;
};

// A reduced distance that nothing within the radius exceeds, whatever rounding did: the true distance decides.
template <class M>
double loose_limit(const M& metric, double radius) {
    return radius < 0.0 ? -1.0 : metric.reduce(radius) * (1.0 + 1e-14);
}

// Appends the points of a block (`count` of its lanes) within the radius, but for the row `skip`.
template <class M>
void collect(const M& metric, const Lanes& r, double limit, double radius, const int* rows, Index count, Index skip,
             std::vector<Neighbor>& items) {
    unsigned bits = at_most(r, limit);
    if (count < kLanes) bits &= (1u << count) - 1;
    if (!bits) return;
    double values[kLanes];
    store(r, values);
    for (; bits; bits &= bits - 1) {
        const int lane = std::countr_zero(bits);
        if (rows[lane] != skip && metric.distance(values[lane]) <= radius) items.push_back({values[lane], rows[lane]});
    }
}

// Puts the neighbours of one query, the items from `first` on, in their final order.
inline void arrange(std::vector<Neighbor>& items, std::size_t first, bool by_distance) {
    if (by_distance)
        std::sort(items.begin() + std::ptrdiff_t(first), items.end());
    else
        std::sort(items.begin() + std::ptrdiff_t(first), items.end(),
                  [](const Neighbor& a, const Neighbor& b) { return a.row < b.row; });
}

}  // namespace statlearn::neighbors
