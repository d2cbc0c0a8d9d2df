#include "common/gate.hpp"
#include "linear/ridge_loo.hpp"

namespace statlearn {
namespace {

template <class T>
void def_ridge_loo(nb::module_& m) {
    m.def(
        "ridge_loo",
        [](InAny<T> X, std::optional<In<double>> mean, std::optional<In<double>> root, InAny<double> V,
           InAny<double> fits, InAny<double> shrink, InAny<double> B, In<double> base, double least,
           Out<double, 2> residuals) {
            const auto n = X.shape(0), p = X.shape(1), r = V.shape(1), k = shrink.shape(1), targets = B.shape(1);
            require((!mean || mean->shape(0) == p) && (!root || root->shape(0) == n) && V.shape(0) == p,
                    "ridge_loo: the shapes of `X`, `mean`, `root` and `V` do not match");
            require(fits.shape(0) == r && shrink.shape(0) == r && fits.shape(1) == targets * k,
                    "ridge_loo: the factors do not match the rows");
            require(B.shape(0) == n && base.shape(0) == n, "ridge_loo: the arrays have different numbers of rows");
            require(residuals.shape(0) == n && residuals.shape(1) == targets * k,
                    "ridge_loo: `residuals` must have shape (n, m k)");
            run_native([&](const Interrupt& stop) {
                const auto given = [](const std::optional<In<double>>& a) {
                    return a ? view(*a) : Span<const double>();
                };
                linear::ridge_loo<T>(view(X), given(mean), given(root), view(V), view(fits), view(shrink), view(B),
                                     view(base), least, stop, view(residuals));
            });
        },
        "X"_array, "mean"_array.none(), "root"_array.none(), "V"_array, "fits"_array, "shrink"_array, "B"_array,
        "base"_array, "least"_a, "residuals"_array);
}

}  // namespace

void bind_ridge_loo(nb::module_& m) {
    def_ridge_loo<double>(m);
    def_ridge_loo<float>(m);
}

}  // namespace statlearn
