#include "graphical/glasso.hpp"

#include <cmath>
#include <limits>

#include "common/blas.hpp"
#include "common/parallel.hpp"
#include "common/vector.hpp"

namespace statlearn::graphical {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Cholesky factor in place; log det, or NaN if the matrix is not positive definite.
double factorise(std::vector<double>& A, Index p) {
    if (blas::potrf<double>('L', int(p), A.data(), int(p)) != 0) return std::nan("");
    double log_det = 0.0;
    for (Index j = 0; j < p; ++j) log_det += 2.0 * std::log(A[j * p + j]);
    return std::isfinite(log_det) ? log_det : std::nan("");
}

// tr(S K) + sum L |K|: the objective without the determinant.
double linear_part(Matrix<const double> S, Matrix<const double> L, const double* K) {
    const Index p = S.rows;
    double total = 0.0;
    for (Index i = 0; i < p; ++i) {
        const double *s = S.row(i), *l = L.row(i), *k = K + i * p;
        double sum = 0.0;
        for (Index j = 0; j < p; ++j)
            if (k[j] != 0.0) sum += s[j] * k[j] + l[j] * std::abs(k[j]);
        total += sum;
    }
    return total;
}

struct Entry {
    int row, col;
};

// Entries of the upper triangle that may move: not zero, or with a gradient beyond the penalty; row by row.
void find_active(Matrix<const double> S, Matrix<const double> L, Matrix<const double> K, Matrix<const double> W,
                 std::vector<Entry>& active) {
    active.clear();
    for (Index i = 0; i < S.rows; ++i) {
        const double *s = S.row(i), *l = L.row(i), *k = K.row(i), *w = W.row(i);
        for (Index j = i; j < S.rows; ++j)
            if (i == j || ((k[j] != 0.0 || std::abs(s[j] - w[j]) > l[j]) && l[j] < kInfinity))
                active.push_back({int(i), int(j)});
    }
}

// The first-order bound below the gap: with V the inverse W moved into the box,
// f(K) - log det V - p >= tr(S K) + sum L |K| - p - tr(K (V - W)), since log det is concave.
double gap_bound(Matrix<const double> S, Matrix<const double> L, Matrix<const double> K, Matrix<const double> W,
                 double linear) {
    double shift = 0.0;
    for (Index i = 0; i < S.rows; ++i) {
        const double *s = S.row(i), *l = L.row(i), *k = K.row(i), *w = W.row(i);
        double sum = 0.0;
        for (Index j = 0; j < S.rows; ++j)
            if (k[j] != 0.0) sum += k[j] * (std::min(std::max(w[j], s[j] - l[j]), s[j] + l[j]) - w[j]);
        shift += sum;
    }
    return linear - double(S.rows) - shift;
}

// Passes of coordinate descent on the quadratic model of f about K; D is the step, U = D W.
struct NewtonModel {
    Matrix<const double> S, L, K, W;
    std::vector<double> D, U, q;

    NewtonModel(Matrix<const double> S_, Matrix<const double> L_, Matrix<const double> K_, Matrix<const double> W_)
        : S(S_), L(L_), K(K_), W(W_), D(S_.rows * S_.rows), U(S_.rows * S_.rows), q(S_.rows) {}

    void reset() {
        std::fill(D.begin(), D.end(), 0.0);
        std::fill(U.begin(), U.end(), 0.0);
    }

    // One pass; the sum of the absolute moves and, in `size`, of the absolute values of D.
    double pass(const std::vector<Entry>& active, double& size) {
        const Index p = S.rows;
        double moved = 0.0;
        size = 0.0;
        for (std::size_t first = 0; first < active.size();) {
            const Index i = active[first].row;
            const double* wi = W.row(i);
            for (Index k = 0; k < p; ++k) q[k] = U[k * p + i];  // D w_i
            double* ui = U.data() + i * p;
            for (; first < active.size() && active[first].row == i; ++first) {
                const Index j = active[first].col;
                const double* wj = W.row(j);
                const double l = L(i, j);
                const double a = i == j ? wi[i] * wi[i] : wi[j] * wi[j] + wi[i] * wj[j];
                const double b = S(i, j) - wi[j] + dot(wj, q.data(), p);
                double& d = D[i * p + j];
                const double c = K(i, j) + d;
                const double move = soft_threshold(c - b / a, l / a) - c;
                if (move != 0.0) {
                    d += move;
                    axpy(move, wj, ui, p);
                    q[i] += move * wj[i];
                    if (i != j) {
                        D[j * p + i] = d;
                        axpy(move, wi, U.data() + j * p, p);
                        q[j] += move * wi[i];
                    }
                }
                moved += std::abs(move);
                size += std::abs(d);
            }
        }
        return moved;
    }
};

// tr((S - W) D) + sum L |K + D| - sum L |K|: the decrease that the model promises.
double promised(const NewtonModel& model, const std::vector<Entry>& active) {
    const Index p = model.S.rows;
    double delta = 0.0;
    for (const auto [i, j] : active) {
        const double d = model.D[Index(i) * p + j];
        const double k = model.K(i, j);
        const double change = (model.S(i, j) - model.W(i, j)) * d + model.L(i, j) * (std::abs(k + d) - std::abs(k));
        delta += i == j ? change : 2.0 * change;
    }
    return delta;
}

void copy_matrix(Matrix<const double> from, std::vector<double>& to) {
    std::copy(from.data, from.data + from.rows * from.rows, to.begin());
}

// W = inverse from the Cholesky factor (lower, column-major), filled to both triangles.
bool invert(const std::vector<double>& factor, Matrix<double> W) {
    const Index p = W.rows;
    std::copy(factor.begin(), factor.end(), W.data);
    if (blas::potri<double>('L', int(p), W.data, int(p)) != 0) return false;
    constexpr Index kTile = 32;
    for (Index bi = 0; bi < p; bi += kTile)
        for (Index bj = bi; bj < p; bj += kTile)
            for (Index i = bi; i < std::min(p, bi + kTile); ++i)
                for (Index j = std::max(bj, i + 1); j < std::min(p, bj + kTile); ++j)
                    W.data[j * p + i] = W.data[i * p + j];
    return true;
}

}  // namespace

double glasso_gap(Matrix<const double> S, Matrix<const double> L, Matrix<const double> K, Matrix<const double> W,
                  double objective) {
    const Index p = S.rows;
    (void)K;
    std::vector<double> V(p * p);
    for (Index i = 0; i < p; ++i) {
        const double *s = S.row(i), *l = L.row(i), *w = W.row(i);
        double* v = V.data() + i * p;
        for (Index j = 0; j < p; ++j) v[j] = std::min(std::max(w[j], s[j] - l[j]), s[j] + l[j]);
    }
    const double log_det = factorise(V, p);
    return std::isnan(log_det) ? kInfinity : objective - log_det - double(p);
}

GlassoInfo glasso_newton(Matrix<const double> S, Matrix<const double> L, StopRule stop, const Interrupt& interrupt,
                         Matrix<double> K, Matrix<double> W, std::vector<GlassoStep>& steps) {
    const Index p = S.rows;
    std::vector<double> factor(p * p), trial(p * p);
    copy_matrix(K.as_const(), factor);
    double log_det = factorise(factor, p);
    if (std::isnan(log_det) || !invert(factor, W)) return {kInfinity, kInfinity, 0, Status::diverged};
    double linear = linear_part(S, L, K.data);
    double objective = linear - log_det;
    NewtonModel model(S, L, K.as_const(), W.as_const());
    std::vector<Entry> active;
    double gap = kInfinity;
    for (int iter = 0;; ++iter) {
        double bound = gap_bound(S, L, K.as_const(), W.as_const(), linear);
        if (bound <= stop.tol) {
            gap = glasso_gap(S, L, K.as_const(), W.as_const(), objective);
            bound = gap;
        }
        steps.push_back({objective, bound});
        if (gap <= stop.tol) return {objective, gap, iter, Status::ok};
        if (iter == stop.max_iter || interrupt.requested()) {
            gap = glasso_gap(S, L, K.as_const(), W.as_const(), objective);
            return {objective, gap, iter, iter == stop.max_iter ? Status::max_iter : Status::interrupted};
        }
        find_active(S, L, K.as_const(), W.as_const(), active);
        model.reset();
        // Early models are far from f: solving them to the end is wasted. Late ones are worth it: where steps are many,
        // the problem is ill-conditioned, and coordinate descent needs many passes.
        const int most = iter < 8 ? 2 + iter : 10 * iter;
        for (int sweep = 0; sweep < most; ++sweep) {
            double size = 0.0;
            const double moved = model.pass(active, size);
            if (moved <= 1e-3 * size || interrupt.requested()) break;
        }
        const double delta = promised(model, active);
        bool accepted = false;
        for (double step = 1.0; step > 1e-9 && delta < 0.0; step *= 0.5) {
            for (Index k = 0; k < p * p; ++k) trial[k] = K.data[k] + step * model.D[k];
            factor = trial;
            const double new_log_det = factorise(factor, p);
            if (std::isnan(new_log_det)) continue;
            const double new_linear = linear_part(S, L, trial.data());
            const double value = new_linear - new_log_det;
            if (!(value <= objective + 1e-3 * step * delta)) continue;
            std::copy(trial.begin(), trial.end(), K.data);
            log_det = new_log_det;
            linear = new_linear;
            objective = value;
            accepted = true;
            break;
        }
        if (!accepted || !invert(factor, W)) {  // at the precision of f, or no optimum exists
            gap = glasso_gap(S, L, K.as_const(), W.as_const(), objective);
            return {objective, gap, iter + 1, Status::diverged};
        }
    }
}

void glasso_column(Matrix<const double> S, Matrix<const double> L, Index j, double inner_tol, Matrix<double> W,
                   Matrix<double> B) {
    const Index p = S.rows;
    const double *s = S.row(j), *l = L.row(j);
    double* beta = B.row(j);  // the coefficients of variable j
    std::vector<double> r(s, s + p);
    std::vector<Index> nonzero;
    for (Index k = 0; k < p; ++k)
        if (beta[k] != 0.0) axpy(-beta[k], W.row(k), r.data(), p);
    const auto update = [&](Index k) {
        const double v = W(k, k);
        const double moved = soft_threshold(r[k] + v * beta[k], l[k]) / v - beta[k];
        if (moved != 0.0) {
            beta[k] += moved;
            axpy(-moved, W.row(k), r.data(), p);
        }
        return std::abs(moved) * std::sqrt(v);
    };
    const double enough = inner_tol * std::sqrt(W(j, j));
    for (int round = 0, passes = 0; round < 1000 && passes < 500; ++round) {
        double largest = 0.0;
        nonzero.clear();
        for (Index k = 0; k < p; ++k) {
            if (k == j || l[k] == kInfinity) continue;
            largest = std::max(largest, update(k));
            if (beta[k] != 0.0) nonzero.push_back(k);
        }
        if (largest <= enough) break;
        for (; passes < 500 && largest > enough; ++passes) {
            largest = 0.0;
            for (const Index k : nonzero) largest = std::max(largest, update(k));
        }
    }
    for (Index k = 0; k < p; ++k) {
        if (k == j) continue;
        const double w = s[k] - r[k];  // = W beta
        W(j, k) = w;
        W(k, j) = w;
    }
}

GlassoInfo glasso_columns(Matrix<const double> S, Matrix<const double> L, StopRule stop, double inner_tol,
                          const Interrupt& interrupt, Matrix<double> K, Matrix<double> W, Matrix<double> B,
                          std::vector<GlassoStep>& steps) {
    const Index p = S.rows;
    std::vector<double> factor(p * p);
    GlassoInfo info{kInfinity, kInfinity, 0, Status::max_iter};
    double inner = std::max(inner_tol, 1e-3);  // tightened as the sweeps converge
    for (int iter = 1; iter <= stop.max_iter; ++iter) {
        for (Index j = 0; j < p; ++j) glasso_column(S, L, j, inner, W, B);
        inner = std::max(inner_tol, 0.1 * inner);
        for (Index j = 0; j < p; ++j) {
            const double* beta = B.row(j);
            const double k_jj = 1.0 / (W(j, j) - dot(W.row(j), beta, p));  // beta_j is 0
            for (Index k = 0; k < p; ++k) K(j, k) = k == j ? k_jj : -beta[k] * k_jj;
        }
        for (Index i = 0; i < p; ++i)
            for (Index j = i + 1; j < p; ++j) {
                const double a = K(i, j), b = K(j, i);
                K(i, j) = K(j, i) = a == 0.0 || b == 0.0 ? 0.0 : 0.5 * (a + b);
            }
        copy_matrix(K.as_const(), factor);
        const double log_det = factorise(factor, p);
        info.n_iter = iter;
        info.objective = std::isnan(log_det) ? kInfinity : linear_part(S, L, K.data) - log_det;
        info.gap = std::isnan(log_det) ? kInfinity : glasso_gap(S, L, K.as_const(), W.as_const(), info.objective);
        steps.push_back({info.objective, info.gap});
        if (info.gap <= stop.tol) {
            info.status = Status::ok;
            break;
        }
        if (interrupt.requested()) {
            info.status = Status::interrupted;
            break;
        }
    }
    if (std::isfinite(info.objective)) invert(factor, W);
    return info;
}

}  // namespace statlearn::graphical
