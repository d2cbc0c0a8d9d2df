#include "cluster/box_tree.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/parallel.hpp"

namespace statlearn::cluster {

namespace {

struct Keyed {
    double key;
    int row;
    bool operator<(const Keyed& other) const { return key < other.key || (key == other.key && row < other.row); }
};

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
    box.resize(std::size_t(nodes() * 2 * p));
    const auto low = [&](Index node) { return box.data() + 2 * p * node; };
    std::copy_n(X, p, low(0));
    std::copy_n(X, p, low(0) + p);
    for (Index i = 1; i < n; ++i) grow_box(low(0), low(0) + p, X + i * p, X + i * p, p);
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::vector<Keyed> keyed(static_cast<std::size_t>(n));
    for (int level = 0; level < depth; ++level) {
        const Index count = Index{1} << level;
        parallel_for(count, [&](Index i) {
            const Index node = count - 1 + i;
            const Index begin = (n * i) >> level, end = (n * (i + 1)) >> level,
                        middle = (n * (2 * i + 1)) >> (level + 1);
            const Index side = widest_side(low(node), low(node) + p, p);
            for (Index k = begin; k < end; ++k)
                keyed[std::size_t(k)] = {X[order[std::size_t(k)] * p + side], order[std::size_t(k)]};
            std::nth_element(keyed.begin() + begin, keyed.begin() + middle, keyed.begin() + end);
            for (Index k = begin; k < end; ++k) order[std::size_t(k)] = keyed[std::size_t(k)].row;
            // Halves of the box will do for the choice of the next side.
            for (Index child = 2 * node + 1; child <= 2 * node + 2; ++child) std::copy_n(low(node), 2 * p, low(child));
            low(2 * node + 1)[p + side] = low(2 * node + 2)[side] = keyed[std::size_t(middle)].key;
        });
    }
    place(X, order);
    for (Index node = first_leaf() - 1; node >= 0; --node) {
        std::copy_n(low(2 * node + 1), 2 * p, low(node));
        grow_box(low(node), low(node) + p, low(2 * node + 2), low(2 * node + 2) + p, p);
    }
}

void BoxTree::place(const double* X, const std::vector<int>& order) {
    block.resize(std::size_t(leaves * p * kLeaf));
    row.assign(std::size_t(leaves * kLeaf), -1);
    slot.resize(std::size_t(n));
    const Blocks blocks(leaves, 256);
    parallel_for(blocks.count(), [&](Index b) {
        for (Index l = blocks.begin(b); l < blocks.end(b); ++l) {
            const Index begin = (n * l) / leaves, end = (n * (l + 1)) / leaves;
            double* values = block.data() + l * p * kLeaf;
            double* low = box.data() + 2 * p * (first_leaf() + l);
            std::fill_n(values, p * kLeaf, kInfinity);
            std::copy_n(X + order[std::size_t(begin)] * p, p, low);
            std::copy_n(low, p, low + p);
            for (Index k = begin; k < end; ++k) {
                const int r = order[std::size_t(k)];
                const Index s = k - begin;
                row[std::size_t(l * kLeaf + s)] = r;
                slot[std::size_t(r)] = int(l * kLeaf + s);
                for (Index j = 0; j < p; ++j) values[j * kLeaf + s] = X[r * p + j];
                grow_box(low, low + p, X + r * p, X + r * p, p);
            }
        }
    });
}

void BoxTree::replace(Index at, const double* x, int new_row) {
    double* values = block.data() + (at / kLeaf) * p * kLeaf + at % kLeaf;
    row[std::size_t(at)] = new_row;
    if (new_row < 0) {
        for (Index j = 0; j < p; ++j) values[j * kLeaf] = kInfinity;
        return;
    }
    slot[std::size_t(new_row)] = int(at);
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
