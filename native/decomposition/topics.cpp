#include "decomposition/topics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/parallel.hpp"
#include "common/scratch.hpp"
#include "common/vector.hpp"

namespace statlearn::decomposition {

namespace {

constexpr double kSmall = std::numeric_limits<double>::epsilon();  // keeps quotients finite

// psi(x) for x > 0: the recurrence psi(x) = psi(x + 1) - 1/x up to 6, then the asymptotic series (DLMF 5.11.2).
double digamma(double x) {
    double sum = 0.0;
    for (; x < 6.0; x += 1.0) sum -= 1.0 / x;
    const double r = 1.0 / x, s = r * r;
    const double series = s * (1.0 / 12 - s * (1.0 / 120 - s * (1.0 / 252 - s * (1.0 / 240 - s / 132.0))));
    return sum + std::log(x) - 0.5 * r - series;
}

void expected_shares(const double* gamma, Index k, double* theta) {
    double total = 0.0;
    for (Index l = 0; l < k; ++l) total += gamma[l];
    const double of_total = digamma(total);
    for (Index l = 0; l < k; ++l) theta[l] = std::exp(digamma(gamma[l]) - of_total);
}

}  // namespace

void document_topics(const RowsView<double>& counts, Matrix<const double> word, double prior, double tol, int max_iter,
                     const Interrupt& interrupt, Matrix<double> gamma, Matrix<double> theta) {
    const Index k = word.cols;
    const Blocks blocks(counts.rows, 16);
    parallel_for(blocks.count(), [&](Index b) {
        Scratch<double> pull(k);
        for (Index d = blocks.begin(b); d < blocks.end(b); ++d) {
            if (interrupt.requested()) return;
            double *own = gamma.row(d), *share = theta.row(d);
            expected_shares(own, k, share);
            for (int step = 0; step < max_iter; ++step) {
                std::fill(pull.begin(), pull.end(), 0.0);
                counts.each(d, [&](std::size_t w, double n) {
                    const double* of_word = word.row(Index(w));
                    axpy(n / (dot(of_word, share, k) + kSmall), of_word, pull.data(), k);
                });
                double change = 0.0;
                for (Index l = 0; l < k; ++l) {
                    const double next = prior + share[l] * pull[l];
                    change += std::abs(next - own[l]);
                    own[l] = next;
                }
                expected_shares(own, k, share);
                if (change < tol * double(k)) break;
            }
        }
    });
}

void word_statistics(const RowsView<double>& counts_of_words, Matrix<const double> word, Matrix<const double> theta,
                     const Interrupt& interrupt, Matrix<double> stats) {
    const Index k = word.cols;
    const Blocks blocks(counts_of_words.rows, 64);
    parallel_for(blocks.count(), Work(4.0 * double(counts_of_words.values.size()) * double(k)), [&](Index b) {
        if (interrupt.requested()) return;
        for (Index w = blocks.begin(b); w < blocks.end(b); ++w) {
            double* sum = stats.row(w);
            std::fill(sum, sum + k, 0.0);
            const double* of_word = word.row(w);
            counts_of_words.each(w, [&](std::size_t d, double n) {
                const double* share = theta.row(Index(d));
                axpy(n / (dot(of_word, share, k) + kSmall), share, sum, k);
            });
            for (Index l = 0; l < k; ++l) sum[l] *= of_word[l];
        }
    });
}

double mixture_log_likelihood(const RowsView<double>& counts, Matrix<const double> word, Matrix<const double> theta,
                              const Interrupt& interrupt) {
    return parallel_sum(Blocks(counts.rows, 64), [&](Index begin, Index end) {
        double total = 0.0;
        for (Index d = begin; d < end && !interrupt.requested(); ++d)
            counts.each(d, [&](std::size_t w, double n) {
                total += n * std::log(dot(word.row(Index(w)), theta.row(d), word.cols));
            });
        return total;
    });
}

}  // namespace statlearn::decomposition
