#include "cluster/box_tree.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "common/parallel.hpp"

namespace statlearn::cluster {

namespace {

constexpr Index kNearby = 4096;          // points whose tree is made by one thread, near each other in memory
constexpr double kSteps = 4294967295.0;  // of the side of a box, in 32 bits

// Puts the k smallest of n different numbers first, and the next one in its place k < n.
void select(std::uint64_t* items, Index n, Index k) {
    for (int turn = 0; n > 24 && turn < 64; ++turn) {  // a bad pivot may come, but not often
        // The middle one of nine (of three, where few are left) divides.
        const auto middle = [](std::uint64_t* a, std::uint64_t* b, std::uint64_t* c) {
            if (*b < *a) std::swap(a, b);
            return *c < *a ? a : *c < *b ? c : b;
        };
        const auto of_three = [&](Index at, Index step) {
            return middle(items + at, items + at + step, items + at + 2 * step);
        };
        const Index step = n / 9;
        std::uint64_t* pivot = n < 100 ? of_three(0, (n - 1) / 2)
                                       : middle(of_three(0, step), of_three(3 * step, step), of_three(6 * step, step));
        std::swap(*pivot, items[n - 1]);
        const std::uint64_t by = items[n - 1];
        Index below = 0;
        for (Index i = 0; i < n - 1; ++i) {  // without a branch, since nobody could predict it
            const std::uint64_t item = items[i];
            items[i] = items[below];
            items[below] = item;
            below += item < by;
        }
        std::swap(items[n - 1], items[below]);
        if (below == k) return;
        if (below > k) {
            n = below;
        } else {
            items += below + 1, n -= below + 1, k -= below + 1;
        }
    }
    std::nth_element(items, items + k, items + n);
}

Index widest_side(const double* low, const double* high, Index p) {
    Index widest = 0;
    for (Index j = 1; j < p; ++j)
        if (high[j] - low[j] > high[widest] - low[widest]) widest = j;
    return widest;
}

void grow_box(double* low, double* high, const double* x, const double* y, Index p) {
    for (Index j = 0; j < p; ++j) {
        low[j] = std::min(low[j], x[j]);
        high[j] = std::max(high[j], y[j]);
    }
}

}  // namespace

void BoxTree::build(const double* X, Index rows, Index cols) {
    n = rows, p = cols, leaves = 1;
    int depth = 0;
    while ((n + leaves - 1) / leaves > kLeaf) leaves *= 2, ++depth;
    box.resize(nodes() * 2 * p);
    const auto low = [&](Index node) { return box.data() + 2 * p * node; };
    std::copy_n(X, p, low(0));
    std::copy_n(X, p, low(0) + p);
    for (Index i = 1; i < n; ++i) grow_box(low(0), low(0) + p, X + i * p, X + i * p, p);
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    std::vector<std::uint64_t> keyed(n);
    // Divides node i of a level, whose rows are `who` in `points`.
    const auto divide = [&](int level, Index i, const double* points, int* who, std::uint64_t* items) {
        const Index node = (Index{1} << level) - 1 + i;
        const Index begin = (n * i) >> level, end = (n * (i + 1)) >> level, middle = (n * (2 * i + 1)) >> (level + 1);
        const Index side = widest_side(low(node), low(node) + p, p);
        // Where a point lies within the box, to 32 bits, then its row: whole numbers are quick to compare.
        const double from = low(node)[side], scale = kSteps / (low(node)[p + side] - from);
        for (Index k = 0; k < end - begin; ++k) {
            const double at = (points[who[k] * p + side] - from) * scale;
            const double within = at > 0.0 ? (at < kSteps ? at : kSteps) : 0.0;
            items[k] = (std::uint64_t(within) << 32) | std::uint32_t(who[k]);
        }
        select(items, end - begin, middle - begin);
        for (Index k = 0; k < end - begin; ++k) who[k] = int(items[k] & 0xffffffff);
        // Halves of the box will do for the choice of the next side.
        for (Index child = 2 * node + 1; child <= 2 * node + 2; ++child) std::copy_n(low(node), 2 * p, low(child));
        low(2 * node + 1)[p + side] = low(2 * node + 2)[side] = points[who[middle - begin] * p + side];
    };
    int level = 0;
    for (; level < depth && (n >> level) > kNearby; ++level)
        parallel_for(Index{1} << level, [&](Index i) {
            const Index begin = (n * i) >> level;
            divide(level, i, X, order.data() + begin, keyed.data() + begin);
        });
    // From here on the points of a node fit into the cache: they move there.
    if (level < depth)
        parallel_for(Index{1} << level, [&](Index i) {
            const Index begin = (n * i) >> level, end = (n * (i + 1)) >> level;
            std::vector<double> points((end - begin) * p);
            std::vector<int> who(end - begin), first(order.begin() + begin, order.begin() + end);
            std::iota(who.begin(), who.end(), 0);
            for (Index k = 0; k < end - begin; ++k)
                std::copy_n(X + Index(order[begin + k]) * p, p, points.data() + k * p);
            for (int below = level; below < depth; ++below)
                for (Index j = i << (below - level); j < (i + 1) << (below - level); ++j) {
                    const Index at = (n * j) >> below;
                    divide(below, j, points.data(), who.data() + (at - begin), keyed.data() + at);
                }
            for (Index k = 0; k < end - begin; ++k) order[begin + k] = first[who[k]];
        });
    place(X, order);
    for (Index node = first_leaf() - 1; node >= 0; --node) {
        std::copy_n(low(2 * node + 1), 2 * p, low(node));
        grow_box(low(node), low(node) + p, low(2 * node + 2), low(2 * node + 2) + p, p);
    }
}

void BoxTree::place(const double* X, const std::vector<int>& order) {
    block.resize(leaves * p * kLeaf);
    row.assign(leaves * kLeaf, -1);
    slot.resize(n);
    const Blocks blocks(leaves, 256);
    parallel_for(blocks.count(), [&](Index b) {
        for (Index l = blocks.begin(b); l < blocks.end(b); ++l) {
            const Index begin = (n * l) / leaves, end = (n * (l + 1)) / leaves;
            double* values = block.data() + l * p * kLeaf;
            double* low = box.data() + 2 * p * (first_leaf() + l);
            std::fill_n(values, p * kLeaf, kInfinity);
            std::copy_n(X + order[begin] * p, p, low);
            std::copy_n(low, p, low + p);
            for (Index k = begin; k < end; ++k) {
                const int r = order[k];
                const Index s = k - begin;
                row[l * kLeaf + s] = r;
                slot[r] = int(l * kLeaf + s);
                for (Index j = 0; j < p; ++j) values[j * kLeaf + s] = X[r * p + j];
                grow_box(low, low + p, X + r * p, X + r * p, p);
            }
        }
    });
}

void BoxTree::replace(Index at, const double* x, int new_row) {
    double* values = block.data() + (at / kLeaf) * p * kLeaf + at % kLeaf;
    row[at] = new_row;
    if (new_row < 0) {
        for (Index j = 0; j < p; ++j) values[j * kLeaf] = kInfinity;
        return;
    }
    slot[new_row] = int(at);
    for (Index j = 0; j < p; ++j) values[j * kLeaf] = x[j];
    for (Index node = first_leaf() + at / kLeaf;; node = (node - 1) / 2) {
        double* low = box.data() + 2 * p * node;
        for (Index j = 0; j < p; ++j) {
            low[j] = std::min(low[j], x[j]);
            low[p + j] = std::max(low[p + j], x[j]);
        }
        if (node == 0) break;
    }
}

}  // namespace statlearn::cluster
