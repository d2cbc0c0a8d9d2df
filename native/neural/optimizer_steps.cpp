#include "neural/optimizer_steps.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "common/parallel.hpp"

namespace statlearn::neural {

namespace {

constexpr Index kBlock = 8192;  // elements of a unit of work
constexpr Index kChunk = 1024;  // elements whose gradient is in the first cache at a time

template <class T>
double sum_squares(const T* w, Index n) {
    double lanes[8] = {};  // the compiler may not reorder one sum, but eight of them make a vector
    Index i = 0;
    for (; i + 8 <= n; i += 8)
        for (Index k = 0; k < 8; ++k) lanes[k] += double(w[i + k]) * double(w[i + k]);
    for (; i < n; ++i) lanes[0] += double(w[i]) * double(w[i]);
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

// g[i - begin] = gradient of element i. Returns the sum of squares of the penalised elements among them.
template <class T>
double sum_chunk(const GradientPieces<T>& pieces, const T* w, Index begin, Index end, T* g) {
    const auto& parts = pieces.parts;
    const T a = T(pieces.alpha), scale = T(pieces.total);
    const Index n = end - begin, penalised = std::clamp<Index>(pieces.penalised - begin, 0, n);
    const T* first = &parts(0, begin);
    if (g != first) std::copy_n(first, n, g);
    for (Index k = 1; k < parts.rows; ++k) {
        const T* part = &parts(k, begin);
        for (Index i = 0; i < n; ++i) g[i] += part[i];
    }
    for (Index i = 0; i < penalised; ++i) g[i] = (g[i] + a * w[begin + i]) / scale;
    for (Index i = penalised; i < n; ++i) g[i] /= scale;
    return sum_squares(w + begin, penalised);
}

// Calls body(begin, end) for chunks of 0..n-1 on several threads; returns the sum of what it returns.
template <class F>
double for_chunks(Index n, double operations, F&& body) {
    const Blocks blocks(n, kBlock);
    std::vector<double> sums(blocks.count(), 0.0);
    parallel_for(blocks.count(), Work(operations * double(n)), [&](Index b) {
        for (Index begin = blocks.begin(b); begin < blocks.end(b); begin += kChunk)
            sums[b] += body(begin, std::min(begin + kChunk, blocks.end(b)));
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

// Functions of their own: the compiler heeds __restrict for arguments only.
template <class T>
void adam_block(T* __restrict w, const T* __restrict g, T* __restrict m, T* __restrict v, Index n,
                const AdamRule& rule) {
    const T b1 = T(rule.beta_1), b2 = T(rule.beta_2), c1 = T(1.0 - rule.beta_1), c2 = T(1.0 - rule.beta_2);
    const T rate = T(rule.rate), epsilon = T(rule.epsilon);
    for (Index i = 0; i < n; ++i) {
        const T gi = g[i];
        const T mi = b1 * m[i] + c1 * gi;
        const T vi = b2 * v[i] + c2 * (gi * gi);
        m[i] = mi;
        v[i] = vi;
        w[i] -= rate * mi / (std::sqrt(vi) + epsilon);
    }
}

template <class T>
void momentum_block(T* __restrict w, const T* __restrict g, T* __restrict v, Index n, const MomentumRule& rule) {
    const T rate = T(rule.rate), momentum = T(rule.momentum);
    const T direct = rule.nesterov ? rate : T(0), carried = rule.nesterov ? momentum : T(1);
    for (Index i = 0; i < n; ++i) {
        const T vi = momentum * v[i] - rate * g[i];
        v[i] = vi;
        w[i] += carried * vi - direct * g[i];
    }
}

}  // namespace

template <class T>
double gradient_sum(const GradientPieces<T>& pieces, Span<const T> w, Span<T> gradient) {
    return for_chunks(Index(w.size()), double(pieces.parts.rows + 3), [&](Index begin, Index end) {
        return sum_chunk(pieces, w.data(), begin, end, gradient.data() + begin);
    });
}

template <class T>
double adam_step(Span<T> w, const GradientPieces<T>& pieces, Span<T> first, Span<T> second, const AdamRule& rule) {
    return for_chunks(Index(w.size()), double(pieces.parts.rows + 15), [&](Index begin, Index end) {
        T g[kChunk];
        const double squares = sum_chunk(pieces, w.data(), begin, end, g);
        adam_block(w.data() + begin, g, first.data() + begin, second.data() + begin, end - begin, rule);
        return squares;
    });
}

template <class T>
double momentum_step(Span<T> w, const GradientPieces<T>& pieces, Span<T> velocity, const MomentumRule& rule) {
    return for_chunks(Index(w.size()), double(pieces.parts.rows + 9), [&](Index begin, Index end) {
        T g[kChunk];
        const double squares = sum_chunk(pieces, w.data(), begin, end, g);
        momentum_block(w.data() + begin, g, velocity.data() + begin, end - begin, rule);
        return squares;
    });
}

template double gradient_sum(const GradientPieces<float>&, Span<const float>, Span<float>);
template double adam_step(Span<float>, const GradientPieces<float>&, Span<float>, Span<float>, const AdamRule&);
template double momentum_step(Span<float>, const GradientPieces<float>&, Span<float>, const MomentumRule&);
template double gradient_sum(const GradientPieces<double>&, Span<const double>, Span<double>);
template double adam_step(Span<double>, const GradientPieces<double>&, Span<double>, Span<double>, const AdamRule&);
template double momentum_step(Span<double>, const GradientPieces<double>&, Span<double>, const MomentumRule&);

}  // namespace statlearn::neural
