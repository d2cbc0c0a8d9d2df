// Generalised linear models, row by row: families with the link under which their loss is convex with a simple
// conjugate.
#pragma once

#include <algorithm>
#include <cmath>

#include "common/special.hpp"

namespace statlearn::linear {

enum class GlmFamily : int { gaussian = 0, binomial = 1, poisson = 2, gamma = 3, negative_binomial = 4, tweedie = 5 };

// Each family: the mean of a score, half the unit deviance as value(y, eta, mu) + constant(y), minus its slope and its
// curvature in eta as functions of y and mu, and dual(y, u) = min over eta of value - u eta, for u = scale times the
// slope at some eta, scale <= 1.

struct GaussianRows {
    double mean(double eta) const { return eta; }
    double eta_of(double mean) const { return mean; }
    double constant(double) const { return 0.0; }
    double value(double y, double, double mu) const { return 0.5 * (y - mu) * (y - mu); }
    double pull(double y, double mu) const { return y - mu; }
    double curvature(double, double) const { return 1.0; }
    double dual(double y, double u) const { return -u * (y + 0.5 * u); }
};

struct BinomialRows {
    double mean(double eta) const {
        const double e = exp_fast(-std::abs(eta)), inverse = 1.0 / (1.0 + e);
        return eta >= 0.0 ? inverse : e * inverse;
    }
    double eta_of(double mean) const {
        mean = std::clamp(mean, 1e-10, 1.0 - 1e-10);
        return std::log(mean) - std::log1p(-mean);
    }
    double constant(double y) const { return x_log_x(y) + x_log_x(1.0 - y); }
    double value(double y, double eta, double) const {
        return log1p_unit(exp_fast(-std::abs(eta))) + (eta > 0.0 ? eta : 0.0) - y * eta;
    }
    double pull(double y, double mu) const { return y - mu; }
    double curvature(double, double mu) const { return mu * (1.0 - mu); }
    double dual(double y, double u) const { return -x_log_x(y + u) - x_log_x(1.0 - y - u); }
};

struct LogLink {
    double mean(double eta) const { return exp_fast(eta); }
    double eta_of(double mean) const { return std::log(std::max(mean, 1e-10)); }
};

struct PoissonRows : LogLink {
    double constant(double y) const { return x_log_x(y) - y; }
    double value(double y, double eta, double mu) const { return mu - y * eta; }
    double pull(double y, double mu) const { return y - mu; }
    double curvature(double, double mu) const { return mu; }
    double dual(double y, double u) const { return y + u - x_log_x(y + u); }
};

struct GammaRows : LogLink {
    double constant(double y) const { return -1.0 - std::log(y); }
    double value(double y, double eta, double mu) const { return y / mu + eta; }
    double pull(double y, double mu) const { return y / mu - 1.0; }
    double curvature(double y, double mu) const { return y / mu; }
    double dual(double y, double u) const {  // at y / mu = 1 - u
        const double ratio = 1.0 - u;
        return ratio > 0.0 ? ratio * (1.0 + std::log(y / ratio)) : 0.0;
    }
};

struct NegativeBinomialRows : LogLink {
    double theta;
    explicit NegativeBinomialRows(double value) : theta(value) {}
    double constant(double y) const { return x_log_x(y) - x_log_x(y + theta); }
    double value(double y, double eta, double mu) const { return (y + theta) * std::log(mu + theta) - y * eta; }
    double pull(double y, double mu) const { return theta * (y - mu) / (mu + theta); }
    double curvature(double y, double mu) const { return theta * mu * (y + theta) / ((mu + theta) * (mu + theta)); }
    double dual(double y, double u) const {  // at mu = theta (y + u) / (theta - u)
        const double mu = std::max(0.0, theta * (y + u) / (theta - u));
        return (y + theta) * std::log(mu + theta) - (mu > 0.0 ? (y + u) * std::log(mu) : 0.0);
    }
};

struct TweedieRows : LogLink {
    double power;
    explicit TweedieRows(double value) : power(value) {}
    double constant(double y) const {
        return y > 0.0 ? std::pow(y, 2.0 - power) / ((1.0 - power) * (2.0 - power)) : 0.0;
    }
    double value(double y, double, double mu) const {
        return std::pow(mu, 2.0 - power) / (2.0 - power) - y * std::pow(mu, 1.0 - power) / (1.0 - power);
    }
    double pull(double y, double mu) const { return std::pow(mu, 1.0 - power) * (y - mu); }
    double curvature(double y, double mu) const {
        return std::pow(mu, 1.0 - power) * ((2.0 - power) * mu + (power - 1.0) * y);
    }
    double dual(double y, double u) const {
        if (y <= 0.0) {  // the slope mu^(2 - power) is positive: mu is known
            const double mu = u > 0.0 ? std::pow(u, 1.0 / (2.0 - power)) : 0.0;
            return mu > 0.0 ? u / (2.0 - power) - u * std::log(mu) : 0.0;
        }
        // The slope rises from minus to plus infinity, through 0 at mu = y.
        double low = -700.0, high = 700.0, eta = std::log(y);
        for (int k = 0; k < 100; ++k) {
            const double mu = std::exp(eta), slope = -pull(y, mu) - u;
            (slope > 0.0 ? high : low) = eta;
            const double next = eta - slope / curvature(y, mu);
            const double step = (next > low && next < high ? next : 0.5 * (low + high)) - eta;
            eta += step;
            if (std::abs(step) <= 1e-13 * std::max(1.0, std::abs(eta))) break;
        }
        return value(y, eta, std::exp(eta)) - u * eta;
    }
};

// body(family object); `parameter` is theta of the negative binomial, the power (between 1 and 2) of the Tweedie
// family.
template <class Body>
void with_family(GlmFamily family, double parameter, Body&& body) {
    switch (family) {
        case GlmFamily::gaussian:
            return body(GaussianRows{});
        case GlmFamily::binomial:
            return body(BinomialRows{});
        case GlmFamily::poisson:
            return body(PoissonRows{});
        case GlmFamily::gamma:
            return body(GammaRows{});
        case GlmFamily::negative_binomial:
            return body(NegativeBinomialRows(parameter));
        case GlmFamily::tweedie:
            return body(TweedieRows(parameter));
    }
}

}  // namespace statlearn::linear
