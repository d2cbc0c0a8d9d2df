// Cholesky factors of small symmetric matrices: of one matrix, and of the cross-products of a set of columns that grows
// and shrinks. For hundreds of columns and more there is LAPACK (blas.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "common/vector.hpp"
#include "common/view.hpp"

namespace statlearn {

// The Cholesky factor, in place, of the symmetric matrix whose lower triangle has the rows row(i); false if a pivot is
// not positive.
template <class Rows>
bool lower_factor(Rows&& row, Index m) {
    for (Index i = 0; i < m; ++i) {
        double* own = row(i);
        for (Index j = 0; j < i; ++j) own[j] = (own[j] - dot(own, row(j), j)) / row(j)[j];
        const double left = own[i] - dot(own, own, i);
        if (!(left > 0.0)) return false;
        own[i] = std::sqrt(left);
    }
    return true;
}

// Solves L z = b in place for the lower triangle whose i-th row is row(i).
template <class Rows>
void lower_solve(Rows&& row, Index m, double* b) {
    for (Index i = 0; i < m; ++i) b[i] = (b[i] - dot(row(i), b, i)) / row(i)[i];
}

// Solves L' x = z in place.
template <class Rows>
void lower_solve_transposed(Rows&& row, Index m, double* z) {
    for (Index i = m - 1; i >= 0; --i) {
        z[i] /= row(i)[i];
        axpy(-z[i], row(i), z, i);
    }
}

// The factor of cross-products of columns that join one at a time and leave in any order, in O(m^2) each.
class CholeskySet {
public:
    Index size() const { return m_; }
    void clear() { m_ = 0; }

    // Room for m columns; the rows of the factor keep their values.
    void reserve(Index m) {
        if (m <= ld_) return;
        const Index ld = std::max<Index>(64, m + m / 2);
        std::vector<double> L(ld * ld);
        for (Index i = 0; i < m_; ++i) std::copy_n(row(i), i + 1, L.data() + i * ld);
        L_.swap(L);
        ld_ = ld;
        slot_.resize(ld);
        std::iota(slot_.begin(), slot_.end(), Index(0));
    }

    // Row i of the lower triangle. Rows behind the last are free for a caller that computes them itself and then takes
    // them in by `grow`.
    double* row(Index i) { return L_.data() + slot_[i] * ld_; }
    const double* row(Index i) const { return L_.data() + slot_[i] * ld_; }
    void grow(Index columns) { m_ += columns; }

    // Turns the inner products of a further column with the present ones into its row of the factor; returns the
    // square of the pivot that would follow them.
    double pivot(double* cross, double norm2) const {
        lower_solve([this](Index i) { return row(i); }, m_, cross);
        return norm2 - dot(cross, cross, m_);
    }

    // Appends a column with inner products `cross` (destroyed). False, and no change, if those before it leave no more
    // than the share `singular` of its squared norm.
    bool append(double* cross, double norm2, double singular) {
        const double square = pivot(cross, norm2);
        if (!(square > singular * norm2)) return false;
        reserve(m_ + 1);
        std::copy_n(cross, m_, row(m_));
        row(m_)[m_] = std::sqrt(square);
        ++m_;
        return true;
    }

    // Deletes a column. Rotations restore the triangle: the entries of the rows below are rotated from `place` on, the
    // last one into the diagonal. Each row is a chain of dependent operations: four go side by side.
    void remove(Index place) {
        // The rows stay where they are; the one that is free now goes behind the others.
        std::rotate(slot_.begin() + place, slot_.begin() + place + 1, slot_.begin() + m_);
        cosine_.resize(m_);
        sine_.resize(m_);
        Index i = place;
        for (; i + 4 < m_; i += 4) {
            double* at[4] = {row(i), row(i + 1), row(i + 2), row(i + 3)};
            double carry[4];
            for (int r = 0; r < 4; ++r) carry[r] = at[r][place];
            for (Index j = place; j < i; ++j) {
                const double c = cosine_[j], t = sine_[j];
                for (int r = 0; r < 4; ++r) {
                    const double next = at[r][j + 1];
                    at[r][j] = c * carry[r] + t * next;
                    carry[r] = c * next - t * carry[r];
                }
            }
            for (int r = 0; r < 4; ++r) rotate_row(at[r], i, i + r, carry[r]);
        }
        for (; i + 1 < m_; ++i) rotate_row(row(i), place, i, row(i)[place]);
        --m_;
    }

    // b becomes the solution of (cross-products) x = b.
    void solve(double* b) const {
        const auto rows = [this](Index i) { return row(i); };
        lower_solve(rows, m_, b);
        lower_solve_transposed(rows, m_, b);
    }

private:
    // Applies the rotations from `first` on to row i, which has one entry too many, and makes the last one.
    void rotate_row(double* own, Index first, Index i, double carry) {
        for (Index j = first; j < i; ++j) {
            const double c = cosine_[j], t = sine_[j], next = own[j + 1];
            own[j] = c * carry + t * next;
            carry = c * next - t * carry;
        }
        const double last = own[i + 1], length = std::hypot(carry, last);
        cosine_[i] = carry / length;
        sine_[i] = last / length;
        own[i] = length;
    }

    std::vector<double> L_, cosine_, sine_;
    std::vector<Index> slot_;  // where the row of each column is stored
    Index ld_ = 0, m_ = 0;
};

// Normal equations of a few columns, where columns that depend on earlier ones are left out (their coefficients are 0).
class SmallSolve {
public:
    // A column is left out if those before it leave no more than this share of its squares.
    explicit SmallSolve(Index m, double singular = 1e-10) : m_(m), singular_(singular), gram_(m * m), kept_(m) {}

    Index size() const { return m_; }
    double* row(Index j) { return gram_.data() + j * m_; }  // lower triangle of the cross-products, then their factor
    const double* row(Index j) const { return gram_.data() + j * m_; }
    bool kept(Index j) const { return kept_[j] != 0; }
    bool complete() const { return std::find(kept_.begin(), kept_.end(), char(0)) == kept_.end(); }
    void clear() { std::fill(gram_.begin(), gram_.end(), 0.0); }

    // Cholesky factor in place. A column that is left out has 1 on the diagonal.
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
            kept_[j] = left > singular_ * before && before > 0.0;
            at[j] = kept(j) ? std::sqrt(left) : 1.0;
        }
    }

    // Solves for the right-hand side in place.
    void solve(Span<double> b) const {
        for (Index j = 0; j < m_; ++j) {
            const double* at = row(j);
            double sum = b[j];
            for (Index k = 0; k < j; ++k) sum -= at[k] * b[k];
            b[j] = kept(j) ? sum / at[j] : 0.0;
        }
        for (Index j = m_ - 1; j >= 0; --j) {
            if (!kept(j)) continue;
            double sum = b[j];
            for (Index k = j + 1; k < m_; ++k) sum -= row(k)[j] * b[k];
            b[j] = sum / row(j)[j];
        }
    }

private:
    Index m_;
    double singular_;
    std::vector<double> gram_;
    std::vector<char> kept_;
};

}  // namespace statlearn
