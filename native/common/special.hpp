// Functions of the logistic model and of entropies, without overflow. They are written for loops that become vector
// code: NaN may become a number in them.
#pragma once

#include <cmath>

#include "common/vmath.hpp"

namespace statlearn {

// 1 / (1 + e^-x)
template <class T>
T sigmoid(T x) {
    return T(1) / (T(1) + exp_fast(-x));
}

// log(1 + e^x), the logistic loss of the margin -x.
template <class T>
T softplus(T x) {
    const T e = exp_fast(x < T(0) ? x : -x);
    return (x < T(0) ? T(0) : x) + T(log1p_unit(double(e)));
}

// x log y and x log x, which are 0 for x = 0.
inline double x_log_y(double x, double y) { return x > 0.0 ? x * std::log(y) : 0.0; }
inline double x_log_x(double x) { return x_log_y(x, x); }

}  // namespace statlearn
