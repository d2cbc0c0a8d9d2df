#include "common/gate.hpp"
#include "linear/columns.hpp"
#include "linear/group_lasso.hpp"

namespace statlearn {
namespace {

// What dense and sparse data share.
struct GroupPathArguments {
    In<double> y;
    std::optional<In<double>> weights;
    In<int> columns, starts;
    In<double> penalty, alphas;
    Out<double, 2> coefs;
    Out<double> gaps;
    Out<int> sweeps;

    void check(std::size_t n, std::size_t p) const {
        const auto groups = penalty.shape(0), path = alphas.shape(0);
        require(y.shape(0) == n && (!weights || weights->shape(0) == n),
                "group_lasso_path: the arrays have different numbers of rows");
        require(columns.shape(0) == p, "group_lasso_path: the arrays have different numbers of columns");
        require(path >= 1 && starts.shape(0) == groups + 1, "group_lasso_path: the numbers of groups differ");
        require(coefs.shape(0) == path && coefs.shape(1) == p && gaps.shape(0) == path && sweeps.shape(0) == path,
                "group_lasso_path: the results have the wrong shapes");
        for (const int j : view(columns))
            require(0 <= j && std::size_t(j) < p, "group_lasso_path: a column index is out of range");
        const auto at = view(starts);
        require(at[0] == 0 && std::size_t(at[groups]) == p, "group_lasso_path: the groups must cover all columns");
        for (std::size_t g = 0; g < groups; ++g) require(at[g] < at[g + 1], "group_lasso_path: a group is empty");
    }
    Span<const double> row_weights() const { return weights ? view(*weights) : Span<const double>(); }

    template <class Make>
    nb::tuple run(Make&& make, double tol, int max_iter) const {
        const auto info = run_native([&](const Interrupt& stop) {
            auto source = make();
            const linear::Groups groups{view(columns), view(starts), view(penalty)};
            return linear::group_lasso_path(source, groups, view(alphas), {tol, max_iter}, stop, view(coefs),
                                            view(gaps), view(sweeps));
        });
        return nb::make_tuple(int(info.status), info.n_stopped);
    }
};

template <class T>
void def_group_lasso(nb::module_& m) {
    m.def(
        "group_lasso_path_dense",
        [](InF<T> X, In<double> y, std::optional<In<double>> weights, bool centre, In<int> columns, In<int> starts,
           In<double> penalty, In<double> alphas, double tol, int max_iter, Out<double, 2> coefs, Out<double> gaps,
           Out<int> sweeps) {
            const GroupPathArguments given{y, weights, columns, starts, penalty, alphas, coefs, gaps, sweeps};
            given.check(X.shape(0), X.shape(1));
            return given.run([&] { return linear::DenseColumns<T>(view(X), view(y), given.row_weights(), centre); },
                             tol, max_iter);
        },
        "X"_array, "y"_array, "weights"_array.none(), "centre"_a, "columns"_array, "starts"_array, "penalty"_array,
        "alphas"_array, "tol"_a, "max_iter"_a, "coefs"_array, "gaps"_array, "sweeps"_array);
    m.def(
        "group_lasso_path_sparse",
        [](In<T> values, In<int> rows_of, In<int> indptr, In<double> y, std::optional<In<double>> weights, bool centre,
           In<int> columns, In<int> starts, In<double> penalty, In<double> alphas, double tol, int max_iter,
           Out<double, 2> coefs, Out<double> gaps, Out<int> sweeps) {
            const auto X = csc_view(values, rows_of, indptr, Index(y.shape(0)));
            const GroupPathArguments given{y, weights, columns, starts, penalty, alphas, coefs, gaps, sweeps};
            given.check(y.shape(0), std::size_t(X.cols));
            return given.run([&] { return linear::SparseColumns<T>(X, view(y), given.row_weights(), centre); }, tol,
                             max_iter);
        },
        "values"_array, "rows_of"_array, "indptr"_array, "y"_array, "weights"_array.none(), "centre"_a, "columns"_array,
        "starts"_array, "penalty"_array, "alphas"_array, "tol"_a, "max_iter"_a, "coefs"_array, "gaps"_array,
        "sweeps"_array);
}

}  // namespace

void bind_group_lasso(nb::module_& m) {
    def_group_lasso<double>(m);
    def_group_lasso<float>(m);
}

}  // namespace statlearn
