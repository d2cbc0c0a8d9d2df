#include "linear/active_factor.hpp"

#include <algorithm>
#include <cmath>

#include "linear/columns.hpp"

namespace statlearn::linear {
namespace {

constexpr double kSingular = 1e-11;  // a pivot below this part of its diagonal element means dependent columns
constexpr Index kPanel = 16;         // columns of the blocked factorisation

}  // namespace

Index ActiveFactor::add(Span<const Index> joining, const RidgedProducts& at) {
    const Index old = size(), m = old + Index(joining.size());
    factor_.reserve(m);
    const auto row = [&](Index i) { return factor_.row(i); };
    order_.insert(order_.end(), joining.begin(), joining.end());
    product_.resize((m - old + kPanel) * kPanel);
    panel_.resize(kPanel * m);
    for (Index first = 0; first < m; first += kPanel) {
        const Index width = std::min(kPanel, m - first), top = std::max(first, old), height = m - top;
        rows_.clear();
        for (Index i = top; i < m; ++i) rows_.push_back(row(i));
        for (Index j = 0; j < width; ++j) std::copy_n(row(first + j), first, panel_.data() + j * m);
        cross_products<double>(rows_, panel_.data(), m, width, first, product_.data(), height);
        for (Index i = top; i < m; ++i) {
            double* own = row(i) + first;
            const Index here = order_[i];
            for (Index j = 0; j < std::min(width, i - first + 1); ++j) {
                const double* other = row(first + j) + first;
                const double element = at(here, order_[first + j]);
                double value = element - product_[j * height + i - top];
                for (Index k = 0; k < j; ++k) value -= own[k] * other[k];
                if (first + j < i) {
                    own[j] = value / other[j];
                } else if (value > kSingular * element) {
                    own[j] = std::sqrt(value);
                } else {
                    order_.resize(i);
                    factor_.grow(i - old);
                    return i - old;
                }
            }
        }
    }
    factor_.grow(m - old);
    return m - old;
}

void ActiveFactor::remove(Index place) {
    order_.erase(order_.begin() + place);
    factor_.remove(place);
}

}  // namespace statlearn::linear
