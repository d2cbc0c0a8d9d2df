#include "rules/bind_sets.hpp"
#include "rules/rule_search.hpp"

namespace statlearn {

namespace {

using Offsets = In<std::int64_t>;
using Items = In<std::int32_t>;

void require_sets(const Items& items, const Offsets& offsets, const In<double>& counts, Index n_items) {
    require_lists(view(offsets), view(items), n_items, "rules: offsets or items out of range");
    require(counts.shape(0) + 1 == offsets.shape(0), "rules: the arrays have different lengths");
    for (const double count : view(counts)) require(count >= 0.0, "rules: negative count");
}

nb::tuple info_tuple(const rules::RuleInfo& info) { return nb::make_tuple(int(info.status), info.set, info.subset); }

}  // namespace

void bind_rule_search(nb::module_& m) {
    m.def(
        "find_rules",
        [](Items items, Offsets offsets, In<double> counts, Index n_items, double min_confidence, bool strict,
           Index max_consequent, Index max_rules) {
            require_sets(items, offsets, counts, n_items);
            rules::RuleList found;
            bool repeated = false;
            const auto info = run_native([&](const Interrupt& stop) {
                const rules::SetIndex index(view(items), view(offsets), view(counts), n_items);
                repeated = index.repeated();
                if (repeated) return rules::RuleInfo{};
                return rules::find_rules(index, view(items), view(offsets), view(counts), min_confidence, strict,
                                         max_consequent, max_rules, stop, found);
            });
            require(!repeated, "itemsets contains a set twice");
            const auto size = found.set.size();
            return nb::make_tuple(info_tuple(info), to_numpy(std::move(found.set), {size}),
                                  to_numpy(std::move(found.consequent), {size}),
                                  to_numpy(std::move(found.antecedent_count), {size}),
                                  to_numpy(std::move(found.consequent_count), {size}));
        },
        "items"_array, "offsets"_array, "counts"_array, "n_items"_a, "min_confidence"_a, "strict"_a, "max_consequent"_a,
        "max_rules"_a);
    m.def(
        "split_rules",
        [](Items items, Offsets offsets, Index n_items, Offsets set, In<std::uint64_t> consequent) {
            require_lists(view(offsets), view(items), n_items, "split_rules: offsets or items out of range");
            require(set.shape(0) == consequent.shape(0), "split_rules: the arrays have different lengths");
            for (const auto s : view(set))
                require(0 <= s && std::size_t(s) + 1 < offsets.shape(0), "split_rules: set out of range");
            auto sides = run_native([&](const Interrupt&) {
                return rules::split_rules(view(items), view(offsets), view(set), view(consequent));
            });
            const auto a = sides.items[0].size(), c = sides.items[1].size(), n = set.shape(0) + 1;
            return nb::make_tuple(to_numpy(std::move(sides.items[0]), {a}), to_numpy(std::move(sides.offsets[0]), {n}),
                                  to_numpy(std::move(sides.items[1]), {c}), to_numpy(std::move(sides.offsets[1]), {n}));
        },
        "items"_array, "offsets"_array, "n_items"_a, "set"_array, "consequent"_array);
    m.def(
        "best_general",
        [](Items items, Offsets offsets, In<double> counts, Index n_items, Items antecedents, Offsets a_offsets,
           Items consequents, Offsets c_offsets, double n, Out<double> best) {
            require_sets(items, offsets, counts, n_items);
            require_lists(view(a_offsets), view(antecedents), n_items, "best_general: items out of range");
            require_lists(view(c_offsets), view(consequents), n_items, "best_general: items out of range");
            require(best.shape(0) + 1 == a_offsets.shape(0) && best.shape(0) + 1 == c_offsets.shape(0),
                    "best_general: the arrays have different lengths");
            const auto info = run_native([&](const Interrupt& stop) {
                const rules::SetIndex index(view(items), view(offsets), view(counts), n_items);
                return rules::best_general(index, view(antecedents), view(a_offsets), view(consequents),
                                           view(c_offsets), n, stop, view(best));
            });
            return info_tuple(info);
        },
        "items"_array, "offsets"_array, "counts"_array, "n_items"_a, "antecedents"_array, "a_offsets"_array,
        "consequents"_array, "c_offsets"_array, "n"_a, "best"_array);
    m.def(
        "fisher_upper",
        [](In<double> both, In<double> a, In<double> b, double n, Out<double> p) {
            require(both.shape(0) == a.shape(0) && a.shape(0) == b.shape(0) && b.shape(0) == p.shape(0),
                    "fisher_upper: the arrays have different lengths");
            run_native(
                [&](const Interrupt& stop) { rules::fisher_upper(view(both), view(a), view(b), n, stop, view(p)); });
        },
        "both"_array, "a"_array, "b"_array, "n"_a, "p"_array);
}

}  // namespace statlearn
