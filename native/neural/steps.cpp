#include "neural/steps.hpp"

#include <cmath>

#include "common/parallel.hpp"

namespace statlearn::neural {

namespace {

constexpr Index kBlock = 8192;

// Calls body(begin, end) for blocks of 0..n-1 on several threads.
template <class F>
void for_blocks(Index n, double operations, F&& body) {
    const Blocks blocks(n, kBlock);
    parallel_for(blocks.count(), Work(operations * double(n)), [&](Index b) { body(blocks.begin(b), blocks.end(b)); });
}

template <class T>
double sum_squares(const T* w, Index n) {
    double lanes[8] = {};  // the compiler may not reorder one sum, but eight of them make a vector
    Index i = 0;
    for (; i + 8 <= n; i += 8)
        for (Index k = 0; k < 8; ++k) lanes[k] += double(w[i + k]) * double(w[i + k]);
    for (; i < n; ++i) lanes[0] += double(w[i]) * double(w[i]);
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
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
double gradient_sum(MatrixView<T> parts, Index n, std::span<const T> w, double alpha, double total) {
    const Index penalised = Index(w.size());
    const T a = T(alpha), scale = T(total);
    std::vector<double> squares(std::size_t(Blocks(n, kBlock).count()), 0.0);
    for_blocks(n, double(parts.rows + 3), [&](Index begin, Index end) {
        T* sum = &parts(0, 0);
        for (Index k = 1; k < parts.rows; ++k) {
            const T* part = &parts(k, 0);
            for (Index i = begin; i < end; ++i) sum[i] += part[i];
        }
        const Index middle = std::max(begin, std::min(end, penalised));
        for (Index i = begin; i < middle; ++i) sum[i] = (sum[i] + a * w[std::size_t(i)]) / scale;
        for (Index i = middle; i < end; ++i) sum[i] /= scale;
        if (middle > begin) squares[std::size_t(begin / kBlock)] = sum_squares(w.data() + begin, middle - begin);
    });
    double norm = 0.0;
    for (const double value : squares) norm += value;
    return norm;
}

template <class T>
void adam_step(std::span<T> w, std::span<const T> gradient, std::span<T> first, std::span<T> second,
               const AdamRule& rule) {
    for_blocks(Index(w.size()), 12.0, [&](Index begin, Index end) {
        adam_block(w.data() + begin, gradient.data() + begin, first.data() + begin, second.data() + begin, end - begin,
                   rule);
    });
}

template <class T>
void momentum_step(std::span<T> w, std::span<const T> gradient, std::span<T> velocity, const MomentumRule& rule) {
    for_blocks(Index(w.size()), 6.0, [&](Index begin, Index end) {
        momentum_block(w.data() + begin, gradient.data() + begin, velocity.data() + begin, end - begin, rule);
    });
}

template double gradient_sum(MatrixView<float>, Index, std::span<const float>, double, double);
template double gradient_sum(MatrixView<double>, Index, std::span<const double>, double, double);
template void adam_step(std::span<float>, std::span<const float>, std::span<float>, std::span<float>, const AdamRule&);
template void adam_step(std::span<double>, std::span<const double>, std::span<double>, std::span<double>,
                        const AdamRule&);
template void momentum_step(std::span<float>, std::span<const float>, std::span<float>, const MomentumRule&);
template void momentum_step(std::span<double>, std::span<const double>, std::span<double>, const MomentumRule&);

}  // namespace statlearn::neural
