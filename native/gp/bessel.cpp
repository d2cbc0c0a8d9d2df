#include "gp/bessel.hpp"

#include <cmath>
#include <numbers>

namespace statlearn::gp {
namespace {

constexpr double kEps = 1e-16;
constexpr int kMost = 10'000;

// K_mu and K_{mu + 1} for |mu| <= 1/2 and 0 < x <= 2: N. M. Temme (1975), On the numerical evaluation of the modified
// Bessel function of the third kind.
BesselPair temme(double mu, double x) {
    const double pi = std::numbers::pi;
    // Gamma functions around 1: g1 = (1/Gamma(1 - mu) - 1/Gamma(1 + mu)) / (2 mu), g2 their mean.
    const double plus = 1.0 / std::tgamma(1.0 + mu), minus = 1.0 / std::tgamma(1.0 - mu);
    double g1;
    if (std::abs(mu) > 1e-3) {
        g1 = (minus - plus) / (2.0 * mu);
    } else {
        // 1 / Gamma(1 + z) = sum c_k z^k: the odd coefficients, with their sign changed.
        const double m2 = mu * mu;
        g1 = -(0.5772156649015328606 + m2 * (-0.0420026350340952355 + m2 * -0.0421977345555443367));
    }
    const double g2 = 0.5 * (minus + plus);
    const double half = 0.5 * x, log_half = std::log(2.0 / x), sigma = mu * log_half;
    const double pimu = pi * mu;
    const double c = std::abs(pimu) < 1e-15 ? 1.0 : pimu / std::sin(pimu);
    const double s = std::abs(sigma) < 1e-8 ? 1.0 + sigma * sigma / 6.0 : std::sinh(sigma) / sigma;
    double f = c * (g1 * std::cosh(sigma) + g2 * log_half * s);
    double p = 0.5 * std::exp(sigma) / plus, q = 0.5 * std::exp(-sigma) / minus;
    double term = 1.0, sum = f, next = p;
    for (int k = 1; k < kMost; ++k) {
        f = (k * f + p + q) / (double(k) * k - mu * mu);
        p /= k - mu;
        q /= k + mu;
        term *= half * half / k;
        sum += term * f;
        next += term * (p - k * f);
        if (std::abs(term * f) < kEps * std::abs(sum)) break;
    }
    const double scale = std::exp(x);
    return {sum * scale, next * (2.0 / x) * scale, 0.0};
}

// The same for x > 2, by Steed's algorithm for the continued fraction of Temme.
BesselPair steed(double mu, double x) {
    double b = 2.0 * (1.0 + x), d = 1.0 / b, h = d, delta = d;
    double q1 = 0.0, q2 = 1.0;
    const double a1 = 0.25 - mu * mu;
    double c = a1, q = a1, a = -a1, s = 1.0 + q * delta;
    for (int k = 2; k < kMost; ++k) {
        a -= 2.0 * (k - 1);
        c = -a * c / k;
        const double qnew = (q1 - b * q2) / a;
        q1 = q2;
        q2 = qnew;
        q += c * qnew;
        b += 2.0;
        d = 1.0 / (b + a * d);
        delta = (b * d - 1.0) * delta;
        h += delta;
        const double ds = q * delta;
        s += ds;
        if (std::abs(ds / s) < kEps) break;
    }
    h = a1 * h;
    const double value = std::sqrt(std::numbers::pi / (2.0 * x)) / s;
    return {value, value * (mu + x + 0.5 - h) / x, 0.0};
}

}  // namespace

BesselPair bessel_k_scaled(double nu, double x) {
    const int steps = int(nu + 0.5);
    // Below 1/2, the orders -nu and 1 - nu are the two that are wanted, since K_{-nu} = K_nu.
    const double mu = steps == 0 ? -nu : nu - steps;
    const BesselPair pair = x <= 2.0 ? temme(mu, x) : steed(mu, x);
    double low = pair.order, high = pair.below;  // orders mu and mu + 1
    if (steps == 0) return pair;
    double exponent = 0.0;
    for (int k = 1; k < steps; ++k) {
        const double up = low + 2.0 * (mu + k) / x * high;
        low = high;
        high = up;
        if (high > 1e250) {
            high *= 1e-250;
            low *= 1e-250;
            exponent += 250.0 * std::numbers::ln10;
        }
    }
    return {high, low, exponent};
}

}  // namespace statlearn::gp
