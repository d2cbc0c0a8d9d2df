#include "neighbors/near_sets.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <tuple>
#include <vector>

#include "neighbors/tree_search.hpp"

namespace statlearn::neighbors {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr double kRoom = 1.0 + 1e-9;  // for rounding errors of a bound by the triangle inequality
constexpr Index kUnitLeaves = 4;      // leaves of one unit of work

// For each of the 16 choices among four lanes, those that are chosen.
struct Choice {
    std::int32_t lanes[4] = {}, halves[8] = {};  // as numbers, and as the halves of doubles
};
constexpr auto kChoices = [] {
    std::array<Choice, 16> all{};
    for (unsigned bits = 0; bits < 16; ++bits)
        for (int lane = 0, at = 0; lane < 4; ++lane)
            if (bits >> lane & 1u) {
                all[bits].lanes[at] = lane;
                all[bits].halves[2 * at] = 2 * lane;
                all[bits].halves[2 * at + 1] = 2 * lane + 1;
                ++at;
            }
    return all;
}();

// Writes the chosen lanes side by side, and anything behind them up to four numbers; returns how many there are.
inline std::size_t write_chosen(Pack4 values, unsigned bits, double* to) {
    const Choice& choice = kChoices[bits];
#if defined(__AVX2__)
    const auto halves = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(choice.halves));
    *packs(to) = (Pack4)_mm256_permutevar8x32_ps((__m256)values, halves);
#else
    for (int at = 0; at < 4; ++at) to[at] = values[choice.lanes[at]];
#endif
    return std::size_t(std::popcount(bits));
}

// The points that were near enough when they came, thinned to k when there is no room.
class Pool {
public:
    explicit Pool(Index k, Span<const int> rows)
        : k_(k),
          room_(std::max<std::size_t>(256, 4 * k_)),
          squares_(room_ + kSlack),
          few_(room_ + kSlack),
          places_(room_ + kSlack),
          rows_(rows) {}

    void clear(double limit) {
        size_ = 0;
        limit_ = limit;
    }
    double limit() const { return limit_; }  // squared distance that a newcomer must not exceed
    bool complete() const { return size_ >= k_; }

    // Takes the lanes of a block that are near enough, at most `count` of them.
    void offer(const Lanes& r, Index place, Index count) {
        const unsigned bits = at_most(r, limit_) & ((1u << std::min(count, kLanes)) - 1);
        for (int half = 0; half < 2; ++half) {
            const unsigned chosen = bits >> (4 * half) & 15u;
            for (int at = 0; at < 4; ++at)
                places_[size_ + std::size_t(at)] = int(place) + 4 * half + kChoices[chosen].lanes[at];
            size_ += write_chosen(r.v[half], chosen, squares_.data() + size_);
        }
        if (size_ >= room_) thin();
    }

    // Keeps the k nearest and writes them; the squared distance of the farthest and its row. Requires complete().
    std::pair<double, int> finish(int* places, double* squares) {
        pad();
        const double reach = kth_smallest();
        std::size_t size = 0;
        for (std::size_t e = 0; e < size_; e += 4) {  // in place: nothing is written before it has been read
            const Pack4 four = load_pack(squares_.data() + e);
            const unsigned bits = bits_of(four <= reach) & ((1u << std::min<std::size_t>(4, size_ - e)) - 1);
            int at[4];
            for (int l = 0; l < 4; ++l) at[l] = places_[e + std::size_t(kChoices[bits].lanes[l])];
            std::copy_n(at, 4, places_.data() + size);
            size += write_chosen(four, bits, squares_.data() + size);
        }
        size_ = size;
        if (size_ > k_) thin();  // ties
        std::copy_n(places_.data(), k_, places);
        std::copy_n(squares_.data(), k_, squares);
        int last = -1;
        for (std::size_t e = 0; e < k_; ++e)
            if (squares_[e] == reach) last = std::max(last, rows_[places_[e]]);
        return {reach, last};
    }

private:
    static constexpr std::size_t kSlack = 2 * kLanes;  // what is written behind the last one
    static constexpr std::size_t kFew = 16;            // sorted instead of counted; empirical

    void pad() {
        for (std::size_t e = size_; e % 4 != 0; ++e) squares_[e] = kFar, places_[e] = 0;
    }

    std::size_t count_at_most(double limit) const {
        Mask4 sum = {};
        for (std::size_t e = 0; e < size_; e += 4) sum -= load_pack(squares_.data() + e) <= limit;
        return std::size_t((sum[0] + sum[1]) + (sum[2] + sum[3]));
    }

    // Between two limits with fewer than k and at least k points below, by interpolation: squared distances are spread
    // rather evenly. Each guess aims a little beyond the k-th, on the side that is still open.
    double kth_smallest() {
        double low = -1.0, high = limit_;
        std::size_t below = 0, up_to = size_;
        bool over = true;
        for (int guess = 0; guess < 8 && up_to - below > kFew && high < kFar; ++guess) {
            const double aim = double(k_ - below) + (over ? -3.0 : 3.0), share = aim / double(up_to - below);
            const double middle = low + (high - low) * std::clamp(share, 0.01, 0.99);
            const std::size_t count = count_at_most(middle);
            over = count >= k_;
            (over ? high : low) = middle;
            (over ? up_to : below) = count;
        }
        std::size_t few = 0;
        for (std::size_t e = 0; e < size_; ++e) {
            few_[few] = squares_[e];
            few += low < squares_[e] && squares_[e] <= high;
        }
        return nth_of_few(few, k_ - below - 1);
    }

    double nth_of_few(std::size_t few, std::size_t nth) {
        if (few > kFew) {
            std::nth_element(few_.begin(), few_.begin() + std::ptrdiff_t(nth), few_.begin() + std::ptrdiff_t(few));
            return few_[nth];
        }
        // The one with at most `nth` smaller ones and more that are not larger, without a branch to be mispredicted.
        std::fill(few_.begin() + std::ptrdiff_t(few), few_.begin() + kFew, kFar);
        double found = few_[0];
        for (std::size_t e = 0; e < few; ++e) {
            Mask4 less = {}, up_to = {};
            for (std::size_t f = 0; f < kFew; f += 4) {
                less -= load_pack(few_.data() + f) < few_[e];
                up_to -= load_pack(few_.data() + f) <= few_[e];
            }
            const auto sum = [](Mask4 m) { return std::size_t((m[0] + m[1]) + (m[2] + m[3])); };
            found = (sum(less) <= nth) & (nth < sum(up_to)) ? few_[e] : found;
        }
        return found;
    }

    // The k nearest, ties by row number.
    void thin() {
        struct Item {
            Neighbor neighbor;
            int place;
            bool operator<(const Item& other) const { return neighbor < other.neighbor; }
        };
        std::vector<Item> items(size_);
        for (std::size_t e = 0; e < size_; ++e) items[e] = {{squares_[e], rows_[places_[e]]}, places_[e]};
        std::nth_element(items.begin(), items.begin() + std::ptrdiff_t(k_ - 1), items.end());
        size_ = k_;
        for (std::size_t e = 0; e < size_; ++e) squares_[e] = items[e].neighbor.r, places_[e] = items[e].place;
        limit_ = items[k_ - 1].neighbor.r;
    }

    std::size_t k_, room_, size_ = 0;
    double limit_ = kFar;
    std::vector<double> squares_, few_;
    std::vector<int> places_;
    Span<const int> rows_;
};

// The leaves near a leaf, their boxes coordinate by coordinate.
template <class T>
class NearLeaves {
public:
    explicit NearLeaves(const KdTree<T>& tree) : tree_(tree) {}

    // Those within a squared distance of the box of a leaf.
    void find(const TreeNode& leaf, double limit) {
        const Index p = tree_.shape.p;
        const T *low = tree_.low.row(leaf.id), *high = tree_.high.row(leaf.id);
        const auto between = [&](const TreeNode& node, const double*) {
            const T *its_low = tree_.low.row(node.id), *its_high = tree_.high.row(node.id);
            double sum = 0.0;
            for (Index j = 0; j < p; ++j) {
                const double gap =
                    max(max(double(its_low[j]) - double(high[j]), double(low[j]) - double(its_high[j])), 0.0);
                sum = mul_add(gap, gap, sum);
            }
            return sum * shrink(p);
        };
        leaves_.clear();
        walk(
            tree_.shape.root(), between, nullptr, [&] { return limit; },
            [&](const TreeNode& node) { leaves_.push_back(node); });
        // In the order of the places, so that the columns of a graph's row rise: its products read memory in order.
        std::sort(leaves_.begin(), leaves_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        padded_ = (leaves_.size() + 3) / 4 * 4;
        low_.assign(std::size_t(p) * padded_, kFar);
        high_.assign(std::size_t(p) * padded_, kFar);
        for (std::size_t c = 0; c < leaves_.size(); ++c)
            for (Index j = 0; j < p; ++j) {
                low_[std::size_t(j) * padded_ + c] = double(tree_.low.row(leaves_[c].id)[j]);
                high_[std::size_t(j) * padded_ + c] = double(tree_.high.row(leaves_[c].id)[j]);
            }
    }

    // body(leaf) for those within a squared distance of a point.
    template <class F>
    void each(const double* q, double limit, F&& body) const {
        const Index p = tree_.shape.p;
        for (std::size_t c = 0; c < padded_; c += 4) {
            Pack4 sum = broadcast(0.0);
            for (Index j = 0; j < p; ++j) {
                const std::size_t at = std::size_t(j) * padded_ + c;
                const Pack4 x = broadcast(q[j]);
                const Pack4 gap =
                    largest(largest(load_pack(low_.data() + at) - x, x - load_pack(high_.data() + at)), broadcast(0.0));
                sum = mul_add(gap, gap, sum);
            }
            unsigned bits = bits_of(sum * shrink(p) <= limit);
            if (padded_ - c > leaves_.size() - c) bits &= (1u << std::min<std::size_t>(4, leaves_.size() - c)) - 1;
            for (; bits; bits &= bits - 1) body(leaves_[c + std::size_t(std::countr_zero(bits))]);
        }
    }

private:
    static double shrink(Index p) { return 1.0 - double(p + 4) * 4e-16; }  // as in box_bound

    const KdTree<T>& tree_;
    std::vector<TreeNode> leaves_;
    std::size_t padded_ = 0;
    std::vector<double> low_, high_;
};

// The search of one thread, leaf by leaf.
template <class T>
class LeafSearch {
public:
    LeafSearch(const KdTree<T>& tree, Index k, NearSets& to) : tree_(tree), to_(to), pool_(k, tree.rows), near_(tree) {}

    void leaf(const TreeNode& leaf) {
        const TreeShape& shape = tree_.shape;
        const Index begin = shape.begin(leaf), count = shape.end(leaf) - begin, p = shape.p;
        take_points(begin, count);
        // The first is in the middle of the box, so that the others are not far from it.
        const Index first = middle(leaf, count);
        const double* q = point(first);
        search_tree(q, bound_by_leaves(q));
        reach_.assign((count + kLanes - 1) / kLanes * kLanes, kFar);
        finish(begin, first);
        const double reach = reach_[first];
        middles_.insert(middles_.end(), q, q + p);
        middle_reach_.push_back(reach);
        double farthest = 0.0;
        for (Index i = 0; i < count; ++i) farthest = std::max(farthest, point_distance(Euclidean{}, point(i), 1, q, p));
        const double look = reach + std::sqrt(farthest);
        near_.find(leaf, look * look * kRoom);
        for (Index i = 0; i < count; ++i) {
            if (i == first) continue;
            search_near(begin, point(i));
            finish(begin, i);
        }
    }

private:
    const double* point(Index i) const { return points_.data() + i * tree_.shape.p; }

    void take_points(Index begin, Index count) {
        const Index p = tree_.shape.p;
        points_.resize(count * p);
        for (Index i = 0; i < count; ++i)
            for (Index j = 0; j < p; ++j) points_[i * p + j] = tree_.at(begin + i, j);
    }

    Index middle(const TreeNode& leaf, Index count) {
        const Index p = tree_.shape.p;
        centre_.resize(p);
        for (Index j = 0; j < p; ++j)
            centre_[j] = 0.5 * double(tree_.low(leaf.id, j)) + 0.5 * double(tree_.high(leaf.id, j));
        Index best = 0;
        double least = kFar;
        for (Index i = 0; i < count; ++i) {
            const double r = point_distance(Euclidean{}, point(i), 1, centre_.data(), p);
            if (r < least) least = r, best = i;
        }
        return best;
    }

    // Squared distance within which k points are known to be, from the middles of the leaves before.
    double bound_by_leaves(const double* q) const {
        double least = kFar;
        for (std::size_t l = 0; l < middle_reach_.size(); ++l) {
            const double* other = middles_.data() + l * std::size_t(tree_.shape.p);
            least =
                std::min(least, middle_reach_[l] + std::sqrt(point_distance(Euclidean{}, other, 1, q, tree_.shape.p)));
        }
        return least * least * kRoom;
    }

    // The same from those of the leaf that have been answered, if `share` is 1; a guess with a share of the distance to
    // them.
    double bound(Index begin, const double* q, double share) {
        Pack4 least = broadcast(kFar);
        for (std::size_t e = 0; e < reach_.size(); e += std::size_t(kLanes)) {
            double r[kLanes];
            store(block_distances(Euclidean{}, tree_.block(begin / kLanes + Index(e) / kLanes), q, tree_.shape.p), r);
            for (double& value : r) value = share * std::sqrt(value);
            for (std::size_t half = 0; half < 8; half += 4) {
                const Pack4 sum = load_pack(r + half) + load_pack(reach_.data() + e + half);
                least = sum < least ? sum : least;
            }
        }
        const double smallest = std::min(std::min(least[0], least[1]), std::min(least[2], least[3]));
        return smallest * smallest * kRoom;
    }

    void offer(const TreeNode& leaf, const double* q) {
        const Index end = tree_.shape.end(leaf);
        for (Index place = tree_.shape.begin(leaf); place < end; place += kLanes)
            pool_.offer(block_distances(Euclidean{}, tree_.block(place / kLanes), q, tree_.shape.p), place,
                        end - place);
    }

    void search_tree(const double* q, double limit) {
        const auto bound = [&](const TreeNode& node, const double* x) {
            return box_bound(Euclidean{}, tree_.low.row(node.id), tree_.high.row(node.id), x, tree_.shape.p);
        };
        pool_.clear(limit);
        walk(
            tree_.shape.root(), bound, q, [&] { return pool_.limit(); }, [&](const TreeNode& leaf) { offer(leaf, q); });
        if (!pool_.complete() && limit < kFar) search_tree(q, kFar);
    }

    // Within a guess first: if k points are there, the nearest are among them. A bound that is certain may be far too
    // wide, the more so the more columns there are.
    void search_near(Index begin, const double* q) {
        for (const double share : {0.25, 0.5, 1.0}) {  // empirical
            const double limit = bound(begin, q, share);
            pool_.clear(limit);
            near_.each(q, limit, [&](const TreeNode& leaf) { offer(leaf, q); });
            if (pool_.complete()) return;
        }
        search_tree(q, kFar);
    }

    void finish(Index begin, Index i) {
        const Index at = begin + i;
        const Index k = to_.k;
        std::tie(to_.reach[at], to_.last[at]) = pool_.finish(to_.places.data() + at * k, to_.squares.data() + at * k);
        reach_[i] = std::sqrt(to_.reach[at]);
    }

    const KdTree<T>& tree_;
    NearSets& to_;
    Pool pool_;
    NearLeaves<T> near_;
    std::vector<double> points_, centre_, reach_;  // of the current leaf
    std::vector<double> middles_, middle_reach_;   // of those before
};

}  // namespace

template <class T>
NearSets kd_tree_near_sets(const KdTree<T>& tree, Index k, const Interrupt& interrupt) {
    const Index n = tree.shape.n;
    NearSets sets{
        k, tree.rows, UnsetVector<int>(n * k), UnsetVector<double>(n * k), std::vector<double>(n), std::vector<int>(n)};
    std::vector<TreeNode> leaves;
    walk(
        tree.shape.root(), [](const TreeNode&, const double*) { return 0.0; }, nullptr, [] { return kFar; },
        [&](const TreeNode& leaf) { leaves.push_back(leaf); });
    const Blocks units(Index(leaves.size()), kUnitLeaves);
    parallel_for(units.count(), [&](Index u) {
        LeafSearch<T> search(tree, k, sets);
        for (Index l = units.begin(u); l < units.end(u); ++l) {
            if (interrupt.requested()) return;
            search.leaf(leaves[l]);
        }
    });
    return sets;
}

template NearSets kd_tree_near_sets<float>(const KdTree<float>&, Index, const Interrupt&);
template NearSets kd_tree_near_sets<double>(const KdTree<double>&, Index, const Interrupt&);

}  // namespace statlearn::neighbors
