// The trees of a forest one behind the other, in arrays that numpy takes over.
//
// Trees are added while others still grow. The arrays are as long as the first tree lets expect and grow where that was
// too short; what lies behind the last node has never been written and costs no memory.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "trees/grow_forest.hpp"

namespace statlearn::trees {

// Memory of malloc: it can be made longer without a copy, and be handed over.
template <class T>
class LongArray {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    LongArray() = default;
    LongArray(LongArray&& other) noexcept : data_(other.release()) {}
    LongArray& operator=(LongArray&& other) noexcept {
        std::swap(data_, other.data_);
        return *this;
    }
    ~LongArray() { std::free(data_); }

    void resize(std::size_t size) {
        void* moved = std::realloc(data_, std::max<std::size_t>(size, 1) * sizeof(T));
        if (moved == nullptr) throw std::bad_alloc();
        data_ = static_cast<T*>(moved);
    }
    T* data() { return data_; }
    T* release() { return std::exchange(data_, nullptr); }

private:
    T* data_ = nullptr;
};

// See Forest in Python for what the arrays mean.
struct ForestArrays {
    LongArray<int> feature, child, category_set, roots;
    LongArray<double> threshold, impurity, weight, gain, value;
    LongArray<std::int64_t> rows;
    LongArray<std::uint8_t> missing_left;
    LongArray<std::uint32_t> left_sets;
    std::size_t trees = 0, nodes = 0, sets = 0, width = 1;
    std::int64_t evaluations = 0;

    void reserve_nodes(std::size_t n) {
        feature.resize(n), child.resize(n), category_set.resize(n);
        threshold.resize(n), impurity.resize(n), weight.resize(n), gain.resize(n), value.resize(n * width);
        rows.resize(n), missing_left.resize(n);
    }
    void reserve_sets(std::size_t n) { left_sets.resize(n * kSetWords); }
};

// Adds trees to the arrays from any thread, in the order of their numbers.
class ForestCollector {
public:
    ForestCollector(std::size_t trees, std::size_t width) : waiting_(trees), arrived_(trees, 0) {
        arrays_.trees = trees, arrays_.width = width;
        arrays_.roots.resize(trees);
    }

    // A tree without nodes, with the memory of one that has been added.
    GrownTree spare() {
        const std::lock_guard lock(order_);
        if (spare_.empty()) return {};
        GrownTree tree = std::move(spare_.back());
        spare_.pop_back();
        return tree;
    }

    void add(std::size_t t, GrownTree&& tree) {
        std::vector<Placed> due = place(t, std::move(tree));
        if (due.empty()) return;
        {
            const std::shared_lock lock(memory_);
            for (const Placed& one : due) write(one);
        }
        const std::lock_guard lock(order_);
        for (Placed& one : due) {
            one.tree.clear();
            spare_.push_back(std::move(one.tree));
        }
    }

    // The arrays of all trees; of none if some are missing.
    ForestArrays finish() {
        if (next_ < waiting_.size()) arrays_.trees = arrays_.nodes = arrays_.sets = 0;
        arrays_.reserve_nodes(arrays_.nodes);
        arrays_.reserve_sets(arrays_.sets);
        return std::move(arrays_);
    }

private:
    struct Placed {
        GrownTree tree;
        std::size_t number, node, set;  // and where its first node and its first set stand
    };

    // The trees that now have their place: this one, and those that waited for it.
    std::vector<Placed> place(std::size_t t, GrownTree&& tree) {
        const std::lock_guard lock(order_);
        waiting_[t] = std::move(tree);
        arrived_[t] = 1;
        std::vector<Placed> due;
        for (; next_ < waiting_.size() && arrived_[next_]; ++next_) {
            GrownTree& own = waiting_[next_];
            const std::size_t node = arrays_.nodes, set = arrays_.sets;
            arrays_.nodes += own.nodes.size();
            arrays_.sets += own.left_sets.size();
            arrays_.evaluations += own.evaluations;
            due.push_back({std::move(own), next_, node, set});
        }
        if (arrays_.nodes > std::size_t{0x7FFFFFFF})
            throw std::length_error("grow_forest: more than 2^31 nodes; grow smaller trees");
        if (arrays_.nodes > node_capacity_ || arrays_.sets > set_capacity_) grow();
        return due;
    }

    void grow() {
        const std::lock_guard lock(memory_);
        const auto longer = [&](std::size_t needed) {
            return needed + needed / next_ * (waiting_.size() - next_) + needed / 16;
        };
        if (arrays_.nodes > node_capacity_) arrays_.reserve_nodes(node_capacity_ = longer(arrays_.nodes));
        if (arrays_.sets > set_capacity_) arrays_.reserve_sets(set_capacity_ = longer(arrays_.sets));
    }

    void write(const Placed& one) {
        ForestArrays& to = arrays_;
        const auto& nodes = one.tree.nodes;
        const std::size_t at = one.node;
        to.roots.data()[one.number] = int(at);
        // One array after the other: each is written in a straight line.
        const auto each = [&](auto& array, auto&& value) {
            auto* own = array.data() + at;
            for (std::size_t k = 0; k < nodes.size(); ++k) own[k] = value(nodes[k]);
        };
        each(to.feature, [](const GrownNode& node) { return node.feature; });
        each(to.child, [&](const GrownNode& node) { return node.child + int(at); });
        each(to.category_set,
             [&](const GrownNode& node) { return node.category_set < 0 ? -1 : node.category_set + int(one.set); });
        each(to.threshold, [](const GrownNode& node) { return node.threshold; });
        each(to.impurity, [](const GrownNode& node) { return node.impurity; });
        each(to.weight, [](const GrownNode& node) { return node.weight; });
        each(to.gain, [](const GrownNode& node) { return node.gain; });
        each(to.rows, [](const GrownNode& node) { return node.rows; });
        each(to.missing_left, [](const GrownNode& node) { return node.missing_left; });
        std::copy(one.tree.value.begin(), one.tree.value.end(), to.value.data() + at * to.width);
        for (std::size_t s = 0; s < one.tree.left_sets.size(); ++s)
            std::copy_n(one.tree.left_sets[s].begin(), kSetWords, to.left_sets.data() + (one.set + s) * kSetWords);
    }

    ForestArrays arrays_;
    std::size_t node_capacity_ = 0, set_capacity_ = 0;
    std::mutex order_;          // guards everything but what the arrays hold
    std::shared_mutex memory_;  // held by those who write into the arrays, alone by whoever moves them
    std::vector<GrownTree> waiting_, spare_;
    std::vector<std::uint8_t> arrived_;
    std::size_t next_ = 0;
};

}  // namespace statlearn::trees
