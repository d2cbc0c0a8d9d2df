// Activations and losses of a dense network over contiguous numbers. NaN stays NaN: a network that diverges must not
// look healthy.
#pragma once

#include <cmath>

#include "common/special.hpp"
#include "neural/dense.hpp"

namespace statlearn::neural {

template <class T>
T finite_exp(T x) {
    return x == x ? exp_fast(x) : x;
}

template <class T>
T finite_sigmoid(T x) {
    return x == x ? sigmoid(x) : x;
}

template <class T>
T finite_softplus(T x) {
    return x == x ? softplus(x) : x;
}

// values = f(values + intercepts), row by row.
template <class T, class F>
void map_rows(const T* __restrict intercepts, T* __restrict values, Index n, Index columns, F&& f) {
    for (Index i = 0; i < n; ++i, values += columns)
        for (Index j = 0; j < columns; ++j) values[j] = f(values[j] + intercepts[j]);
}

template <class T>
void activate(Activation kind, const T* intercepts, T* values, Index n, Index columns) {
    const auto map = [&](auto&& f) { map_rows(intercepts, values, n, columns, f); };
    switch (kind) {
        case Activation::identity:
            return map([](T x) { return x; });
        case Activation::relu:
            return map([](T x) { return x < T(0) ? T(0) : x; });
        case Activation::tanh:
            return map([](T x) { return x == x ? T(tanh_fast(double(x))) : x; });
        case Activation::logistic:
            return map([](T x) { return finite_sigmoid(x); });
        case Activation::softplus:
            return map([](T x) { return finite_softplus(x); });
        case Activation::threshold:
            return map([](T x) { return x > T(0) ? T(1) : x < T(0) ? T(0) : x == x ? T(0.5) : x; });
    }
}

template <class T, class F>
void scale_each(const T* __restrict values, T* __restrict adjoint, Index n, F&& slope) {
    for (Index i = 0; i < n; ++i) adjoint[i] *= slope(values[i]);
}

// Multiplies adjoints by the slopes of an activation, given its values.
template <class T>
void multiply_by_slope(Activation kind, const T* values, T* adjoint, Index n) {
    const auto scale = [&](auto&& slope) { scale_each(values, adjoint, n, slope); };
    switch (kind) {
        case Activation::identity:
            return;
        case Activation::relu:
            return scale([](T a) { return a > T(0) ? T(1) : T(0); });
        case Activation::tanh:
            return scale([](T a) { return T(1) - a * a; });
        case Activation::logistic:
            return scale([](T a) { return a * (T(1) - a); });
        case Activation::softplus:
            return scale([](T a) { return -std::expm1(-a); });
        case Activation::threshold:
            return scale([](T) { return T(0); });
    }
}

// Cross-entropy of a row of scores, which become probabilities minus the indicator of the class.
template <class T>
double class_loss(Index label, T* scores, Index n) {
    T highest = scores[0];
    for (Index j = 1; j < n; ++j) highest = scores[j] > highest ? scores[j] : highest;
    const double own = double(scores[label]) - double(highest);
    T sum = 0;
    for (Index j = 0; j < n; ++j) scores[j] = finite_exp(scores[j] - highest);
    for (Index j = 0; j < n; ++j) sum += scores[j];
    for (Index j = 0; j < n; ++j) scores[j] /= sum;
    scores[label] -= T(1);
    return std::log(double(sum)) - own;
}

// The loss of a row of scores of another kind, which become means minus targets.
template <class T>
double target_loss(Output kind, const T* target, T* scores, Index n) {
    double loss = 0.0;
    for (Index j = 0; j < n; ++j) {
        const T s = scores[j], y = target[j];
        if (kind == Output::logistic) {
            loss += double(finite_softplus(s)) - double(y) * double(s);
            scores[j] = finite_sigmoid(s) - y;
        } else if (kind == Output::exp) {
            const double mean = std::exp(double(s)), t = double(y);
            loss += x_log_x(t) - t - t * double(s) + mean;
            scores[j] = T(mean) - y;
        } else {
            scores[j] = s - y;
            loss += 0.5 * double(scores[j]) * double(scores[j]);
        }
    }
    return loss;
}

}  // namespace statlearn::neural
