#include "common/gate.hpp"
#include "smooth/local_polynomial.hpp"

namespace statlearn {

void bind_local_polynomial(nb::module_& m) {
    m.def(
        "local_polynomial",
        [](In<double, 2> X, In<double, 2> Z, In<double> y, In<double> w, In<double, 2> at, In<double, 2> at_z,
           In<double> bandwidth, int profile, int degree, double exponent, Index neighbors, Out<double> fitted,
           Out<double> leverage, Out<double, 2> rows) {
            const auto n = X.shape(0), q = at.shape(0);
            require(n >= 1 && Z.shape(0) == n && y.shape(0) == n && (w.shape(0) == 0 || w.shape(0) == n),
                    "local_polynomial: the arrays have different numbers of rows");
            require(at.shape(1) == X.shape(1) && at_z.shape(1) == Z.shape(1) && at_z.shape(0) == q,
                    "local_polynomial: the queries have the wrong shape");
            require(fitted.shape(0) == q && leverage.shape(0) == q,
                    "local_polynomial: the outputs have different lengths");
            require(neighbors > 0 || bandwidth.shape(0) == q, "local_polynomial: pass one bandwidth per query");
            require(rows.shape(0) == 0 || (rows.shape(0) == q && rows.shape(1) == n),
                    "local_polynomial: rows must be empty or queries x rows");
            require(0 <= profile && profile <= 3 && 0 <= degree && degree <= 2, "local_polynomial: unknown rule");
            run_native([&](const Interrupt& interrupt) {
                return smooth::local_polynomial({view(X), view(Z), view(y), view(w)},
                                                {view(at), view(at_z), view(bandwidth)},
                                                {smooth::Profile(profile), degree, exponent, neighbors}, interrupt,
                                                view(fitted), view(leverage), view(rows));
            });
        },
        "X"_array, "Z"_array, "y"_array, "w"_array, "at"_array, "at_z"_array, "bandwidth"_array, "profile"_a,
        "degree"_a, "exponent"_a, "neighbors"_a, "fitted"_array, "leverage"_array, "rows"_array);
}

}  // namespace statlearn
