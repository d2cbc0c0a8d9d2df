#include "smooth/varying_coefficients.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "common/cholesky.hpp"
#include "common/parallel.hpp"

namespace statlearn::smooth {
namespace {

// What one thread needs for its queries.
class Worker {
public:
    Worker(const VaryingData& data, LocalRule rule, bool with_variance)
        : data_(data),
          rule_(rule),
          n_(Index(data.z.size())),
          q_(data.X.cols),
          m_(q_ * (1 + rule.degree)),
          normal_(m_),
          right_(m_),
          column_(m_),
          direction_(m_),
          square_(with_variance ? std::size_t(m_ * m_) : 0) {}

    // The normal equations at z0, factored, and the coefficients.
    void fit(double z0, double h) {
        if (rule_.neighbors > 0) h = reach(z0);
        find_window(z0, h);
        normal_.clear();
        std::fill(right_.begin(), right_.end(), 0.0);
        std::fill(square_.begin(), square_.end(), 0.0);
        const double scale = h > 0.0 && std::isfinite(1.0 / h) ? 1.0 / h : 1.0;
        for (Index i = low_; i < high_; ++i) add(i, z0, h, scale);
        normal_.factor();
        normal_.solve(right_);
    }

    double coef(Index j) const { return right_[j]; }

    // x'beta = sum of L_i y_i: `leverage` is L_i of a row of weight 1 at the query; returns the sum of L_i^2 / w_i.
    double along(const double* x, Index only, double& leverage) {
        std::fill(direction_.begin(), direction_.end(), 0.0);
        for (Index j = 0; j < q_; ++j) direction_[j] = x != nullptr ? x[j] : double(j == only);
        normal_.solve(direction_);
        double at_row = 0.0;
        for (Index j = 0; j < q_ && x != nullptr; ++j) at_row += x[j] * direction_[j];
        leverage = at_row * at_zero_;
        double sum = 0.0;
        for (Index j = 0; j < m_ && !square_.empty(); ++j) {
            const double* row = square_.data() + j * m_;
            double inner = 0.5 * row[j] * direction_[j];
            for (Index k = 0; k < j; ++k) inner += row[k] * direction_[k];
            sum += 2.0 * direction_[j] * inner;
        }
        return sum;
    }

private:
    double weight_of(Index i) const { return data_.w.empty() ? 1.0 : data_.w[i]; }

    // Distance to the nearest rows whose weights sum to the number of neighbours.
    double reach(double z0) const {
        const double* z = data_.z.data();
        Index right = std::lower_bound(z, z + n_, z0) - z, left = right - 1;
        double count = 0.0, distance = 0.0;
        while (left >= 0 || right < n_) {
            const bool go_right = left < 0 || (right < n_ && z[right] - z0 <= z0 - z[left]);
            const Index i = go_right ? right++ : left--;
            if (weight_of(i) == 0.0) continue;
            count += weight_of(i);
            distance = std::abs(z[i] - z0);
            if (count >= double(rule_.neighbors) * (1.0 - 1e-12)) break;
        }
        return distance;
    }

    double kernel(double distance, double h) const {
        if (nearest_) return distance == least_ ? 1.0 : 0.0;
        const double t = h > 0.0 ? distance / h : (distance > 0.0 ? std::numeric_limits<double>::infinity() : 0.0);
        return profile_at(t, rule_.profile, rule_.exponent);
    }

    void find_window(double z0, double h) {
        const double* z = data_.z.data();
        low_ = 0;
        high_ = n_;
        nearest_ = false;
        if (rule_.profile != Profile::gaussian) {
            low_ = std::lower_bound(z, z + n_, z0 - h) - z;
            high_ = std::upper_bound(z, z + n_, z0 + h) - z;
        }
        at_zero_ = kernel(0.0, h);
        for (Index i = low_; i < high_; ++i)
            if (weight_of(i) * kernel(std::abs(z[i] - z0), h) > 0.0) return;
        low_ = 0;
        high_ = n_;
        least_ = std::numeric_limits<double>::infinity();
        for (Index i = 0; i < n_; ++i)
            if (weight_of(i) > 0.0) least_ = std::min(least_, std::abs(z[i] - z0));
        nearest_ = true;
        at_zero_ = kernel(0.0, h);
    }

    void add(Index i, double z0, double h, double scale) {
        const double offset = data_.z[i] - z0, k = kernel(std::abs(offset), h);
        const double weight = weight_of(i) * k;
        if (weight == 0.0) return;
        double power = 1.0;
        for (int d = 0; d <= rule_.degree; ++d) {
            for (Index j = 0; j < q_; ++j) column_[d * q_ + j] = power * data_.X(i, j);
            power *= offset * scale;
        }
        for (Index j = 0; j < m_; ++j) {
            const double b = weight * column_[j];
            right_[j] += b * data_.y[i];
            double* gram = normal_.row(j);
            for (Index l = 0; l <= j; ++l) gram[l] += b * column_[l];
            if (square_.empty()) continue;
            double* square = square_.data() + j * m_;
            for (Index l = 0; l <= j; ++l) square[l] += k * b * column_[l];
        }
    }

    const VaryingData& data_;
    LocalRule rule_;
    Index n_, q_, m_, low_ = 0, high_ = 0;
    double at_zero_ = 1.0, least_ = 0.0;
    bool nearest_ = false;
    SmallSolve normal_;
    std::vector<double> right_, column_, direction_, square_;  // square: sums with the squares of the kernel
};

}  // namespace

bool varying_coefficients(const VaryingData& data, const VaryingQueries& queries, LocalRule rule,
                          const Interrupt& interrupt, VaryingFit fit) {
    const Blocks blocks(Index(queries.z.size()), 32);
    const Index q = data.X.cols;
    std::atomic<bool> stopped{false};
    parallel_for(blocks.count(), [&](Index block) {
        Worker worker(data, rule, fit.variance.rows > 0);
        for (Index i = blocks.begin(block); i < blocks.end(block); ++i) {
            if (stopped || interrupt.requested()) {
                stopped = true;
                return;
            }
            worker.fit(queries.z[i], queries.bandwidth.empty() ? 0.0 : queries.bandwidth[i]);
            for (Index j = 0; j < q; ++j) fit.coef(i, j) = worker.coef(j);
            double unused = 0.0;
            for (Index j = 0; j < q && fit.variance.rows > 0; ++j)
                fit.variance(i, j) = worker.along(nullptr, j, unused);
            if (queries.X.rows == 0) continue;
            const double spread = worker.along(queries.X.row(i), -1, fit.leverage[i]);
            if (!fit.spread.empty()) fit.spread[i] = spread;
        }
    });
    return !stopped;
}

}  // namespace statlearn::smooth
