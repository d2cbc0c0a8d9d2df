#include "common/gate.hpp"
#include "linear/stagewise.hpp"

namespace statlearn {

void bind_stagewise(nb::module_& m) {
    m.def(
        "stagewise_path",
        [](InF<double> X, In<double> y, double epsilon, double tol, int max_iter, int record_every) {
            require(X.shape(0) == y.shape(0), "stagewise_path: the arrays have different numbers of rows");
            require(X.shape(1) > 0 && record_every > 0 && epsilon >= 0.0,
                    "stagewise_path: an argument is out of range");
            auto path = run_native([&](const Interrupt& stop) {
                return linear::stagewise_path(view(X), view(y), {epsilon, tol, max_iter, record_every}, stop);
            });
            const auto nodes = path.rss.size();
            return nb::make_tuple(to_numpy(std::move(path.coefs), {nodes, X.shape(1)}),
                                  to_numpy(std::move(path.rss), {nodes}), to_numpy(std::move(path.steps), {nodes}),
                                  path.n_iter, int(path.status));
        },
        "X"_array, "y"_array, "epsilon"_a, "tol"_a, "max_iter"_a, "record_every"_a);
}

}  // namespace statlearn
