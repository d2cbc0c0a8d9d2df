#include "common/gate.hpp"
#include "common/parallel.hpp"
#include "svm/linear_dual.hpp"
#include "svm/squared_newton.hpp"
#include "svm/truncated_newton.hpp"

namespace statlearn {
namespace {

using namespace svm;

template <class T>
RowsView<T> dense(const In<T, 2>& X) {
    return {{X.data(), X.shape(0) * X.shape(1)}, {}, {}, Index(X.shape(0)), Index(X.shape(1))};
}
// Compressed rows of X are compressed columns of its transpose.
template <class T>
RowsView<T> compressed(const In<T>& values, const In<int>& columns, const In<int>& starts, Index cols) {
    const auto X = csc_view(values, columns, starts, cols);
    require(!X.rows_of.empty(), "linear machine: a sparse matrix without entries");
    return {X.values, X.rows_of, X.indptr, X.cols, X.rows};
}

LinearDualOptions dual_options(double intercept_scale, bool free_intercept, double tol, int max_iter,
                               std::uint64_t seed) {
    return {intercept_scale, free_intercept, tol, max_iter, seed};
}

// One machine per row of `a`, in parallel.
template <class T>
nb::list dual_fit(const RowsView<T>& X, In<double, 2> target, In<double, 2> lower, In<double, 2> upper,
                  In<double, 2> ridge, double epsilon, LinearDualOptions options, Out<double, 2> a, Out<double, 2> W,
                  Out<double> b) {
    const auto n = std::size_t(X.rows), m = a.shape(0);
    for (const auto& each : {target, lower, upper, ridge})
        require(each.shape(0) == m && each.shape(1) == n, "linear_dual_fit: the shapes of the arrays do not match");
    require(a.shape(1) == n && W.shape(0) == m && Index(W.shape(1)) == X.cols && b.shape(0) == m,
            "linear_dual_fit: the shapes of the arrays do not match");
    std::vector<LinearDualInfo> infos(m);
    run_native([&](const Interrupt& stop) {
        parallel_for(Index(m), [&](Index c) {
            const LinearDual problem{{target.data() + c * n, n},
                                     {lower.data() + c * n, n},
                                     {upper.data() + c * n, n},
                                     {ridge.data() + c * n, n},
                                     epsilon};
            infos[c] = linear_dual_fit<T>(X, problem, options, stop, {a.data() + c * n, n},
                                          {W.data() + c * W.shape(1), W.shape(1)}, b.data()[c]);
        });
    });
    nb::list result;
    for (const auto& info : infos) result.append(nb::make_tuple(info.n_iter, info.violation, int(info.status)));
    return result;
}

template <class T>
nb::tuple joint_fit(const RowsView<T>& X, In<int> classes, int n_classes, In<double> upper, LinearDualOptions options,
                    Out<double, 2> W) {
    const Index n = X.rows;
    require(classes.shape(0) == n && upper.shape(0) == n && n_classes >= 1 && W.shape(0) == std::size_t(n_classes) &&
                Index(W.shape(1)) == X.cols + 1,
            "crammer_singer_fit: the shapes of the arrays do not match");
    for (const int y : view(classes)) require(0 <= y && y < n_classes, "crammer_singer_fit: class out of range");
    const auto info = run_native([&](const Interrupt& stop) {
        return crammer_singer_fit<T>(X, view(classes), n_classes, view(upper), options, stop, {W.data(), W.size()});
    });
    return nb::make_tuple(info.n_iter, info.violation, int(info.status));
}

SquaredMachine squared_machine(In<double> y, In<double> price, bool regression, double epsilon, double intercept_scale,
                               bool free_intercept, Index rows, Index cols, const Out<double>& w) {
    require(Index(y.shape(0)) == rows && Index(price.shape(0)) == rows && Index(w.shape(0)) == cols + 1,
            "squared machine: the shapes of the arrays do not match");
    return {view(y), view(price), regression, epsilon, intercept_scale, free_intercept};
}

nb::tuple facts(const SquaredInfo& info) {
    return nb::make_tuple(info.n_iter, info.objective, info.decrease, int(info.status));
}

template <class T>
nb::tuple truncated_fit(const RowsView<T>& X, const SquaredMachine& machine, StopRule rule, Out<double> w) {
    return facts(
        run_native([&](const Interrupt& stop) { return truncated_newton_fit<T>(X, machine, rule, stop, view(w)); }));
}

template <class T>
void def_linear(nb::module_& m) {
    m.def(
        "linear_dual_fit",
        [](In<T, 2> X, In<double, 2> target, In<double, 2> lower, In<double, 2> upper, In<double, 2> ridge,
           double epsilon, double intercept_scale, bool free_intercept, double tol, int max_iter, std::uint64_t seed,
           Out<double, 2> a, Out<double, 2> W, Out<double> b) {
            return dual_fit<T>(dense(X), target, lower, upper, ridge, epsilon,
                               dual_options(intercept_scale, free_intercept, tol, max_iter, seed), a, W, b);
        },
        "X"_array, "target"_array, "lower"_array, "upper"_array, "ridge"_array, "epsilon"_a, "intercept_scale"_a,
        "free_intercept"_a, "tol"_a, "max_iter"_a, "seed"_a, "a"_array, "W"_array, "b"_array);
    m.def(
        "linear_dual_fit_csr",
        [](In<T> values, In<int> columns, In<int> starts, In<double, 2> target, In<double, 2> lower,
           In<double, 2> upper, In<double, 2> ridge, double epsilon, double intercept_scale, bool free_intercept,
           double tol, int max_iter, std::uint64_t seed, Out<double, 2> a, Out<double, 2> W, Out<double> b) {
            return dual_fit<T>(compressed(values, columns, starts, Index(W.shape(1))), target, lower, upper, ridge,
                               epsilon, dual_options(intercept_scale, free_intercept, tol, max_iter, seed), a, W, b);
        },
        "values"_array, "columns"_array, "starts"_array, "target"_array, "lower"_array, "upper"_array, "ridge"_array,
        "epsilon"_a, "intercept_scale"_a, "free_intercept"_a, "tol"_a, "max_iter"_a, "seed"_a, "a"_array, "W"_array,
        "b"_array);
    m.def(
        "crammer_singer_fit",
        [](In<T, 2> X, In<int> classes, int n_classes, In<double> upper, double intercept_scale, double tol,
           int max_iter, std::uint64_t seed, Out<double, 2> W) {
            return joint_fit<T>(dense(X), classes, n_classes, upper,
                                dual_options(intercept_scale, false, tol, max_iter, seed), W);
        },
        "X"_array, "classes"_array, "n_classes"_a, "upper"_array, "intercept_scale"_a, "tol"_a, "max_iter"_a, "seed"_a,
        "W"_array);
    m.def(
        "crammer_singer_fit_csr",
        [](In<T> values, In<int> columns, In<int> starts, In<int> classes, int n_classes, In<double> upper,
           double intercept_scale, double tol, int max_iter, std::uint64_t seed, Out<double, 2> W) {
            require(W.shape(1) >= 1, "crammer_singer_fit: the shapes of the arrays do not match");
            return joint_fit<T>(compressed(values, columns, starts, Index(W.shape(1)) - 1), classes, n_classes, upper,
                                dual_options(intercept_scale, false, tol, max_iter, seed), W);
        },
        "values"_array, "columns"_array, "starts"_array, "classes"_array, "n_classes"_a, "upper"_array,
        "intercept_scale"_a, "tol"_a, "max_iter"_a, "seed"_a, "W"_array);
    m.def(
        "squared_newton_fit",
        [](In<T, 2> X, In<double> y, In<double> price, bool regression, double epsilon, double intercept_scale,
           bool free_intercept, double tol, int max_iter, Out<double> w) {
            const auto machine = squared_machine(y, price, regression, epsilon, intercept_scale, free_intercept,
                                                 Index(X.shape(0)), Index(X.shape(1)), w);
            return facts(run_native([&](const Interrupt& stop) {
                return squared_newton_fit<T>(view(X), machine, {tol, max_iter}, stop, view(w));
            }));
        },
        "X"_array, "y"_array, "price"_array, "regression"_a, "epsilon"_a, "intercept_scale"_a, "free_intercept"_a,
        "tol"_a, "max_iter"_a, "w"_array);
    m.def(
        "truncated_newton_fit",
        [](In<T, 2> X, In<double> y, In<double> price, bool regression, double epsilon, double intercept_scale,
           bool free_intercept, double tol, int max_iter, Out<double> w) {
            const auto machine = squared_machine(y, price, regression, epsilon, intercept_scale, free_intercept,
                                                 Index(X.shape(0)), Index(X.shape(1)), w);
            return truncated_fit<T>(dense(X), machine, {tol, max_iter}, w);
        },
        "X"_array, "y"_array, "price"_array, "regression"_a, "epsilon"_a, "intercept_scale"_a, "free_intercept"_a,
        "tol"_a, "max_iter"_a, "w"_array);
    m.def(
        "truncated_newton_fit_csr",
        [](In<T> values, In<int> columns, In<int> starts, In<double> y, In<double> price, bool regression,
           double epsilon, double intercept_scale, bool free_intercept, double tol, int max_iter, Out<double> w) {
            require(w.shape(0) >= 1, "squared machine: the shapes of the arrays do not match");
            const auto X = compressed(values, columns, starts, Index(w.shape(0)) - 1);
            const auto machine =
                squared_machine(y, price, regression, epsilon, intercept_scale, free_intercept, X.rows, X.cols, w);
            return truncated_fit<T>(X, machine, {tol, max_iter}, w);
        },
        "values"_array, "columns"_array, "starts"_array, "y"_array, "price"_array, "regression"_a, "epsilon"_a,
        "intercept_scale"_a, "free_intercept"_a, "tol"_a, "max_iter"_a, "w"_array);
}

}  // namespace

void bind_linear_machines(nb::module_& m) {
    def_linear<double>(m);
    def_linear<float>(m);
}

}  // namespace statlearn
