#include "common/gate.hpp"
#include "linear/lars.hpp"

namespace statlearn {
void bind_lars(nb::module_& m) {
    m.def(
        "lars_path",
        [](InF<double> design, bool is_gram, In<double> xy, bool lasso, bool positive, double c_min, int max_iter,
           int max_rank, double eps, bool keep_path) {
            const auto p = xy.shape(0);
            require(design.shape(1) == p,
                    "lars_path: the design and the inner products have different numbers of columns");
            require(!is_gram || design.shape(0) == p, "lars_path: the Gram matrix must be square");
            require(lasso || !positive, "lars_path: `positive` needs the lasso variant");
            auto path = run_native([&](const Interrupt& stop) {
                return linear::lars_path(view(design), is_gram, view(xy),
                                         {lasso, positive, c_min, max_iter, max_rank, eps, keep_path}, stop);
            });
            const auto nodes = path.level.size(), events = path.events.size() / 2;
            const auto active = path.active.size(), degenerate = path.degenerate.size();
            return nb::make_tuple(to_numpy(std::move(path.level), {nodes}), to_numpy(std::move(path.coefs), {nodes, p}),
                                  to_numpy(std::move(path.products), {nodes, p}),
                                  to_numpy(std::move(path.active), {active}),
                                  to_numpy(std::move(path.events), {events, 2}),
                                  to_numpy(std::move(path.degenerate), {degenerate}), path.n_iter, int(path.status));
        },
        "design"_array, "is_gram"_a, "xy"_array, "lasso"_a, "positive"_a, "c_min"_a, "max_iter"_a, "max_rank"_a,
        "eps"_a, "keep_path"_a);
}

}  // namespace statlearn
