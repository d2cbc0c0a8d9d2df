#include "svm/sgd.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/stochastic.hpp"

namespace statlearn::svm {
namespace {

constexpr Index kAhead = 4;              // rows asked for in advance; empirical
constexpr double kSteepest = 1e12;       // slopes are cut there, so that one row cannot overflow the weights
constexpr double kShortestStep = 1e-6;   // the adaptive schedule ends below
constexpr double kCutAfterPatience = 5;  // its divisor

double loss_value(SgdLoss loss, double bend, double y, double f) {
    const double m = y * f, r = std::abs(y - f);
    const auto square = [](double v) { return v > 0.0 ? v * v : 0.0; };
    switch (loss) {
        case SgdLoss::hinge:
            return std::max(0.0, bend - m);
        case SgdLoss::squared_hinge:
            return square(bend - m);
        case SgdLoss::log_loss:
            return std::max(0.0, -m) + std::log1p(std::exp(-std::abs(m)));
        case SgdLoss::modified_huber:
            return m < -1.0 ? -4.0 * m : square(1.0 - m);
        case SgdLoss::squared_error:
            return 0.5 * r * r;
        case SgdLoss::huber:
            return r <= bend ? 0.5 * r * r : bend * (r - 0.5 * bend);
        case SgdLoss::epsilon_insensitive:
            return std::max(0.0, r - bend);
        case SgdLoss::squared_epsilon_insensitive:
            return square(r - bend);
    }
    return 0.0;
}

double loss_slope(SgdLoss loss, double bend, double y, double f) {
    const double m = y * f, r = f - y, side = r > 0.0 ? 1.0 : -1.0;
    switch (loss) {
        case SgdLoss::hinge:
            return m <= bend ? -y : 0.0;
        case SgdLoss::squared_hinge:
            return m < bend ? -2.0 * y * (bend - m) : 0.0;
        case SgdLoss::log_loss:
            return -y / (1.0 + std::exp(m));
        case SgdLoss::modified_huber:
            return m >= 1.0 ? 0.0 : m >= -1.0 ? -2.0 * y * (1.0 - m) : -4.0 * y;
        case SgdLoss::squared_error:
            return r;
        case SgdLoss::huber:
            return std::abs(r) <= bend ? r : side * bend;
        case SgdLoss::epsilon_insensitive:
            return std::abs(r) > bend ? side : 0.0;
        case SgdLoss::squared_epsilon_insensitive:
            return std::abs(r) > bend ? 2.0 * side * (std::abs(r) - bend) : 0.0;
    }
    return 0.0;
}

// 1 - accuracy, or 1 - R^2, of the held-out rows.
template <class T>
double held_out_error(const RowsView<T>& X, Span<const double> y, Span<const double> weights,
                      Span<const std::uint8_t> held_out, SgdScore score, Span<const double> w, double b) {
    double total = 0.0, wrong = 0.0, mean = 0.0, spread = 0.0;
    for (Index i = 0; i < X.rows; ++i) {
        if (!held_out[i] || weights[i] == 0.0) continue;
        const double f = X.dot(i, w.data()) + b;
        total += weights[i];
        if (score == SgdScore::accuracy) {
            if ((f > 0.0) != (y[i] > 0.0)) wrong += weights[i];
            continue;
        }
        wrong += weights[i] * (y[i] - f) * (y[i] - f);
        const double before = mean;  // West's update of a weighted variance
        mean += (y[i] - before) * weights[i] / total;
        spread += weights[i] * (y[i] - before) * (y[i] - mean);
    }
    const double whole = score == SgdScore::accuracy ? total : spread;
    return whole > 0.0 ? wrong / whole : 0.0;
}

}  // namespace

template <class T>
SgdInfo sgd_fit(const RowsView<T>& X, Span<const double> y, Span<const double> weights,
                Span<const std::uint8_t> held_out, const SgdOptions& o, const Interrupt& interrupt, Span<double> w,
                double& b, Span<double> mean_w, double& mean_b) {
    const bool judged = !held_out.empty(), penalised = o.l1 > 0.0 || o.l2 > 0.0;
    const bool passive = o.schedule >= SgdSchedule::passive_aggressive;
    double counted = o.average > 0.0 ? std::max(0.0, o.t - o.average) : 0.0;  // steps in the averages
    for (double& mean : mean_w) mean *= counted;                              // as sums, from here to the end
    ScaledWeights<T> state(X, w, penalised && !judged, o.l1 > 0.0, o.average > 0.0 ? mean_w : Span<double>{});
    std::vector<double> squares(passive ? std::size_t(X.rows) : 0, 0.0);
    for (std::size_t i = 0; i < squares.size(); ++i)
        X.each(Index(i), [&](std::size_t, double x) { squares[i] += x * x; });
    std::vector<Index> order(X.rows);
    std::iota(order.begin(), order.end(), Index{0});

    double eta = o.eta0, t = o.t, total_l1 = 0.0, first = 0.0;
    if (o.schedule == SgdSchedule::optimal) {
        // The first step is as long as a typical weight, sqrt(1 / sqrt(alpha)), divided by the slope met there.
        const double typical = std::sqrt(1.0 / std::sqrt(o.alpha));
        first = std::max(1.0, loss_slope(o.loss, o.bend, 1.0, -typical)) / (typical * o.alpha);
    }
    Patience patience(o.tol, o.patience);
    SgdInfo info;

    for (int pass = 0; pass < o.max_iter; ++pass) {
        if (o.shuffle) permute_rows(order, o.seed);
        double objective = 0.0, weight = 0.0;
        Index seen = 0;
        bool stopped = false;
        for (const Index i : order) {
            if ((++seen & 1023) == 0 && interrupt.requested()) {
                stopped = true;
                break;
            }
            if (o.shuffle && seen + kAhead < X.rows) X.prefetch(order[seen + kAhead]);
            if (judged && held_out[i]) continue;
            double inner = state.dot(i);
            const double f = inner + b;
            if (o.schedule == SgdSchedule::optimal)
                eta = 1.0 / (o.alpha * (first + t - 1.0));
            else if (o.schedule == SgdSchedule::inverse)
                eta = o.eta0 / std::pow(t, o.power);
            double loss = 0.0;
            if (!judged || passive) loss = loss_value(o.loss, o.bend, y[i], f);
            if (!judged) {
                double value = loss;
                if (penalised && !passive) value += 0.5 * o.l2 * state.square() + o.l1 * state.absolute();
                objective += weights[i] * (value + o.level * b);
                weight += weights[i];
            }
            double step;
            if (passive) {
                const double square = squares[i], direction = loss_slope(o.loss, o.bend, y[i], f);
                if (o.schedule == SgdSchedule::passive_aggressive) {
                    if (square == 0.0) continue;  // a row of zeros cannot be corrected
                    step = std::min(o.eta0, loss / square);
                } else {
                    step = loss / (square + 0.5 / o.eta0);
                }
                step = direction > 0.0 ? -step : step;
            } else {
                step = -eta * std::clamp(loss_slope(o.loss, o.bend, y[i], f), -kSteepest, kSteepest);
            }
            step *= weights[i];
            if (o.l2 > 0.0) {
                const double factor = std::max(0.0, 1.0 - eta * o.l2);
                state.shrink(factor);
                inner *= factor;
            }
            if (step != 0.0) state.add(i, step, inner);
            if (o.fit_intercept) b += o.intercept_rate * (step - eta * o.level);
            if (o.l1 > 0.0) {
                total_l1 += eta * o.l1;
                state.clip(i, total_l1);
            }
            if (o.average > 0.0 && t >= o.average) {
                counted += 1.0;
                state.count();
                mean_b += (b - mean_b) / counted;
            }
            t += 1.0;
        }
        state.settle();
        if (stopped) {
            info.status = Status::interrupted;
            break;
        }
        info.n_iter = pass + 1;
        if (!std::isfinite(b) || !std::isfinite(state.square())) {
            info.status = Status::diverged;
            break;
        }
        const double value =
            judged ? held_out_error(X, y, weights, held_out, o.score, w, b) : objective / std::max(weight, 1e-300);
        info.objective.push_back(value);
        if (!patience.lost(value)) continue;
        if (o.schedule == SgdSchedule::adaptive && eta > kShortestStep) {
            eta /= kCutAfterPatience;
            patience.restart();
        } else {
            info.status = Status::ok;
            break;
        }
    }
    if (counted > 0.0)
        for (double& mean : mean_w) mean /= counted;
    return info;
}

template SgdInfo sgd_fit<double>(const RowsView<double>&, Span<const double>, Span<const double>,
                                 Span<const std::uint8_t>, const SgdOptions&, const Interrupt&, Span<double>, double&,
                                 Span<double>, double&);
template SgdInfo sgd_fit<float>(const RowsView<float>&, Span<const double>, Span<const double>,
                                Span<const std::uint8_t>, const SgdOptions&, const Interrupt&, Span<double>, double&,
                                Span<double>, double&);

}  // namespace statlearn::svm
