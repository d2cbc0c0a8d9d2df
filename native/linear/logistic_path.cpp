#include "linear/logistic_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/blas.hpp"
#include "common/parallel.hpp"
#include "common/vmath.hpp"

namespace statlearn::linear {
namespace {

constexpr Index kRows = 1024;  // rows per unit of work
constexpr Index kCols = 16;    // columns per unit of work

using Vector = std::vector<double>;

template <class T>
double dot(const T* x, const double* v, Index n) {
    double sum[16] = {};
    Index i = 0;
    for (; i + 16 <= n; i += 16)
        for (Index l = 0; l < 16; ++l) sum[l] += double(x[i + l]) * v[i + l];
    double rest = 0.0;
    for (; i < n; ++i) rest += double(x[i]) * v[i];
    for (Index l = 0; l < 8; ++l) sum[l] += sum[l + 8];
    for (Index l = 0; l < 4; ++l) sum[l] += sum[l + 4];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
}

template <class T>
double column_dot(const DenseColumns<T>& X, Index j, const double* v, double sum_v) {
    return dot(X.X.col(j), v, X.rows()) - X.shift[std::size_t(j)] * sum_v;
}
template <class T>
double column_dot(const SparseColumns<T>& X, Index j, const double* v, double) {
    double sum = 0.0;
    for (int k = X.X.indptr[std::size_t(j)]; k < X.X.indptr[std::size_t(j) + 1]; ++k)
        sum += double(X.X.values[std::size_t(k)]) * v[X.X.rows_of[std::size_t(k)]];
    return sum;
}

// out = constant + sum_j delta_j x_j (about the shift), for the columns listed.
template <class T>
void combine(const DenseColumns<T>& X, const std::vector<Index>& columns, const Vector& delta, double constant,
             Vector& out) {
    for (std::size_t s = 0; s < columns.size(); ++s) constant -= delta[s] * X.shift[std::size_t(columns[s])];
    const Blocks blocks(X.rows(), kRows);
    parallel_for(blocks.count(), [&](Index b) {
        const Index begin = blocks.begin(b), m = blocks.end(b) - begin;
        double* to = out.data() + begin;
        std::fill(to, to + m, constant);
        for (std::size_t s = 0; s < columns.size(); ++s) {
            if (delta[s] == 0.0) continue;
            const T* x = X.X.col(columns[s]) + begin;
            for (Index i = 0; i < m; ++i) to[i] += delta[s] * double(x[i]);
        }
    });
}
template <class T>
void combine(const SparseColumns<T>& X, const std::vector<Index>& columns, const Vector& delta, double constant,
             Vector& out) {
    std::fill(out.begin(), out.end(), constant);
    for (std::size_t s = 0; s < columns.size(); ++s) {
        const Index j = columns[s];
        if (delta[s] == 0.0) continue;
        for (int k = X.X.indptr[std::size_t(j)]; k < X.X.indptr[std::size_t(j) + 1]; ++k)
            out[std::size_t(X.X.rows_of[std::size_t(k)])] += delta[s] * double(X.X.values[std::size_t(k)]);
    }
}

// Rows first..m-1 of the weighted cross-products of the columns listed, into G (row-major, `ld` apart), both halves.
template <class T>
void cross_products(const DenseColumns<T>& X, const std::vector<Index>& columns, Index first, const Vector& h,
                    const Interrupt& interrupt, Index ld, Vector& G) {
    const Index n = X.rows(), m = Index(columns.size()), added = m - first;
    const Blocks strips(n, std::max<Index>(256, (Index{1} << 20) / std::max<Index>(1, m)));
    Vector Z(std::size_t(strips.size * m)), C(std::size_t(added * m), 0.0);
    for (Index s = 0; s < strips.count() && !interrupt.requested(); ++s) {
        const Index begin = strips.begin(s), rows = strips.end(s) - begin;
        Vector root(static_cast<std::size_t>(rows));
        for (Index i = 0; i < rows; ++i) root[std::size_t(i)] = std::sqrt(h[std::size_t(begin + i)]);
        parallel_for(m, [&](Index c) {
            const T* x = X.X.col(columns[std::size_t(c)]) + begin;
            const double shift = X.shift[std::size_t(columns[std::size_t(c)])];
            double* z = Z.data() + c * rows;
            for (Index i = 0; i < rows; ++i) z[i] = root[std::size_t(i)] * (double(x[i]) - shift);
        });
        // C' (m x added, column-major) += Z' Z_new
        if (first == 0)
            blas::syrk('U', 'T', int(m), int(rows), 1.0, Z.data(), int(rows), 1.0, C.data(), int(m));
        else
            blas::gemm('T', 'N', int(m), int(added), int(rows), 1.0, Z.data(), int(rows), Z.data() + first * rows,
                       int(rows), 1.0, C.data(), int(m));
    }
    for (Index a = 0; a < added; ++a)
        for (Index c = 0; c < m; ++c) {
            if (first == 0 && c > a) continue;
            const double value = C[std::size_t(a * m + c)];
            G[std::size_t((first + a) * ld + c)] = value;
            G[std::size_t(c * ld + first + a)] = value;
        }
}
template <class T>
void cross_products(const SparseColumns<T>& X, const std::vector<Index>& columns, Index first, const Vector& h,
                    const Interrupt& interrupt, Index ld, Vector& G) {
    const Index m = Index(columns.size());
    parallel_for(m - first, [&](Index a) {
        if (interrupt.requested()) return;
        const Index j = columns[std::size_t(first + a)];
        Vector spread(std::size_t(X.rows()), 0.0);
        for (int k = X.X.indptr[std::size_t(j)]; k < X.X.indptr[std::size_t(j) + 1]; ++k) {
            const int i = X.X.rows_of[std::size_t(k)];
            spread[std::size_t(i)] += h[std::size_t(i)] * double(X.X.values[std::size_t(k)]);
        }
        for (Index c = 0; c <= first + a; ++c)
            G[std::size_t((first + a) * ld + c)] = column_dot(X, columns[std::size_t(c)], spread.data(), 0.0);
    });
    for (Index a = first; a < m; ++a)
        for (Index c = 0; c < a; ++c) G[std::size_t(c * ld + a)] = G[std::size_t(a * ld + c)];
}

double soft(double u, double cut) { return u > cut ? u - cut : (u < -cut ? u + cut : 0.0); }

double x_log_x(double x) { return x > 0.0 ? x * std::log(x) : 0.0; }

// The quadratic model of one class: columns in use, their centred weighted cross-products, and the weights behind them.
struct Model {
    std::vector<Index> columns;
    std::vector<int> slot;  // of a column, or -1
    Vector G;               // ld x ld, centred when there is an intercept
    Index ld = 0, built = 0;
    Vector g, h;       // sum_i h_i x_ij; the weights
    double total = 0;  // sum of the weights
};

template <class Columns>
class PathSolver {
public:
    PathSolver(const Columns& X, const LogisticData& data, const Interrupt& interrupt)
        : X_(X),
          data_(data),
          interrupt_(interrupt),
          n_(X.rows()),
          p_(X.cols()),
          R_(data.n_scores),
          beta_(std::size_t(R_ * p_)),
          b_(std::size_t(R_)),
          eta_(std::size_t(R_ * n_)),
          mu_(std::size_t(R_ * n_)),
          v_(std::size_t(n_)),
          h_(std::size_t(n_)),
          change_(std::size_t(n_)),
          grad_(std::size_t(R_ * p_)),
          models_(std::size_t(R_)) {
        for (auto& model : models_) model.slot.assign(std::size_t(p_), -1);
    }

    void start(std::span<const double> theta) {
        const Index q = p_ + data_.intercept;
        for (Index k = 0; k < R_; ++k) {
            std::vector<Index> used;
            Vector values;
            double b = data_.intercept ? theta[std::size_t(k * q + p_)] : 0.0;
            for (Index j = 0; j < p_; ++j) {
                const double value = theta[std::size_t(k * q + j)];
                beta_[std::size_t(k * p_ + j)] = value;
                if (value == 0.0) continue;
                used.push_back(j);
                values.push_back(value);
                b += value * X_.shift[std::size_t(j)];  // intercepts are about the shift here
            }
            b_[std::size_t(k)] = b;
            combine(X_, used, values, b, change_);
            for (Index i = 0; i < n_; ++i)
                eta_[std::size_t(k * n_ + i)] =
                    change_[std::size_t(i)] + (data_.offset.empty() ? 0.0 : data_.offset[std::size_t(i * R_ + k)]);
        }
        loss_ = evaluate(eta_);
    }

    // Goes to the model without slopes, its intercepts fitted; its loss is the scale of the stopping rule.
    double null_loss() {
        std::fill(beta_.begin(), beta_.end(), 0.0);
        std::fill(b_.begin(), b_.end(), 0.0);
        if (data_.intercept) {
            for (Index i = 0; i < n_; ++i)
                for (Index k = 0; k < R_; ++k)
                    if (own(k, i)) b_[std::size_t(k)] += data_.share[std::size_t(i)];
            for (double& b : b_) {
                b = std::clamp(b, 1e-10, 1.0 - 1e-10);
                b = std::log(b) - (R_ == 1 ? std::log1p(-b) : 0.0);
            }
        }
        for (Index k = 0; k < R_; ++k)
            for (Index i = 0; i < n_; ++i)
                eta_[std::size_t(k * n_ + i)] =
                    b_[std::size_t(k)] + (data_.offset.empty() ? 0.0 : data_.offset[std::size_t(i * R_ + k)]);
        loss_ = evaluate(eta_);
        if (data_.intercept) polish_intercepts(100);
        return loss_;
    }

    struct Info {
        double gap;
        int n_iter;
        Status status;
    };

    Info solve(double l1, double l2, double l1_before, double scale, StopRule stop) {
        // The strong rule: columns that could enter between the two penalties.
        if (!has_grad_) full_gradient();
        const double bound = std::max(0.0, 2.0 * l1 - l1_before);
        std::vector<std::vector<Index>> strong(static_cast<std::size_t>(R_));
        for (Index k = 0; k < R_; ++k)
            for (Index j = 0; j < p_; ++j) {
                const double size = std::abs(grad_[std::size_t(k * p_ + j)]);
                if (size >= bound || beta_[std::size_t(k * p_ + j)] != 0.0) strong[std::size_t(k)].push_back(j);
                if (size > l1 || beta_[std::size_t(k * p_ + j)] != 0.0) use(k, j);
            }
        Info info{std::numeric_limits<double>::infinity(), 0, Status::max_iter};
        double inner = 0.1 * stop.tol * scale;
        while (true) {
            // 1. Converge on the columns in use.
            bool settled = false;
            while (!settled && info.n_iter < stop.max_iter) {
                if (interrupt_.requested()) {
                    info.status = Status::interrupted;
                    return info;
                }
                double moved = 0.0;
                for (Index k = 0; k < R_; ++k) moved = std::max(moved, step(k, l1, l2, inner));
                if (R_ > 1) recentre(l1, l2);
                ++info.n_iter;
                settled = moved <= inner;
            }
            // 2. The columns that the strong rule kept.
            if (settled) {
                bool found = false;
                for (Index k = 0; k < R_; ++k) found |= admit(k, strong[std::size_t(k)], l1);
                if (found) continue;
            }
            // 3. All columns, and the duality gap.
            if (data_.intercept) polish_intercepts(20);
            full_gradient();
            info.gap = duality_gap(l1, l2);
            if (info.gap <= stop.tol * scale) {
                info.status = Status::ok;
                return info;
            }
            if (info.n_iter >= stop.max_iter) return info;
            bool found = false;
            for (Index k = 0; k < R_; ++k)
                for (Index j = 0; j < p_; ++j)
                    if (std::abs(grad_[std::size_t(k * p_ + j)]) > l1 * (1.0 + 1e-9)) found |= use(k, j);
            if (!found) {
                if (inner < 1e-18 * scale) {  // rounding: nothing left to gain
                    info.status = Status::ok;
                    return info;
                }
                inner *= 0.01;
            }
        }
    }

    void write(std::span<double> theta) const {
        const Index q = p_ + data_.intercept;
        for (Index k = 0; k < R_; ++k) {
            double b = b_[std::size_t(k)];
            for (Index j = 0; j < p_; ++j) {
                theta[std::size_t(k * q + j)] = beta_[std::size_t(k * p_ + j)];
                b -= beta_[std::size_t(k * p_ + j)] * X_.shift[std::size_t(j)];
            }
            if (data_.intercept) theta[std::size_t(k * q + p_)] = b;
        }
    }
    double loss() const { return loss_; }

private:
    // Fills mu_ with the probabilities for these scores (R = 1: of class 1); the mean loss.
    double evaluate(const Vector& eta) {
        const Blocks blocks(n_, kRows);
        return parallel_sum(blocks, [&](Index begin, Index end) {
            double total = 0.0;
            if (R_ == 1) {
                for (Index i = begin; i < end; ++i) {
                    const double score = eta[std::size_t(i)];
                    const double margin = data_.codes[std::size_t(i)] ? score : -score;
                    const double e = exp_fast(-std::abs(score));
                    const double inverse = 1.0 / (1.0 + e), smaller = e * inverse, wrong = -margin;
                    mu_[std::size_t(i)] = score >= 0.0 ? inverse : smaller;
                    total += data_.share[std::size_t(i)] * (log1p_unit(e) + (margin < 0.0 ? wrong : 0.0));
                }
                return total;
            }
            for (Index i = begin; i < end; ++i) {
                double top = eta[std::size_t(i)], sum = 0.0;
                for (Index k = 1; k < R_; ++k) top = std::max(top, eta[std::size_t(k * n_ + i)]);
                for (Index k = 0; k < R_; ++k) {
                    const double e = exp_fast(eta[std::size_t(k * n_ + i)] - top);
                    mu_[std::size_t(k * n_ + i)] = e;
                    sum += e;
                }
                for (Index k = 0; k < R_; ++k) mu_[std::size_t(k * n_ + i)] /= sum;
                total += data_.share[std::size_t(i)] *
                         (std::log(sum) + top - eta[std::size_t(data_.codes[std::size_t(i)] * n_ + i)]);
            }
            return total;
        });
    }

    bool own(Index k, Index i) const {
        return R_ == 1 ? data_.codes[std::size_t(i)] == 1 : data_.codes[std::size_t(i)] == int(k);
    }

    // v = share (y - mu) of class k, its sum, and (if wanted) h = share mu (1 - mu).
    double residual(Index k, bool with_h) {
        const double* mu = mu_.data() + k * n_;
        const int code = R_ == 1 ? 1 : int(k);
        return parallel_sum(Blocks(n_, 4 * kRows), [&](Index begin, Index end) {
            double sum = 0.0;
            for (Index i = begin; i < end; ++i) {
                const double share = data_.share[std::size_t(i)];
                const double v = share * ((data_.codes[std::size_t(i)] == code ? 1.0 : 0.0) - mu[i]);
                v_[std::size_t(i)] = v;
                sum += v;
                if (with_h) h_[std::size_t(i)] = share * mu[i] * (1.0 - mu[i]);
            }
            return sum;
        });
    }

    // Brings a column into the model of class k; whether it was new.
    bool use(Index k, Index j) {
        Model& model = models_[std::size_t(k)];
        if (model.slot[std::size_t(j)] >= 0) return false;
        model.slot[std::size_t(j)] = int(model.columns.size());
        model.columns.push_back(j);
        return true;
    }

    // Columns whose coefficient has stayed 0 leave the model when it is rebuilt.
    void shed(Index k) {
        Model& model = models_[std::size_t(k)];
        std::vector<Index> kept;
        for (const Index j : model.columns) {
            const bool keep = beta_[std::size_t(k * p_ + j)] != 0.0 || model.slot[std::size_t(j)] >= model.built;
            model.slot[std::size_t(j)] = keep ? int(kept.size()) : -1;
            if (keep) kept.push_back(j);
        }
        model.columns = std::move(kept);
    }

    // Makes the cross-products fit the columns in use and the weights h_.
    void prepare(Index k) {
        Model& model = models_[std::size_t(k)];
        double moved = 0.0, total = 0.0;
        for (Index i = 0; i < n_; ++i) {
            total += h_[std::size_t(i)];
            if (!model.h.empty()) moved += std::abs(h_[std::size_t(i)] - model.h[std::size_t(i)]);
        }
        const Index count = Index(model.columns.size());
        // A stale model costs steps, a new one n m^2 / 2 operations: the more columns, the longer it is kept.
        const double patience = std::min(0.3, 0.02 + double(count) / 1500.0);
        const bool renew = model.h.empty() || moved > patience * model.total || rebuild_;
        if (!renew && model.built == count) return;
        Index first = model.built;
        if (renew) {
            shed(k);
            model.h = h_;
            model.total = total;
            first = 0;
        }
        const Index m = Index(model.columns.size());
        if (m > model.ld) {
            const Index ld = std::max<Index>(2 * model.ld, m + 32);
            Vector G(std::size_t(ld * ld), 0.0);
            for (Index a = 0; a < first; ++a) std::copy_n(model.G.data() + a * model.ld, first, G.data() + a * ld);
            model.G = std::move(G);
            model.ld = ld;
        }
        cross_products(X_, model.columns, first, model.h, interrupt_, model.ld, model.G);
        model.g.resize(std::size_t(m));
        const Blocks units(m - first, kCols);
        parallel_for(units.count(), [&](Index u) {
            for (Index s = first + units.begin(u); s < first + units.end(u); ++s)
                model.g[std::size_t(s)] = column_dot(X_, model.columns[std::size_t(s)], model.h.data(), model.total);
        });
        if (data_.intercept && model.total > 0.0)
            for (Index a = 0; a < m; ++a)
                for (Index c = 0; c < m; ++c)
                    if (a >= first || c >= first)
                        model.G[std::size_t(a * model.ld + c)] -=
                            model.g[std::size_t(a)] * model.g[std::size_t(c)] / model.total;
        model.built = m;
        rebuild_ = false;
    }

    double penalty(Index k, double l1, double l2, const std::vector<Index>& columns, const Vector& delta,
                   double t) const {
        double sum = 0.0;
        for (std::size_t s = 0; s < columns.size(); ++s) {
            const double value = beta_[std::size_t(k * p_ + columns[s])] + t * delta[s];
            sum += l1 * std::abs(value) + 0.5 * l2 * value * value;
        }
        return sum;
    }

    // One proximal Newton step of class k; the largest curvature-weighted squared change.
    double step(Index k, double l1, double l2, double inner) {
        const double sum_v = residual(k, true);
        prepare(k);
        Model& model = models_[std::size_t(k)];
        const Index m = Index(model.columns.size()), ld = model.ld;
        Vector q(static_cast<std::size_t>(m)), start(static_cast<std::size_t>(m)), value(static_cast<std::size_t>(m));
        const Blocks units(m, kCols);
        parallel_for(units.count(), [&](Index u) {
            for (Index s = units.begin(u); s < units.end(u); ++s)
                q[std::size_t(s)] = column_dot(X_, model.columns[std::size_t(s)], v_.data(), sum_v);
        });
        const bool free_b = data_.intercept && model.total > 1e-300;
        for (Index s = 0; s < m; ++s) {
            if (free_b) q[std::size_t(s)] -= sum_v * model.g[std::size_t(s)] / model.total;
            start[std::size_t(s)] = value[std::size_t(s)] = beta_[std::size_t(k * p_ + model.columns[std::size_t(s)])];
        }
        descend(model, l1, l2, 1e-2 * inner, ld, q, value);
        Vector delta(static_cast<std::size_t>(m));
        double b_change = free_b ? sum_v / model.total : 0.0, moved = free_b ? sum_v * sum_v / model.total : 0.0;
        for (Index s = 0; s < m; ++s) {
            const double d = value[std::size_t(s)] - start[std::size_t(s)];
            delta[std::size_t(s)] = d;
            if (free_b) b_change -= model.g[std::size_t(s)] * d / model.total;
            moved = std::max(moved, (model.G[std::size_t(s * ld + s)] + l2) * d * d);
        }
        if (moved == 0.0 && b_change == 0.0) return 0.0;
        combine(X_, model.columns, delta, b_change, change_);
        const double before = loss_ + penalty(k, l1, l2, model.columns, delta, 0.0);
        double* eta = eta_.data() + k * n_;
        double t = 1.0, done = 0.0;
        for (int halving = 0;; ++halving) {
            for (Index i = 0; i < n_; ++i) eta[i] += (t - done) * change_[std::size_t(i)];
            done = t;
            loss_ = evaluate(eta_);
            if (loss_ + penalty(k, l1, l2, model.columns, delta, t) <= before + 1e-14 * std::abs(before)) break;
            if (halving == 30) {
                for (Index i = 0; i < n_; ++i) eta[i] -= done * change_[std::size_t(i)];
                loss_ = evaluate(eta_);
                rebuild_ = true;
                return 0.0;
            }
            t *= 0.5;
            rebuild_ = true;  // the model was too far off: take fresh weights next time
        }
        for (Index s = 0; s < m; ++s)
            beta_[std::size_t(k * p_ + model.columns[std::size_t(s)])] =
                t == 1.0 ? value[std::size_t(s)] : start[std::size_t(s)] + t * delta[std::size_t(s)];
        b_[std::size_t(k)] += t * b_change;
        has_grad_ = false;
        return moved;
    }

    // Coordinate descent on the model: q is the negative gradient of its smooth part, value the coefficients.
    void descend(const Model& model, double l1, double l2, double tol, Index ld, Vector& q, Vector& value) const {
        const Index m = Index(value.size());
        const auto visit = [&](Index s) {
            const double curvature = model.G[std::size_t(s * ld + s)];
            if (curvature <= 0.0) return 0.0;
            const double old = value[std::size_t(s)];
            const double now = soft(q[std::size_t(s)] + curvature * old, l1) / (curvature + l2);
            const double d = now - old;
            if (d == 0.0) return 0.0;
            value[std::size_t(s)] = now;
            const double* row = model.G.data() + s * ld;
            double* to = q.data();
            for (Index c = 0; c < m; ++c) to[c] -= d * row[c];
            return (curvature + l2) * d * d;
        };
        std::vector<Index> active;
        for (int sweep = 0; sweep < 1000; ++sweep) {
            double largest = 0.0;
            for (Index s = 0; s < m; ++s) largest = std::max(largest, visit(s));
            if (largest <= tol) return;
            active.clear();
            for (Index s = 0; s < m; ++s)
                if (value[std::size_t(s)] != 0.0) active.push_back(s);
            for (int round = 0; round < 100; ++round) {
                largest = 0.0;
                for (const Index s : active) largest = std::max(largest, visit(s));
                if (largest <= tol) break;
            }
            if (interrupt_.requested()) return;
        }
    }

    // The likelihood does not change when one vector is added to all classes: move each feature's coefficients to the
    // common shift of least penalty.
    void recentre(double l1, double l2) {
        Vector values(static_cast<std::size_t>(R_));
        for (Index j = 0; j < p_; ++j) {
            bool used = false;
            for (Index k = 0; k < R_; ++k) {
                values[std::size_t(k)] = beta_[std::size_t(k * p_ + j)];
                used |= values[std::size_t(k)] != 0.0;
            }
            if (!used) continue;
            const double t = least_penalty_shift(values, l1, l2);
            if (t == 0.0) continue;
            for (Index k = 0; k < R_; ++k) {
                beta_[std::size_t(k * p_ + j)] = values[std::size_t(k)] - t == 0.0 ? 0.0 : values[std::size_t(k)] - t;
                if (beta_[std::size_t(k * p_ + j)] != 0.0) use(k, j);
            }
            // All scores fall by t x_j; probabilities stay. Kept exact so that scores and coefficients agree.
            combine(X_, {j}, {-t}, 0.0, change_);
            for (Index k = 0; k < R_; ++k)
                for (Index i = 0; i < n_; ++i) eta_[std::size_t(k * n_ + i)] += change_[std::size_t(i)];
        }
    }

    // argmin_t of sum_k l1 |v_k - t| + l2 / 2 (v_k - t)^2: the zero of a piecewise linear increasing function.
    static double least_penalty_shift(Vector values, double l1, double l2) {
        std::sort(values.begin(), values.end());
        const Index K = Index(values.size());
        double sum = 0.0;
        for (const double v : values) sum += v;
        // Derivative just above v[i]: l1 (2 (i + 1) - K) + l2 (K t - sum).
        for (Index i = 0; i < K; ++i) {
            const double t = values[std::size_t(i)];
            const double below = l1 * double(2 * i - K) + l2 * (double(K) * t - sum);
            const double above = below + 2.0 * l1;
            if (below > 0.0) return (sum - l1 * double(2 * i - K) / l2) / double(K);  // between v[i-1] and v[i]
            if (above >= 0.0) {
                // A flat stretch (even K, no L2 part): stay at zero if it is inside.
                if (above == 0.0 && i + 1 < K && l2 == 0.0) {
                    const double high = values[std::size_t(i + 1)];
                    return t <= 0.0 && 0.0 <= high ? 0.0 : (t > 0.0 ? t : high);
                }
                return t;
            }
        }
        return values.back();
    }

    bool admit(Index k, const std::vector<Index>& candidates, double l1) {
        Model& model = models_[std::size_t(k)];
        std::vector<Index> fresh;
        for (const Index j : candidates)
            if (model.slot[std::size_t(j)] < 0) fresh.push_back(j);
        if (fresh.empty()) return false;
        const double sum_v = residual(k, false);
        Vector g(fresh.size());
        const Blocks units(Index(fresh.size()), kCols);
        parallel_for(units.count(), [&](Index u) {
            for (Index s = units.begin(u); s < units.end(u); ++s)
                g[std::size_t(s)] = column_dot(X_, fresh[std::size_t(s)], v_.data(), sum_v);
        });
        bool found = false;
        for (std::size_t s = 0; s < fresh.size(); ++s)
            if (std::abs(g[s]) > l1 * (1.0 + 1e-9)) found |= use(k, fresh[s]);
        return found;
    }

    void full_gradient() {
        for (Index k = 0; k < R_; ++k) {
            const double sum_v = residual(k, false);
            const Blocks units(p_, kCols);
            parallel_for(units.count(), [&](Index u) {
                for (Index j = units.begin(u); j < units.end(u); ++j)
                    grad_[std::size_t(k * p_ + j)] = column_dot(X_, j, v_.data(), sum_v);
            });
        }
        has_grad_ = true;
    }

    // Newton's method on the intercepts, class by class, until their gradients vanish.
    void polish_intercepts(int rounds) {
        for (int round = 0; round < rounds; ++round) {
            double largest = 0.0;
            for (Index k = 0; k < R_; ++k) {
                const double sum_v = residual(k, true);
                double total = 0.0;
                for (const double h : h_) total += h;
                largest = std::max(largest, std::abs(sum_v));
                if (std::abs(sum_v) < 1e-14 || total < 1e-300) continue;
                const double step = std::clamp(sum_v / total, -4.0, 4.0);
                b_[std::size_t(k)] += step;
                for (Index i = 0; i < n_; ++i) eta_[std::size_t(k * n_ + i)] += step;
                loss_ = evaluate(eta_);
            }
            // What is left enters the gap times a distance that vanishes with it.
            if (largest < (R_ == 1 ? 1e-12 : 1e-8)) return;
        }
    }

    // Primal minus dual at the residuals, scaled where they would not be feasible. Uses grad_ = X'v.
    double duality_gap(double l1, double l2) {
        double largest = 0.0, excess = 0.0, primal = loss_;
        for (Index k = 0; k < R_; ++k)
            for (Index j = 0; j < p_; ++j) {
                const double value = beta_[std::size_t(k * p_ + j)];
                const double size = std::abs(grad_[std::size_t(k * p_ + j)]);
                primal += l1 * std::abs(value) + 0.5 * l2 * value * value;
                largest = std::max(largest, size);
                const double over = std::max(0.0, size - l1);
                excess += over * over;
            }
        double best = -std::numeric_limits<double>::infinity();
        if (l2 > 0.0) best = dual_value(1.0) - 0.5 * excess / l2;
        if (l1 > 0.0 || largest == 0.0) best = std::max(best, dual_value(largest > l1 ? l1 / largest : 1.0));
        return std::max(0.0, primal - best);
    }

    double dual_value(double scale) const {
        const Blocks blocks(n_, kRows);
        return -parallel_sum(blocks, [&](Index begin, Index end) {
            double total = 0.0;
            for (Index i = begin; i < end; ++i) {
                double entropy = 0.0, shift = 0.0;
                for (Index k = 0; k < R_; ++k) {
                    const double y = own(k, i) ? 1.0 : 0.0;
                    const double v = scale * (y - mu_[std::size_t(k * n_ + i)]);
                    entropy += x_log_x(y - v);
                    if (R_ == 1) entropy += x_log_x(1.0 - (y - v));
                    if (!data_.offset.empty()) shift += v * data_.offset[std::size_t(i * R_ + k)];
                }
                total += data_.share[std::size_t(i)] * (entropy + shift);
            }
            return total;
        });
    }

    const Columns& X_;
    const LogisticData& data_;
    const Interrupt& interrupt_;
    Index n_, p_, R_;
    Vector beta_, b_, eta_, mu_, v_, h_, change_, grad_;
    std::vector<Model> models_;
    double loss_ = 0.0;
    bool has_grad_ = false, rebuild_ = false;
};

}  // namespace

template <class Columns>
void logistic_path(const Columns& X, const LogisticData& data, std::span<const double> l1, std::span<const double> l2,
                   std::span<const double> theta, StopRule stop, const Interrupt& interrupt,
                   const LogisticPathOut& out) {
    PathSolver<Columns> solver(X, data, interrupt);
    const double scale = std::max(solver.null_loss(), 1e-300);
    // All zero: the model without slopes, where the solver stands already, is the better start.
    if (std::any_of(theta.begin(), theta.end(), [](double value) { return value != 0.0; })) solver.start(theta);
    const std::size_t block = theta.size();
    for (std::size_t t = 0; t < l1.size(); ++t) {
        const auto info = solver.solve(l1[t], l2[t], t == 0 ? l1[0] : l1[t - 1], scale, stop);
        solver.write(out.theta.subspan(t * block, block));
        out.gap[t] = info.gap;
        out.loss[t] = solver.loss();
        out.n_iter[t] = info.n_iter;
        out.status[t] = int(info.status);
        if (info.status == Status::interrupted) return;
    }
}

#define STATLEARN_PATH(Columns)                                                                                        \
    template void logistic_path(const Columns&, const LogisticData&, std::span<const double>, std::span<const double>, \
                                std::span<const double>, StopRule, const Interrupt&, const LogisticPathOut&);
STATLEARN_PATH(DenseColumns<double>)
STATLEARN_PATH(DenseColumns<float>)
STATLEARN_PATH(SparseColumns<double>)
STATLEARN_PATH(SparseColumns<float>)
#undef STATLEARN_PATH

}  // namespace statlearn::linear
