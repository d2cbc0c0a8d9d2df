#include "common/gate.hpp"
#include "linear/columns.hpp"
#include "linear/nonconvex.hpp"

namespace statlearn {

namespace {

// What dense and sparse data share.
struct NonconvexArguments {
    In<double> y;
    std::optional<In<double>> weights;
    In<double> scale;
    int kind;
    double gamma;
    In<double> alphas;
    Out<double, 2> coefs;
    Out<int> sweeps;

    Span<const double> row_weights() const { return weights ? view(*weights) : Span<const double>(); }

    template <class Make>
    nb::tuple run(std::size_t n, std::size_t p, Make&& make, double tol, int max_iter) const {
        const auto path = alphas.shape(0);
        require(y.shape(0) == n && (!weights || weights->shape(0) == n),
                "nonconvex_path: the arrays have different numbers of rows");
        require(scale.shape(0) == p, "nonconvex_path: the arrays have different numbers of columns");
        require(kind == 0 || kind == 1, "nonconvex_path: unknown penalty");
        require(coefs.shape(0) == path && coefs.shape(1) == p && sweeps.shape(0) == path,
                "nonconvex_path: the results have the wrong shapes");
        const auto info = run_native([&](const Interrupt& stop) {
            auto source = make();
            return linear::nonconvex_path(source, view(scale), linear::Concave(kind), gamma, view(alphas),
                                          {tol, max_iter}, stop, view(coefs), view(sweeps));
        });
        return nb::make_tuple(int(info.status), info.n_stopped);
    }
};

template <class T>
void def_nonconvex(nb::module_& m) {
    m.def(
        "nonconvex_path_dense",
        [](InF<T> X, In<double> y, std::optional<In<double>> weights, bool centre, In<double> scale, int kind,
           double gamma, In<double> alphas, double tol, int max_iter, Out<double, 2> coefs, Out<int> sweeps) {
            const NonconvexArguments given{y, weights, scale, kind, gamma, alphas, coefs, sweeps};
            return given.run(
                X.shape(0), X.shape(1),
                [&] { return linear::DenseColumns<T>(view(X), view(y), given.row_weights(), centre); }, tol, max_iter);
        },
        "X"_array, "y"_array, "weights"_array.none(), "centre"_a, "scale"_array, "kind"_a, "gamma"_a, "alphas"_array,
        "tol"_a, "max_iter"_a, "coefs"_array, "sweeps"_array);
    m.def(
        "nonconvex_path_sparse",
        [](In<T> values, In<int> rows_of, In<int> indptr, In<double> y, std::optional<In<double>> weights, bool centre,
           In<double> scale, int kind, double gamma, In<double> alphas, double tol, int max_iter, Out<double, 2> coefs,
           Out<int> sweeps) {
            const auto X = csc_view(values, rows_of, indptr, Index(y.shape(0)));
            const NonconvexArguments given{y, weights, scale, kind, gamma, alphas, coefs, sweeps};
            return given.run(
                y.shape(0), std::size_t(X.cols),
                [&] { return linear::SparseColumns<T>(X, view(y), given.row_weights(), centre); }, tol, max_iter);
        },
        "values"_array, "rows_of"_array, "indptr"_array, "y"_array, "weights"_array.none(), "centre"_a, "scale"_array,
        "kind"_a, "gamma"_a, "alphas"_array, "tol"_a, "max_iter"_a, "coefs"_array, "sweeps"_array);
}

}  // namespace

void bind_nonconvex(nb::module_& m) {
    def_nonconvex<double>(m);
    def_nonconvex<float>(m);
    m.def("concave_threshold", [](int kind, double z, double v, double alpha, double gamma) {
        return linear::concave_threshold(linear::Concave(kind), z, v, alpha, gamma);
    });
    m.def("concave_penalty", [](int kind, double b, double alpha, double gamma) {
        return linear::concave_penalty(linear::Concave(kind), b, alpha, gamma);
    });
}

}  // namespace statlearn
