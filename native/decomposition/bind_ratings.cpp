#include "common/gate.hpp"
#include "common/index_checks.hpp"
#include "decomposition/als.hpp"
#include "decomposition/similar_rows.hpp"

namespace statlearn {

void bind_ratings(nb::module_& m) {
    m.def(
        "als_rows",
        [](In<double> values, In<int> cols_of, In<int> indptr, In<double> weights, In<double, 2> V, In<double> offset,
           double reg, double reg_bias, bool bias, bool by_count, Out<double, 2> U, Out<double> row_bias) {
            const auto R = csr_view<double>(values, cols_of, indptr, Index(V.shape(0)));
            require(weights.shape(0) == 0 || weights.shape(0) == values.shape(0),
                    "als_rows: pass one weight per entry");
            require(offset.shape(0) == 0 || offset.shape(0) == V.shape(0), "als_rows: pass one offset per column");
            require(U.shape(0) == std::size_t(R.rows) && U.shape(1) == V.shape(1) &&
                        (!bias || row_bias.shape(0) == U.shape(0)),
                    "als_rows: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                decomposition::als_rows(R, view(weights), view(V), view(offset), {reg, reg_bias, bias, by_count}, stop,
                                        view(U), view(row_bias));
            });
        },
        "values"_array, "cols_of"_array, "indptr"_array, "weights"_array, "V"_array, "offset"_array, "reg"_a,
        "reg_bias"_a, "bias"_a, "by_count"_a, "U"_array, "row_bias"_array);
    m.def(
        "rating_squares",
        [](In<double> values, In<int> cols_of, In<int> indptr, In<double> weights, In<double, 2> U, In<double, 2> V,
           double mean, In<double> row_bias, In<double> col_bias) {
            const auto R = csr_view<double>(values, cols_of, indptr, Index(V.shape(0)));
            require(weights.shape(0) == 0 || weights.shape(0) == values.shape(0),
                    "rating_squares: pass one weight per entry");
            require(U.shape(0) == std::size_t(R.rows) && U.shape(1) == V.shape(1) && row_bias.shape(0) == U.shape(0) &&
                        col_bias.shape(0) == V.shape(0),
                    "rating_squares: the shapes of the arrays do not match");
            return run_native([&](const Interrupt& stop) {
                return decomposition::rating_squares(R, view(weights), view(U), view(V), mean, view(row_bias),
                                                     view(col_bias), stop);
            });
        },
        "values"_array, "cols_of"_array, "indptr"_array, "weights"_array, "U"_array, "V"_array, "mean"_a,
        "row_bias"_array, "col_bias"_array);
    m.def(
        "als_implicit_rows",
        [](In<double> values, In<int> cols_of, In<int> indptr, In<double, 2> V, In<double, 2> gram, double reg,
           double alpha, int cg_steps, Out<double, 2> U) {
            const auto R = csr_view<double>(values, cols_of, indptr, Index(V.shape(0)));
            require(U.shape(0) == std::size_t(R.rows) && U.shape(1) == V.shape(1) && gram.shape(0) == V.shape(1) &&
                        gram.shape(1) == V.shape(1),
                    "als_implicit_rows: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                decomposition::als_implicit_rows(R, view(V), view(gram), {reg, alpha, cg_steps}, stop, view(U));
            });
        },
        "values"_array, "cols_of"_array, "indptr"_array, "V"_array, "gram"_array, "reg"_a, "alpha"_a, "cg_steps"_a,
        "U"_array);
    m.def(
        "pair_products",
        [](In<int> rows, In<int> cols, In<double, 2> U, In<double, 2> V, Out<double> out) {
            require(rows.shape(0) == cols.shape(0) && out.shape(0) == rows.shape(0) && U.shape(1) == V.shape(1),
                    "pair_products: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                const bool sound = all_below(rows.data(), Index(rows.shape(0)), U.shape(0)) &&
                                   all_below(cols.data(), Index(cols.shape(0)), V.shape(0));
                require(sound, "pair_products: an index is out of range");
                decomposition::pair_products(view(rows), view(cols), view(U), view(V), stop, view(out));
            });
        },
        "rows"_array, "cols"_array, "U"_array, "V"_array, "out"_array);
    m.def(
        "sgd_pass",
        [](In<int> rows, In<int> cols, In<double> ratings, In<double> weights, In<int> order, In<double> row_share,
           In<double> col_share, double mean, double rate, double reg, double reg_bias, bool bias, Out<double, 2> U,
           Out<double, 2> V, Out<double> row_bias, Out<double> col_bias) {
            const auto n = ratings.shape(0);
            require(rows.shape(0) == n && cols.shape(0) == n && (weights.shape(0) == 0 || weights.shape(0) == n),
                    "sgd_pass: pass a row, a column and a weight per rating");
            require(U.shape(1) == V.shape(1) && row_bias.shape(0) == U.shape(0) && col_bias.shape(0) == V.shape(0) &&
                        row_share.shape(0) == U.shape(0) && col_share.shape(0) == V.shape(0),
                    "sgd_pass: the shapes of the arrays do not match");
            const auto within = [](const In<int>& indices, std::size_t end) {
                for (const int i : view(indices))
                    require(0 <= i && std::size_t(i) < end, "sgd_pass: an index is out of range");
            };
            within(rows, U.shape(0));
            within(cols, V.shape(0));
            within(order, n);
            return run_native([&](const Interrupt& stop) {
                return decomposition::sgd_pass(view(rows), view(cols), view(ratings), view(weights), view(order),
                                               view(row_share), view(col_share), {mean, rate, reg, reg_bias, bias},
                                               stop, view(U), view(V), view(row_bias), view(col_bias));
            });
        },
        "rows"_array, "cols"_array, "ratings"_array, "weights"_array, "order"_array, "row_share"_array,
        "col_share"_array, "mean"_a, "rate"_a, "reg"_a, "reg_bias"_a, "bias"_a, "U"_array, "V"_array, "row_bias"_array,
        "col_bias"_array);
    m.def(
        "similar_rows",
        [](In<double> values, In<int> cols_of, In<int> indptr, In<double> turned_values, In<int> turned_cols,
           In<int> turned_indptr, int kind, int min_common, double shrinkage, Out<int, 2> neighbors,
           Out<double, 2> similarities) {
            require(indptr.shape(0) > 0 && turned_indptr.shape(0) > 0, "similar_rows: compressed rows are required");
            const Index n = Index(indptr.shape(0)) - 1, p = Index(turned_indptr.shape(0)) - 1;
            const auto table = csr_view<double>(values, cols_of, indptr, p);
            const auto turned = csr_view<double>(turned_values, turned_cols, turned_indptr, n);
            require(0 <= kind && kind <= 3, "similar_rows: unknown similarity");
            require(neighbors.shape(0) == std::size_t(n) && similarities.shape(0) == std::size_t(n) &&
                        neighbors.shape(1) == similarities.shape(1),
                    "similar_rows: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                decomposition::similar_rows(table, turned, {decomposition::Similarity(kind), min_common, shrinkage},
                                            stop, view(neighbors), view(similarities));
            });
        },
        "values"_array, "cols_of"_array, "indptr"_array, "turned_values"_array, "turned_cols"_array,
        "turned_indptr"_array, "kind"_a, "min_common"_a, "shrinkage"_a, "neighbors"_array, "similarities"_array);
}

}  // namespace statlearn
