#include "linear/nonconvex.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linear/columns.hpp"

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

NonconvexInfo nonconvex_path(ColumnSource& source, Span<const double> scale, Concave kind, double gamma,
                             Span<const double> alphas, StopRule stop, const Interrupt& interrupt, Matrix<double> coefs,
                             Span<int> sweeps) {
    const auto& moments = source.moments();
    const Index p = source.features();
    const double S = moments.total_weight;
    NonconvexInfo info;
    std::vector<double> gradient(moments.target_dot);  // x_j' r of all columns
    std::vector<char> inside(p, 0);
    std::vector<Index> active;  // the columns that were ever in, and what follows for each of them:
    std::vector<double> beta;   // coefficient of the scaled column
    std::vector<double> v;      // its mean square
    std::vector<std::size_t> all, nonzero;
    const double limit = stop.tol * std::sqrt(moments.target_norm2 / S);
    double alpha = 0.0;
    source.start({});

    const auto mean_square = [&](std::size_t j) {
        return scale[j] > 0.0 ? moments.norm2[j] / (S * scale[j] * scale[j]) : 0.0;
    };
    const auto sweep = [&](const std::vector<std::size_t>& list) {
        double largest = 0.0;
        for (const std::size_t k : list) {
            const double s = scale[active[k]];
            const double z = source.dot(Index(k)) / (S * s) + v[k] * beta[k];
            const double next = concave_threshold(kind, z, v[k], alpha, gamma), delta = next - beta[k];
            if (delta == 0.0) continue;
            source.subtract(Index(k), delta / s);
            beta[k] = next;
            largest = std::max(largest, std::abs(delta) * std::sqrt(v[k]));
        }
        return largest;
    };
    const auto solution = [&] {
        Solution out;
        for (std::size_t k = 0; k < beta.size(); ++k)
            if (beta[k] != 0.0) {
                out.at.push_back(Index(k));
                out.value.push_back(beta[k] / scale[active[k]]);
            }
        return out;
    };

    for (Index model = 0; model < alphas.size(); ++model) {
        alpha = alphas[model];
        int count = 0;
        bool settled = false;
        while (!settled && count < stop.max_iter) {
            while (count < stop.max_iter) {  // all that were ever in, then those that are, until neither moves
                if (interrupt.requested()) {
                    info.status = Status::interrupted;
                    return info;
                }
                ++count;
                if (sweep(all) <= limit) break;
                nonzero.clear();
                for (const std::size_t k : all)
                    if (beta[k] != 0.0) nonzero.push_back(k);
                while (count < stop.max_iter && !interrupt.requested()) {
                    ++count;
                    if (sweep(nonzero) <= limit) break;
                }
            }
            const Solution now = solution();
            double rr;
            source.correlations({&now, 1}, gradient.data(), &rr);
            std::vector<Index> added;
            for (Index j = 0; j < p; ++j) {
                if (inside[j] || !(scale[j] > 0.0)) continue;
                if (concave_threshold(kind, gradient[j] / (S * scale[j]), mean_square(j), alpha, gamma) == 0.0)
                    continue;
                inside[j] = 1;
                added.push_back(Index(j));
            }
            settled = added.empty();
            source.extend(added, nullptr, 0);
            for (const Index j : added) {
                all.push_back(active.size());
                active.push_back(j);
                beta.push_back(0.0);
                v.push_back(mean_square(std::size_t(j)));
            }
            source.start(now);  // also rids the residual of what rounding has added
        }
        if (!settled) {
            ++info.n_stopped;
            info.status = Status::max_iter;
        }
        sweeps[model] = count;
        double* coef = coefs.row(Index(model));
        std::fill_n(coef, p, 0.0);
        for (std::size_t k = 0; k < beta.size(); ++k) coef[active[k]] = beta[k] / scale[active[k]];
    }
    return info;
}

}  // namespace statlearn::linear
