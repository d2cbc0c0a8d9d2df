#include "common/gate.hpp"
#include "decomposition/nmf.hpp"

namespace statlearn {

namespace {

template <class T>
void require_factors(const InAny<T>& X, const In<T, 2>& W, const In<T, 2>& H) {
    require(W.shape(0) == X.shape(0) && H.shape(1) == X.shape(1) && W.shape(1) == H.shape(0) && W.shape(1) > 0,
            "nmf: the shapes of X, W and H do not match");
}

template <class T>
void def_nmf(nb::module_& m) {
    m.def(
        "nmf_coordinate_rows",
        [](In<T, 2> A, In<double, 2> G, In<int> order, double l1, double l2, int max_sweeps, double enough,
           Out<T, 2> W) {
            const auto k = W.shape(1);
            require(A.shape(0) == W.shape(0) && A.shape(1) == k && G.shape(0) == k && G.shape(1) == k,
                    "nmf_coordinate_rows: the shapes of the arrays do not match");
            for (const int t : view(order))
                require(0 <= t && std::size_t(t) < k, "nmf_coordinate_rows: a coordinate is out of range");
            return run_native([&](const Interrupt& stop) {
                return decomposition::nmf_coordinate_rows<T>(view(A), view(G), view(order),
                                                             {l1, l2, max_sweeps, enough}, stop, view(W));
            });
        },
        "A"_array, "G"_array, "order"_array, "l1"_a, "l2"_a, "max_sweeps"_a, "enough"_a, "W"_array);
    m.def(
        "nmf_alternating_pass",
        [](InAny<T> X, In<T, 2> H, In<double, 2> G, In<int> order, double l1, double l2, int max_sweeps, double enough,
           bool missing, In<T> row_steps, Out<T, 2> W, Out<T, 2> products) {
            const auto k = W.shape(1);
            require(W.shape(0) == X.shape(0) && H.shape(0) == k && H.shape(1) == X.shape(1) && G.shape(0) == k &&
                        G.shape(1) == k && products.shape(0) == X.shape(1) && products.shape(1) == k && k > 0,
                    "nmf_alternating_pass: the shapes of the arrays do not match");
            require(row_steps.shape(0) == 0 || row_steps.shape(0) == X.shape(0),
                    "nmf_alternating_pass: there must be a step for each row, or none");
            for (const int t : view(order))
                require(0 <= t && std::size_t(t) < k, "nmf_alternating_pass: a coordinate is out of range");
            const auto facts = run_native([&](const Interrupt& stop) {
                return decomposition::nmf_alternating_pass<T>(view(X), view(H), view(G), view(order),
                                                              {l1, l2, max_sweeps, enough}, missing, view(row_steps),
                                                              stop, view(W), view(products));
            });
            return nb::make_tuple(facts.violation, facts.size, facts.squares);
        },
        "X"_array, "H"_array, "G"_array, "order"_array, "l1"_a, "l2"_a, "max_sweeps"_a, "enough"_a, "missing"_a,
        "row_steps"_array, "W"_array, "products"_array);
    m.def(
        "nmf_masked_rows",
        [](InAny<T> X, In<T, 2> Ht, double l1, double l2, int max_sweeps, double enough, Out<T, 2> W) {
            require(Ht.shape(0) == X.shape(1) && W.shape(0) == X.shape(0) && W.shape(1) == Ht.shape(1),
                    "nmf_masked_rows: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                decomposition::nmf_masked_rows<T>(view(X), view(Ht), {l1, l2, max_sweeps, enough}, stop, view(W));
            });
        },
        "X"_array, "Ht"_array, "l1"_a, "l2"_a, "max_sweeps"_a, "enough"_a, "W"_array);
    m.def(
        "nmf_beta_sums",
        [](InAny<T> X, In<T, 2> W, In<T, 2> H, double beta, bool columns, Out<T, 2> num, Out<T, 2> den) {
            require_factors<T>(X, W, H);
            const auto rows = columns ? H.shape(0) : W.shape(0), cols = columns ? H.shape(1) : W.shape(1);
            const bool both = den.shape(0) > 0;
            require(num.shape(0) == rows && num.shape(1) == cols &&
                        (!both || (den.shape(0) == rows && den.shape(1) == cols)),
                    "nmf_beta_sums: the shapes of the sums do not match");
            run_native([&](const Interrupt& stop) {
                decomposition::nmf_beta_sums<T>(view(X), view(W), view(H), beta, columns, stop, view(num),
                                                both ? view(den) : Matrix<T>{});
            });
        },
        "X"_array, "W"_array, "H"_array, "beta"_a, "columns"_a, "num"_array, "den"_array);
    m.def(
        "nmf_beta_sparse",
        [](In<T> values, In<int> cols_of, In<int> indptr, In<T, 2> W, In<T, 2> Ht, double beta, Out<T, 2> num) {
            const auto X = csr_view<T>(values, cols_of, indptr, Index(Ht.shape(0)));
            require(std::size_t(X.rows) == W.shape(0) && W.shape(1) == Ht.shape(1) && num.shape(0) == W.shape(0) &&
                        num.shape(1) == W.shape(1),
                    "nmf_beta_sparse: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                decomposition::nmf_beta_sparse<T>(X, view(W), view(Ht), beta, stop, view(num));
            });
        },
        "values"_array, "cols_of"_array, "indptr"_array, "W"_array, "Ht"_array, "beta"_a, "num"_array);
    m.def(
        "nmf_impute",
        [](InAny<T> X, In<T, 2> W, In<T, 2> H, Out<T, 2> filled) {
            require_factors<T>(X, W, H);
            require(filled.shape(0) == X.shape(0) && filled.shape(1) == X.shape(1),
                    "nmf_impute: the shapes of the arrays do not match");
            return run_native([&](const Interrupt& stop) {
                return decomposition::nmf_impute<T>(view(X), view(W), view(H), stop, view(filled));
            });
        },
        "X"_array, "W"_array, "H"_array, "filled"_array);
    m.def(
        "nmf_divergence",
        [](InAny<T> X, In<T, 2> W, In<T, 2> H, double beta) {
            require_factors<T>(X, W, H);
            return run_native([&](const Interrupt& stop) {
                return decomposition::nmf_divergence<T>(view(X), view(W), view(H), beta, stop);
            });
        },
        "X"_array, "W"_array, "H"_array, "beta"_a);
}

}  // namespace

void bind_nmf(nb::module_& m) {
    def_nmf<float>(m);
    def_nmf<double>(m);
}

}  // namespace statlearn
