// Normal equations of a few columns, where columns that depend on earlier ones are left out (their coefficients are 0).
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "common/view.hpp"

namespace statlearn::smooth {

class SmallSolve {
public:
    // A column is left out if those before it leave no more than this share of its squares.
    explicit SmallSolve(Index m, double singular = 1e-10)
        : m_(m), singular_(singular), gram_(std::size_t(m * m)), kept_(std::size_t(m)) {}

    Index size() const { return m_; }
    double* row(Index j) { return gram_.data() + j * m_; }  // lower triangle of the cross-products, then their factor
    bool kept(Index j) const { return kept_[std::size_t(j)] != 0; }
    bool complete() const { return std::find(kept_.begin(), kept_.end(), char(0)) == kept_.end(); }
    void clear() { std::fill(gram_.begin(), gram_.end(), 0.0); }

    // Cholesky factor in place.
    void factor() {
        for (Index j = 0; j < m_; ++j) {
            double* at = row(j);
            const double before = at[j];
            double left = before;
            for (Index k = 0; k < j; ++k) {
                if (!kept(k)) {
                    at[k] = 0.0;
                    continue;
                }
                const double* other = row(k);
                double sum = at[k];
                for (Index l = 0; l < k; ++l) sum -= at[l] * other[l];
                at[k] = sum / other[k];
                left -= at[k] * at[k];
            }
            kept_[std::size_t(j)] = left > singular_ * before && before > 0.0;
            at[j] = kept(j) ? std::sqrt(left) : 1.0;
        }
    }

    // Solves for the right-hand side in place.
    void solve(std::span<double> b) {
        for (Index j = 0; j < m_; ++j) {
            const double* at = row(j);
            double sum = b[std::size_t(j)];
            for (Index k = 0; k < j; ++k) sum -= at[k] * b[std::size_t(k)];
            b[std::size_t(j)] = kept(j) ? sum / at[j] : 0.0;
        }
        for (Index j = m_ - 1; j >= 0; --j) {
            if (!kept(j)) continue;
            double sum = b[std::size_t(j)];
            for (Index k = j + 1; k < m_; ++k) sum -= row(k)[j] * b[std::size_t(k)];
            b[std::size_t(j)] = sum / row(j)[j];
        }
    }

private:
    Index m_;
    double singular_;
    std::vector<double> gram_;
    std::vector<char> kept_;
};

}  // namespace statlearn::smooth
