#include "linear/logistic.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/vmath.hpp"

namespace statlearn::linear {

using namespace rows;

namespace {

// Scores and gradients of K classes; eta and r are one block x K, column after column.
template <class T>
void scores_multi(const SparseRows<T>& rows, Index begin, Index end, Index K, const double* theta, double* eta,
                  std::vector<double>&) {
    const Index q = rows.cols() + rows.intercept;
    for (Index k = 0; k < K; ++k) scores(rows, begin, end, theta + k * q, eta + k * kBlock);
}
template <class T>
void add_gradient_multi(const SparseRows<T>& rows, Index begin, Index end, Index K, const double* r, double* g,
                        std::vector<double>&) {
    const Index q = rows.cols() + rows.intercept;
    for (Index k = 0; k < K; ++k) add_gradient(rows, begin, end, r + k * kBlock, g + k * q);
}

// A block of rows in double precision for BLAS: X itself where its layout allows, else a copy.
struct BlasBlock {
    const double* data;
    int ld;
    bool rows_contiguous;
};
template <class T>
BlasBlock blas_block(const Matrix<const T>& X, Index begin, Index end, bool reuse, std::vector<double>& copy) {
    if constexpr (std::is_same_v<T, double>) {
        if (X.row_major() && X.row_stride >= X.cols) return {X.row(begin), int(X.row_stride), true};
        if (X.col_major() && X.col_stride >= X.rows) return {X.row(begin), int(X.col_stride), false};
    }
    if (!reuse) {
        copy.resize(kBlock * X.cols);
        for (Index i = begin; i < end; ++i)
            for (Index j = 0; j < X.cols; ++j) copy[(i - begin) * X.cols + j] = double(X(i, j));
    }
    return {copy.data(), int(X.cols), true};
}

template <class T>
void scores_multi(const DenseRows<T>& rows, Index begin, Index end, Index K, const double* theta, double* eta,
                  std::vector<double>& copy) {
    const Index p = rows.cols(), q = p + rows.intercept;
    const int m = int(end - begin);
    for (Index k = 0; k < K; ++k)
        std::fill(eta + k * kBlock, eta + k * kBlock + m, rows.intercept ? theta[k * q + p] : 0.0);
    const auto block = blas_block(rows.X, begin, end, false, copy);
    blas::gemm(block.rows_contiguous ? 'T' : 'N', 'N', m, int(K), int(p), 1.0, block.data, block.ld, theta, int(q), 1.0,
               eta, int(kBlock));
}
template <class T>
void add_gradient_multi(const DenseRows<T>& rows, Index begin, Index end, Index K, const double* r, double* g,
                        std::vector<double>& copy) {
    const Index p = rows.cols(), q = p + rows.intercept;
    const int m = int(end - begin);
    const auto block = blas_block(rows.X, begin, end, true, copy);  // scores_multi has copied the same rows
    blas::gemm(block.rows_contiguous ? 'N' : 'T', 'N', int(p), int(K), m, 1.0, block.data, block.ld, r, int(kBlock),
               1.0, g, int(q));
    if (rows.intercept)
        for (Index k = 0; k < K; ++k)
            for (Index i = 0; i < m; ++i) g[k * q + p] += r[k * kBlock + i];
}

// Class probabilities in place of the scores (m x K, columns kBlock apart); top and sum are work space.
void softmax_block(Index m, Index K, double* eta, double* top, double* sum) {
    std::copy(eta, eta + m, top);
    for (Index k = 1; k < K; ++k)
        for (Index i = 0; i < m; ++i) top[i] = std::max(top[i], eta[k * kBlock + i]);
    std::fill(sum, sum + m, 0.0);
    for (Index k = 0; k < K; ++k) {
        double* e = eta + k * kBlock;
        for (Index i = 0; i < m; ++i) {
            e[i] = exp_fast(e[i] - top[i]);
            sum[i] += e[i];
        }
    }
    for (Index k = 0; k < K; ++k)
        for (Index i = 0; i < m; ++i) eta[k * kBlock + i] /= sum[i];
}

void add_offset(Span<const double> offset, Index begin, Index m, Index K, double* eta) {
    if (offset.empty()) return;
    for (Index i = 0; i < m; ++i)
        for (Index k = 0; k < K; ++k) eta[k * kBlock + i] += offset[(begin + i) * K + k];
}

}  // namespace

template <class Rows>
double logistic_pass(const Rows& X, Span<const double> sign, Span<const double> weights, Span<const double> offset,
                     Span<const double> theta, const Interrupt& interrupt, Span<double> grad, Span<double> hess) {
    const auto block = [&](Index begin, Index m, const double* eta, double* loss, double* r, double* h) {
        const double* t = sign.data() + begin;
        for (Index i = 0; i < m; ++i) {
            const double margin = t[i] * eta[i];
            const double e = exp_fast(-std::abs(margin));
            const double inverse = 1.0 / (1.0 + e);
            const double smaller = e * inverse, negative = -margin;
            const double wrong = margin >= 0.0 ? smaller : inverse;  // P(other class)
            loss[i] = log1p_unit(e) + (margin < 0.0 ? negative : 0.0);
            r[i] = -t[i] * wrong;
            h[i] = smaller * inverse;
        }
    };
    return row_pass(X, block, weights, offset, theta, interrupt, grad, hess);
}

template <class Rows>
double multinomial_pass(const Rows& X, Index K, Span<const int> codes, Span<const double> weights,
                        Span<const double> offset, Span<const double> theta, const Interrupt& interrupt,
                        Span<double> grad) {
    const Index n = X.rows(), q = X.cols() + X.intercept;
    const Blocks chunks = row_chunks(n, X.entries() + n * K, 8 * q * K);
    struct Part {
        double loss = 0.0;
        std::vector<double> grad;
    };
    std::vector<Part> parts(chunks.count());
    parallel_for(chunks.count(), [&](Index c) {
        Part& part = parts[c];
        part.grad.assign(q * K, 0.0);
        std::vector<double> eta(K * kBlock), copy;
        double top[kBlock], sum[kBlock], own[kBlock];
        for (Index begin = chunks.begin(c); begin < chunks.end(c); begin += kBlock) {
            if (interrupt.requested()) return;
            const Index end = std::min(begin + kBlock, chunks.end(c)), m = end - begin;
            scores_multi(X, begin, end, K, theta.data(), eta.data(), copy);
            add_offset(offset, begin, m, K, eta.data());
            for (Index i = 0; i < m; ++i) own[i] = eta[codes[begin + i] * kBlock + i];
            softmax_block(m, K, eta.data(), top, sum);
            for (Index i = 0; i < m; ++i) {
                const double s = weights.empty() ? 1.0 : weights[begin + i];
                part.loss += s * (std::log(sum[i]) + (top[i] - own[i]));
                eta[codes[begin + i] * kBlock + i] -= 1.0;
            }
            if (!weights.empty())
                for (Index k = 0; k < K; ++k)
                    for (Index i = 0; i < m; ++i) eta[k * kBlock + i] *= weights[begin + i];
            add_gradient_multi(X, begin, end, K, eta.data(), part.grad.data(), copy);
        }
    });
    double total = 0.0;
    std::fill(grad.begin(), grad.end(), 0.0);
    for (const Part& part : parts) {
        total += part.loss;
        for (std::size_t j = 0; j < part.grad.size(); ++j) grad[j] += part.grad[j];
    }
    for (Index k = 0; k < K; ++k) shift_gradient(X.shift, X.intercept, grad.data() + k * q);
    return total;
}

template <class Rows>
void multinomial_hessian(const Rows& X, Index K, Index used, bool diagonal, Span<const double> weights,
                         Span<const double> offset, Span<const double> theta, const Interrupt& interrupt,
                         Span<double> hess) {
    const Index n = X.rows(), q = X.cols() + X.intercept;
    const Index pairs = diagonal ? used : used * (used + 1) / 2;
    const bool tiles = tiled(X);
    const Blocks chunks = row_chunks(n, X.entries() * pairs, tiles ? GramOf<Rows>::bytes(X, pairs) : 8);
    std::vector<std::vector<double>> parts(chunks.count());
    std::vector<double> probability(tiles ? 0 : std::size_t(n * K));
    std::fill(hess.begin(), hess.end(), 0.0);
    parallel_for(chunks.count(), [&](Index c) {
        auto gram = make_gram(X, tiles ? pairs : 0);
        std::vector<double> eta(K * kBlock), copy;
        double top[kBlock], sum[kBlock], h[kBlock];
        for (Index begin = chunks.begin(c); begin < chunks.end(c); begin += kBlock) {
            if (interrupt.requested()) return;
            const Index end = std::min(begin + kBlock, chunks.end(c)), m = end - begin;
            scores_multi(X, begin, end, K, theta.data(), eta.data(), copy);
            add_offset(offset, begin, m, K, eta.data());
            softmax_block(m, K, eta.data(), top, sum);
            if (!tiles) {
                for (Index k = 0; k < K; ++k)
                    std::copy_n(eta.data() + k * kBlock, m, probability.data() + k * n + begin);
                continue;
            }
            gram.start(begin, end);
            Index pair = 0;
            for (Index k = 0; k < used; ++k)
                for (Index l = k; l < (diagonal ? k + 1 : used); ++l, ++pair) {
                    const double *a = eta.data() + k * kBlock, *b = eta.data() + l * kBlock;
                    for (Index i = 0; i < m; ++i) h[i] = k == l ? a[i] * (1.0 - a[i]) : -a[i] * b[i];
                    if (!weights.empty())
                        for (Index i = 0; i < m; ++i) h[i] *= weights[begin + i];
                    gram.add(pair, h);
                }
        }
        if (tiles) {
            parts[c].assign(pairs * q * q, 0.0);
            gram.add_to(parts[c]);
        }
    });
    for (const auto& part : parts)
        for (std::size_t j = 0; j < part.size(); ++j) hess[j] += part[j];
    if (!tiles) {
        std::vector<double> h(n);
        Index pair = 0;
        for (Index k = 0; k < used; ++k)
            for (Index l = k; l < (diagonal ? k + 1 : used); ++l, ++pair) {
                const double *a = probability.data() + k * n, *b = probability.data() + l * n;
                for (Index i = 0; i < n; ++i)
                    h[i] = (weights.empty() ? 1.0 : weights[i]) * a[i] * (k == l ? 1.0 - a[i] : b[i]);
                wide_gram(X, h, k == l ? 1.0 : -1.0, interrupt, hess.data() + pair * q * q);
            }
    }
    mirror(hess, q);
}

#define STATLEARN_LOGISTIC(Rows)                                                                                  \
    template double logistic_pass(const Rows&, Span<const double>, Span<const double>, Span<const double>,        \
                                  Span<const double>, const Interrupt&, Span<double>, Span<double>);              \
    template double multinomial_pass(const Rows&, Index, Span<const int>, Span<const double>, Span<const double>, \
                                     Span<const double>, const Interrupt&, Span<double>);                         \
    template void multinomial_hessian(const Rows&, Index, Index, bool, Span<const double>, Span<const double>,    \
                                      Span<const double>, const Interrupt&, Span<double>);
STATLEARN_LOGISTIC(DenseRows<double>)
STATLEARN_LOGISTIC(DenseRows<float>)
STATLEARN_LOGISTIC(SparseRows<double>)
STATLEARN_LOGISTIC(SparseRows<float>)
#undef STATLEARN_LOGISTIC

}  // namespace statlearn::linear
