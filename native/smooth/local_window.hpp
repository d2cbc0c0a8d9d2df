// The rows around a query with their kernel weights, and the functions of a local polynomial at them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "smooth/local_functions.hpp"
#include "smooth/local_polynomial.hpp"

namespace statlearn::smooth {

// One thread's view of the neighbourhood of its query: rows low() to high() - 1 with weight(i) = w_i K(d_i / h).
class LocalWindow {
public:
    LocalWindow(const LocalData& data, LocalRule rule)
        : data_(data),
          rule_(rule),
          functions_(data.X.cols, rule.degree),
          n_(data.X.rows),
          p_(data.X.cols),
          offset_(p_),
          weight_(n_) {
        line_ = p_ == 1 && data.Z.cols == 1 && data.Z.row_stride == 1;
    }

    Index functions() const { return functions_.size(); }
    Index low() const { return low_; }
    Index high() const { return high_; }
    double weight(Index i) const { return weight_[i]; }
    double copies(Index i) const { return data_.w.empty() ? 1.0 : data_.w[i]; }
    double at_zero() const { return at_zero_; }  // K(0), the weight of a row of weight 1 at the query itself
    double scale() const { return scale_; }      // offsets are measured in bandwidths

    // Finds the rows around x0, which is z0 in the coordinates of distances. An empty window takes the nearest rows.
    // One copy of the row `without`, if it is not negative, is left out; false if no row is left then.
    bool open(const double* x0, const double* z0, double h, Index without = -1) {
        x0_ = x0;
        low_ = 0;
        high_ = n_;
        if (rule_.neighbors > 0 && line_) {
            h = kth_on_line(z0[0]);
        } else if (rule_.neighbors > 0) {
            measure(z0);
            h = kth_distance();
        }
        const bool bounded = rule_.profile != Profile::gaussian;
        if (line_ && bounded) {
            const double* z = data_.Z.data;
            low_ = std::lower_bound(z, z + n_, z0[0] - h) - z;
            high_ = std::upper_bound(z, z + n_, z0[0] + h) - z;
        }
        if (line_ || rule_.neighbors == 0) measure(z0);
        scale_ = h > 0.0 && std::isfinite(h) && std::isfinite(1.0 / h) ? 1.0 / h : 1.0;
        bool any = weigh(h);
        if (!any) {
            low_ = 0;
            high_ = n_;
            measure(z0);
            nearest_only();
        }
        if (without < 0) return true;
        if (without >= low_ && without < high_)
            weight_[without] *= std::max(0.0, copies(without) - 1.0) / copies(without);
        for (Index i = low_; i < high_; ++i)
            if (weight(i) > 0.0) return true;
        return false;
    }

    // The functions of row i, with offsets in units of the bandwidth.
    void functions_at(Index i, double* column) {
        for (Index j = 0; j < p_; ++j) offset_[j] = (data_.X(i, j) - x0_[j]) * scale_;
        functions_.fill<1>(offset_.data(), column);
    }

private:
    void measure(const double* z0) {
        const Index d = data_.Z.cols;
        for (Index i = low_; i < high_; ++i) {
            double square = 0.0;
            for (Index j = 0; j < d; ++j) {
                const double gap = data_.Z(i, j) - z0[j];
                square += gap * gap;
            }
            weight_[i] = std::sqrt(square);
        }
    }

    double kth_distance() {
        if (!data_.w.empty()) return kth_copy();
        scratch_.assign(weight_.begin(), weight_.end());
        const auto place = scratch_.begin() + (std::min(rule_.neighbors, n_) - 1);
        std::nth_element(scratch_.begin(), place, scratch_.end());
        return *place;
    }

    // The same where a row of weight k counts as k rows.
    double kth_copy() {
        order_.clear();
        for (Index i = 0; i < n_; ++i)
            if (data_.w[i] > 0.0) order_.push_back(i);
        std::sort(order_.begin(), order_.end(), [&](Index a, Index b) { return weight(a) < weight(b); });
        double count = 0.0;
        for (const Index i : order_) {
            count += data_.w[i];
            if (count >= double(rule_.neighbors) * (1.0 - 1e-12)) return weight(i);
        }
        return order_.empty() ? 0.0 : weight(order_.back());
    }

    // The same on the line, outwards from the query.
    double kth_on_line(double z0) const {
        const double* z = data_.Z.data;
        Index right = std::lower_bound(z, z + n_, z0) - z, left = right - 1;
        double count = 0.0, distance = 0.0;
        while (left >= 0 || right < n_) {
            const bool go_right = left < 0 || (right < n_ && z[right] - z0 <= z0 - z[left]);
            const Index i = go_right ? right++ : left--;
            if (copies(i) == 0.0) continue;
            count += copies(i);
            distance = std::abs(z[i] - z0);
            if (count >= double(rule_.neighbors) * (1.0 - 1e-12)) break;
        }
        return distance;
    }

    // Distances become weights; false if none is positive.
    bool weigh(double h) {
        at_zero_ = profile_at(0.0, rule_.profile, rule_.exponent);
        bool any = false;
        for (Index i = low_; i < high_; ++i) {
            double& d = weight_[i];
            const double t = h > 0.0 ? d / h : (d > 0.0 ? std::numeric_limits<double>::infinity() : 0.0);
            d = profile_at(t, rule_.profile, rule_.exponent) * copies(i);
            any = any || d > 0.0;
        }
        return any;
    }

    void nearest_only() {
        double least = std::numeric_limits<double>::infinity();
        for (Index i = 0; i < n_; ++i)
            if (copies(i) > 0.0) least = std::min(least, weight(i));
        for (Index i = 0; i < n_; ++i) {
            double& d = weight_[i];
            d = d == least ? copies(i) : 0.0;
        }
        at_zero_ = least == 0.0 ? 1.0 : 0.0;
    }

    const LocalData& data_;
    LocalRule rule_;
    LocalFunctions functions_;
    Index n_, p_, low_ = 0, high_ = 0;
    bool line_ = false;  // rows are in order along the one coordinate
    const double* x0_ = nullptr;
    double at_zero_ = 1.0, scale_ = 1.0;
    std::vector<double> offset_, weight_, scratch_;  // weight_: distances first
    std::vector<Index> order_;
};

}  // namespace statlearn::smooth
