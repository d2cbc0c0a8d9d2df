#include "graphical/boltzmann.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/blas.hpp"
#include "common/parallel.hpp"
#include "common/rng.hpp"
#include "common/special.hpp"

namespace statlearn::graphical {
namespace {

// a[0..n) = sigmoid(a)
template <class T>
void apply_sigmoid(T* a, Index n) {
    for (Index k = 0; k < n; ++k) a[k] = sigmoid(a[k]);
}

template <class T>
void draw(const T* mean, Index n, Rng& rng, T* sample) {
    constexpr T kUnit = T(0x1.0p-32);
    for (Index k = 0; k < n; ++k) sample[k] = T(rng.bits32()) * kUnit < mean[k] ? T(1) : T(0);
}

// H = sigmoid(V W + c) for `rows` rows; sums run over the units that are not zero.
template <class T>
void hidden_means(const T* V, Index rows, const RbmState<T>& state, T* H) {
    const Index p = state.W.rows, h = state.W.cols;
    for (Index r = 0; r < rows; ++r) {
        T* out = H + r * h;
        std::copy(state.hidden_bias.begin(), state.hidden_bias.end(), out);
        const T* v = V + r * p;
        for (Index i = 0; i < p; ++i) {
            if (v[i] == T(0)) continue;
            const T* w = state.W.row(i);
            const T value = v[i];
            for (Index k = 0; k < h; ++k) out[k] += value * w[k];
        }
        apply_sigmoid(out, h);
    }
}

// V = sigmoid(H W' + b)
template <class T>
void visible_means(const T* H, Index rows, const RbmState<T>& state, T* V) {
    const Index p = state.W.rows, h = state.W.cols;
    for (Index r = 0; r < rows; ++r) std::copy(state.visible_bias.begin(), state.visible_bias.end(), V + r * p);
    blas::gemm<T>('T', 'N', int(p), int(rows), int(h), T(1), state.W.data, int(h), H, int(h), T(1), V, int(p));
    apply_sigmoid(V, rows * p);
}

template <class T>
double squared_difference(const T* a, const T* b, Index n) {
    double sum = 0.0;
    for (Index k = 0; k < n; ++k) sum += double(a[k] - b[k]) * double(a[k] - b[k]);
    return sum;
}

}  // namespace

void gibbs_sweeps(Matrix<const double> J, Span<const double> b, Span<const std::uint8_t> free, int sweeps,
                  std::uint64_t seed, const Interrupt& interrupt, Matrix<std::uint8_t> states, Matrix<double> mean) {
    const Index p = J.rows;
    parallel_for(states.rows, Work(double(states.rows) * double(sweeps) * double(p) * double(p)), [&](Index chain) {
        Rng rng(seed, std::uint64_t(chain));
        std::uint8_t* x = states.row(chain);
        std::vector<double> field(b.begin(), b.end());
        for (Index j = 0; j < p; ++j)
            if (x[j])
                for (Index k = 0; k < p; ++k) field[k] += J(j, k);
        for (int sweep = 0; sweep < sweeps; ++sweep) {
            if (interrupt.requested()) return;
            for (Index j = 0; j < p; ++j) {
                if (!free[j]) continue;
                const std::uint8_t next = rng.uniform() < sigmoid(field[j]);
                if (next != x[j]) {
                    const double sign = next ? 1.0 : -1.0;
                    const double* row = J.row(j);
                    for (Index k = 0; k < p; ++k) field[k] += sign * row[k];
                    x[j] = next;
                }
            }
            if (mean.rows)
                for (Index j = 0; j < p; ++j) mean(chain, j) += double(x[j]);
        }
        if (mean.rows)
            for (Index j = 0; j < p; ++j) mean(chain, j) /= double(sweeps);
    });
}

template <class T>
double rbm_epoch(Matrix<const T> X, RbmRule rule, std::uint64_t seed, std::uint64_t first_step,
                 const Interrupt& interrupt, RbmState<T> state) {
    const Index n = X.rows, p = state.W.rows, h = state.W.cols;
    const Index most = std::min<Index>(n, rule.batch);
    std::vector<T> positive(most * h), negative(most * h), hidden(most * h);
    std::vector<T> visible(most * p), drawn(most * p);
    double error = 0.0;
    std::uint64_t step = first_step;
    for (Index begin = 0; begin < n; begin += rule.batch, ++step) {
        if (interrupt.requested()) break;
        const Index rows = std::min<Index>(rule.batch, n - begin);
        const T* data = X.row(begin);
        hidden_means(data, rows, state, positive.data());
        Rng rng(seed, step);
        T* chains = rule.persistent ? state.chains.data : hidden.data();
        if (!rule.persistent) draw(positive.data(), rows * h, rng, chains);
        for (int k = 0; k < rule.k; ++k) {
            visible_means(chains, rows, state, visible.data());
            if (k == 0 && !rule.persistent) error += squared_difference(visible.data(), data, rows * p);
            draw(visible.data(), rows * p, rng, drawn.data());
            hidden_means(drawn.data(), rows, state, negative.data());
            if (k + 1 < rule.k || rule.persistent) draw(negative.data(), rows * h, rng, chains);
        }
        if (rule.persistent) {  // the chains are not at the data: reconstruct these by the means
            visible_means(positive.data(), rows, state, visible.data());
            error += squared_difference(visible.data(), data, rows * p);
        }
        const T rate = T(rule.rate / double(rows));
        for (Index i = 0; i < p; ++i) {
            T* w = state.W.row(i);
            for (Index r = 0; r < rows; ++r) {
                const T plus = data[r * p + i], minus = drawn[r * p + i];
                if (plus != T(0)) {
                    const T factor = rate * plus;
                    const T* hp = positive.data() + r * h;
                    for (Index k = 0; k < h; ++k) w[k] += factor * hp[k];
                }
                if (minus != T(0)) {
                    const T* hn = negative.data() + r * h;
                    for (Index k = 0; k < h; ++k) w[k] -= rate * hn[k];
                }
                state.visible_bias[i] += rate * (plus - minus);
            }
        }
        for (Index r = 0; r < rows; ++r)
            for (Index k = 0; k < h; ++k) state.hidden_bias[k] += rate * (positive[r * h + k] - negative[r * h + k]);
    }
    return error / (double(n) * double(p));
}

template double rbm_epoch<float>(Matrix<const float>, RbmRule, std::uint64_t, std::uint64_t, const Interrupt&,
                                 RbmState<float>);
template double rbm_epoch<double>(Matrix<const double>, RbmRule, std::uint64_t, std::uint64_t, const Interrupt&,
                                  RbmState<double>);

}  // namespace statlearn::graphical
