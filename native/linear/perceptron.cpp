#include "linear/perceptron.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace statlearn::linear {
namespace {

// The xorshift generator and the exchange order of scikit-learn's data sets, so that rows are met in the same order.
void permute(std::vector<Index>& order, std::uint32_t seed) {
    const Index n = Index(order.size());
    for (Index i = 0; i < n - 1; ++i) {
        if (seed == 0) seed = 1;
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        std::swap(order[std::size_t(i)], order[std::size_t(i + Index(seed & 0x7FFFFFFFu) % (n - i))]);
    }
}

// Weights kept as scale * direction, so that shrinking them costs one product, with their norms.
template <class T>
class Weights {
public:
    Weights(RowsView<T> X, std::span<double> w, double l1, double l2)
        : X_(X), w_(w), passed_(l1 > 0.0 ? w.size() : 0, 0.0), penalised_(l1 > 0.0 || l2 > 0.0) {
        for (const double value : w) square_ += value * value;
    }

    double dot(Index i) const {
        if (X_.cols_of.empty()) {
            constexpr Index kLanes = 8;  // separate sums, so that the loop runs in vector registers
            const T* x = X_.values.data() + i * X_.cols;
            double lanes[kLanes] = {}, rest = 0.0;
            const Index whole = X_.cols / kLanes * kLanes;
            for (Index j = 0; j < whole; j += kLanes)
                for (Index l = 0; l < kLanes; ++l) lanes[l] += w_[std::size_t(j + l)] * double(x[j + l]);
            for (Index j = whole; j < X_.cols; ++j) rest += w_[std::size_t(j)] * double(x[j]);
            for (const double lane : lanes) rest += lane;
            return scale_ * rest;
        }
        double sum = 0.0;
        X_.each(i, [&](std::size_t j, double x) { sum += w_[j] * x; });
        return scale_ * sum;
    }

    void add(Index i, double step) {
        const double scaled = step / scale_;
        double cross = 0.0, size = 0.0;
        X_.each(i, [&](std::size_t j, double x) {
            if (penalised_) cross += w_[j] * x, size += x * x;
            w_[j] += scaled * x;
        });
        square_ += 2.0 * step * scale_ * cross + step * step * size;
    }

    void shrink(double factor) {
        factor = std::max(factor, 0.0);
        scale_ *= factor;
        square_ *= factor * factor;
        if (scale_ < 1e-9) settle();
    }

    // The cumulative L1 penalty of Tsuruoka, Tsujii and Ananiadou (2009): coordinates of row i catch up with `total`.
    void clip(Index i, double total) {
        X_.each(i, [&](std::size_t j, double) {
            const double before = w_[j];
            if (before * scale_ > 0.0)
                w_[j] = std::max(0.0, before - (total + passed_[j]) / scale_);
            else if (before * scale_ < 0.0)
                w_[j] = std::min(0.0, before + (total - passed_[j]) / scale_);
            passed_[j] += scale_ * (w_[j] - before);
        });
    }

    double square() const { return std::max(square_, 0.0); }
    double absolute() const {
        double sum = 0.0;
        for (const double value : w_) sum += std::abs(value);
        return std::abs(scale_) * sum;
    }
    void settle() {
        square_ = 0.0;
        for (double& value : w_) value *= scale_, square_ += value * value;
        scale_ = 1.0;
    }

private:
    RowsView<T> X_;
    std::span<double> w_;
    std::vector<double> passed_;
    bool penalised_;
    double scale_ = 1.0, square_ = 0.0;
};

}  // namespace

template <class T>
PerceptronInfo perceptron_fit(RowsView<T> X, std::span<const double> y, std::span<const double> weights,
                              std::span<const std::uint8_t> held_out, const PerceptronOptions& options,
                              const Interrupt& interrupt, std::span<double> w, double& b, std::span<int> mistakes) {
    Weights<T> state(X, w, options.l1, options.l2);
    std::vector<Index> order(std::size_t(X.rows));
    std::iota(order.begin(), order.end(), Index{0});
    const bool penalised = options.l1 > 0.0 || options.l2 > 0.0;
    const bool margin = options.rule == PerceptronRule::margin;
    const auto taught = double(X.rows - std::count(held_out.begin(), held_out.end(), std::uint8_t{1}));
    std::vector<Index> batch;
    double best_loss = std::numeric_limits<double>::infinity(), best_score = -best_loss, total_l1 = 0.0;
    int no_gain = 0;
    PerceptronInfo info{0, false, Status::max_iter};

    for (int pass = 0; pass < options.max_iter; ++pass) {
        if (options.shuffle) permute(order, options.seed);
        double loss = 0.0;
        int wrong = 0;
        batch.clear();
        Index seen = 0;
        for (const Index i : order) {
            const auto k = std::size_t(i);
            if ((++seen & 1023) == 0 && interrupt.requested()) {
                state.settle();
                info.status = Status::interrupted;
                return info;
            }
            if (!held_out.empty() && held_out[k]) continue;
            const double f = state.dot(i) + b;
            loss += std::max(0.0, -y[k] * f);
            if (penalised)
                loss += 0.5 * options.l2 * state.square() + (options.l1 > 0.0 ? options.l1 * state.absolute() : 0.0);
            const bool mistake = margin ? y[k] * f <= 0.0 : (f >= 0.0) != (y[k] > 0.0);
            if (options.l2 > 0.0) state.shrink(1.0 - options.eta * options.l2);
            if (mistake) {
                ++wrong;
                if (options.rule == PerceptronRule::batch) {
                    batch.push_back(i);
                } else {
                    const double step = (margin ? 1.0 : 2.0) * options.eta * y[k] * weights[k];
                    state.add(i, step);
                    if (options.fit_intercept) b += step;
                }
            }
            if (options.l1 > 0.0) {
                total_l1 += options.eta * options.l1;
                state.clip(i, total_l1);
            }
        }
        for (const Index i : batch) {
            const double step = options.eta * y[std::size_t(i)] * weights[std::size_t(i)];
            state.add(i, step);
            if (options.fit_intercept) b += step;
        }
        state.settle();
        mistakes[std::size_t(pass)] = wrong;
        info.n_iter = pass + 1;
        info.converged = wrong == 0;
        if (!std::isfinite(b) || !std::isfinite(state.square())) {
            info.status = Status::diverged;
            return info;
        }
        bool gained;
        if (!held_out.empty()) {
            double right = 0.0, all = 0.0;
            for (Index i = 0; i < X.rows; ++i) {
                const auto k = std::size_t(i);
                if (!held_out[k]) continue;
                const double f = state.dot(i) + b;
                all += weights[k];
                if ((margin ? f > 0.0 : f >= 0.0) == (y[k] > 0.0)) right += weights[k];
            }
            const double score = all > 0.0 ? right / all : 0.0;
            gained = !(score < best_score + options.tol);
            best_score = std::max(best_score, score);
        } else {
            gained = !(loss / taught > best_loss - options.tol);
            best_loss = std::min(best_loss, loss / taught);
        }
        no_gain = gained || options.tol < 0.0 ? 0 : no_gain + 1;
        if (no_gain >= options.patience || (options.stop_at_zero && !penalised && wrong == 0)) {
            info.status = Status::ok;
            return info;
        }
    }
    return info;
}

template PerceptronInfo perceptron_fit<double>(RowsView<double>, std::span<const double>, std::span<const double>,
                                               std::span<const std::uint8_t>, const PerceptronOptions&,
                                               const Interrupt&, std::span<double>, double&, std::span<int>);
template PerceptronInfo perceptron_fit<float>(RowsView<float>, std::span<const double>, std::span<const double>,
                                              std::span<const std::uint8_t>, const PerceptronOptions&, const Interrupt&,
                                              std::span<double>, double&, std::span<int>);

}  // namespace statlearn::linear
