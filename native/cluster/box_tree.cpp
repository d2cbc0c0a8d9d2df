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

// The box of some rows, and its widest side.
Index measure(const double* X, Index p, const int* rows, Index count, double* low, double* high) {
    std::copy(X + rows[0] * p, X + (rows[0] + 1) * p, low);
    std::copy(low, low + p, high);
    for (Index i = 1; i < count; ++i) {
        const double* x = X + rows[i] * p;
        for (Index j = 0; j < p; ++j) {
            low[j] = std::min(low[j], x[j]);
            high[j] = std::max(high[j], x[j]);
        }
    }
    Index widest = 0;
    for (Index j = 1; j < p; ++j)
        if (high[j] - low[j] > high[widest] - low[widest]) widest = j;
    return widest;
}

}  // namespace

void BoxTree::build(const double* X, Index rows, Index cols) {
    n = rows, p = cols, leaves = 1;
    int depth = 0;
    while ((n + leaves - 1) / leaves > kLeaf) leaves *= 2, ++depth;
    box.resize(std::size_t(nodes() * 2 * p));
    std::vector<int> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::vector<Keyed> keyed(static_cast<std::size_t>(n));
    for (int level = 0; level <= depth; ++level) {
        const Index count = Index{1} << level;
        parallel_for(count, [&](Index i) {
            const Index begin = (n * i) >> level, end = (n * (i + 1)) >> level;
            double* low = box.data() + 2 * p * (count - 1 + i);
            const Index side = measure(X, p, order.data() + begin, end - begin, low, low + p);
            if (level == depth) return;
            const Index middle = (n * (2 * i + 1)) >> (level + 1);
            for (Index k = begin; k < end; ++k)
                keyed[std::size_t(k)] = {X[order[std::size_t(k)] * p + side], order[std::size_t(k)]};
            std::nth_element(keyed.begin() + begin, keyed.begin() + middle, keyed.begin() + end);
            for (Index k = begin; k < end; ++k) order[std::size_t(k)] = keyed[std::size_t(k)].row;
        });
    }
    block.assign(std::size_t(leaves * p * kLeaf), kInfinity);
    row.assign(std::size_t(leaves * kLeaf), -1);
    slot.resize(std::size_t(n));
    for (Index l = 0; l < leaves; ++l) {
        const Index begin = (n * l) / leaves, end = (n * (l + 1)) / leaves;
        for (Index k = begin; k < end; ++k) {
            const int r = order[std::size_t(k)];
            const Index s = k - begin;
            row[std::size_t(l * kLeaf + s)] = r;
            slot[std::size_t(r)] = int(l * kLeaf + s);
            for (Index j = 0; j < p; ++j) block[std::size_t((l * p + j) * kLeaf + s)] = X[r * p + j];
        }
    }
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
