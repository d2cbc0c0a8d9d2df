// Anderson's extrapolation: from points v_0..v_K of a converging sequence, weights c with sum 1 that make
// |sum_k c_k (v_k+1 - v_k)| least; sum_k c_k v_k+1 is then often much nearer to the limit (Bertrand & Massias, 2021).
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace statlearn::linear {

template <std::size_t K>
using AndersonWeights = std::array<double, K>;

// From K + 1 points. False if they do not move or the weights are not finite.
template <std::size_t K>
bool anderson_weights(const std::vector<std::vector<double>>& points, AndersonWeights<K>& c) {
    const std::size_t size = points[0].size();
    double A[K][K] = {}, trace = 0.0;
    for (std::size_t s = 0; s < size; ++s) {
        double step[K], before = points[0][s];
        for (std::size_t a = 0; a < K; ++a) {
            const double next = points[a + 1][s];
            step[a] = next - before;
            before = next;
        }
        for (std::size_t a = 0; a < K; ++a)
            for (std::size_t b = 0; b <= a; ++b) A[a][b] += step[a] * step[b];
    }
    for (std::size_t a = 0; a < K; ++a) {
        for (std::size_t b = 0; b < a; ++b) A[b][a] = A[a][b];
        trace += A[a][a];
    }
    if (!(trace > 0.0)) return false;
    for (std::size_t a = 0; a < K; ++a) A[a][a] += 1e-10 * trace, c[a] = 1.0;
    // Gauss elimination of U'U x = 1; c = x / sum x.
    for (std::size_t k = 0; k < K; ++k) {
        if (!(A[k][k] > 0.0)) return false;
        for (std::size_t i = k + 1; i < K; ++i) {
            const double factor = A[i][k] / A[k][k];
            for (std::size_t j = k; j < K; ++j) A[i][j] -= factor * A[k][j];
            c[i] -= factor * c[k];
        }
    }
    double sum = 0.0;
    for (std::size_t k = K; k-- > 0;) {
        for (std::size_t j = k + 1; j < K; ++j) c[k] -= A[k][j] * c[j];
        c[k] /= A[k][k];
        sum += c[k];
    }
    for (double& value : c) value /= sum;
    return std::isfinite(sum) && sum != 0.0;
}

// sum_k c_k points[k + 1]
template <std::size_t K>
std::vector<double> anderson_mixture(const std::vector<std::vector<double>>& points, const AndersonWeights<K>& c) {
    std::vector<double> v(points[0].size(), 0.0);
    for (std::size_t k = 0; k < K; ++k)
        for (std::size_t s = 0; s < v.size(); ++s) v[s] += c[k] * points[k + 1][s];
    return v;
}

}  // namespace statlearn::linear
