#include "linear/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "common/blas.hpp"
#include "common/parallel.hpp"

namespace statlearn::linear {
namespace {

using Vector = std::vector<double>;

// The problem with each penalised coefficient as one more row: penalty |beta_j| is a residual 0 - beta_j with the price
// `penalty` on both sides. Rows n, n + 1, ... are these.
class Programme {
public:
    explicit Programme(const QuantileProblem& problem)
        : Z(problem.Z),
          n(problem.Z.rows()),
          q(problem.Z.cols()),
          y(problem.y.begin(), problem.y.end()),
          above(problem.above.begin(), problem.above.end()),
          below(problem.below.begin(), problem.below.end()) {
        for (Index j = 0; j < q; ++j) {
            const double price = problem.penalty[j];
            if (price <= 0.0) continue;
            penalised.push_back(j);
            y.push_back(0.0), above.push_back(price), below.push_back(price);
        }
        m = n + Index(penalised.size());
    }

    void times(const Vector& beta, Vector& out) const {
        Z.times(beta, {out.data(), n});
        for (Index k = n; k < m; ++k) out[k] = beta[column(k)];
    }
    void transposed(const Vector& v, Vector& out) const {
        Z.transposed({v.data(), n}, out);
        for (Index k = n; k < m; ++k) out[column(k)] += v[k];
    }
    void gram(const Vector& weights, Vector& G) const {
        Z.gram({weights.data(), n}, G);
        for (Index k = n; k < m; ++k) G[column(k) * std::size_t(q + 1)] += weights[k];
    }
    void row(Index i, Span<double> out) const {
        if (i < n) return Z.row(i, out);
        std::fill(out.begin(), out.end(), 0.0);
        out[column(i)] = 1.0;
    }
    std::size_t column(Index k) const { return std::size_t(penalised[k - n]); }

    const RowDesign& Z;
    Index n, q, m = 0;
    Vector y, above, below;
    std::vector<Index> penalised;
};

// Runs body(i) for all i in parallel blocks: for elementwise updates.
template <class F>
void each(Index m, F&& body) {
    const Blocks blocks(m, 1 << 14);
    parallel_for(blocks.count(), [&](Index b) {
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) body(std::size_t(i));
    });
}
template <class F>
double sum(Index m, F&& body) {
    return parallel_sum(Blocks(m, 1 << 14), [&](Index begin, Index end) {
        double total = 0.0;
        for (Index i = begin; i < end; ++i) total += body(std::size_t(i));
        return total;
    });
}
template <class F>
double smallest(Index m, double start, F&& body) {
    const Blocks blocks(m, 1 << 14);
    Vector part(blocks.count(), start);
    parallel_for(blocks.count(), [&](Index b) {
        double least = start;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) least = std::min(least, body(i));
        part[b] = least;
    });
    return part.empty() ? start : *std::min_element(part.begin(), part.end());
}

// Cholesky factor in place, of G plus as much of the identity as rounding asks for; false if nothing helps, as when the
// entries have overflowed: G is then no factor.
[[nodiscard]] bool factor(Vector& G, Index q) {
    Vector copy = G;
    if (blas::potrf('U', int(q), G.data(), int(q)) == 0) return true;
    double largest = 0.0;
    for (Index j = 0; j < q; ++j) largest = std::max(largest, copy[j * q + j]);
    for (double jitter = 1e-14; jitter < 1.0; jitter *= 100.0) {
        G = copy;
        for (Index j = 0; j < q; ++j) G[j * q + j] += jitter * largest + 1e-300;
        if (blas::potrf('U', int(q), G.data(), int(q)) == 0) return true;
    }
    return false;
}

struct InteriorPoint {
    Vector beta, u, s;  // u = d + below and s = above - d: distances of the dual from its bounds
    int n_iter = 0;
    bool converged = false;
};

// Mehrotra's predictor-corrector for  min -y'u,  Z'u = Z'below,  u + s = above + below,  u, s >= 0, whose multipliers
// are beta and the two parts z, w of the residual r = w - z.
InteriorPoint interior_point(const Programme& P, StopRule stop, const Interrupt& interrupt) {
    const Index m = P.m, q = P.q;
    const auto M = std::size_t(m), Q = std::size_t(q);
    InteriorPoint at{Vector(Q, 0.0), P.below, P.above};
    Vector &beta = at.beta, &u = at.u, &s = at.s;
    Vector z(M), w(M), weight(M), residual(M), fitted(M), direction(M), du(M), dz(M), dw(M), work(M);
    Vector G(Q * Q), step(Q), rhs(Q), target(Q);
    P.transposed(P.below, target);

    // Start from least squares, whose residuals are split with a margin that keeps both parts away from 0.
    each(m, [&](std::size_t i) { weight[i] = P.above[i] + P.below[i], work[i] = weight[i] * P.y[i]; });
    P.gram(weight, G);
    if (!factor(G, q)) return at;
    P.transposed(work, beta);
    blas::potrs('U', int(q), 1, G.data(), int(q), beta.data(), int(q));
    P.times(beta, fitted);
    each(m, [&](std::size_t i) { residual[i] = P.y[i] - fitted[i]; });
    const double total = sum(m, [&](std::size_t i) { return weight[i]; });
    const double spread = sum(m, [&](std::size_t i) { return weight[i] * std::abs(residual[i]); }) / total;
    if (!(spread > 0.0)) {
        at.converged = true;
        return at;
    }
    each(m, [&](std::size_t i) {
        z[i] = std::max(-residual[i], 0.0) + 0.1 * spread;
        w[i] = std::max(residual[i], 0.0) + 0.1 * spread;
    });

    // The Newton step for complementarity targets (uz_i, sw_i); leaves it in step, du, dz, dw.
    const auto solve = [&](auto&& uz, auto&& sw) {
        each(m, [&](std::size_t i) {
            direction[i] = uz(i) / u[i] - sw(i) / s[i] + (residual[i] + z[i] - w[i]);
            work[i] = weight[i] * direction[i];
        });
        P.transposed(work, step);
        for (std::size_t j = 0; j < Q; ++j) step[j] -= rhs[j];
        blas::potrs('U', int(q), 1, G.data(), int(q), step.data(), int(q));
        P.times(step, fitted);
        each(m, [&](std::size_t i) {
            du[i] = weight[i] * (direction[i] - fitted[i]);
            dz[i] = (uz(i) - z[i] * du[i]) / u[i];
            dw[i] = (sw(i) + w[i] * du[i]) / s[i];
        });
    };
    const auto longest = [](double value, double change) { return change < 0.0 ? -value / change : 1e20; };
    const auto primal_length = [&] {
        return smallest(m, 1e20, [&](std::size_t i) { return std::min(longest(u[i], du[i]), longest(s[i], -du[i])); });
    };
    const auto dual_length = [&] {
        return smallest(m, 1e20, [&](std::size_t i) { return std::min(longest(z[i], dz[i]), longest(w[i], dw[i])); });
    };

    double best_gap = std::numeric_limits<double>::infinity();
    int since_best = 0;
    for (; at.n_iter < stop.max_iter; ++at.n_iter) {
        if (interrupt.requested()) return at;
        const double gap = sum(m, [&](std::size_t i) { return u[i] * z[i] + s[i] * w[i]; });
        const double objective = sum(
            m, [&](std::size_t i) { return residual[i] > 0.0 ? P.above[i] * residual[i] : -P.below[i] * residual[i]; });
        if (gap <= stop.tol * objective) {
            at.converged = true;
            return at;
        }
        since_best = gap < 0.9 * best_gap ? 0 : since_best + 1;
        best_gap = std::min(best_gap, gap);
        if (since_best > 10) return at;  // rounding allows no more: the vertex will
        each(m, [&](std::size_t i) { weight[i] = 1.0 / (z[i] / u[i] + w[i] / s[i]); });
        P.gram(weight, G);
        if (!factor(G, q)) return at;
        P.transposed(u, rhs);  // what rounding has left of Z'u = Z'below
        for (std::size_t j = 0; j < Q; ++j) rhs[j] = target[j] - rhs[j];

        solve([&](std::size_t i) { return -u[i] * z[i]; }, [&](std::size_t i) { return -s[i] * w[i]; });
        const double primal = std::min(primal_length(), 1.0), dual = std::min(dual_length(), 1.0);
        if (std::min(primal, dual) < 1.0) {
            const double ahead = sum(m, [&](std::size_t i) {
                return (u[i] + primal * du[i]) * (z[i] + dual * dz[i]) +
                       (s[i] - primal * du[i]) * (w[i] + dual * dw[i]);
            });
            const double ratio = ahead / gap;
            const double mu = ratio * ratio * ratio * gap / double(2 * m);
            Vector second_u(M), second_s(M);
            each(m, [&](std::size_t i) {
                second_u[i] = mu - u[i] * z[i] - du[i] * dz[i];
                second_s[i] = mu - s[i] * w[i] + du[i] * dw[i];
            });
            solve([&](std::size_t i) { return second_u[i]; }, [&](std::size_t i) { return second_s[i]; });
        }
        constexpr double kBackOff = 0.99995;  // Portnoy and Koenker's value
        const double along = std::min(kBackOff * primal_length(), 1.0),
                     across = std::min(kBackOff * dual_length(), 1.0);
        if (!std::isfinite(along) || !std::isfinite(across) || std::max(along, across) < 1e-10) return at;
        each(m, [&](std::size_t i) {
            u[i] += along * du[i], s[i] -= along * du[i];
            z[i] += across * dz[i], w[i] += across * dw[i];
        });
        for (std::size_t j = 0; j < Q; ++j) beta[j] += across * step[j];
        P.times(beta, fitted);
        each(m, [&](std::size_t i) { residual[i] = P.y[i] - fitted[i]; });
    }
    return at;
}

// The vertex of q rows fitted exactly, and the steps from one vertex to a better one.
class Vertex {
public:
    explicit Vertex(const Programme& programme)
        : P(programme),
          Q(P.q),
          M(P.m),
          rows_(Q, -1),
          inverse_(Q * Q),
          y_(P.y),
          residual_(M),
          dual_(M),
          in_basis_(M, 0),
          movement_(M),
          beta_(Q) {}

    // Takes the first linearly independent rows in the given order; false when there are fewer than q.
    bool choose(const std::vector<Index>& order) {
        std::vector<Vector> kept;  // rows reduced to a triangle, each with the column of its pivot
        std::vector<std::size_t> pivots;
        std::fill(in_basis_.begin(), in_basis_.end(), 0);
        Vector line(Q);
        for (const Index i : order) {
            P.row(i, line);
            const double size = largest(line);
            for (std::size_t k = 0; k < kept.size(); ++k) {
                const double factor = line[pivots[k]] / kept[k][pivots[k]];
                if (factor == 0.0) continue;
                for (std::size_t j = 0; j < Q; ++j) line[j] -= factor * kept[k][j];
                line[pivots[k]] = 0.0;
            }
            if (largest(line) <= 1e-8 * size) continue;
            pivots.push_back(
                std::size_t(std::max_element(line.begin(), line.end(),
                                             [](double a, double b) { return std::abs(a) < std::abs(b); }) -
                            line.begin()));
            rows_[kept.size()] = i;
            in_basis_[i] = 1;
            kept.push_back(line);
            if (kept.size() == Q) return true;
        }
        return false;
    }

    // Simplex steps until the dual of the basic rows keeps its bounds; the number of steps, or -1 if it went on
    // forever. `dual` gives values inside the bounds for rows of zero residual outside the basis.
    int improve(const Vector& dual, int max_pivots, const Interrupt& interrupt) {
        dual_ = dual;
        if (!refactor()) return -1;
        int stalled = 0;
        bool perturbed = false;
        for (int pivot = 0; pivot <= max_pivots; ++pivot) {
            if (interrupt.requested()) return -1;
            if (pivot % 64 == 63 && !refactor()) return -1;
            const auto [leaving, sign] = most_violated();
            if (leaving == Q) {
                if (!perturbed) return pivot;
                // The perturbed optimum is the true one when the small residuals have kept their signs.
                y_ = P.y, perturbed = false, stalled = -100 * int(Q + 10);
                if (!refactor()) return -1;
                continue;
            }
            const double length = step(leaving, sign);
            if (length < 0.0) return -1;
            stalled = length > 0.0 ? std::min(stalled, 0) : stalled + 1;
            if (stalled > 20 && !perturbed) {
                // Many rows meet in this vertex: moved apart by a little, no two do, and every step makes progress.
                perturbed = true;
                for (std::size_t i = 0; i < M; ++i) {
                    const auto hash = std::uint32_t(i * 2654435761u) ^ 0x9E3779B9u;
                    y_[i] = P.y[i] + 1e4 * zero_ * (0.5 + double(hash) / 4294967296.0);
                }
                if (!refactor()) return -1;
            }
        }
        return -1;
    }

    double violation() const { return violation_; }
    const Vector& beta() const { return beta_; }
    const std::vector<Index>& rows() const { return rows_; }

private:
    static double largest(const Vector& v) {
        double size = 0.0;
        for (const double value : v) size = std::max(size, std::abs(value));
        return size;
    }
    double price(std::size_t i) const { return P.above[i] + P.below[i]; }

    // The inverse of the basic rows (Gauss-Jordan with row exchanges), beta, residuals.
    bool refactor() {
        Vector A(Q * Q);
        for (std::size_t k = 0; k < Q; ++k) P.row(rows_[k], {A.data() + k * Q, Q});
        std::fill(inverse_.begin(), inverse_.end(), 0.0);
        for (std::size_t k = 0; k < Q; ++k) inverse_[k * Q + k] = 1.0;
        for (std::size_t c = 0; c < Q; ++c) {
            std::size_t best = c;
            for (std::size_t r = c + 1; r < Q; ++r)
                if (std::abs(A[r * Q + c]) > std::abs(A[best * Q + c])) best = r;
            if (!(std::abs(A[best * Q + c]) > 0.0)) return false;
            for (std::size_t j = 0; j < Q && best != c; ++j) {
                std::swap(A[c * Q + j], A[best * Q + j]);
                std::swap(inverse_[c * Q + j], inverse_[best * Q + j]);
            }
            const double pivot = 1.0 / A[c * Q + c];
            for (std::size_t j = 0; j < Q; ++j) A[c * Q + j] *= pivot, inverse_[c * Q + j] *= pivot;
            for (std::size_t r = 0; r < Q; ++r) {
                const double factor = A[r * Q + c];
                if (r == c || factor == 0.0) continue;
                for (std::size_t j = 0; j < Q; ++j) {
                    A[r * Q + j] -= factor * A[c * Q + j];
                    inverse_[r * Q + j] -= factor * inverse_[c * Q + j];
                }
            }
        }
        solve_beta();
        P.times(beta_, residual_);
        double size = 0.0;
        for (std::size_t i = 0; i < M; ++i) {
            size = std::max({size, std::abs(y_[i]), std::abs(residual_[i])});
            residual_[i] = y_[i] - residual_[i];
        }
        zero_ = 1e-13 * size;
        settle();
        return true;
    }

    void solve_beta() {
        Vector right(Q), line(Q), rest(Q);
        for (std::size_t k = 0; k < Q; ++k) right[k] = y_[rows_[k]];
        multiply(right, beta_);
        // One step of refinement brings the residuals of the basic rows down to rounding.
        for (std::size_t k = 0; k < Q; ++k) {
            P.row(rows_[k], line);
            rest[k] = right[k] - std::inner_product(line.begin(), line.end(), beta_.begin(), 0.0);
        }
        multiply(rest, right);
        for (std::size_t j = 0; j < Q; ++j) beta_[j] += right[j];
        for (const Index i : rows_)
            if (i >= P.n) beta_[P.column(i)] = y_[i];  // 0: what the penalty removes is removed exactly
    }

    void multiply(const Vector& right, Vector& out) const {
        for (std::size_t j = 0; j < Q; ++j)
            out[j] = std::inner_product(right.begin(), right.end(), inverse_.begin() + std::ptrdiff_t(j * Q), 0.0);
    }

    // Residuals of rounding size become 0; the others fix the dual of their row at a bound.
    void settle() {
        each(P.m, [&](std::size_t i) {
            if (in_basis_[i] || std::abs(residual_[i]) <= zero_) {
                residual_[i] = 0.0;
                dual_[i] = std::clamp(dual_[i], -P.below[i], P.above[i]);
            } else {
                dual_[i] = residual_[i] > 0.0 ? P.above[i] : -P.below[i];
            }
        });
    }

    // Prices the basic rows; the one farthest outside its bounds and the sign its residual should take, or {q, 0}.
    std::pair<std::size_t, int> most_violated() {
        Vector others(Q), rest(M);
        each(P.m, [&](std::size_t i) { rest[i] = in_basis_[i] ? 0.0 : dual_[i]; });
        P.transposed(rest, others);
        violation_ = 0.0;
        std::size_t worst = Q;
        int sign = 0;
        for (std::size_t k = 0; k < Q; ++k) {
            double d = 0.0;
            for (std::size_t j = 0; j < Q; ++j) d -= inverse_[j * Q + k] * others[j];
            const Index i = rows_[k];
            const double over = (d - P.above[i]) / price(i), under = (-P.below[i] - d) / price(i);
            if (std::max(over, under) > violation_) {
                violation_ = std::max(over, under);
                if (violation_ > kDualTolerance) worst = k, sign = over > under ? 1 : -1, worst_dual_ = d;
            }
            dual_[i] = std::clamp(d, -P.below[i], P.above[i]);
        }
        return {worst, sign};
    }

    // Lets the residual of basic row `leaving` grow with `sign`, along the edge, to the minimum of the objective there;
    // the row met at that point enters the basis. The length of the step, or -1 if there is no such row.
    double step(std::size_t leaving, int sign) {
        Vector edge(Q);
        for (std::size_t j = 0; j < Q; ++j) edge[j] = -double(sign) * inverse_[j * Q + leaving];
        P.times(edge, movement_);
        const Index out = rows_[leaving];
        double slope = sign > 0 ? P.above[out] - worst_dual_ : P.below[out] + worst_dual_;

        struct Kink {
            double at, jump;
            Index row;
        };
        std::vector<Kink> kinks;
        const double tiny = 1e-11 * largest(movement_);
        for (std::size_t i = 0; i < M; ++i) {
            const double v = movement_[i], r = residual_[i];
            if (in_basis_[i] || std::abs(v) <= tiny || (r != 0.0 && (r > 0.0) != (v > 0.0))) continue;
            double jump = price(i) * std::abs(v);
            if (r == 0.0) jump = (v > 0.0 ? P.below[i] + dual_[i] : P.above[i] - dual_[i]) * std::abs(v);
            kinks.push_back({r / v, jump, Index(i)});
        }
        std::sort(kinks.begin(), kinks.end(),
                  [](const Kink& a, const Kink& b) { return a.at < b.at || (a.at == b.at && a.row < b.row); });
        const Kink* enters = nullptr;
        for (const Kink& kink : kinks) {
            slope += kink.jump;
            enters = &kink;
            if (slope >= 0.0) break;
            // Passed: its residual changes sign, and with it the bound its dual sits at.
            if (kink.at == 0.0) dual_[kink.row] = movement_[kink.row] > 0.0 ? -P.below[kink.row] : P.above[kink.row];
        }
        if (!enters || slope < 0.0) return -1.0;

        const double length = enters->at;
        each(P.m, [&](std::size_t i) { residual_[i] -= length * movement_[i]; });
        in_basis_[out] = 0;
        in_basis_[enters->row] = 1;
        residual_[out] = double(sign) * length;
        dual_[out] = sign > 0 ? P.above[out] : -P.below[out];
        exchange(leaving, enters->row);
        settle();
        return length;
    }

    // Puts row `enters` in place of the basic row `leaving` and updates the inverse by its rank-one change.
    void exchange(std::size_t leaving, Index enters) {
        Vector line(Q), alpha(Q);
        P.row(enters, line);
        for (std::size_t j = 0; j < Q; ++j)
            for (std::size_t k = 0; k < Q; ++k) alpha[k] += line[j] * inverse_[j * Q + k];
        rows_[leaving] = enters;
        for (std::size_t j = 0; j < Q; ++j) {
            double* of = inverse_.data() + j * Q;
            const double scaled = of[leaving] / alpha[leaving];
            for (std::size_t k = 0; k < Q; ++k) of[k] -= alpha[k] * scaled;
            of[leaving] = scaled;
        }
        solve_beta();
    }

    static constexpr double kDualTolerance = 1e-9;

    const Programme& P;
    std::size_t Q, M;
    std::vector<Index> rows_;
    Vector inverse_;  // q x q: column k is the change of beta that moves only the fit of basic row k, by 1
    Vector y_, residual_, dual_;
    std::vector<char> in_basis_;
    Vector movement_, beta_;
    double zero_ = 0.0, violation_ = 0.0, worst_dual_ = 0.0;
};

// Rows by the distance of their dual from its bounds, farthest first: near the central path that is by the size of the
// residual. Only as many as asked for are in order.
std::vector<Index> by_interior(const Programme& P, const InteriorPoint& at, Index count) {
    std::vector<Index> order(P.m);
    std::iota(order.begin(), order.end(), Index{0});
    Vector key(order.size());
    each(P.m, [&](std::size_t i) { key[i] = std::min(at.u[i], at.s[i]) / (P.above[i] + P.below[i]); });
    const auto farther = [&](Index a, Index b) {
        const double x = key[a], y = key[b];
        return x > y || (x == y && a < b);
    };
    count = std::min(count, P.m);
    std::partial_sort(order.begin(), order.begin() + count, order.end(), farther);
    order.resize(count);
    return order;
}

}  // namespace

QuantileInfo quantile_fit(const QuantileProblem& problem, StopRule stop, const Interrupt& interrupt, Span<double> beta,
                          Span<int> basis) {
    const Programme P(problem);
    InteriorPoint at = interior_point(P, stop, interrupt);
    std::copy(at.beta.begin(), at.beta.end(), beta.begin());
    std::fill(basis.begin(), basis.end(), -1);
    QuantileInfo info{0.0, at.n_iter, 0, at.converged ? Status::ok : Status::max_iter};
    if (interrupt.requested()) {
        info.status = Status::interrupted;
        return info;
    }
    Vertex vertex(P);
    if (!vertex.choose(by_interior(P, at, 3 * P.q + 100)) && !vertex.choose(by_interior(P, at, P.m))) return info;
    Vector dual(at.u.size());
    for (std::size_t i = 0; i < dual.size(); ++i) dual[i] = at.u[i] - P.below[i];
    const int pivots = vertex.improve(dual, 1000 + 20 * int(P.q), interrupt);
    info.gap = vertex.violation();
    if (pivots < 0) {
        info.status = interrupt.requested() ? Status::interrupted : Status::max_iter;
        return info;
    }
    info.n_pivots = pivots;
    info.status = Status::ok;
    std::copy(vertex.beta().begin(), vertex.beta().end(), beta.begin());
    for (Index k = 0; k < basis.size(); ++k) {
        const Index i = vertex.rows()[k];
        basis[k] = int(i < P.n ? i : P.n + Index(P.column(i)));
    }
    return info;
}

}  // namespace statlearn::linear
