#include <algorithm>
#include <cmath>

#include "common/gate.hpp"
#include "trees/bind_cart.hpp"
#include "trees/exact_forest.hpp"

namespace statlearn {

namespace {

template <class T>
void def_exact_forest(nb::module_& m) {
    m.def(
        "grow_exact_forest",
        [](InAny<T> X, In<double, 2> y, In<int, 2> codes, In<int> classes, In<double> weights,
           In<std::uint8_t> categorical, In<std::int8_t> monotone, In<std::uint64_t> bag_seeds,
           In<std::uint64_t> tree_seeds, int criterion, bool random_cuts, bool bootstrap, bool balanced, Index draws,
           Index max_features, int max_depth, Index max_leaves, Index min_split, Index min_leaf, double min_leaf_share,
           double min_decrease) {
            const auto n = X.shape(0), p = X.shape(1);
            const bool numbers = y.shape(1) > 0;
            require(n > 0 && p > 0 && n < std::size_t(trees::kMissingRank),
                    "grow_exact_forest: the number of rows is out of range");
            require((numbers ? y.shape(0) : codes.shape(0)) == n && (numbers || codes.shape(1) > 0),
                    "grow_exact_forest: the target has the wrong length");
            require(0 <= criterion && criterion <= int(trees::CartCriterion::poisson) &&
                        criterion != int(trees::CartCriterion::loss) &&
                        numbers == (criterion >= int(trees::CartCriterion::squared)),
                    "grow_exact_forest: the criterion does not suit the target");
            require(weights.shape(0) == 0 || weights.shape(0) == n,
                    "grow_exact_forest: the weights have the wrong length");
            for (const double w : view(weights))
                require(w > 0.0 && std::isfinite(w), "grow_exact_forest: the weights must be positive");
            require(categorical.shape(0) == p && (monotone.shape(0) == 0 || monotone.shape(0) == p),
                    "grow_exact_forest: the arrays have different numbers of columns");
            require(bag_seeds.shape(0) == tree_seeds.shape(0), "grow_exact_forest: pass one seed per tree");
            require(max_features >= 1 && max_depth >= 0 && min_leaf >= 1 && (!bootstrap || draws >= 1) &&
                        (!balanced || !numbers),
                    "grow_exact_forest: a limit is out of range");
            const auto given = view(classes);
            const std::vector<int> n_classes(given.begin(), given.end());
            trees::CartTarget target;
            target.rows = Index(n);
            target.outputs = Index(numbers ? y.shape(1) : codes.shape(1));
            target.n_classes = n_classes;
            target.weights = view(weights);
            if (numbers) {
                target.y = {y.data(), y.size()};
            } else {
                require(n_classes.size() == codes.shape(1), "grow_exact_forest: `n_classes` has the wrong length");
                for (std::size_t k = 0; k < codes.size(); ++k)
                    require(0 <= codes.data()[k] && codes.data()[k] < n_classes[k % n_classes.size()],
                            "grow_exact_forest: a class code is out of range");
                target.codes = {codes.data(), codes.size()};
                target.classes = *std::max_element(n_classes.begin(), n_classes.end());
                require(monotone.shape(0) == 0 || (target.classes <= 2 && target.outputs == 1),
                        "grow_exact_forest: monotone constraints need two classes");
            }
            const auto table = view(X);
            for (Index j = 0; j < table.cols; ++j)
                for (Index i = 0; categorical.data()[j] && i < table.rows; ++i) {
                    const T x = table(i, j);
                    require(x != x || (x >= 0 && x < T(1 << 24) && x == std::floor(x)),
                            "grow_exact_forest: categories must be coded 0, 1, ...");
                }
            trees::CartRule rule;
            rule.criterion = trees::CartCriterion(criterion);
            rule.random_splits = random_cuts;
            rule.presort = !random_cuts && 3 * max_features >= Index(p);
            if (max_depth > 0) rule.max_depth = max_depth;
            rule.min_split = min_split, rule.min_leaf = min_leaf, rule.min_decrease = min_decrease;
            rule.max_features = max_features, rule.max_leaves = max_leaves;
            rule.monotone = view(monotone);
            const trees::ExactForestRule forest{bootstrap, balanced, draws, min_leaf_share};
            auto grown = run_native([&](const Interrupt& stop) {
                const auto columns = trees::sort_columns<T>(table, view(categorical), stop);
                return trees::grow_exact_forest(columns, target, rule, forest, view(bag_seeds), view(tree_seeds), stop);
            });
            nb::list out;
            for (auto& tree : grown) out.append(cart_arrays(tree));
            return out;
        },
        "X"_array, "y"_array, "codes"_array, "classes"_array, "weights"_array, "categorical"_array, "monotone"_array,
        "bag_seeds"_array, "tree_seeds"_array, "criterion"_a, "random_cuts"_a, "bootstrap"_a, "balanced"_a, "draws"_a,
        "max_features"_a, "max_depth"_a, "max_leaves"_a, "min_split"_a, "min_leaf"_a, "min_leaf_share"_a,
        "min_decrease"_a);
}

}  // namespace

void bind_exact_forest(nb::module_& m) {
    def_exact_forest<float>(m);
    def_exact_forest<double>(m);
}

}  // namespace statlearn
