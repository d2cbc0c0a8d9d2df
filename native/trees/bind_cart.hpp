// A grown tree as numpy arrays: what every binding that grows exact trees returns.
#pragma once

#include "common/gate.hpp"
#include "trees/cart.hpp"

namespace statlearn {

// The arrays of Forest, moved out of the tree, and the number of splits that were scored.
inline nb::dict cart_arrays(trees::CartTree& tree) {
    const auto n = tree.feature.size();
    const auto width = std::size_t(tree.width), words = std::size_t(tree.words), sets = tree.left_sets.size() / words;
    nb::dict out;
    out["feature"] = to_numpy(std::move(tree.feature), {n});
    out["threshold"] = to_numpy(std::move(tree.threshold), {n});
    out["child"] = to_numpy(std::move(tree.child), {n});
    out["missing_left"] = to_numpy(std::move(tree.missing_left), {n});
    out["category_set"] = to_numpy(std::move(tree.category_set), {n});
    out["left_sets"] = to_numpy(std::move(tree.left_sets), {sets, words});
    out["value"] = to_numpy(std::move(tree.value), {n, width});
    out["gain"] = to_numpy(std::move(tree.gain), {n});
    out["impurity"] = to_numpy(std::move(tree.impurity), {n});
    out["weight"] = to_numpy(std::move(tree.weight), {n});
    out["rows"] = to_numpy(std::move(tree.rows), {n});
    out["evaluations"] = tree.evaluations;
    return out;
}

}  // namespace statlearn
