#include "linear/active_factor.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linear/columns.hpp"
#include "linear/vector_ops.hpp"

namespace statlearn::linear {
namespace {

constexpr double kSingular = 1e-11;  // a pivot below this part of its diagonal element means dependent columns
constexpr Index kPanel = 16;         // columns of the blocked factorisation

}  // namespace

Index ActiveFactor::add(std::span<const Index> joining, const RidgedProducts& at) {
    const Index old = size(), m = old + Index(joining.size());
    reserve(m);
    order_.insert(order_.end(), joining.begin(), joining.end());
    product_.resize(std::size_t((m - old + kPanel) * kPanel));
    panel_.resize(std::size_t(kPanel * m));
    for (Index first = 0; first < m; first += kPanel) {
        const Index width = std::min(kPanel, m - first), top = std::max(first, old), height = m - top;
        rows_.clear();
        for (Index i = top; i < m; ++i) rows_.push_back(row(i));
        for (Index j = 0; j < width; ++j) std::copy_n(row(first + j), first, panel_.data() + j * m);
        cross_products<double>(rows_, panel_.data(), m, width, first, product_.data(), height);
        for (Index i = top; i < m; ++i) {
            double* own = row(i) + first;
            const Index here = order_[std::size_t(i)];
            for (Index j = 0; j < std::min(width, i - first + 1); ++j) {
                const double* other = row(first + j) + first;
                const double element = at(here, order_[std::size_t(first + j)]);
                double value = element - product_[std::size_t(j * height + i - top)];
                for (Index k = 0; k < j; ++k) value -= own[k] * other[k];
                if (first + j < i) {
                    own[j] = value / other[j];
                } else if (value > kSingular * element) {
                    own[j] = std::sqrt(value);
                } else {
                    order_.resize(std::size_t(i));
                    return i - old;
                }
            }
        }
    }
    return m - old;
}

// Rotations restore the triangle: the entries of the rows below are rotated from `place` on, the last one into the
// diagonal. Each row is a chain of dependent operations: four go side by side.
void ActiveFactor::remove(Index place) {
    const Index m = size();
    order_.erase(order_.begin() + place);
    // The rows stay where they are; the one that is free now goes behind the others.
    std::rotate(slot_.begin() + place, slot_.begin() + place + 1, slot_.begin() + m);
    cosine_.resize(std::size_t(m));
    sine_.resize(std::size_t(m));
    Index i = place;
    for (; i + 4 < m; i += 4) {
        double* at[4] = {row(i), row(i + 1), row(i + 2), row(i + 3)};
        double carry[4];
        for (int r = 0; r < 4; ++r) carry[r] = at[r][place];
        for (Index j = place; j < i; ++j) {
            const double c = cosine_[std::size_t(j)], t = sine_[std::size_t(j)];
            for (int r = 0; r < 4; ++r) {
                const double next = at[r][j + 1];
                at[r][j] = c * carry[r] + t * next;
                carry[r] = c * next - t * carry[r];
            }
        }
        for (int r = 0; r < 4; ++r) rotate_row(at[r], i, i + r, carry[r]);
    }
    for (; i + 1 < m; ++i) rotate_row(row(i), place, i, row(i)[place]);
}

// Applies the rotations from `first` on to row i, which has one entry too many, and makes the last one.
void ActiveFactor::rotate_row(double* own, Index first, Index i, double carry) {
    for (Index j = first; j < i; ++j) {
        const double c = cosine_[std::size_t(j)], t = sine_[std::size_t(j)], next = own[j + 1];
        own[j] = c * carry + t * next;
        carry = c * next - t * carry;
    }
    const double last = own[i + 1], length = std::hypot(carry, last);
    cosine_[std::size_t(i)] = carry / length;
    sine_[std::size_t(i)] = last / length;
    own[i] = length;
}

void ActiveFactor::solve(std::span<double> b) const {
    const Index m = size();
    for (Index i = 0; i < m; ++i) b[std::size_t(i)] = (b[std::size_t(i)] - dot(row(i), b.data(), i)) / row(i)[i];
    for (Index i = m - 1; i >= 0; --i) {
        const double* own = row(i);
        const double value = b[std::size_t(i)] /= own[i];
        for (Index k = 0; k < i; ++k) b[std::size_t(k)] -= own[k] * value;
    }
}

void ActiveFactor::reserve(Index m) {
    if (m <= ld_) return;
    const Index ld = std::max<Index>(64, m + m / 2);
    std::vector<double> L(std::size_t(ld * ld));
    for (Index i = 0; i < size(); ++i) std::copy_n(row(i), i + 1, L.data() + i * ld);
    L_.swap(L);
    ld_ = ld;
    slot_.resize(std::size_t(ld));
    std::iota(slot_.begin(), slot_.end(), Index(0));
}

}  // namespace statlearn::linear
