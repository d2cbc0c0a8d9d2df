#include "rules/bind_sets.hpp"
#include "rules/candidates.hpp"
#include "rules/fp_tree.hpp"

namespace statlearn {

using Offsets = In<std::int64_t>;
using Items = In<std::int32_t>;

void bind_itemsets(nb::module_& m) {
    m.def(
        "mine",
        [](Offsets indptr, Items indices, Index n_items, In<double> weights, double min_count, int target,
           int representation, Index max_len, Index max_sets, Index max_items) {
            const auto baskets = baskets_view(indptr, indices, n_items);
            require_weights(weights, baskets);
            require(0 <= target && target <= 2 && 0 <= representation && representation <= 4, "mine: no such method");
            require(representation != 4 || target == 0, "mine: trees cannot search for closed or maximal sets");
            require(max_len >= 1 && max_sets >= 0 && max_sets < Index(kMostRows), "mine: bounds out of range");
            rules::SetList found;
            const auto status = run_native([&](const Interrupt& stop) {
                rules::Bounds bounds(max_len, max_sets, max_items);
                return rules::mine(baskets, view(weights), min_count, rules::Target(target),
                                   rules::Representation(representation), bounds, stop, found);
            });
            return to_python(status, std::move(found));
        },
        "indptr"_array, "indices"_array, "n_items"_a, "weights"_array, "min_count"_a, "target"_a, "representation"_a,
        "max_len"_a, "max_sets"_a, "max_items"_a);
    m.def(
        "clean_baskets",
        [](Offsets indptr, Items codes, Items place) {
            require_lists(view(indptr), view(codes), Index(place.shape(0)), "clean_baskets: codes out of range");
            auto clean = run_native(
                [&](const Interrupt&) { return rules::clean_baskets(view(indptr), view(codes), view(place)); });
            const auto rows = clean.indptr.size(), entries = clean.indices.size();
            return nb::make_tuple(to_numpy(std::move(clean.indptr), {rows}),
                                  to_numpy(std::move(clean.indices), {entries}));
        },
        "indptr"_array, "codes"_array, "place"_array);
    m.def(
        "closed_supports",
        [](Items items, Offsets offsets, In<double> counts, Index n_items, Index max_len, Index max_sets,
           Index max_items) {
            require_lists(view(offsets), view(items), n_items, "closed_supports: offsets or items out of range");
            require(counts.shape(0) + 1 == offsets.shape(0) && max_sets < Index(kMostRows),
                    "closed_supports: the arrays have different lengths");
            rules::SetList closed, found;
            closed.items.assign(view(items).begin(), view(items).end());
            closed.offsets.assign(view(offsets).begin(), view(offsets).end());
            closed.counts.assign(view(counts).begin(), view(counts).end());
            const auto status = run_native([&](const Interrupt& stop) {
                rules::Bounds bounds(max_len, max_sets, max_items);
                return rules::closed_supports(closed, n_items, bounds, stop, found);
            });
            return to_python(status, std::move(found));
        },
        "items"_array, "offsets"_array, "counts"_array, "n_items"_a, "max_len"_a, "max_sets"_a, "max_items"_a);
    m.def(
        "join_sets",
        [](Items sets, Index width, bool shared, bool prune, Index max_candidates) {
            require(width >= 1 && sets.shape(0) % std::size_t(width) == 0, "join_sets: wrong width");
            auto joined = run_native([&](const Interrupt& stop) {
                return rules::join_sets(view(sets), width, shared, prune, max_candidates, stop);
            });
            const auto entries = joined.sets.size();
            return nb::make_tuple(int(joined.status), joined.n_joined, to_numpy(std::move(joined.sets), {entries}));
        },
        "sets"_array, "width"_a, "shared"_a, "prune"_a, "max_candidates"_a);
    m.def(
        "count_sets",
        [](Offsets indptr, Items indices, Index n_items, In<double> weights, Items items, Offsets offsets,
           Out<double> counts) {
            const auto baskets = baskets_view(indptr, indices, n_items);
            require_weights(weights, baskets);
            require_lists(view(offsets), view(items), n_items, "count_sets: offsets or items out of range");
            require(counts.shape(0) + 1 == offsets.shape(0), "count_sets: the arrays have different lengths");
            const auto starts = view(offsets);
            for (std::size_t s = 0; s + 1 < starts.size(); ++s)
                require(starts[s] < starts[s + 1], "count_sets: a set is empty");
            run_native([&](const Interrupt& stop) {
                rules::count_sets(baskets, view(weights), view(items), starts, stop, view(counts));
            });
        },
        "indptr"_array, "indices"_array, "n_items"_a, "weights"_array, "items"_array, "offsets"_array, "counts"_array);
    m.def(
        "fp_tree",
        [](Offsets indptr, Items indices, Index n_items, In<double> weights, bool keep_pairs) {
            const auto baskets = baskets_view(indptr, indices, n_items);
            require_weights(weights, baskets);
            auto tree = run_native([&](const Interrupt& stop) {
                rules::FpTree made(n_items, keep_pairs);
                for (Index r = 0; r < baskets.size(); ++r) {
                    if ((r & 4095) == 0 && stop.requested()) break;
                    made.insert(baskets[r], weights.shape(0) == 0 ? 1.0 : weights.data()[r]);
                }
                return made;
            });
            const auto nodes = tree.item.size(), k = tree.head.size(), cells = tree.pairs.size();
            return nb::make_tuple(to_numpy(std::move(tree.item), {nodes}), to_numpy(std::move(tree.parent), {nodes}),
                                  to_numpy(std::move(tree.count), {nodes}), to_numpy(std::move(tree.next), {nodes}),
                                  to_numpy(std::move(tree.head), {k}), to_numpy(std::move(tree.total), {k}),
                                  to_numpy(std::move(tree.pairs), {cells}));
        },
        "indptr"_array, "indices"_array, "n_items"_a, "weights"_array, "keep_pairs"_a);
}

}  // namespace statlearn
