#include "common/gate.hpp"
#include "linear/group_lasso.hpp"

namespace statlearn {

void bind_group_lasso(nb::module_& m) {
    m.def(
        "group_lasso_path",
        [](InF<double> X, In<double> y, std::optional<In<double>> weights, In<double> means, In<int> columns,
           In<int> starts, In<double> penalty, In<double> alphas, double tol, int max_iter, Out<double, 2> coefs,
           Out<double> gaps, Out<int> sweeps) {
            const auto n = X.shape(0), p = X.shape(1), groups = penalty.shape(0), path = alphas.shape(0);
            require(y.shape(0) == n && (!weights || weights->shape(0) == n), "group_lasso_path: row counts differ");
            require(means.shape(0) == p && columns.shape(0) == p, "group_lasso_path: column counts differ");
            require(starts.shape(0) == groups + 1, "group_lasso_path: group counts differ");
            require(coefs.shape(0) == path && coefs.shape(1) == p && gaps.shape(0) == path && sweeps.shape(0) == path,
                    "group_lasso_path: results have other shapes");
            for (const int j : view(columns)) require(0 <= j && std::size_t(j) < p, "group_lasso_path: no such column");
            const auto at = view(starts);
            require(at[0] == 0 && std::size_t(at[groups]) == p, "group_lasso_path: groups do not cover the columns");
            for (std::size_t g = 0; g < groups; ++g) require(at[g] < at[g + 1], "group_lasso_path: empty group");
            const auto info = run_native([&](const Interrupt& stop) {
                const linear::GroupLassoData data{
                    view(X),      view(y),       weights ? view(*weights) : std::span<const double>(),
                    view(means),  view(columns), view(starts),
                    view(penalty)};
                return linear::group_lasso_path(data, view(alphas), {tol, max_iter}, stop, view(coefs), view(gaps),
                                                view(sweeps));
            });
            return nb::make_tuple(int(info.status), info.n_stopped);
        },
        "X"_a.noconvert(), "y"_a.noconvert(), "weights"_a.noconvert().none(), "means"_a.noconvert(),
        "columns"_a.noconvert(), "starts"_a.noconvert(), "penalty"_a.noconvert(), "alphas"_a.noconvert(), "tol"_a,
        "max_iter"_a, "coefs"_a.noconvert(), "gaps"_a.noconvert(), "sweeps"_a.noconvert());
}

}  // namespace statlearn
