#include "linear/glm_pass.hpp"

namespace statlearn::linear {

template <class Rows>
double glm_pass(const Rows& X, GlmFamily family, double parameter, Span<const double> y, Span<const double> weights,
                Span<const double> offset, Span<const double> theta, const Interrupt& interrupt, Span<double> grad,
                Span<double> hess) {
    double total = 0.0;
    with_family(family, parameter, [&](auto rows) {
        const auto block = [&](Index begin, Index m, const double* eta, double* loss, double* r, double* h) {
            const double* target = y.data() + begin;
            for (Index i = 0; i < m; ++i) {
                const double mu = rows.mean(eta[i]);
                loss[i] = rows.value(target[i], eta[i], mu);
                r[i] = -rows.pull(target[i], mu);
                h[i] = rows.curvature(target[i], mu);
            }
        };
        total = row_pass(X, block, weights, offset, theta, interrupt, grad, hess);
    });
    return total;
}

double glm_constant(GlmFamily family, double parameter, Span<const double> y, Span<const double> weights) {
    double total = 0.0;
    with_family(family, parameter, [&](auto rows) {
        total = parallel_sum(Blocks(Index(y.size())), [&](Index begin, Index end) {
            double sum = 0.0;
            for (Index i = begin; i < end; ++i) sum += (weights.empty() ? 1.0 : weights[i]) * rows.constant(y[i]);
            return sum;
        });
    });
    return total;
}

#define STATLEARN_GLM(Rows)                                                                          \
    template double glm_pass(const Rows&, GlmFamily, double, Span<const double>, Span<const double>, \
                             Span<const double>, Span<const double>, const Interrupt&, Span<double>, Span<double>);
STATLEARN_GLM(DenseRows<double>)
STATLEARN_GLM(SparseRows<double>)
#undef STATLEARN_GLM

}  // namespace statlearn::linear
