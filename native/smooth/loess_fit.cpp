#include "smooth/loess_fit.hpp"

#include <algorithm>
#include <atomic>

#include "common/cholesky.hpp"
#include "common/lanes.hpp"
#include "common/parallel.hpp"
#include "smooth/loess_neighbors.hpp"
#include "smooth/pseudo_inverse.hpp"

namespace statlearn::smooth {
namespace {

constexpr Index kPanel = 4 * kLanes;  // rows whose functions are computed together
// Share of a function's squares that the functions before it must leave: below, the normal equations would lose more
// than ten digits.
constexpr double kSafe = 1e-6;

// What one thread needs for its places.
class LocalFit {
public:
    LocalFit(const LoessNeighbors& neighbors, const LoessRule& rule)
        : neighbors_(neighbors),
          data_(neighbors.data()),
          functions_(data_.X.cols, rule.degree, rule.squares),
          normal_(functions_.size(), kSafe),
          d_(data_.X.cols),
          rows_(around_.rows),
          weight_(around_.weights) {
        const Index k = functions_.size();
        lanes_.resize((k * (k + 1) / 2 + k) * std::size_t(kLanes));
        f_.resize(k * std::size_t(kPanel));
        u_.resize(d_ * kPanel);
        right_.resize(k);
    }

    // Value and slopes (as many as `values` has) and their coefficients.
    void solve(const double* z, Span<double> values, double* coefs) {
        neighbors_.find(z, around_);
        accumulate(z);
        singular = around_.flat;
        rcond = 1.0;
        const Index k = functions_.size();
        const Index known = std::min(Index(values.size()), k);
        std::fill(values.begin(), values.end(), 0.0);
        std::fill(coefs, coefs + Index(values.size()) * k, 0.0);
        normal_.factor();
        if (normal_.complete()) {
            for (Index part = 0; part < known; ++part) {
                double* c = coefs + part * k;
                c[part] = 1.0;
                normal_.solve({c, k});
                for (Index j = 0; j < k; ++j) values[part] += c[j] * right_[j];
            }
            return;
        }
        decompose(z);
        for (Index part = 0; part < known; ++part) {
            values[part] = inverse_.solution(part);
            inverse_.gram_row(part, coefs + part * k);
        }
    }

    double reach() const { return around_.reach; }

    double rcond = 1.0;
    bool singular = false;

private:
    // Functions of the kept rows from `first` on, with their weights; what is missing to a panel has weight 0.
    void fill_panel(Index first, const double* z, double* weight, double* y) {
        const Index count = std::min(kPanel, Index(rows_.size()) - first);
        int rows[kPanel];
        for (Index l = 0; l < kPanel; ++l) {
            rows[l] = rows_[first + std::min(l, count - 1)];
            weight[l] = l < count ? weight_[first + l] : 0.0;
        }
        for (Index l = 0; l < kPanel; ++l) y[l] = data_.y[rows[l]];
        for (Index j = 0; j < d_; ++j) {
            const double* x = data_.X.col(j);
            double* u = u_.data() + j * kPanel;
            for (Index l = 0; l < kPanel; ++l) u[l] = x[rows[l]] - z[j];
        }
        functions_.fill<kPanel>(u_.data(), f_.data());
    }

    // Cross-products of the functions (normal_) and with the responses (right_).
    void accumulate(const double* z) {
        const Index k = functions_.size();
        std::fill(lanes_.begin(), lanes_.end(), 0.0);
        double weight[kPanel], y[kPanel];
        for (std::size_t first = 0; first < rows_.size(); first += std::size_t(kPanel)) {
            fill_panel(first, z, weight, y);
            double* sum = lanes_.data();
            for (Index j = 0; j < k; ++j) {
                Lanes weighted[kPanel / kLanes];
                for (Index g = 0; g < kPanel / kLanes; ++g)
                    weighted[g] = load(weight + g * kLanes) * load(f_.data() + j * kPanel + g * kLanes);
                const auto add = [&](const double* with) {
                    Lanes total = load(sum);
                    for (Index g = 0; g < kPanel / kLanes; ++g)
                        total = mul_add(weighted[g], load(with + g * kLanes), total);
                    store(total, sum);
                    sum += kLanes;
                };
                for (Index m = 0; m <= j; ++m) add(f_.data() + m * kPanel);
                add(y);
            }
        }
        const double* sum = lanes_.data();
        const auto total = [&] {
            double all = 0.0;
            for (Index l = 0; l < kLanes; ++l) all += *sum++;
            return all;
        };
        for (Index j = 0; j < k; ++j) {
            for (Index m = 0; m <= j; ++m) normal_.row(j)[m] = total();
            right_[j] = total();
        }
    }

    // The same from the design itself, which keeps twice the digits.
    void decompose(const double* z) {
        const Index k = functions_.size(), m = Index(rows_.size());
        design_.resize(m * k);
        response_.resize(m);
        double weight[kPanel], y[kPanel];
        for (Index first = 0; first < m; first += kPanel) {
            fill_panel(std::size_t(first), z, weight, y);
            for (Index l = 0; l < std::min(kPanel, m - first); ++l) {
                const double root = std::sqrt(weight[l]);
                response_[first + l] = root * y[l];
                for (Index j = 0; j < k; ++j) design_[j * m + first + l] = root * f_[j * kPanel + l];
            }
        }
        inverse_.factor(design_, m, k, response_);
        singular = singular || inverse_.singular();
        rcond = inverse_.rcond();
    }

    const LoessNeighbors& neighbors_;
    const LoessData& data_;
    LocalFunctions functions_;
    SmallSolve normal_;
    PseudoInverse inverse_;
    Index d_;
    Neighborhood around_;
    const std::vector<int>& rows_;
    const std::vector<double>& weight_;
    std::vector<double> lanes_, right_, f_, u_, design_, response_;
};

}  // namespace

LoessInfo loess_fit(const LoessData& data, const LoessRule& rule, Matrix<const double> places,
                    const Interrupt& interrupt, Matrix<double> values, Span<double> coefs, Span<double> reach) {
    const Index m = places.rows, parts = values.cols;
    const Index k = LocalFunctions(data.X.cols, rule.degree, rule.squares).size();
    const LoessNeighbors neighbors(data, rule, m, interrupt);
    const Blocks blocks(m, m > 512 ? 32 : 1);
    std::vector<LoessInfo> found(blocks.count());
    std::atomic<bool> stopped{false};
    parallel_for(blocks.count(), [&](Index block) {
        if (stopped || interrupt.requested()) {
            stopped = true;
            return;
        }
        LocalFit fit(neighbors, rule);
        LoessInfo& info = found[block];
        for (Index v = blocks.begin(block); v < blocks.end(block); ++v) {
            fit.solve(places.row(v), {values.row(v), parts}, coefs.data() + v * parts * k);
            reach[v] = fit.reach();
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
