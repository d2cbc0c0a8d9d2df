// Gaussian processes for many rows: inducing points, nearest neighbours, state space.
#include "gp/bind_formula.hpp"
#include "gp/sparse.hpp"
#include "gp/state_space.hpp"
#include "gp/vecchia.hpp"

namespace statlearn {
namespace {

void check_neighbors(const In<int, 2>& neighbors, Index n) {
    require(Index(neighbors.shape(1)) <= gp::kMostNeighbors, "neighbors: at most 47 columns");
    for (std::size_t k = 0; k < neighbors.shape(0) * neighbors.shape(1); ++k)
        require(neighbors.data()[k] >= -1 && neighbors.data()[k] < n, "neighbors: a row index is out of range");
}

}  // namespace

void bind_gp_scalable(nb::module_& m) {
    m.def(
        "covariance_diagonal",
        [](FormulaArgs formula, In<double, 2> X, Out<double> values, Out<double> out) {
            const auto f = formula_of(formula, X);
            require(values.shape(0) == X.shape(0) && Index(out.shape(0)) == f.n_slots,
                    "covariance_diagonal: the shapes of the arrays do not match");
            run_native(
                [&](const Interrupt& stop) { gp::covariance_diagonal(f, view(X), stop, view(values), view(out)); });
        },
        "formula"_a, "X"_array, "values"_array, "out"_array);
    m.def(
        "sparse_moments",
        [](FormulaArgs formula, In<double, 2> X, In<double> y, In<double, 2> Z, Out<double, 2> moments,
           Out<double> products) {
            const auto f = formula_of(formula, X);
            require(y.shape(0) == X.shape(0) && Z.shape(1) == X.shape(1) && moments.shape(0) == Z.shape(0) &&
                        moments.shape(1) == Z.shape(0) && products.shape(0) == Z.shape(0),
                    "sparse_moments: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                gp::sparse_moments(f, view(X), view(y), view(Z), stop, view(moments), view(products));
            });
        },
        "formula"_a, "X"_array, "y"_array, "Z"_array, "moments"_array, "products"_array);
    m.def(
        "sparse_gradient",
        [](FormulaArgs formula, In<double, 2> X, In<double> y, In<double, 2> Z, In<double, 2> G, In<double> g,
           Out<double> out) {
            const auto f = formula_of(formula, X);
            require(y.shape(0) == X.shape(0) && Z.shape(1) == X.shape(1) && G.shape(0) == Z.shape(0) &&
                        G.shape(1) == Z.shape(0) && g.shape(0) == Z.shape(0) && Index(out.shape(0)) == f.n_slots,
                    "sparse_gradient: the shapes of the arrays do not match");
            run_native([&](const Interrupt& stop) {
                gp::sparse_gradient(f, view(X), view(y), view(Z), view(G), view(g), stop, view(out));
            });
        },
        "formula"_a, "X"_array, "y"_array, "Z"_array, "G"_array, "g"_array, "out"_array);
    m.def(
        "vecchia_likelihood",
        [](FormulaArgs formula, In<double, 2> X, In<double> y, In<int, 2> neighbors, double noise, Out<double> out) {
            const auto f = formula_of(formula, X);
            require(y.shape(0) == X.shape(0) && neighbors.shape(0) == X.shape(0) &&
                        (out.shape(0) == 0 || Index(out.shape(0)) == f.n_slots),
                    "vecchia_likelihood: the shapes of the arrays do not match");
            check_neighbors(neighbors, Index(X.shape(0)));
            const auto value = run_native([&](const Interrupt& stop) {
                return gp::vecchia_likelihood(f, view(X), view(y), view(neighbors), noise, stop, view(out));
            });
            return nb::make_tuple(value.log_likelihood, value.noise_slope);
        },
        "formula"_a, "X"_array, "y"_array, "neighbors"_array, "noise"_a, "out"_array);
    m.def(
        "vecchia_predict",
        [](FormulaArgs formula, In<double, 2> New, In<double, 2> X, In<double> y, In<int, 2> neighbors, double noise,
           Out<double> mean, Out<double> variance) {
            const auto f = formula_of(formula, X);
            require(y.shape(0) == X.shape(0) && New.shape(1) == X.shape(1) && neighbors.shape(0) == New.shape(0) &&
                        mean.shape(0) == New.shape(0) && variance.shape(0) == New.shape(0),
                    "vecchia_predict: the shapes of the arrays do not match");
            check_neighbors(neighbors, Index(X.shape(0)));
            return run_native([&](const Interrupt& stop) {
                return gp::vecchia_predict(f, view(New), view(X), view(y), view(neighbors), noise, stop, view(mean),
                                           view(variance));
            });
        },
        "formula"_a, "New"_array, "X"_array, "y"_array, "neighbors"_array, "noise"_a, "mean"_array, "variance"_array);
    m.def(
        "line_likelihood",
        [](int order, double variance, double length, double noise, In<double> t, In<double> y) {
            require(t.shape(0) == y.shape(0) && 1 <= order && order <= 3, "line_likelihood: wrong shapes or order");
            const auto value = run_native([&](const Interrupt& stop) {
                return gp::line_likelihood({order, variance, length, noise}, view(t), view(y), stop);
            });
            return nb::make_tuple(value.log_likelihood, value.slope[0], value.slope[1], value.slope[2]);
        },
        "order"_a, "variance"_a, "length"_a, "noise"_a, "t"_array, "y"_array);
    m.def(
        "line_smooth",
        [](int order, double variance, double length, double noise, In<double> t, In<double> y, In<std::uint8_t> seen,
           Out<double> mean, Out<double> spread) {
            require(t.shape(0) == y.shape(0) && seen.shape(0) == t.shape(0) && mean.shape(0) == t.shape(0) &&
                        spread.shape(0) == t.shape(0) && 1 <= order && order <= 3,
                    "line_smooth: wrong shapes or order");
            run_native([&](const Interrupt& stop) {
                gp::line_smooth({order, variance, length, noise}, view(t), view(y), view(seen), stop, view(mean),
                                view(spread));
            });
        },
        "order"_a, "variance"_a, "length"_a, "noise"_a, "t"_array, "y"_array, "seen"_array, "mean"_array,
        "spread"_array);
}

}  // namespace statlearn
