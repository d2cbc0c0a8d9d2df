#include "linear/nonconvex.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/parallel.hpp"
#include "linear/vector_ops.hpp"

namespace statlearn::linear {

double concave_penalty(Concave kind, double b, double lambda, double gamma) {
    b = std::abs(b);
    if (kind == Concave::mcp)
        return b <= gamma * lambda ? lambda * b - b * b / (2.0 * gamma) : 0.5 * gamma * lambda * lambda;
    if (b <= lambda) return lambda * b;
    if (b <= gamma * lambda) return (2.0 * gamma * lambda * b - b * b - lambda * lambda) / (2.0 * (gamma - 1.0));
    return 0.5 * lambda * lambda * (gamma + 1.0);
}

double concave_threshold(Concave kind, double z, double v, double lambda, double gamma) {
    if (!(v > 0.0)) return 0.0;
    const double a = std::abs(z);
    double best = 0.0, value = 0.0;
    const auto consider = [&](double b, double low, double high) {
        if (!(b > low && b <= high)) return;
        const double f = 0.5 * v * b * b - a * b + concave_penalty(kind, b, lambda, gamma);
        if (f < value) {
            value = f;
            best = b;
        }
    };
    const double end = gamma * lambda;
    if (kind == Concave::mcp) {
        if (v > 1.0 / gamma) consider((a - lambda) / (v - 1.0 / gamma), 0.0, end);
    } else {
        consider((a - lambda) / v, 0.0, lambda);
        if (v > 1.0 / (gamma - 1.0)) consider((a - end / (gamma - 1.0)) / (v - 1.0 / (gamma - 1.0)), lambda, end);
    }
    consider(a / v, end, std::numeric_limits<double>::infinity());
    return std::copysign(best, z);
}

NonconvexInfo nonconvex_path(MatrixView<const double> X, std::span<const double> y, double total_weight, Concave kind,
                             double gamma, std::span<const double> alphas, StopRule stop, const Interrupt& interrupt,
                             MatrixView<double> coefs, std::span<int> sweeps) {
    const Index n = X.rows, p = X.cols;
    NonconvexInfo info;
    std::vector<double> r(y.begin(), y.end()), beta(static_cast<std::size_t>(p), 0.0), v(beta.size()), c(beta.size());
    std::vector<char> inside(beta.size(), 0);
    std::vector<int> active, nonzero;
    const Blocks blocks(p, 32);
    const int n_threads = n * p < 100000 ? 1 : threads();
    parallel_for(blocks.count(), n_threads, [&](Index b) {
        for (Index j = blocks.begin(b); j < blocks.end(b); ++j)
            v[std::size_t(j)] = dot(X.col(j), X.col(j), n) / total_weight;
    });
    const double limit = stop.tol * std::sqrt(dot(y.data(), y.data(), n) / total_weight);
    double alpha = 0.0;

    const auto sweep = [&](const std::vector<int>& list) {
        double largest = 0.0;
        for (const int j : list) {
            const auto at = std::size_t(j);
            const double* x = X.col(j);
            const double z = dot(x, r.data(), n) / total_weight + v[at] * beta[at];
            const double next = concave_threshold(kind, z, v[at], alpha, gamma);
            const double delta = next - beta[at];
            if (delta == 0.0) continue;
            axpy(-delta, x, r.data(), n);
            beta[at] = next;
            largest = std::max(largest, std::abs(delta) * std::sqrt(v[at]));
        }
        return largest;
    };

    for (std::size_t k = 0; k < alphas.size(); ++k) {
        alpha = alphas[k];
        int count = 0;
        bool settled = false;
        while (!settled && count < stop.max_iter) {
            while (count < stop.max_iter) {  // all that were ever in, then those that are, until neither moves
                if (interrupt.requested()) {
                    info.status = Status::interrupted;
                    return info;
                }
                ++count;
                if (sweep(active) <= limit) break;
                nonzero.clear();
                for (const int j : active)
                    if (beta[std::size_t(j)] != 0.0) nonzero.push_back(j);
                while (count < stop.max_iter && !interrupt.requested()) {
                    ++count;
                    if (sweep(nonzero) <= limit) break;
                }
            }
            parallel_for(blocks.count(), n_threads, [&](Index b) {
                for (Index j = blocks.begin(b); j < blocks.end(b); ++j)
                    if (!inside[std::size_t(j)]) c[std::size_t(j)] = dot(X.col(j), r.data(), n) / total_weight;
            });
            settled = true;
            for (int j = 0; j < int(p); ++j) {
                const auto at = std::size_t(j);
                if (inside[at] || concave_threshold(kind, c[at], v[at], alpha, gamma) == 0.0) continue;
                inside[at] = 1;
                active.push_back(j);
                settled = false;
            }
        }
        if (!settled) {
            ++info.n_stopped;
            info.status = Status::max_iter;
        }
        sweeps[k] = count;
        std::copy(beta.begin(), beta.end(), coefs.row(Index(k)));
    }
    return info;
}

}  // namespace statlearn::linear
