#include "linear/perceptron.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "common/stochastic.hpp"

namespace statlearn::linear {

template <class T>
PerceptronInfo perceptron_fit(RowsView<T> X, Span<const double> y, Span<const double> weights,
                              Span<const std::uint8_t> held_out, const PerceptronOptions& options,
                              const Interrupt& interrupt, Span<double> w, double& b, Span<int> mistakes) {
    const bool penalised = options.l1 > 0.0 || options.l2 > 0.0;
    ScaledWeights<T> state(X, w, penalised, options.l1 > 0.0);
    std::vector<Index> order(X.rows);
    std::iota(order.begin(), order.end(), Index{0});
    const bool margin = options.rule == PerceptronRule::margin;
    const auto taught = double(X.rows - std::count(held_out.begin(), held_out.end(), std::uint8_t{1}));
    std::vector<Index> batch;
    Patience patience(options.tol, options.patience);
    double total_l1 = 0.0;
    PerceptronInfo info{0, false, Status::max_iter};

    for (int pass = 0; pass < options.max_iter; ++pass) {
        if (options.shuffle) permute_rows(order, options.seed);
        double loss = 0.0;
        int wrong = 0;
        batch.clear();
        Index seen = 0;
        for (const Index i : order) {
            if ((++seen & 1023) == 0 && interrupt.requested()) {
                state.settle();
                info.status = Status::interrupted;
                return info;
            }
            if (!held_out.empty() && held_out[i]) continue;
            double inner = state.dot(i);
            const double f = inner + b;
            loss += std::max(0.0, -y[i] * f);
            if (penalised)
                loss += 0.5 * options.l2 * state.square() + (options.l1 > 0.0 ? options.l1 * state.absolute() : 0.0);
            const bool mistake = margin ? y[i] * f <= 0.0 : (f >= 0.0) != (y[i] > 0.0);
            if (options.l2 > 0.0) {
                const double factor = std::max(1.0 - options.eta * options.l2, 0.0);
                state.shrink(factor);
                inner *= factor;
            }
            if (mistake) {
                ++wrong;
                if (options.rule == PerceptronRule::batch) {
                    batch.push_back(i);
                } else {
                    const double step = (margin ? 1.0 : 2.0) * options.eta * y[i] * weights[i];
                    state.add(i, step, inner);
                    if (options.fit_intercept) b += step;
                }
            }
            if (options.l1 > 0.0) {
                total_l1 += options.eta * options.l1;
                state.clip(i, total_l1);
            }
        }
        for (const Index i : batch) {
            const double step = options.eta * y[i] * weights[i];
            state.add(i, step, penalised ? state.dot(i) : 0.0);
            if (options.fit_intercept) b += step;
        }
        state.settle();
        mistakes[pass] = wrong;
        info.n_iter = pass + 1;
        info.converged = wrong == 0;
        if (!std::isfinite(b) || !std::isfinite(state.square())) {
            info.status = Status::diverged;
            return info;
        }
        double badness = loss / taught;
        if (!held_out.empty()) {
            double right = 0.0, all = 0.0;
            for (Index i = 0; i < X.rows; ++i) {
                if (!held_out[i]) continue;
                const double f = state.dot(i) + b;
                all += weights[i];
                if ((margin ? f > 0.0 : f >= 0.0) == (y[i] > 0.0)) right += weights[i];
            }
            badness = all > 0.0 ? -right / all : 0.0;
        }
        const bool lost = patience.lost(badness);
        if (lost || (options.stop_at_zero && !penalised && wrong == 0)) {
            info.status = Status::ok;
            return info;
        }
    }
    return info;
}

template PerceptronInfo perceptron_fit<double>(RowsView<double>, Span<const double>, Span<const double>,
                                               Span<const std::uint8_t>, const PerceptronOptions&, const Interrupt&,
                                               Span<double>, double&, Span<int>);
template PerceptronInfo perceptron_fit<float>(RowsView<float>, Span<const double>, Span<const double>,
                                              Span<const std::uint8_t>, const PerceptronOptions&, const Interrupt&,
                                              Span<double>, double&, Span<int>);

}  // namespace statlearn::linear
