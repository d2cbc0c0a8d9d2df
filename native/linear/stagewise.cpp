#include "linear/stagewise.hpp"

#include <algorithm>
#include <cmath>

#include "common/parallel.hpp"
#include "common/vector.hpp"

namespace statlearn::linear {

StagewisePath stagewise_path(Matrix<const double> X, Span<const double> y, const StagewiseOptions& options,
                             const Interrupt& interrupt) {
    const Index n = X.rows, p = X.cols;
    const bool full = options.epsilon == 0.0;
    StagewisePath path;
    std::vector<double> c(p), beta(c.size(), 0.0), size(c.size()), weight(c.size());
    const Blocks blocks(p, 32);
    const auto products = [&](const double* v, std::vector<double>& out) {
        parallel_for(blocks.count(), Work(n * p), [&](Index b) {
            for (Index j = blocks.begin(b); j < blocks.end(b); ++j) out[j] = dot(X.col(j), v, n);
        });
    };
    products(y.data(), c);
    for (Index j = 0; j < p; ++j) {
        size[j] = dot(X.col(j), X.col(j), n);
        weight[j] = !full ? 1.0 : size[j] > 0.0 ? 1.0 / std::sqrt(size[j]) : 0.0;
    }
    std::vector<std::vector<double>> gram(c.size());  // columns, made when first needed
    double rss = dot(y.data(), y.data(), n), start = 0.0;
    const auto record = [&] {
        path.coefs.insert(path.coefs.end(), beta.begin(), beta.end());
        path.rss.push_back(rss);
        path.steps.push_back(path.n_iter);
    };
    record();
    path.status = Status::max_iter;
    while (path.n_iter < options.max_iter) {
        if (path.n_iter % 64 == 0 && interrupt.requested()) {
            path.status = Status::interrupted;
            break;
        }
        std::size_t best = 0;
        double largest = -1.0;
        for (std::size_t j = 0; j < c.size(); ++j)
            if (const double value = weight[j] * std::abs(c[j]); value > largest) {
                largest = value;
                best = j;
            }
        if (path.n_iter == 0) start = largest;
        const double step =
            full ? (size[best] > 0.0 ? c[best] / size[best] : 0.0) : std::copysign(options.epsilon, c[best]);
        // The change of the residual sum of squares; a step of epsilon may overshoot.
        const double change = step * (step * size[best] - 2.0 * c[best]);
        if (largest <= options.tol * start || change >= 0.0) {
            path.status = Status::ok;
            break;
        }
        if (gram[best].empty()) {
            gram[best].resize(c.size());
            products(X.col(Index(best)), gram[best]);
        }
        beta[best] += step;
        rss = std::max(rss + change, 0.0);
        axpy(-step, gram[best].data(), c.data(), p);
        if (++path.n_iter % options.record_every == 0) record();
    }
    if (path.steps.back() != path.n_iter) record();
    return path;
}

}  // namespace statlearn::linear
