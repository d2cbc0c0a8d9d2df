#include <memory>

#include "common/gate.hpp"
#include "linear/quantile.hpp"

namespace statlearn {
namespace {

using linear::RowDesign;

// The part that dense and sparse data share: prices and results of one quantile.
nb::tuple fit(const RowDesign& Z, In<double> y, In<double> above, In<double> below, In<double> penalty, double tol,
              int max_iter, Out<double> beta, Out<int> basis) {
    const auto n = std::size_t(Z.rows()), q = std::size_t(Z.cols());
    require(q > 0, "quantile_fit: there is no column");
    require(y.shape(0) == n && above.shape(0) == n && below.shape(0) == n,
            "quantile_fit: the arrays have different numbers of rows");
    require(penalty.shape(0) == q && beta.shape(0) == q && basis.shape(0) == q,
            "quantile_fit: the arrays have different numbers of columns");
    const auto info = run_native([&](const Interrupt& stop) {
        return linear::quantile_fit({Z, view(y), view(above), view(below), view(penalty)}, {tol, max_iter}, stop,
                                    view(beta), view(basis));
    });
    return nb::make_tuple(info.gap, info.n_iter, info.n_pivots, int(info.status));
}

template <class T>
void def_dense_quantile(nb::module_& m) {
    m.def(
        "quantile_fit",
        [](InAny<T> X, In<double> centre, In<double> scale, bool intercept, In<double> y, In<double> above,
           In<double> below, In<double> penalty, double tol, int max_iter, Out<double> beta, Out<int> basis) {
            require(centre.shape(0) == X.shape(1) && scale.shape(0) == X.shape(1),
                    "quantile_fit: the shapes of the arrays do not match");
            const auto Z = linear::dense_rows<T>(view(X), view(centre), view(scale), intercept);
            return fit(*Z, y, above, below, penalty, tol, max_iter, beta, basis);
        },
        "X"_array, "centre"_array, "scale"_array, "intercept"_a, "y"_array, "above"_array, "below"_array,
        "penalty"_array, "tol"_a, "max_iter"_a, "beta"_array, "basis"_array);
}

}  // namespace

void bind_quantile(nb::module_& m) {
    def_dense_quantile<double>(m);
    def_dense_quantile<float>(m);
    m.def(
        "quantile_fit_csr",
        [](In<double> values, In<int> cols_of, In<int> indptr, In<double> scale, bool intercept, In<double> y,
           In<double> above, In<double> below, In<double> penalty, double tol, int max_iter, Out<double> beta,
           Out<int> basis) {
            const auto Z =
                linear::sparse_rows(csr_view(values, cols_of, indptr, Index(scale.shape(0))), view(scale), intercept);
            return fit(*Z, y, above, below, penalty, tol, max_iter, beta, basis);
        },
        "values"_array, "cols_of"_array, "indptr"_array, "scale"_array, "intercept"_a, "y"_array, "above"_array,
        "below"_array, "penalty"_array, "tol"_a, "max_iter"_a, "beta"_array, "basis"_array);
}

}  // namespace statlearn
