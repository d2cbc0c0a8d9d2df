#include "common/gate.hpp"
#include "smooth/varying_coefficients.hpp"

namespace statlearn {

void bind_varying_coefficients(nb::module_& m) {
    m.def(
        "varying_coefficients",
        [](In<double> z, In<double, 2> X, In<double> y, In<double> w, In<double> at, In<double> bandwidth,
           In<double, 2> at_x, int profile, int degree, double exponent, Index neighbors, Out<double, 2> coef,
           Out<double, 2> variance, Out<double> leverage, Out<double> spread) {
            const auto n = z.shape(0), q = X.shape(1), count = at.shape(0);
            require(n >= 1 && X.shape(0) == n && y.shape(0) == n && (w.shape(0) == 0 || w.shape(0) == n),
                    "varying_coefficients: the arrays have different numbers of rows");
            require(q >= 1 && coef.shape(0) == count && coef.shape(1) == q,
                    "varying_coefficients: `coef` has the wrong shape");
            require(variance.shape(0) == 0 || (variance.shape(0) == count && variance.shape(1) == q),
                    "varying_coefficients: `variance` has the wrong shape");
            require(at_x.shape(0) == 0 || (at_x.shape(0) == count && at_x.shape(1) == q && leverage.shape(0) == count),
                    "varying_coefficients: the queries have the wrong shape");
            require(spread.shape(0) == 0 || (spread.shape(0) == count && variance.shape(0) == count),
                    "varying_coefficients: `spread` needs `variance`");
            require(neighbors > 0 || bandwidth.shape(0) == count, "varying_coefficients: pass one bandwidth per query");
            require(0 <= profile && profile <= 3 && 0 <= degree && degree <= 2, "varying_coefficients: unknown rule");
            run_native([&](const Interrupt& interrupt) {
                return smooth::varying_coefficients({view(z), view(X), view(y), view(w)},
                                                    {view(at), view(bandwidth), view(at_x)},
                                                    {smooth::Profile(profile), degree, exponent, neighbors}, interrupt,
                                                    {view(coef), view(variance), view(leverage), view(spread)});
            });
        },
        "z"_array, "X"_array, "y"_array, "w"_array, "at"_array, "bandwidth"_array, "at_x"_array, "profile"_a,
        "degree"_a, "exponent"_a, "neighbors"_a, "coef"_array, "variance"_array, "leverage"_array, "spread"_array);
}

}  // namespace statlearn
