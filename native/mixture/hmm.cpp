#include "mixture/hmm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "common/chunks.hpp"
#include "common/parallel.hpp"

namespace statlearn::mixture {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();
constexpr Index kMaxChunks = 32;

using Vec = std::vector<double>;

// Divides by the sum, which is returned; a sum of 0 leaves zeros.
double normalise(double* v, Index n) {
    const double sum = std::accumulate(v, v + n, 0.0);
    if (sum > 0.0)
        for (Index s = 0; s < n; ++s) v[s] /= sum;
    return sum;
}

Index length_of(const Matrix<const int>& symbols, Index row) {
    Index length = symbols.cols;
    while (length > 0 && symbols(row, length - 1) < 0) --length;
    return length;
}

// P(symbol | state); 1 for a symbol that was not seen.
double emits(const HmmModel& m, Index state, int symbol) {
    return symbol < 0 ? 1.0 : m.emission[state * m.symbols + symbol];
}

// alpha_t(s), proportional to P(x_1..x_t, z_t = s); returns the log-likelihood.
double forward_pass(const Matrix<const int>& symbols, Index row, Index length, const HmmModel& m, double* alpha) {
    const Index S = m.states;
    double log_likelihood = 0.0;
    for (Index t = 0; t < length; ++t) {
        double* now = alpha + t * S;
        const int symbol = symbols(row, t);
        if (t == 0) {
            for (Index s = 0; s < S; ++s) now[s] = m.start[s] * emits(m, s, symbol);
        } else {
            const double* before = now - S;
            std::fill(now, now + S, 0.0);
            for (Index a = 0; a < S; ++a)
                for (Index s = 0; s < S; ++s) now[s] += before[a] * m.transition[a * S + s];
            for (Index s = 0; s < S; ++s) now[s] *= emits(m, s, symbol);
        }
        log_likelihood += std::log(normalise(now, S));
        if (log_likelihood == kImpossible) return kImpossible;
    }
    return log_likelihood;
}

// beta_t(s), proportional to P(x_{t+1}.. | z_t = s); returns the log-likelihood.
double backward_pass(const Matrix<const int>& symbols, Index row, Index length, const HmmModel& m, double* beta) {
    if (length == 0) return 0.0;
    const Index S = m.states;
    double log_scale = std::log(double(S));
    std::fill(beta + (length - 1) * S, beta + length * S, 1.0 / double(S));
    for (Index t = length - 2; t >= 0; --t) {
        double* now = beta + t * S;
        const double* after = now + S;
        const int symbol = symbols(row, t + 1);
        std::fill(now, now + S, 0.0);
        for (Index s = 0; s < S; ++s)
            for (Index b = 0; b < S; ++b) now[s] += m.transition[s * S + b] * emits(m, b, symbol) * after[b];
        log_scale += std::log(normalise(now, S));
        if (log_scale == kImpossible) return kImpossible;
    }
    double sum = 0.0;
    for (Index s = 0; s < S; ++s) sum += m.start[s] * emits(m, s, symbols(row, 0)) * beta[s];
    return log_scale + std::log(sum);
}

// Adds the posterior of one sequence to the counts.
void add_posterior(const Matrix<const int>& symbols, Index row, Index length, const HmmModel& m, double weight,
                   const double* alpha, const double* beta, double* work, const HmmCounts& counts) {
    const Index S = m.states;
    for (Index t = 0; t < length; ++t) {
        const int symbol = symbols(row, t);
        double* gamma = work;
        for (Index s = 0; s < S; ++s) gamma[s] = alpha[t * S + s] * beta[t * S + s];
        normalise(gamma, S);
        for (Index s = 0; s < S; ++s) {
            if (t == 0) counts.start[s] += weight * gamma[s];
            if (symbol >= 0) counts.emission[s * m.symbols + symbol] += weight * gamma[s];
        }
        if (t + 1 == length) continue;
        const int next = symbols(row, t + 1);
        double* pair = work + S;
        for (Index a = 0; a < S; ++a)
            for (Index b = 0; b < S; ++b)
                pair[a * S + b] =
                    alpha[t * S + a] * m.transition[a * S + b] * emits(m, b, next) * beta[(t + 1) * S + b];
        normalise(pair, S * S);
        for (Index ab = 0; ab < S * S; ++ab) counts.transition[ab] += weight * pair[ab];
    }
}

Blocks chunks_of(Index n) { return chunk_grid(n, 1, kMaxChunks); }

double log_or_impossible(double p) { return p > 0.0 ? std::log(p) : kImpossible; }

}  // namespace

void hmm_expect(Matrix<const int> symbols, Span<const double> weights, const HmmModel& m, const Interrupt& interrupt,
                Span<double> log_likelihood, const HmmCounts& counts) {
    const Index S = m.states, V = m.symbols, T = symbols.cols;
    const Blocks chunks = chunks_of(symbols.rows);
    const Index size = S + S * S + S * V;
    std::vector<Vec> parts(chunks.count());
    parallel_for(chunks.count(), [&](Index c) {
        Vec& sums = parts[c];
        sums.assign(size, 0.0);
        const Span<double> all(sums);
        const HmmCounts mine{all.first(S), all.subspan(S, S * S), all.subspan(S + S * S)};
        Vec alpha(T * S), beta(T * S), work(S + S * S);
        for (Index i = chunks.begin(c); i < chunks.end(c); ++i) {
            if (interrupt.requested()) return;
            const Index length = length_of(symbols, i);
            const double value = forward_pass(symbols, i, length, m, alpha.data());
            log_likelihood[i] = value;
            const double weight = weights.empty() ? 1.0 : weights[i];
            if (value == kImpossible || weight == 0.0) continue;
            backward_pass(symbols, i, length, m, beta.data());
            add_posterior(symbols, i, length, m, weight, alpha.data(), beta.data(), work.data(), mine);
        }
    });
    Vec sum(size, 0.0);
    for (const Vec& part : parts)
        for (std::size_t k = 0; k < part.size(); ++k) sum[k] += part[k];
    std::copy(sum.begin(), sum.begin() + S, counts.start.begin());
    std::copy(sum.begin() + S, sum.begin() + S + S * S, counts.transition.begin());
    std::copy(sum.begin() + S + S * S, sum.end(), counts.emission.begin());
}

void hmm_forward_backward(Matrix<const int> symbols, const HmmModel& m, const Interrupt& interrupt,
                          Span<double> forward, Span<double> backward, Span<double> by_forward,
                          Span<double> by_backward) {
    const Index size = symbols.cols * m.states;
    std::fill(forward.begin(), forward.end(), 0.0);
    std::fill(backward.begin(), backward.end(), 0.0);
    const Blocks chunks = chunks_of(symbols.rows);
    parallel_for(chunks.count(), [&](Index c) {
        for (Index i = chunks.begin(c); i < chunks.end(c); ++i) {
            if (interrupt.requested()) return;
            const Index length = length_of(symbols, i);
            by_forward[i] = forward_pass(symbols, i, length, m, forward.data() + i * size);
            by_backward[i] = backward_pass(symbols, i, length, m, backward.data() + i * size);
        }
    });
}

void hmm_viterbi(Matrix<const int> symbols, const HmmModel& m, const Interrupt& interrupt, Matrix<int> paths,
                 Span<double> log_probability) {
    const Index S = m.states, T = symbols.cols;
    Vec step(S * S), emission(S * m.symbols);
    std::transform(m.transition.begin(), m.transition.end(), step.begin(), log_or_impossible);
    std::transform(m.emission.begin(), m.emission.end(), emission.begin(), log_or_impossible);
    const auto log_emits = [&](Index s, int symbol) { return symbol < 0 ? 0.0 : emission[s * m.symbols + symbol]; };
    const Blocks chunks = chunks_of(symbols.rows);
    parallel_for(chunks.count(), [&](Index c) {
        std::vector<int> from(T * S);
        Vec best(S), next(best);
        for (Index i = chunks.begin(c); i < chunks.end(c); ++i) {
            if (interrupt.requested()) return;
            const Index length = length_of(symbols, i);
            for (Index t = length; t < T; ++t) paths(i, t) = -1;
            log_probability[i] = 0.0;
            if (length == 0) continue;
            for (Index s = 0; s < S; ++s) best[s] = log_or_impossible(m.start[s]) + log_emits(s, symbols(i, 0));
            for (Index t = 1; t < length; ++t) {
                for (Index s = 0; s < S; ++s) {
                    Index arg = 0;
                    double top = kImpossible;
                    for (Index a = 0; a < S; ++a) {
                        const double value = best[a] + step[a * S + s];
                        if (value > top) {
                            top = value;
                            arg = a;
                        }
                    }
                    from[t * S + s] = int(arg);
                    next[s] = top + log_emits(s, symbols(i, t));
                }
                std::swap(best, next);
            }
            Index state = std::max_element(best.begin(), best.end()) - best.begin();
            log_probability[i] = best[state];
            for (Index t = length - 1; t >= 0; --t) {
                paths(i, t) = int(state);
                if (t > 0) state = from[t * S + state];
            }
        }
    });
}

}  // namespace statlearn::mixture
