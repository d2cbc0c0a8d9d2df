// Disjoint sets of numbers.
#pragma once

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "common/view.hpp"

namespace statlearn {

// The root of i in a forest of parents, where a root is its own parent; the path is halved on the way.
template <class Parents, class I>
I find_root(Parents& parent, I i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

// Makes the sets of i and j one, named by its smallest number. Whether they were two.
template <class Parents, class I>
bool join_sets(Parents& parent, I i, I j) {
    i = find_root(parent, i), j = find_root(parent, j);
    if (i == j) return false;
    parent[std::max(i, j)] = std::min(i, j);
    return true;
}

// Sets that several threads may join at once. A set is named by its smallest number, whatever the order in which the
// threads join them.
class UnionFind {
public:
    explicit UnionFind(Index n) : parent_(n) {
        for (Index i = 0; i < n; ++i) parent_[i].store(int(i), std::memory_order_relaxed);
    }

    int find(int i) {
        int up = get(i);
        while (up != i) {
            const int next = get(up);
            if (next != up) parent_[i].compare_exchange_weak(up, next, std::memory_order_relaxed);
            i = next;
            up = get(i);
        }
        return i;
    }

    // Whether two sets became one.
    bool join(int i, int j) {
        for (;;) {
            i = find(i), j = find(j);
            if (i == j) return false;
            if (i < j) std::swap(i, j);
            int root = i;
            if (parent_[i].compare_exchange_strong(root, j, std::memory_order_relaxed)) return true;
        }
    }

private:
    int get(int i) const { return parent_[i].load(std::memory_order_relaxed); }

    std::vector<std::atomic<int>> parent_;
};

}  // namespace statlearn
