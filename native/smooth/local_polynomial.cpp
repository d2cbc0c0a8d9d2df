#include "smooth/local_polynomial.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "common/cholesky.hpp"
#include "common/parallel.hpp"
#include "smooth/local_window.hpp"

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
        : data_(data), window_(data, rule), m_(window_.functions()), right_(m_), column_(m_), first_(m_), normal_(m_) {}

    // Returns the estimate; `leverage` and, if it is not null, `row` are written.
    double at(const double* x0, const double* z0, double h, double& leverage, double* row) {
        window_.open(x0, z0, h);
        accumulate();
        normal_.factor();
        std::fill(first_.begin(), first_.end(), 0.0);
        first_[0] = 1.0;
        normal_.solve(first_);  // the first column of the inverse
        double estimate = 0.0;
        for (Index j = 0; j < m_; ++j) estimate += first_[j] * right_[j];
        leverage = first_[0] * window_.at_zero();
        if (row != nullptr) fill_row(row);
        return estimate;
    }

private:
    void accumulate() {
        normal_.clear();
        std::fill(right_.begin(), right_.end(), 0.0);
        for (Index i = window_.low(); i < window_.high(); ++i) {
            const double weight = window_.weight(i);
            if (weight == 0.0) continue;
            window_.functions_at(i, column_.data());
            for (Index j = 0; j < m_; ++j) {
                const double b = weight * column_[j];
                right_[j] += b * data_.y[i];
                double* gram = normal_.row(j);
                for (Index k = 0; k <= j; ++k) gram[k] += b * column_[k];
            }
        }
    }

    void fill_row(double* row) {
        std::fill(row, row + data_.X.rows, 0.0);
        for (Index i = window_.low(); i < window_.high(); ++i) {
            const double weight = window_.weight(i);
            if (weight == 0.0) continue;
            window_.functions_at(i, column_.data());
            double sum = 0.0;
            for (Index j = 0; j < m_; ++j) sum += first_[j] * column_[j];
            row[i] = weight * sum;
        }
    }

    const LocalData& data_;
    LocalWindow window_;
    Index m_;
    std::vector<double> right_, column_, first_;
    SmallSolve normal_;
};

}  // namespace

bool local_polynomial(const LocalData& data, const LocalQueries& queries, LocalRule rule, const Interrupt& interrupt,
                      Span<double> fitted, Span<double> leverage, Matrix<double> rows) {
    const Blocks blocks(queries.X.rows, 64);
    std::atomic<bool> stopped{false};
    parallel_for(blocks.count(), [&](Index block) {
        if (stopped || interrupt.requested()) {
            stopped = true;
            return;
        }
        Worker worker(data, rule);
        std::vector<double> x0(queries.X.cols), z0(queries.Z.cols);
        for (Index q = blocks.begin(block); q < blocks.end(block); ++q) {
            for (Index j = 0; j < queries.X.cols; ++j) x0[j] = queries.X(q, j);
            for (Index j = 0; j < queries.Z.cols; ++j) z0[j] = queries.Z(q, j);
            const double h = queries.bandwidth.empty() ? 0.0 : queries.bandwidth[q];
            double* row = rows.rows > 0 ? rows.row(q) : nullptr;
            fitted[q] = worker.at(x0.data(), z0.data(), h, leverage[q], row);
        }
    });
    return !stopped;
}

}  // namespace statlearn::smooth
