#include "smooth/local_polynomial.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "common/parallel.hpp"
#include "smooth/small_solve.hpp"

namespace statlearn::smooth {

double profile_at(double t, Profile profile, double exponent) {
    switch (profile) {
        case Profile::epanechnikov:
            return t < 1.0 ? 0.75 * (1.0 - t * t) : 0.0;
        case Profile::tricube: {
            if (t >= 1.0) return 0.0;
            const double c = 1.0 - t * t * t;
            return c * c * c;
        }
        case Profile::gaussian:
            return std::exp(-exponent * t * t);
        default:
            return t <= 1.0 ? 1.0 : 0.0;
    }
}

namespace {

// What one thread needs for its queries.
class Worker {
public:
    Worker(const LocalData& data, LocalRule rule)
        : data_(data), rule_(rule), n_(data.X.rows), p_(data.X.cols), distance_(std::size_t(n_)) {
        m_ = 1 + (rule.degree >= 1 ? p_ : 0) + (rule.degree >= 2 ? p_ * (p_ + 1) / 2 : 0);
        normal_ = SmallSolve(m_);
        right_.resize(std::size_t(m_));
        column_.resize(std::size_t(m_));
        first_.resize(std::size_t(m_));
    }

    // Returns the estimate; `leverage` and, if it is not null, `row` are written.
    double at(const double* x0, const double* z0, double h, double& leverage, double* row) {
        low_ = 0;
        high_ = n_;
        const bool window = p_ == 1 && data_.Z.cols == 1 && sorted_in_z();
        if (rule_.neighbors > 0) {
            measure(z0);
            h = kth_distance();
        } else if (window && rule_.profile != Profile::gaussian) {
            const double* z = data_.Z.data;
            low_ = std::lower_bound(z, z + n_, z0[0] - h) - z;
            high_ = std::upper_bound(z, z + n_, z0[0] + h) - z;
            measure(z0);
        } else {
            measure(z0);
        }
        if (!weigh(h)) {
            low_ = 0;
            high_ = n_;
            measure(z0);
            nearest_only();
        }
        accumulate(x0, h);
        normal_.factor();
        std::fill(first_.begin(), first_.end(), 0.0);
        first_[0] = 1.0;
        normal_.solve(first_);  // the first column of the inverse
        double estimate = 0.0;
        for (Index j = 0; j < m_; ++j) estimate += first_[std::size_t(j)] * right_[std::size_t(j)];
        leverage = first_[0] * at_zero_;
        if (row != nullptr) fill_row(x0, h, row);
        return estimate;
    }

private:
    bool sorted_in_z() const { return data_.Z.row_stride == 1; }

    void measure(const double* z0) {
        const Index d = data_.Z.cols;
        for (Index i = low_; i < high_; ++i) {
            double square = 0.0;
            for (Index j = 0; j < d; ++j) {
                const double gap = data_.Z(i, j) - z0[j];
                square += gap * gap;
            }
            distance_[std::size_t(i)] = std::sqrt(square);
        }
    }

    double kth_distance() {
        if (!data_.w.empty()) return kth_copy();
        scratch_.assign(distance_.begin(), distance_.end());
        const auto place = scratch_.begin() + (std::min(rule_.neighbors, n_) - 1);
        std::nth_element(scratch_.begin(), place, scratch_.end());
        return *place;
    }

    // The same where a row of weight k counts as k rows.
    double kth_copy() {
        order_.clear();
        for (Index i = 0; i < n_; ++i)
            if (data_.w[std::size_t(i)] > 0.0) order_.push_back(i);
        std::sort(order_.begin(), order_.end(),
                  [&](Index a, Index b) { return distance_[std::size_t(a)] < distance_[std::size_t(b)]; });
        double count = 0.0;
        for (const Index i : order_) {
            count += data_.w[std::size_t(i)];
            if (count >= double(rule_.neighbors) * (1.0 - 1e-12)) return distance_[std::size_t(i)];
        }
        return order_.empty() ? 0.0 : distance_[std::size_t(order_.back())];
    }

    // Distances become weights; false if none is positive.
    bool weigh(double h) {
        at_zero_ = profile_at(0.0, rule_.profile, rule_.exponent);
        bool any = false;
        for (Index i = low_; i < high_; ++i) {
            double& d = distance_[std::size_t(i)];
            const double t = h > 0.0 ? d / h : (d > 0.0 ? std::numeric_limits<double>::infinity() : 0.0);
            d = profile_at(t, rule_.profile, rule_.exponent) * (data_.w.empty() ? 1.0 : data_.w[std::size_t(i)]);
            any = any || d > 0.0;
        }
        return any;
    }

    void nearest_only() {
        double least = std::numeric_limits<double>::infinity();
        for (Index i = 0; i < n_; ++i) {
            if (data_.w.empty() || data_.w[std::size_t(i)] > 0.0) least = std::min(least, distance_[std::size_t(i)]);
        }
        for (Index i = 0; i < n_; ++i) {
            double& d = distance_[std::size_t(i)];
            d = d == least ? (data_.w.empty() ? 1.0 : data_.w[std::size_t(i)]) : 0.0;
        }
        at_zero_ = least == 0.0 ? 1.0 : 0.0;
    }

    // The functions 1, offsets, products of offsets, in units of the bandwidth.
    void functions(Index i, const double* x0, double scale) {
        column_[0] = 1.0;
        if (rule_.degree < 1) return;
        for (Index j = 0; j < p_; ++j) column_[std::size_t(1 + j)] = (data_.X(i, j) - x0[j]) * scale;
        if (rule_.degree < 2) return;
        Index at = 1 + p_;
        for (Index j = 0; j < p_; ++j)
            for (Index k = j; k < p_; ++k)
                column_[std::size_t(at++)] = column_[std::size_t(1 + j)] * column_[std::size_t(1 + k)];
    }

    void accumulate(const double* x0, double h) {
        normal_.clear();
        std::fill(right_.begin(), right_.end(), 0.0);
        const double scale = h > 0.0 && std::isfinite(1.0 / h) ? 1.0 / h : 1.0;
        for (Index i = low_; i < high_; ++i) {
            const double weight = distance_[std::size_t(i)];
            if (weight == 0.0) continue;
            functions(i, x0, scale);
            for (Index j = 0; j < m_; ++j) {
                const double b = weight * column_[std::size_t(j)];
                right_[std::size_t(j)] += b * data_.y[std::size_t(i)];
                double* gram = normal_.row(j);
                for (Index k = 0; k <= j; ++k) gram[k] += b * column_[std::size_t(k)];
            }
        }
    }

    void fill_row(const double* x0, double h, double* row) {
        const double scale = h > 0.0 && std::isfinite(1.0 / h) ? 1.0 / h : 1.0;
        std::fill(row, row + n_, 0.0);
        for (Index i = low_; i < high_; ++i) {
            const double weight = distance_[std::size_t(i)];
            if (weight == 0.0) continue;
            functions(i, x0, scale);
            double sum = 0.0;
            for (Index j = 0; j < m_; ++j) sum += first_[std::size_t(j)] * column_[std::size_t(j)];
            row[i] = weight * sum;
        }
    }

    const LocalData& data_;
    LocalRule rule_;
    Index n_, p_, m_ = 1, low_ = 0, high_ = 0;
    double at_zero_ = 1.0;
    std::vector<double> distance_, scratch_, right_, column_, first_;
    std::vector<Index> order_;
    SmallSolve normal_{1};
};

}  // namespace

bool local_polynomial(const LocalData& data, const LocalQueries& queries, LocalRule rule, const Interrupt& interrupt,
                      std::span<double> fitted, std::span<double> leverage, MatrixView<double> rows) {
    const Blocks blocks(queries.X.rows, 64);
    std::atomic<bool> stopped{false};
    parallel_for(blocks.count(), [&](Index block) {
        if (stopped || interrupt.requested()) {
            stopped = true;
            return;
        }
        Worker worker(data, rule);
        std::vector<double> x0(std::size_t(queries.X.cols)), z0(std::size_t(queries.Z.cols));
        for (Index q = blocks.begin(block); q < blocks.end(block); ++q) {
            for (Index j = 0; j < queries.X.cols; ++j) x0[std::size_t(j)] = queries.X(q, j);
            for (Index j = 0; j < queries.Z.cols; ++j) z0[std::size_t(j)] = queries.Z(q, j);
            const double h = queries.bandwidth.empty() ? 0.0 : queries.bandwidth[std::size_t(q)];
            double* row = rows.rows > 0 ? rows.row(q) : nullptr;
            fitted[std::size_t(q)] = worker.at(x0.data(), z0.data(), h, leverage[std::size_t(q)], row);
        }
    });
    return !stopped;
}

}  // namespace statlearn::smooth
