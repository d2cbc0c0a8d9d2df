#include "trees/bind_cart.hpp"

#include <algorithm>
#include <cmath>

#include "common/gate.hpp"

namespace statlearn {

namespace {

// The arrays of the tree and of its surrogates.
nb::dict with_surrogates(trees::CartTree&& tree) {
    const auto m = tree.surrogate_node.size();
    nb::dict out = cart_arrays(tree);
    out["surrogate_node"] = to_numpy(std::move(tree.surrogate_node), {m});
    out["surrogate_feature"] = to_numpy(std::move(tree.surrogate_feature), {m});
    out["surrogate_threshold"] = to_numpy(std::move(tree.surrogate_threshold), {m});
    out["surrogate_below_left"] = to_numpy(std::move(tree.surrogate_below_left), {m});
    out["surrogate_set"] = to_numpy(std::move(tree.surrogate_set), {m});
    out["surrogate_agreement"] = to_numpy(std::move(tree.surrogate_agreement), {m});
    out["surrogate_adjusted"] = to_numpy(std::move(tree.surrogate_adjusted), {m});
    return out;
}

// The plain numbers of the rule, by name.
trees::CartRule rule_of(const nb::dict& given) {
    const auto number = [&](const char* name, auto value) { return nb::cast<decltype(value)>(given[name]); };
    trees::CartRule rule;
    rule.criterion = trees::CartCriterion(number("criterion", 0));
    rule.missing = trees::CartMissing(number("missing", 0));
    rule.categories = trees::CartCategories(number("categories", 0));
    rule.random_splits = rule.random_start = number("random_splits", false);
    rule.presort = number("presort", false);
    rule.max_depth = number("max_depth", 0);
    rule.min_split = number("min_split", Index{});
    rule.min_leaf = std::max<Index>(1, number("min_leaf", Index{}));
    rule.min_weight_leaf = number("min_weight_leaf", 0.0);
    rule.min_decrease = number("min_decrease", 0.0);
    rule.max_features = std::max<Index>(1, number("max_features", Index{}));
    rule.max_leaves = number("max_leaves", Index{});
    rule.target_risk = number("target_risk", 0.0);
    rule.max_surrogates = number("max_surrogates", 0);
    rule.seed = number("seed", std::uint64_t{});
    return rule;
}

void check_codes(In<int, 2>& codes, const std::vector<int>& n_classes) {
    const auto table = view(codes);
    for (Index i = 0; i < table.rows; ++i)
        for (Index o = 0; o < table.cols; ++o)
            require(0 <= table(i, o) && table(i, o) < n_classes[o], "cart_grow: a class code is out of range");
}

template <class T>
void check_levels(Matrix<const T> X, Span<const std::uint8_t> categorical) {
    for (Index j = 0; j < X.cols; ++j) {
        if (categorical.empty() || !categorical[j]) continue;
        for (Index i = 0; i < X.rows; ++i) {
            const T x = X(i, j);
            require(x != x || (x >= 0 && x < T(1 << 24) && x == std::floor(x)),
                    "cart_grow: categories must be coded 0, 1, ...");
        }
    }
}

template <class T>
void def_grow_cart(nb::module_& m) {
    m.def(
        "cart_grow",
        [](InAny<T> X, In<double, 2> y, In<int, 2> codes, In<int> classes, In<double> weights, In<double, 2> losses,
           In<std::uint8_t> categorical, In<std::int8_t> monotone, In<std::uint8_t, 2> together, nb::dict rules) {
            const auto n = X.shape(0), p = X.shape(1);
            const bool numbers = y.shape(1) > 0;
            trees::CartRule rule = rule_of(rules);
            const bool number_rule = rule.criterion >= trees::CartCriterion::squared;
            require(n > 0 && p > 0 && n < std::size_t(trees::kMissingRank),
                    "cart_grow: the number of rows is out of range");
            require((numbers ? y.shape(0) : codes.shape(0)) == n && numbers == number_rule &&
                        (numbers || codes.shape(1) > 0),
                    "cart_grow: the target has the wrong length or type");
            require(weights.shape(0) == 0 || weights.shape(0) == n, "cart_grow: the weights have the wrong length");
            for (const double w : view(weights))
                require(w > 0.0 && std::isfinite(w), "cart_grow: the weights must be positive");
            require(categorical.shape(0) == 0 || categorical.shape(0) == p,
                    "cart_grow: `categorical` has the wrong length");
            require(monotone.shape(0) == 0 || monotone.shape(0) == p, "cart_grow: `monotone` has the wrong length");
            require(together.shape(0) == 0 || together.shape(1) == p, "cart_grow: `together` has the wrong shape");
            trees::CartTarget target;
            target.rows = Index(n);
            target.outputs = Index(numbers ? y.shape(1) : codes.shape(1));
            const auto given = view(classes);
            const std::vector<int> n_classes(given.begin(), given.end());
            if (numbers) {
                target.y = {y.data(), n * y.shape(1)};
            } else {
                require(n_classes.size() == codes.shape(1), "cart_grow: `n_classes` has the wrong length");
                check_codes(codes, n_classes);
                target.codes = {codes.data(), n * codes.shape(1)};
                target.classes = *std::max_element(n_classes.begin(), n_classes.end());
                const Index k = target.classes;
                require(rule.criterion != trees::CartCriterion::loss ||
                            (codes.shape(1) == 1 && losses.shape(0) == k && losses.shape(1) == k),
                        "cart_grow: the losses have the wrong shape");
                target.losses = {losses.data(), losses.size()};
                require(monotone.shape(0) == 0 || (k <= 2 && codes.shape(1) == 1),
                        "cart_grow: monotone constraints need two classes");
            }
            target.n_classes = n_classes;
            target.weights = view(weights);
            check_levels(view(X), view(categorical));
            rule.monotone = view(monotone);
            rule.together = view(together);
            std::vector<double> entropy;
            if (rule.criterion == trees::CartCriterion::entropy && weights.shape(0) == 0 &&
                rule.missing != trees::CartMissing::fractional && target.outputs == 1) {
                entropy.resize(n + 1);
                for (std::size_t k = 1; k <= n; ++k) entropy[k] = double(k) * std::log2(double(k));
                target.count_entropy = entropy;
            }
            auto tree = run_native([&](const Interrupt& stop) {
                auto columns = trees::sort_columns<T>(view(X), view(categorical), stop);
                if (stop.requested()) return trees::CartTree{};
                target.interrupt = &stop;
                return trees::cart_grow(columns, target, rule, stop);
            });
            return with_surrogates(std::move(tree));
        },
        "X"_array, "y"_array, "codes"_array, "classes"_array, "weights"_array, "losses"_array, "categorical"_array,
        "monotone"_array, "together"_array, "rules"_a);
}

}  // namespace

void bind_cart(nb::module_& m) {
    def_grow_cart<float>(m);
    def_grow_cart<double>(m);
}

}  // namespace statlearn
