#include "linear/glm_path.hpp"

#include <vector>

namespace statlearn::linear {
namespace {

template <class Family>
class GlmLoss final : public PathLoss {
public:
    GlmLoss(const GlmData& data, Family family)
        : PathLoss(data.rows), y_(data.y), family_(family), constant_(y_.size()) {
        for (Index i = 0; i < y_.size(); ++i) constant_[i] = family_.constant(y_[i]);
    }

    Index scores() const override { return 1; }

    double null_intercept(Index) const override {
        double mean = 0.0;
        for (Index i = 0; i < y_.size(); ++i) mean += rows.share[i] * y_[i];
        return family_.eta_of(mean);
    }

    double evaluate(Index begin, Index end, const double* eta, double* mu) const override {
        double total = 0.0;
        for (Index i = begin; i < end; ++i) {
            mu[i] = family_.mean(eta[i]);
            total += rows.share[i] * (family_.value(y_[i], eta[i], mu[i]) + constant_[i]);
        }
        return total;
    }

    double residual(Index, Index begin, Index end, const double* mu, double* v, double* h) const override {
        double sum = 0.0;
        for (Index i = begin; i < end; ++i) {
            v[i] = rows.share[i] * family_.pull(y_[i], mu[i]);
            sum += v[i];
            if (h) h[i] = rows.share[i] * family_.curvature(y_[i], mu[i]);
        }
        return sum;
    }

    double dual(Index begin, Index end, const double* mu, double scale) const override {
        double total = 0.0;
        for (Index i = begin; i < end; ++i) {
            const double u = -scale * family_.pull(y_[i], mu[i]);
            total += rows.share[i] *
                     (family_.dual(y_[i], u) + constant_[i] + (rows.offset.empty() ? 0.0 : u * rows.offset[i]));
        }
        return total;
    }

private:
    Span<const double> y_;
    Family family_;
    std::vector<double> constant_;
};

}  // namespace

template <class Columns>
void glm_path(const Columns& X, const GlmData& data, Span<const double> l1, Span<const double> l2,
              Span<const double> theta, StopRule stop, const Interrupt& interrupt, const NewtonPathOut& out) {
    with_family(data.family, data.parameter, [&](auto family) {
        newton_path(PathColumnsOf(X), GlmLoss(data, family), l1, l2, theta, stop, interrupt, out);
    });
}

#define STATLEARN_PATH(Columns)                                                                                        \
    template void glm_path(const Columns&, const GlmData&, Span<const double>, Span<const double>, Span<const double>, \
                           StopRule, const Interrupt&, const NewtonPathOut&);
STATLEARN_PATH(DenseByColumn<double>)
STATLEARN_PATH(SparseByColumn<double>)
#undef STATLEARN_PATH

}  // namespace statlearn::linear
