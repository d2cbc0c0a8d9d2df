// Losses of generalised linear models for any pair of family and link, row by row: half the unit deviance up to a
// constant of y, its slope and its curvature in the linear predictor.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/special.hpp"

namespace statlearn::smooth {

enum class Family : int {
    gaussian = 0,
    binomial = 1,
    poisson = 2,
    gamma = 3,
    inverse_gaussian = 4,
    negative_binomial = 5,
    tweedie = 6
};
enum class Link : int { identity = 0, log = 1, power = 2, logit = 3, probit = 4, cloglog = 5 };

struct GlmTerms {
    Family family;
    Link link;
    double parameter;   // theta of the negative binomial, power of the Tweedie family
    double link_power;  // of Link::power: eta = mu^power

    struct Curve {
        double slope, expected, observed;  // first derivative, Fisher weight, second derivative
    };

    static constexpr double kTiny = 2.220446049250313e-16;
    static double unit_clip(double p) { return std::min(std::max(p, kTiny), 1.0 - kTiny); }

    // The mean with its first two derivatives; false where eta is outside of the link's range.
    bool mean(double eta, double& mu, double& first, double& second) const {
        switch (link) {
            case Link::identity:
                mu = eta;
                first = 1.0;
                second = 0.0;
                return std::isfinite(eta);
            case Link::log:
                mu = first = second = std::exp(std::min(std::max(eta, -690.0), 690.0));
                return std::isfinite(eta);
            case Link::power: {
                if (!(eta > 0.0) || !std::isfinite(eta)) return false;
                const double k = 1.0 / link_power;
                mu = std::pow(eta, k);
                first = k * mu / eta;
                second = (k - 1.0) * first / eta;
                return true;
            }
            case Link::logit: {
                const double e = std::exp(-std::abs(eta)), inverse = 1.0 / (1.0 + e);
                const double p = eta >= 0.0 ? inverse : e * inverse;
                mu = std::min(std::max(p, 1e-300), 1.0 - kTiny);
                first = e * inverse * inverse;
                second = first * (1.0 - 2.0 * p);
                return std::isfinite(eta);
            }
            case Link::probit:
                mu = unit_clip(0.5 * std::erfc(-eta * 0.70710678118654752440));
                first = std::exp(-0.5 * eta * eta) * 0.39894228040143267794;
                second = -eta * first;
                return std::isfinite(eta);
            default: {
                const double e = std::exp(std::min(eta, 700.0));
                mu = unit_clip(-std::expm1(-e));
                first = std::max(e * std::exp(-e), 1e-300);
                second = first * (1.0 - e);
                return std::isfinite(eta);
            }
        }
    }

    bool valid(double mu) const {
        if (family == Family::gaussian) return std::isfinite(mu);
        if (family == Family::binomial) return mu > 0.0 && mu < 1.0;
        return mu > 0.0 && std::isfinite(mu);
    }

    // Infinite where link or family do not allow eta.
    double loss(double y, double eta) const {
        if (family == Family::binomial && link == Link::logit)
            return std::log1p(std::exp(-std::abs(eta))) + std::max(eta, 0.0) - y * eta;
        double mu, first, second;
        if (!mean(eta, mu, first, second) || !valid(mu)) return std::numeric_limits<double>::infinity();
        switch (family) {
            case Family::gaussian:
                return 0.5 * (y - mu) * (y - mu);
            case Family::binomial:
                return -x_log_y(y, mu) - (y < 1.0 ? (1.0 - y) * std::log1p(-mu) : 0.0);
            case Family::poisson:
                return mu - x_log_y(y, mu);
            case Family::gamma:
                return y / mu + std::log(mu);
            case Family::inverse_gaussian:
                return 0.5 * (y - mu) * (y - mu) / (y * mu * mu);
            case Family::negative_binomial:
                return (y + parameter) * std::log(mu + parameter) - x_log_y(y, mu);
            default:
                return std::pow(mu, 2.0 - parameter) / (2.0 - parameter) -
                       y * std::pow(mu, 1.0 - parameter) / (1.0 - parameter);
        }
    }

    // V(mu) and its derivative.
    void variance(double mu, double& V, double& dV) const {
        switch (family) {
            case Family::gaussian:
                V = 1.0;
                dV = 0.0;
                return;
            case Family::binomial:
                V = mu * (1.0 - mu);
                dV = 1.0 - 2.0 * mu;
                return;
            case Family::poisson:
                V = mu;
                dV = 1.0;
                return;
            case Family::gamma:
                V = mu * mu;
                dV = 2.0 * mu;
                return;
            case Family::inverse_gaussian:
                V = mu * mu * mu;
                dV = 3.0 * mu * mu;
                return;
            case Family::negative_binomial:
                V = mu + mu * mu / parameter;
                dV = 1.0 + 2.0 * mu / parameter;
                return;
            default:
                V = std::pow(mu, parameter);
                dV = parameter * V / mu;
        }
    }

    Curve curve(double y, double eta) const {
        double mu = 1.0, first = 1.0, second = 0.0, V, dV;
        mean(eta, mu, first, second);
        if (family == Family::binomial && link == Link::logit) return {mu - y, first, first};
        if (family == Family::poisson && link == Link::log) return {mu - y, mu, mu};
        variance(mu, V, dV);
        const double ratio = first / V, expected = first * ratio;
        return {-(y - mu) * ratio, expected, expected + (y - mu) * (dV * ratio * ratio - second / V)};
    }

    // The least loss that any eta has, for families whose eta may run away.
    double least_loss(double y) const {
        const double y_log_y = x_log_x(y);
        switch (family) {
            case Family::binomial:
                return -y_log_y - (y < 1.0 ? (1.0 - y) * std::log1p(-y) : 0.0);
            case Family::poisson:
                return y - y_log_y;
            case Family::negative_binomial:
                return (y + parameter) * std::log(y + parameter) - y_log_y;
            case Family::tweedie:
                return y > 0.0 ? std::pow(y, 2.0 - parameter) * (1.0 / (2.0 - parameter) - 1.0 / (1.0 - parameter))
                               : 0.0;
            default:
                return 0.0;
        }
    }

    // Values of y towards which eta may run away without end.
    bool at_edge(double y) const {
        if (family == Family::binomial) return y == 0.0 || y == 1.0;
        const bool zero = family == Family::poisson || family == Family::negative_binomial ||
                          (family == Family::tweedie && parameter > 1.0 && parameter < 2.0);
        return zero && y == 0.0;
    }
};

}  // namespace statlearn::smooth
