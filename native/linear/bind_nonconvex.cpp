#include "common/gate.hpp"
#include "linear/nonconvex.hpp"

namespace statlearn {

void bind_nonconvex(nb::module_& m) {
    m.def(
        "nonconvex_path",
        [](InF<double> X, In<double> y, double total_weight, int kind, double gamma, In<double> alphas, double tol,
           int max_iter, Out<double, 2> coefs, Out<int> sweeps) {
            const auto path = alphas.shape(0);
            require(X.shape(0) == y.shape(0), "nonconvex_path: row counts differ");
            require(kind == 0 || kind == 1, "nonconvex_path: no such penalty");
            require(coefs.shape(0) == path && coefs.shape(1) == X.shape(1) && sweeps.shape(0) == path,
                    "nonconvex_path: results have other shapes");
            const auto info = run_native([&](const Interrupt& stop) {
                return linear::nonconvex_path(view(X), view(y), total_weight, linear::Concave(kind), gamma,
                                              view(alphas), {tol, max_iter}, stop, view(coefs), view(sweeps));
            });
            return nb::make_tuple(int(info.status), info.n_stopped);
        },
        "X"_a.noconvert(), "y"_a.noconvert(), "total_weight"_a, "kind"_a, "gamma"_a, "alphas"_a.noconvert(), "tol"_a,
        "max_iter"_a, "coefs"_a.noconvert(), "sweeps"_a.noconvert());
    m.def("concave_threshold", [](int kind, double z, double v, double alpha, double gamma) {
        return linear::concave_threshold(linear::Concave(kind), z, v, alpha, gamma);
    });
    m.def("concave_penalty", [](int kind, double b, double alpha, double gamma) {
        return linear::concave_penalty(linear::Concave(kind), b, alpha, gamma);
    });
}

}  // namespace statlearn
