// Modified Bessel functions of the second kind, for Matern kernels of any smoothness.
#pragma once

namespace statlearn::gp {

struct BesselPair {
    double order, below;    // e^(x - exponent) K_nu(x) and e^(x - exponent) K_{nu - 1}(x)
    double exponent = 0.0;  // beyond 0 where the values themselves would overflow
};

// For nu > 0 and x > 0. Temme's series for x <= 2, Steed's continued fraction beyond, then the upward recurrence, which
// is stable. Relative errors are within some 1e-13; tests compare with scipy.
BesselPair bessel_k_scaled(double nu, double x);

}  // namespace statlearn::gp
