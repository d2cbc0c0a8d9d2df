// The k nearest so far, and what a search hands back.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/lanes.hpp"

namespace statlearn::neighbors {

struct Neighbor {
    double r;  // reduced distance
    int row;
    bool operator<(const Neighbor& other) const { return r < other.r || (r == other.r && row < other.row); }
};

// Keeps the k smallest by (distance, row): a sorted list for few; for many, whoever was near enough when it came,
// thinned to k whenever there are twice as many.
class TopK {
public:
    explicit TopK(Index k) : k_(k), room_(2 * k_) { clear(); }

    // Starts anew; rows beyond the limit are not looked for.
    void clear(double limit = kFar) {
        limit_ = limit;
        if (sorted())
            items_.assign(k_, Neighbor{limit, kNobody});
        else
            items_.clear();
    }

    // The distance that a newcomer must not exceed.
    double worst() const { return limit_; }

    // Whether k rows were found.
    bool complete() const { return sorted() ? items_.back().row != kNobody : items_.size() >= k_; }

    void offer(double r, int row) {
        const Neighbor item{r, row};
        if (!sorted()) {
            if (!(r <= limit_)) return;
            items_.push_back(item);
            if (items_.size() == room_) thin();
            return;
        }
        if (!(item < items_.back())) return;
        std::size_t i = items_.size() - 1;
        for (; i > 0 && item < items_[i - 1]; --i) items_[i] = items_[i - 1];
        items_[i] = item;
        limit_ = items_.back().r;
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
        if (!sorted()) {
            if (items_.size() <= kRanked) {
                sort_by_rank();
            } else {
                thin();
                std::sort(items_.begin(), items_.end());
            }
            items_.resize(k_, Neighbor{kFar, kNobody});
        }
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

    // The reduced distance of the farthest row that was written.
    double farthest() const { return items_.back().r; }

private:
    static constexpr std::size_t kSorted = 24;   // empirical
    static constexpr std::size_t kRanked = 192;  // empirical
    static constexpr int kNobody = std::numeric_limits<int>::max();
    static constexpr double kFar = std::numeric_limits<double>::infinity();
    bool sorted() const { return k_ <= kSorted; }

    // The place of each is the number of those before it, counted without a branch that could be predicted wrongly.
    void sort_by_rank() {
        const std::size_t m = items_.size(), padded = (m + 3) / 4 * 4;
        double r[kRanked];
        Neighbor to[kRanked];
        for (std::size_t i = 0; i < padded; ++i) r[i] = i < m ? items_[i].r : kFar;
        for (std::size_t i = 0; i < m; ++i) to[i].row = kNobody;
        bool tied = false;
        for (std::size_t i = 0; i < padded; i += 4) {
            Mask4 before[4] = {};
            for (std::size_t j = 0; j < padded; j += 4) {
                const Pack4 others = load_pack(r + j);
                for (std::size_t e = 0; e < 4; ++e) before[e] += others < r[i + e];
            }
            for (std::size_t e = 0; e < 4 && i + e < m; ++e) {
                Index at = -(before[e][0] + before[e][1] + before[e][2] + before[e][3]);
                for (; to[at].row != kNobody; ++at) tied = true;
                to[at] = items_[i + e];
            }
        }
        if (tied) std::sort(to, to + m);
        std::copy(to, to + m, items_.begin());
    }

    void thin() {
        std::nth_element(items_.begin(), items_.begin() + std::ptrdiff_t(k_ - 1), items_.end());
        items_.resize(k_);
        limit_ = items_.back().r;
    }

    std::size_t k_, room_;
    double limit_ = kFar;
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
    WithinBlocks(Index queries, Index blocks) : counts_(queries, 0), found_(blocks) {}

    // The answers of one block, in the order of its queries; `add` closes each query with its sorted neighbours.
    struct Part {
        std::vector<Neighbor> items;
    };
    Part& part(Index block) { return found_[block]; }
    void count(Index query, std::size_t number) { counts_[query] = std::int64_t(number); }

    // `queries_of(b)` lists the queries of block b in the order in which they were answered.
    template <class M, class Q>
    Within join(const M& metric, Q&& queries_of) {
        Within all;
        all.start.assign(counts_.size() + 1, 0);
        for (std::size_t i = 0; i < counts_.size(); ++i) all.start[i + 1] = all.start[i] + counts_[i];
        all.rows.resize(all.start.back());
        all.distances.resize(all.rows.size());
        for (std::size_t b = 0; b < found_.size(); ++b) {
            auto item = found_[b].items.begin();
            for (const Index query : queries_of(Index(b))) {
                Index to = all.start[query];
                for (auto left = counts_[query]; left > 0; --left, ++item, ++to) {
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
