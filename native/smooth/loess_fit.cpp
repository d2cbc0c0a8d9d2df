#include "smooth/loess_fit.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>

#include "common/parallel.hpp"
#include "smooth/pseudo_inverse.hpp"

namespace statlearn::smooth {
namespace {

constexpr Index kLanes = 8;
// Share of a function's squares that the functions before it must leave: below, the normal equations would lose more
// than ten digits.
constexpr double kSafe = 1e-6;

// What one thread needs for its places.
class LocalFit {
public:
    LocalFit(const LoessData& data, const LoessRule& rule)
        : data_(data), rule_(rule), functions_(data.X.cols, rule), n_(data.X.rows), d_(data.X.cols) {
        const auto k = std::size_t(functions_.size());
        gram_.resize(k * k);
        lanes_.resize((k * (k + 1) / 2 + k) * kLanes);
        f_.resize(2 * k * kLanes);
        u_.resize(std::size_t(d_) * kLanes);
        right_.resize(k);
        square_.resize(std::size_t(n_));
    }

    // Sets rows_, weight_ and reach.
    void surround(const double* z) {
        const double radius = d_ == 1 ? window(z[0]) : nearest(z);  // squared
        reach = radius * rule_.stretch;
        keep([&](double square) { return square < reach ? tricube(square, reach) : 0.0; });
        if (!rows_.empty()) return;
        // Ties reach beyond the window.
        reach = -std::max(radius, std::numeric_limits<double>::min());
        low_ = 0;
        high_ = n_;
        measure(z);
        keep([&](double square) { return square <= -reach ? 1.0 : 0.0; });
        flat_ = true;
        if (!rows_.empty()) return;
        // Rows of weight 0 only: they count equally.
        for (Index i = low_; i < high_; ++i)
            if (square_[std::size_t(i)] <= radius) rows_.push_back(int(i)), weight_.push_back(1.0);
    }

    // Value and slopes (as many as `values` has) and their coefficients.
    void solve(const double* z, std::span<double> values, double* coefs) {
        accumulate(z);
        singular = flat_;
        rcond = 1.0;
        const Index k = functions_.size();
        const Index known = std::min(Index(values.size()), k);
        std::fill(values.begin(), values.end(), 0.0);
        std::fill(coefs, coefs + Index(values.size()) * k, 0.0);
        if (factor()) {
            for (Index part = 0; part < known; ++part) {
                double* c = coefs + part * k;
                unit_solution(part, c);
                for (Index j = 0; j < k; ++j) values[std::size_t(part)] += c[j] * right_[std::size_t(j)];
            }
            return;
        }
        decompose(z);
        for (Index part = 0; part < known; ++part) {
            values[std::size_t(part)] = inverse_.solution(part);
            inverse_.gram_row(part, coefs + part * k);
        }
    }

    double reach = 0.0, rcond = 1.0;
    bool singular = false;

private:
    double count(Index i) const { return data_.counts.empty() ? 1.0 : data_.counts[std::size_t(i)]; }

    void measure(const double* z) {
        std::fill(square_.begin() + low_, square_.begin() + high_, 0.0);
        for (Index j = 0; j < rule_.near; ++j) {
            const double* x = data_.X.col(j);
            for (Index i = low_; i < high_; ++i) {
                const double gap = x[i] - z[j];
                square_[std::size_t(i)] += gap * gap;
            }
        }
    }

    // The neighbours on a line are a run of the sorted rows.
    double window(double z) {
        const double* x = data_.X.data;
        if (data_.counts.empty()) {
            const Index q = Index(rule_.neighbors);
            Index first = 0, last = n_ - q;
            while (first < last) {
                const Index middle = (first + last) / 2;
                if (z - x[middle] > x[middle + q] - z)
                    first = middle + 1;
                else
                    last = middle;
            }
            low_ = first;
            high_ = first + q;
        } else {
            double counted = 0.0;
            low_ = high_ = std::lower_bound(x, x + n_, z) - x;
            while (counted < rule_.neighbors * (1.0 - 1e-12) && high_ - low_ < n_) {
                const bool right = low_ == 0 || (high_ < n_ && x[high_] - z <= z - x[low_ - 1]);
                counted += right ? count(high_++) : count(--low_);
            }
        }
        measure(&z);
        return std::max(square_[std::size_t(low_)], square_[std::size_t(high_ - 1)]);
    }

    double nearest(const double* z) {
        low_ = 0;
        high_ = n_;
        measure(z);
        if (data_.counts.empty()) {
            const Index q = Index(rule_.neighbors);
            if (q >= n_) return *std::max_element(square_.begin(), square_.end());
            sorted_.assign(square_.begin(), square_.end());
            std::nth_element(sorted_.begin(), sorted_.begin() + (q - 1), sorted_.end());
            return sorted_[std::size_t(q - 1)];
        }
        order_.resize(std::size_t(n_));
        std::iota(order_.begin(), order_.end(), 0);
        std::sort(order_.begin(), order_.end(),
                  [&](int a, int b) { return square_[std::size_t(a)] < square_[std::size_t(b)]; });
        double counted = 0.0;
        for (const int i : order_) {
            counted += count(i);
            if (counted >= rule_.neighbors * (1.0 - 1e-12)) return square_[std::size_t(i)];
        }
        return square_[std::size_t(order_.back())];
    }

    template <class Kernel>
    void keep(Kernel&& kernel) {
        flat_ = false;
        rows_.clear();
        weight_.clear();
        for (Index i = low_; i < high_; ++i) {
            const double weight = kernel(square_[std::size_t(i)]) * (data_.w.empty() ? 1.0 : data_.w[std::size_t(i)]);
            if (weight > 0.0) {
                rows_.push_back(int(i));
                weight_.push_back(weight);
            }
        }
    }

    // Functions of the kept rows `first` to first + 7 in lanes, with the weights; lanes beyond the last row have
    // weight 0.
    void load(std::size_t first, const double* z, double* weight, double* y) {
        const std::size_t count = std::min(std::size_t(kLanes), rows_.size() - first);
        for (std::size_t l = 0; l < std::size_t(kLanes); ++l) {
            const auto i = std::size_t(rows_[first + std::min(l, count - 1)]);
            weight[l] = l < count ? weight_[first + l] : 0.0;
            y[l] = data_.y[i];
            for (Index j = 0; j < d_; ++j) u_[std::size_t(j * kLanes) + l] = data_.X.col(j)[i] - z[j];
        }
        functions_.fill<kLanes>(u_.data(), f_.data());
    }

    // Cross-products of the functions (lower triangle of gram_) and with the responses (right_).
    void accumulate(const double* z) {
        const Index k = functions_.size();
        std::fill(lanes_.begin(), lanes_.end(), 0.0);
        double weight[kLanes], y[kLanes];
        double *f = f_.data(), *wf = f + k * kLanes;
        for (std::size_t first = 0; first < rows_.size(); first += std::size_t(kLanes)) {
            load(first, z, weight, y);
            double* sum = lanes_.data();
            for (Index j = 0; j < k; ++j) {
                double* a = wf + j * kLanes;
                for (Index l = 0; l < kLanes; ++l) a[l] = weight[l] * f[j * kLanes + l];
                for (Index m = 0; m <= j; ++m, sum += kLanes)
                    for (Index l = 0; l < kLanes; ++l) sum[l] += a[l] * f[m * kLanes + l];
                for (Index l = 0; l < kLanes; ++l) sum[l] += a[l] * y[l];
                sum += kLanes;
            }
        }
        const double* sum = lanes_.data();
        const auto total = [&] {
            double all = 0.0;
            for (Index l = 0; l < kLanes; ++l) all += *sum++;
            return all;
        };
        for (Index j = 0; j < k; ++j) {
            for (Index m = 0; m <= j; ++m) gram_[std::size_t(j * k + m)] = total();
            right_[std::size_t(j)] = total();
        }
    }

    // Cholesky factor in place of gram_; false where the functions are too close to dependent.
    bool factor() {
        const Index k = functions_.size();
        for (Index j = 0; j < k; ++j) {
            double* row = gram_.data() + j * k;
            const double before = row[j];
            double left = before;
            for (Index m = 0; m < j; ++m) {
                const double* other = gram_.data() + m * k;
                double sum = row[m];
                for (Index l = 0; l < m; ++l) sum -= row[l] * other[l];
                row[m] = sum / other[m];
                left -= row[m] * row[m];
            }
            if (!(left > kSafe * before)) return false;
            row[j] = std::sqrt(left);
        }
        return true;
    }

    // Column `part` of the inverse of the cross-products.
    void unit_solution(Index part, double* c) const {
        const Index k = functions_.size();
        for (Index j = part; j < k; ++j) {
            double sum = j == part ? 1.0 : 0.0;
            for (Index m = part; m < j; ++m) sum -= gram_[std::size_t(j * k + m)] * c[m];
            c[j] = sum / gram_[std::size_t(j * k + j)];
        }
        for (Index j = k - 1; j >= 0; --j) {
            double sum = c[j];
            for (Index m = j + 1; m < k; ++m) sum -= gram_[std::size_t(m * k + j)] * c[m];
            c[j] = sum / gram_[std::size_t(j * k + j)];
        }
    }

    // The same from the design itself, which keeps twice the digits.
    void decompose(const double* z) {
        const Index k = functions_.size(), m = Index(rows_.size());
        design_.resize(std::size_t(m * k));
        response_.resize(std::size_t(m));
        double weight[kLanes], y[kLanes];
        for (Index first = 0; first < m; first += kLanes) {
            load(std::size_t(first), z, weight, y);
            for (Index l = 0; l < std::min(kLanes, m - first); ++l) {
                const double root = std::sqrt(weight[l]);
                response_[std::size_t(first + l)] = root * y[l];
                for (Index j = 0; j < k; ++j)
                    design_[std::size_t(j * m + first + l)] = root * f_[std::size_t(j * kLanes + l)];
            }
        }
        inverse_.factor(design_, m, k, response_);
        singular = singular || inverse_.singular();
        rcond = inverse_.rcond();
    }

    const LoessData& data_;
    const LoessRule& rule_;
    LoessFunctions functions_;
    PseudoInverse inverse_;
    Index n_, d_, low_ = 0, high_ = 0;
    bool flat_ = false;
    std::vector<int> rows_, order_;
    std::vector<double> weight_, square_, sorted_, gram_, lanes_, right_, f_, u_, design_, response_;
};

}  // namespace

LoessInfo loess_fit(const LoessData& data, const LoessRule& rule, MatrixView<const double> places,
                    const Interrupt& interrupt, MatrixView<double> values, std::span<double> coefs,
                    std::span<double> reach) {
    const Index m = places.rows, parts = values.cols;
    const Index k = LoessFunctions(data.X.cols, rule).size();
    const Blocks blocks(m, m > 512 ? 32 : 1);
    std::vector<LoessInfo> found(static_cast<std::size_t>(blocks.count()));
    std::atomic<bool> stopped{false};
    parallel_for(blocks.count(), [&](Index block) {
        if (stopped || interrupt.requested()) {
            stopped = true;
            return;
        }
        LocalFit fit(data, rule);
        LoessInfo& info = found[std::size_t(block)];
        for (Index v = blocks.begin(block); v < blocks.end(block); ++v) {
            fit.surround(places.row(v));
            fit.solve(places.row(v), {values.row(v), std::size_t(parts)}, coefs.data() + v * parts * k);
            reach[std::size_t(v)] = fit.reach;
            info.rcond = std::min(info.rcond, fit.rcond);
            if (fit.singular && info.singular++ == 0) info.first = v;
        }
    });
    LoessInfo all;
    for (const LoessInfo& info : found) {
        if (all.singular == 0) all.first = info.first;
        all.singular += info.singular;
        all.rcond = std::min(all.rcond, info.rcond);
    }
    all.finished = !stopped;
    return all;
}

}  // namespace statlearn::smooth
