// From inner products or distances to kernel values, a row of a block at a time.
#pragma once

#include <cmath>

#include "common/kernel_matrix.hpp"
#include "common/vmath.hpp"

namespace statlearn::detail {

// What is added up over the columns of two rows.
enum class KernelTerm : int { product = 0, square = 1, absolute = 2, chi2 = 3, minimum = 4 };

inline KernelTerm kernel_term(KernelKind kind) {
    switch (kind) {
        case KernelKind::rbf:
        case KernelKind::laplacian_l2:
            return KernelTerm::square;
        case KernelKind::laplacian:
            return KernelTerm::absolute;
        case KernelKind::chi2:
        case KernelKind::additive_chi2:
            return KernelTerm::chi2;
        case KernelKind::minimum:
            return KernelTerm::minimum;
        default:
            return KernelTerm::product;
    }
}

inline double underflow(double) { return -708.0; }  // where exp_fast ends
inline float underflow(float) { return -87.0f; }

template <class T>
inline T exp_to_zero(T x) {
    const T value = exp_fast(x);
    return x < underflow(x) ? T(0) : value;
}

constexpr int kLargestPower = 64;  // whole powers up to here are products

template <class T>
void power(T* row, Index m, double degree) {
    if (degree == 2.0) {
        for (Index j = 0; j < m; ++j) row[j] *= row[j];
    } else if (degree == 3.0) {
        for (Index j = 0; j < m; ++j) row[j] *= row[j] * row[j];
    } else if (degree >= 0.0 && degree <= kLargestPower && degree == std::floor(degree)) {
        const auto whole = unsigned(degree);
        for (Index j = 0; j < m; ++j) {
            T base = row[j], result = T(1);
            for (unsigned d = whole; d; d >>= 1, base *= base)
                if (d & 1u) result *= base;
            row[j] = result;
        }
    } else {
        for (Index j = 0; j < m; ++j) row[j] = std::pow(row[j], T(degree));
    }
}

// Kernel values in place of sums over m pairs.
template <class T>
void finish(const KernelSpec& spec, T* row, Index m) {
    const T gamma = T(spec.gamma), coef0 = T(spec.coef0);
    switch (spec.kind) {
        case KernelKind::linear:
        case KernelKind::cosine:
        case KernelKind::minimum:
            return;
        case KernelKind::polynomial:
            for (Index j = 0; j < m; ++j) row[j] = gamma * row[j] + coef0;
            return power(row, m, spec.degree);
        case KernelKind::rbf:
        case KernelKind::laplacian:
        case KernelKind::chi2:
            for (Index j = 0; j < m; ++j) row[j] = exp_to_zero(-gamma * row[j]);
            return;
        case KernelKind::laplacian_l2:
            for (Index j = 0; j < m; ++j) row[j] = exp_to_zero(-gamma * std::sqrt(row[j]));
            return;
        case KernelKind::sigmoid:
            for (Index j = 0; j < m; ++j) row[j] = T(tanh_fast(double(gamma * row[j] + coef0)));
            return;
        case KernelKind::logistic:
            for (Index j = 0; j < m; ++j) row[j] = T(1) / (T(1) + exp_to_zero(-(gamma * row[j] + coef0)));
            return;
        case KernelKind::additive_chi2:
            for (Index j = 0; j < m; ++j) row[j] = T(0) - row[j];
            return;
    }
}

// exp(-gamma |x - y|^2) in place of inner products, with |x - y|^2 = |x|^2 + |y|^2 - 2 <x, y>, never below 0.
template <class T>
void gaussian_from_products(T gamma, T* row, Index m, T norm, const T* norms) {
    for (Index j = 0; j < m; ++j) {
        const T square = (norm + norms[j]) - T(2) * row[j];
        row[j] = exp_to_zero(-gamma * (square > T(0) ? square : T(0)));
    }
}

}  // namespace statlearn::detail
