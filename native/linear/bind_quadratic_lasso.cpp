#include "common/gate.hpp"
#include "linear/quadratic_lasso.hpp"

namespace statlearn {

void bind_quadratic_lasso(nb::module_& m) {
    m.def(
        "quadratic_lasso_gram",
        [](In<double, 2> A, In<double> c, double l1, double tol, int max_iter, Out<double> w) {
            const auto p = w.shape(0);
            require(A.shape(0) == p && A.shape(1) == p && c.shape(0) == p,
                    "quadratic_lasso_gram: the shapes of the arrays do not match");
            const auto info = run_native([&](const Interrupt& stop) {
                return linear::quadratic_lasso_gram(view(A), view(c), l1, {tol, max_iter}, stop, view(w));
            });
            return nb::make_tuple(info.change, info.n_iter, int(info.status));
        },
        "A"_array, "c"_array, "l1"_a, "tol"_a, "max_iter"_a, "w"_array);
    m.def(
        "quadratic_lasso",
        [](InF<double> X, In<double> h, double l1, double l2, bool intercept, double tol, int max_iter, Out<double> w,
           double b, Out<double> residual) {
            const auto n = X.shape(0);
            require(h.shape(0) == n && residual.shape(0) == n && w.shape(0) == X.shape(1),
                    "quadratic_lasso: the shapes of the arrays do not match");
            const auto info = run_native([&](const Interrupt& stop) {
                return linear::quadratic_lasso(view(X), view(h), l1, l2, intercept, {tol, max_iter}, stop, view(w), b,
                                               view(residual));
            });
            return nb::make_tuple(b, info.change, info.n_iter, int(info.status));
        },
        "X"_array, "h"_array, "l1"_a, "l2"_a, "intercept"_a, "tol"_a, "max_iter"_a, "w"_array, "b"_a, "residual"_array);
    m.def(
        "quadratic_lasso_sparse",
        [](In<double> values, In<int> rows_of, In<int> indptr, In<double> h, double l1, double l2, bool intercept,
           double tol, int max_iter, Out<double> w, double b, Out<double> residual) {
            const auto X = csc_view<double>(values, rows_of, indptr, Index(h.shape(0)));
            require(residual.shape(0) == h.shape(0) && Index(w.shape(0)) == X.cols,
                    "quadratic_lasso_sparse: the shapes of the arrays do not match");
            const auto info = run_native([&](const Interrupt& stop) {
                return linear::quadratic_lasso(X, view(h), l1, l2, intercept, {tol, max_iter}, stop, view(w), b,
                                               view(residual));
            });
            return nb::make_tuple(b, info.change, info.n_iter, int(info.status));
        },
        "values"_array, "rows_of"_array, "indptr"_array, "h"_array, "l1"_a, "l2"_a, "intercept"_a, "tol"_a,
        "max_iter"_a, "w"_array, "b"_a, "residual"_array);
}

}  // namespace statlearn
