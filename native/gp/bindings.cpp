// Gaussian processes: covariance functions, factors, posteriors.
#include "common/block_cholesky.hpp"
#include "common/gate.hpp"
#include "gp/bessel.hpp"
#include "gp/bind_formula.hpp"
#include "gp/covariance.hpp"
#include "gp/predict.hpp"

namespace statlearn {
namespace {

void def_covariance(nb::module_& m) {
    m.def(
        "covariance_gram",
        [](FormulaArgs formula, In<double, 2> X, bool both, Out<double, 2> out) {
            const auto f = formula_of(formula, X);
            require(out.shape(0) == X.shape(0) && out.shape(1) == X.shape(0),
                    "covariance_gram: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) { gp::covariance_gram(f, view(X), both, stop, view(out)); });
        },
        "formula"_a, "X"_array, "both"_a, "out"_array);
    m.def(
        "covariance_cross",
        [](FormulaArgs formula, In<double, 2> X, In<double, 2> Z, Out<double, 2> out) {
            const auto f = formula_of(formula, X);
            require(Z.shape(1) == X.shape(1) && out.shape(0) == X.shape(0) && out.shape(1) == Z.shape(0),
                    "covariance_cross: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) { gp::covariance_cross(f, view(X), view(Z), stop, view(out)); });
        },
        "formula"_a, "X"_array, "Z"_array, "out"_array);
    m.def(
        "covariance_trace",
        [](FormulaArgs formula, In<double, 2> X, double scale, In<double, 2> M, In<double, 2> U, In<double, 2> V,
           Out<double> out) {
            const auto f = formula_of(formula, X);
            const auto n = X.shape(0);
            require(M.shape(0) == n && M.shape(1) == n && U.shape(0) == n && V.shape(0) == n &&
                        U.shape(1) == V.shape(1) && Index(out.shape(0)) == f.n_slots,
                    "covariance_trace: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                gp::covariance_trace(f, view(X), scale, view(M), view(U), view(V), stop, view(out));
            });
        },
        "formula"_a, "X"_array, "scale"_a, "M"_array, "U"_array, "V"_array, "out"_array);
    m.def(
        "covariance_cross_trace",
        [](FormulaArgs formula, In<double, 2> X, In<double, 2> Z, In<double, 2> W, Out<double> out) {
            const auto f = formula_of(formula, X);
            require(Z.shape(1) == X.shape(1) && W.shape(0) == X.shape(0) && W.shape(1) == Z.shape(0) &&
                        Index(out.shape(0)) == f.n_slots,
                    "covariance_cross_trace: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                gp::covariance_cross_trace(f, view(X), view(Z), view(W), stop, view(out));
            });
        },
        "formula"_a, "X"_array, "Z"_array, "W"_array, "out"_array);
    m.def(
        "covariance_gradient",
        [](FormulaArgs formula, In<double, 2> X, Out<double, 3> out) {
            const auto f = formula_of(formula, X);
            require(out.shape(0) == X.shape(0) && out.shape(1) == X.shape(0) && Index(out.shape(2)) == f.n_slots,
                    "covariance_gradient: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                gp::covariance_gradient(f, view(X), stop, {out.data(), out.shape(0) * out.shape(1) * out.shape(2)});
            });
        },
        "formula"_a, "X"_array, "out"_array);
}

void def_predict(nb::module_& m) {
    m.def(
        "predict_rows",
        [](FormulaArgs formula, In<double, 2> New, In<double, 2> X, In<double, 2> A, In<double, 2> L, In<double, 2> H,
           In<double> weight, Out<double, 2> mean, Out<double> reduction, Out<double, 2> cross) {
            const auto f = formula_of(formula, X);
            const auto n = X.shape(0), rows = New.shape(0);
            const bool variance = reduction.shape(0) > 0;
            require(
                New.shape(1) == X.shape(1) && A.shape(0) == n && mean.shape(0) == rows && mean.shape(1) == A.shape(1) &&
                    (!variance || reduction.shape(0) == rows) && (!variance || (L.shape(0) == n && L.shape(1) == n)) &&
                    (weight.shape(0) == 0 || weight.shape(0) == n) &&
                    (H.shape(1) == 0 || (H.shape(0) == n && cross.shape(0) == rows)) && cross.shape(1) == H.shape(1),
                "predict_rows: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                gp::predict_rows(f, view(New), view(X), view(A), view(L), view(H), view(weight), stop, view(mean),
                                 view(reduction), view(cross));
            });
        },
        "formula"_a, "New"_array, "X"_array, "A"_array, "L"_array, "H"_array, "weight"_array, "mean"_array,
        "reduction"_array, "cross"_array);
}

void def_factor(nb::module_& m) {
    m.def(
        "cholesky_factor",
        [](Out<double, 2> A) {
            require(A.shape(0) == A.shape(1), "cholesky_factor: `A` must be square");
            return run_native([&](const Interrupt& stop) { return cholesky_factor(view(A), stop); });
        },
        "A"_array);
    m.def(
        "cholesky_inverse",
        [](In<double, 2> L, Out<double, 2> out) {
            require(L.shape(0) == L.shape(1) && out.shape(0) == L.shape(0) && out.shape(1) == L.shape(0),
                    "cholesky_inverse: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) { cholesky_inverse(view(L), stop, view(out)); });
        },
        "L"_array, "out"_array);
    m.def(
        "cholesky_solve_half",
        [](In<double, 2> L, bool transposed, Out<double, 2> B) {
            require(L.shape(0) == L.shape(1) && B.shape(0) == L.shape(0),
                    "cholesky_solve_half: the shapes of the arrays do not match");
            run_native([&](const Interrupt&) { cholesky_solve_half(view(L), transposed, view(B)); });
        },
        "L"_array, "transposed"_a, "B"_array);
    m.def(
        "bessel_k_scaled",
        [](double nu, double x) {
            require(nu > 0.0 && x > 0.0, "bessel_k_scaled: `nu` and `x` must be positive");
            const auto pair = gp::bessel_k_scaled(nu, x);
            return nb::make_tuple(pair.order, pair.below, pair.exponent);
        },
        "nu"_a, "x"_a);
}

}  // namespace

void bind_gp_scalable(nb::module_& m);
void bind_posterior_slope(nb::module_& m);

void bind_gp(nb::module_& m) {
    def_covariance(m);
    def_predict(m);
    def_factor(m);
    bind_gp_scalable(m);
    bind_posterior_slope(m);
}

}  // namespace statlearn
