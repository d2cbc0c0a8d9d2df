#include "smooth/pseudo_inverse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/vector.hpp"

namespace statlearn::smooth {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kRank = 100.0 * kEpsilon;
constexpr int kSweeps = 40;

}  // namespace

// Householder reflections: A becomes its triangle (cols x cols), b the part of it that A can reach.
void PseudoInverse::reduce(std::vector<double>& A, Index& rows, Index cols, std::vector<double>& b) {
    for (Index j = 0; j < cols; ++j) {
        double* a = A.data() + j * rows;
        const double norm = std::sqrt(dot(a + j, a + j, rows - j));
        if (norm == 0.0) continue;
        const double pivot = a[j] > 0.0 ? -norm : norm;
        a[j] -= pivot;
        const double half = -pivot * a[j];  // |v|^2 / 2
        const auto reflect = [&](double* x) {
            const double t = dot(a + j, x + j, rows - j) / half;
            for (Index i = j; i < rows; ++i) x[i] -= t * a[i];
        };
        for (Index k = j + 1; k < cols; ++k) reflect(A.data() + k * rows);
        reflect(b.data());
        a[j] = pivot;
        std::fill(a + j + 1, a + rows, 0.0);
    }
    for (Index j = 0; j < cols; ++j) std::copy_n(A.data() + j * rows, cols, A.data() + j * cols);
    rows = cols;
}

// One-sided Jacobi: columns are rotated in pairs until all are orthogonal; V collects the rotations.
void PseudoInverse::rotate(std::vector<double>& A, Index rows, Index cols) {
    V_.assign(cols * cols, 0.0);
    for (Index j = 0; j < cols; ++j) V_[j * cols + j] = 1.0;
    const auto turn = [](double* x, double* y, Index n, double c, double s) {
        for (Index i = 0; i < n; ++i) {
            const double t = c * x[i] - s * y[i];
            y[i] = s * x[i] + c * y[i];
            x[i] = t;
        }
    };
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
        bool done = true;
        for (Index j = 0; j < cols; ++j)
            for (Index k = j + 1; k < cols; ++k) {
                double *x = A.data() + j * rows, *y = A.data() + k * rows;
                const double xx = dot(x, x, rows), yy = dot(y, y, rows), xy = dot(x, y, rows);
                if (std::abs(xy) <= kEpsilon * std::sqrt(xx * yy)) continue;
                done = false;
                const double zeta = (yy - xx) / (2.0 * xy);
                const double t = std::copysign(1.0, zeta) / (std::abs(zeta) + std::sqrt(1.0 + zeta * zeta));
                const double c = 1.0 / std::sqrt(1.0 + t * t), s = c * t;
                turn(x, y, rows, c, s);
                turn(V_.data() + j * cols, V_.data() + k * cols, cols, c, s);
            }
        if (done) return;
    }
}

void PseudoInverse::factor(std::vector<double>& A, Index rows, Index cols, std::vector<double>& b) {
    cols_ = cols;
    scale_.assign(cols, 1.0);
    for (Index j = 0; j < cols; ++j) {
        double* a = A.data() + j * rows;
        const double norm = std::sqrt(dot(a, a, rows));
        if (norm == 0.0) continue;
        scale_[j] = norm;
        for (Index i = 0; i < rows; ++i) a[i] /= norm;
    }
    const bool wide = rows < cols;
    std::vector<double> work;
    if (wide) {  // the transpose has the fewer columns
        work.resize(A.size());
        for (Index j = 0; j < cols; ++j)
            for (Index i = 0; i < rows; ++i) work[i * cols + j] = A[j * rows + i];
    } else {
        reduce(A, rows, cols, b);
        work.assign(A.begin(), A.begin() + cols * cols);
    }
    const Index pairs = std::min(rows, cols);
    rotate(work, cols, pairs);
    std::vector<double> length(pairs);
    for (Index j = 0; j < pairs; ++j) length[j] = std::sqrt(dot(work.data() + j * cols, work.data() + j * cols, cols));
    const auto [least, most] = std::minmax_element(length.begin(), length.end());
    rcond_ = wide || *most == 0.0 ? 0.0 : *least / *most;
    singular_ = rcond_ <= kRank;
    const double limit = kRank * *most;
    right_.clear();
    sigma_.clear();
    c_.clear();
    for (Index j = 0; j < pairs; ++j) {
        const double sigma = length[j];
        if (sigma <= limit) continue;
        const double *column = work.data() + j * cols, *v = V_.data() + j * pairs;
        sigma_.push_back(sigma);
        if (wide) {
            for (Index m = 0; m < cols; ++m) right_.push_back(column[m] / sigma);
            c_.push_back(dot(v, b.data(), rows));
        } else {
            right_.insert(right_.end(), v, v + cols);
            c_.push_back(dot(column, b.data(), cols) / sigma);
        }
    }
    rank_ = Index(sigma_.size());
}

double PseudoInverse::solution(Index j) const {
    double sum = 0.0;
    for (Index r = 0; r < rank_; ++r) sum += right_[r * cols_ + j] * c_[r] / sigma_[r];
    return sum / scale_[j];
}

void PseudoInverse::gram_row(Index j, double* row) const {
    std::fill(row, row + cols_, 0.0);
    for (Index r = 0; r < rank_; ++r) {
        const double* v = right_.data() + r * cols_;
        const double factor = v[j] / (sigma_[r] * sigma_[r]);
        for (Index m = 0; m < cols_; ++m) row[m] += factor * v[m];
    }
    for (Index m = 0; m < cols_; ++m) row[m] /= scale_[j] * scale_[m];
}

}  // namespace statlearn::smooth
