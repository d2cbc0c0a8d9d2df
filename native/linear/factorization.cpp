#include "linear/factorization.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/parallel.hpp"

namespace statlearn::linear {
namespace {

std::vector<double> squared_norms(const Machine& machine) {
    std::vector<double> norms(machine.w.size(), 0.0);
    for (std::size_t j = 0; j < norms.size(); ++j)
        for (Index f = 0; f < machine.k; ++f) {
            const double v = machine.V[j * std::size_t(machine.k) + std::size_t(f)];
            norms[j] += v * v;
        }
    return norms;
}

// The score of row i; leaves sum_j x_j v_j in `mix` (k).
template <class T>
double score(RowsView<T> X, Index i, const Machine& machine, const std::vector<double>& norms,
             std::vector<double>& mix) {
    std::fill(mix.begin(), mix.end(), 0.0);
    double linear = machine.bias, squares = 0.0;
    X.each(i, [&](std::size_t j, double x) {
        if (x == 0.0) return;
        linear += machine.w[j] * x;
        squares += x * x * norms[j];
        const double* v = machine.V.data() + j * mix.size();
        for (std::size_t f = 0; f < mix.size(); ++f) mix[f] += x * v[f];
    });
    double pairs = -squares;
    for (const double m : mix) pairs += m * m;
    return linear + 0.5 * pairs;
}

// Rows per block: a grid of at most 64 blocks keeps the partial gradients small.
Blocks blocks_of(Index n) { return Blocks(n, std::max(Index{512}, (n + 63) / 64)); }

}  // namespace

template <class T>
void fm_scores(RowsView<T> X, const Machine& machine, const Interrupt& interrupt, Span<double> scores) {
    const auto norms = squared_norms(machine);
    const Blocks blocks = blocks_of(X.rows);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        std::vector<double> mix(machine.k);
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) scores[i] = score(X, i, machine, norms, mix);
    });
}

template <class T>
double fm_loss(RowsView<T> X, Span<const double> y, Span<const double> weights, FmLoss loss, const Machine& machine,
               const Interrupt& interrupt, Span<double> gradient) {
    const auto norms = squared_norms(machine);
    const Index p = machine.w.size(), k = machine.k;
    const Index size = 2 + 2 * p + p * k;  // loss, bias, w, sum g x^2, V
    const Blocks blocks = blocks_of(X.rows);
    std::vector<double> parts(std::size_t(blocks.count()) * size, 0.0);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        double* part = parts.data() + std::size_t(b) * size;
        double *linear = part + 2, *squares = linear + p, *factors = squares + p;
        std::vector<double> mix(k);
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            const double f = score(X, i, machine, norms, mix);
            double slope;
            if (loss == FmLoss::squared) {
                part[0] += weights[i] * (y[i] - f) * (y[i] - f);
                slope = 2.0 * weights[i] * (f - y[i]);
            } else {
                const double m = y[i] * f, small = std::exp(-std::abs(m));
                part[0] += weights[i] * (std::log1p(small) + std::max(-m, 0.0));
                slope = -weights[i] * y[i] * (m > 0.0 ? small : 1.0) / (1.0 + small);
            }
            part[1] += slope;
            X.each(i, [&](std::size_t j, double x) {
                const double step = slope * x;
                if (step == 0.0) return;
                linear[j] += step;
                squares[j] += step * x;
                for (Index c = 0; c < k; ++c) factors[j * k + c] += step * mix[c];
            });
        }
    });
    std::vector<double> total(size, 0.0);
    for (Index b = 0; b < blocks.count(); ++b)
        for (Index j = 0; j < size; ++j) total[j] += parts[std::size_t(b) * size + j];
    // d score / d v_j = x_j (sum_l x_l v_l) - x_j^2 v_j
    for (Index j = 0; j < p; ++j)
        for (Index c = 0; c < k; ++c) total[2 + 2 * p + j * k + c] -= total[2 + p + j] * machine.V[j * k + c];
    gradient[0] = total[1];
    std::copy_n(total.begin() + 2, p, gradient.begin() + 1);
    std::copy_n(total.begin() + std::ptrdiff_t(2 + 2 * p), p * k, gradient.begin() + std::ptrdiff_t(1 + p));
    return total[0];
}

template void fm_scores<double>(RowsView<double>, const Machine&, const Interrupt&, Span<double>);
template void fm_scores<float>(RowsView<float>, const Machine&, const Interrupt&, Span<double>);
template double fm_loss<double>(RowsView<double>, Span<const double>, Span<const double>, FmLoss, const Machine&,
                                const Interrupt&, Span<double>);
template double fm_loss<float>(RowsView<float>, Span<const double>, Span<const double>, FmLoss, const Machine&,
                               const Interrupt&, Span<double>);

}  // namespace statlearn::linear
