#include "linear/logistic_path.hpp"

#include <algorithm>
#include <cmath>

#include "common/vmath.hpp"
#include "linear/glm_rows.hpp"

namespace statlearn::linear {
namespace {

// mu holds probabilities (one score: of class 1).
class LogisticLoss final : public PathLoss {
public:
    explicit LogisticLoss(const LogisticData& data)
        : PathLoss(data.rows), R_(data.n_scores), n_(Index(data.codes.size())), codes_(data.codes) {}

    Index scores() const override { return R_; }

    double null_intercept(Index k) const override {
        double b = 0.0;
        for (Index i = 0; i < n_; ++i)
            if (own(k, i)) b += rows.share[i];
        b = std::clamp(b, 1e-10, 1.0 - 1e-10);
        return std::log(b) - (R_ == 1 ? std::log1p(-b) : 0.0);
    }

    double evaluate(Index begin, Index end, const double* eta, double* mu) const override {
        return R_ == 1 ? evaluate_two(begin, end, eta, mu) : evaluate_many(begin, end, eta, mu);
    }

    double residual(Index k, Index begin, Index end, const double* mu, double* v, double* h) const override {
        mu += k * n_;
        const int code = R_ == 1 ? 1 : int(k);
        double sum = 0.0;
        for (Index i = begin; i < end; ++i) {
            const double share = rows.share[i];
            v[i] = share * ((codes_[i] == code ? 1.0 : 0.0) - mu[i]);
            sum += v[i];
            if (h) h[i] = share * mu[i] * (1.0 - mu[i]);
        }
        return sum;
    }

    double dual(Index begin, Index end, const double* mu, double scale) const override {
        double total = 0.0;
        for (Index i = begin; i < end; ++i) {
            double entropy = 0.0, shift = 0.0;
            for (Index k = 0; k < R_; ++k) {
                const double y = own(k, i) ? 1.0 : 0.0;
                const double v = scale * (y - mu[k * n_ + i]);
                entropy += x_log_x(y - v);
                if (R_ == 1) entropy += x_log_x(1.0 - (y - v));
                if (!rows.offset.empty()) shift += v * rows.offset[i * R_ + k];
            }
            total -= rows.share[i] * (entropy + shift);
        }
        return total;
    }

private:
    bool own(Index k, Index i) const { return R_ == 1 ? codes_[i] == 1 : codes_[i] == int(k); }

    double evaluate_two(Index begin, Index end, const double* eta, double* mu) const {
        double total = 0.0;
        for (Index i = begin; i < end; ++i) {
            const double score = eta[i];
            const double margin = codes_[i] ? score : -score;
            const double e = exp_fast(-std::abs(score));
            const double inverse = 1.0 / (1.0 + e), smaller = e * inverse, wrong = -margin;
            mu[i] = score >= 0.0 ? inverse : smaller;
            total += rows.share[i] * (log1p_unit(e) + (margin < 0.0 ? wrong : 0.0));
        }
        return total;
    }

    double evaluate_many(Index begin, Index end, const double* eta, double* mu) const {
        double total = 0.0;
        for (Index i = begin; i < end; ++i) {
            double top = eta[i], sum = 0.0;
            for (Index k = 1; k < R_; ++k) top = std::max(top, eta[k * n_ + i]);
            for (Index k = 0; k < R_; ++k) {
                const double e = exp_fast(eta[k * n_ + i] - top);
                mu[k * n_ + i] = e;
                sum += e;
            }
            for (Index k = 0; k < R_; ++k) mu[k * n_ + i] /= sum;
            total += rows.share[i] * (std::log(sum) + top - eta[codes_[i] * n_ + i]);
        }
        return total;
    }

    Index R_, n_;
    Span<const int> codes_;
};

}  // namespace

template <class Columns>
void logistic_path(const Columns& X, const LogisticData& data, Span<const double> l1, Span<const double> l2,
                   Span<const double> theta, StopRule stop, const Interrupt& interrupt, const NewtonPathOut& out) {
    newton_path(PathColumnsOf(X), LogisticLoss(data), l1, l2, theta, stop, interrupt, out);
}

#define STATLEARN_PATH(Columns)                                                                              \
    template void logistic_path(const Columns&, const LogisticData&, Span<const double>, Span<const double>, \
                                Span<const double>, StopRule, const Interrupt&, const NewtonPathOut&);
STATLEARN_PATH(DenseByColumn<double>)
STATLEARN_PATH(DenseByColumn<float>)
STATLEARN_PATH(SparseByColumn<double>)
STATLEARN_PATH(SparseByColumn<float>)
#undef STATLEARN_PATH

}  // namespace statlearn::linear
