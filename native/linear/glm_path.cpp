#include "linear/glm_path.hpp"

#include <algorithm>
#include <cmath>

#include "common/vmath.hpp"

namespace statlearn::linear {
namespace {

double x_log_x(double x) { return x > 0.0 ? x * std::log(x) : 0.0; }

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

// As newton_path.hpp asks for it.
template <class Family>
class GlmLoss {
public:
    PathRows rows;

    GlmLoss(const GlmData& data, Family family) : rows(data.rows), y_(data.y), family_(family), constant_(y_.size()) {
        for (std::size_t i = 0; i < y_.size(); ++i) constant_[i] = family_.constant(y_[i]);
    }

    Index scores() const { return 1; }

    double null_intercept(Index) const {
        double mean = 0.0;
        for (std::size_t i = 0; i < y_.size(); ++i) mean += rows.share[i] * y_[i];
        return family_.eta_of(mean);
    }

    double evaluate(Index begin, Index end, const double* eta, double* mu) const {
        double total = 0.0;
        for (Index i = begin; i < end; ++i) {
            const auto at = std::size_t(i);
            mu[i] = family_.mean(eta[i]);
            total += rows.share[at] * (family_.value(y_[at], eta[i], mu[i]) + constant_[at]);
        }
        return total;
    }

    double residual(Index, Index begin, Index end, const double* mu, double* v, double* h) const {
        double sum = 0.0;
        for (Index i = begin; i < end; ++i) {
            const auto at = std::size_t(i);
            v[i] = rows.share[at] * family_.pull(y_[at], mu[i]);
            sum += v[i];
            if (h) h[i] = rows.share[at] * family_.curvature(y_[at], mu[i]);
        }
        return sum;
    }

    double dual(Index begin, Index end, const double* mu, double scale) const {
        double total = 0.0;
        for (Index i = begin; i < end; ++i) {
            const auto at = std::size_t(i);
            const double u = -scale * family_.pull(y_[at], mu[i]);
            total += rows.share[at] *
                     (family_.dual(y_[at], u) + constant_[at] + (rows.offset.empty() ? 0.0 : u * rows.offset[at]));
        }
        return total;
    }

private:
    std::span<const double> y_;
    Family family_;
    std::vector<double> constant_;
};

}  // namespace

template <class Columns>
void glm_path(const Columns& X, const GlmData& data, std::span<const double> l1, std::span<const double> l2,
              std::span<const double> theta, StopRule stop, const Interrupt& interrupt, const NewtonPathOut& out) {
    const auto run = [&](auto family) { newton_path(X, GlmLoss(data, family), l1, l2, theta, stop, interrupt, out); };
    switch (data.family) {
        case GlmFamily::gaussian:
            return run(GaussianRows{});
        case GlmFamily::binomial:
            return run(BinomialRows{});
        case GlmFamily::poisson:
            return run(PoissonRows{});
        case GlmFamily::gamma:
            return run(GammaRows{});
        case GlmFamily::negative_binomial:
            return run(NegativeBinomialRows(data.parameter));
        case GlmFamily::tweedie:
            return run(TweedieRows(data.parameter));
    }
}

#define STATLEARN_PATH(Columns)                                                                              \
    template void glm_path(const Columns&, const GlmData&, std::span<const double>, std::span<const double>, \
                           std::span<const double>, StopRule, const Interrupt&, const NewtonPathOut&);
STATLEARN_PATH(DenseByColumn<double>)
STATLEARN_PATH(SparseByColumn<double>)
#undef STATLEARN_PATH

}  // namespace statlearn::linear
