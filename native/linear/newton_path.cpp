#include "linear/newton_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "common/parallel.hpp"
#include "common/vector.hpp"
#include "linear/newton_model.hpp"

namespace statlearn::linear {
namespace {

using namespace newton;

constexpr Index kRows = 1024;  // rows per unit of work
constexpr Index kCols = 16;    // columns per unit of work
constexpr double kStepsPerColumn = 150.0;
constexpr double kRounding = 1e-9;  // of the null loss: a gap that rounding errors may leave

class PathSolver {
public:
    PathSolver(const PathColumns& X, const PathLoss& data, const Interrupt& interrupt)
        : X_(X),
          data_(data),
          interrupt_(interrupt),
          n_(X.rows()),
          p_(X.cols()),
          R_(data.scores()),
          beta_(R_ * p_),
          b_(R_),
          eta_(R_ * n_),
          mu_(R_ * n_),
          v_(n_),
          h_(n_),
          change_(n_),
          grad_(R_ * p_),
          models_(R_) {
        for (auto& model : models_) model.slot.assign(p_, -1);
    }

    void start(Span<const double> theta) {
        const Index q = p_ + data_.rows.intercept;
        for (Index k = 0; k < R_; ++k) {
            std::vector<Index> used;
            Vector values;
            double b = data_.rows.intercept ? theta[k * q + p_] : 0.0;
            for (Index j = 0; j < p_; ++j) {
                const double value = theta[k * q + j];
                beta_[k * p_ + j] = value;
                if (value == 0.0) continue;
                used.push_back(j);
                values.push_back(value);
                b += value * X_.shift()[j];  // intercepts are about the shift here
            }
            b_[k] = b;
            X_.combine(used, values, b, change_);
            for (Index i = 0; i < n_; ++i)
                eta_[k * n_ + i] = change_[i] + (data_.rows.offset.empty() ? 0.0 : data_.rows.offset[i * R_ + k]);
        }
        loss_ = evaluate(eta_);
    }

    // Goes to the model without slopes, its intercepts fitted; its loss is the scale of the stopping rule.
    double null_loss() {
        std::fill(beta_.begin(), beta_.end(), 0.0);
        std::fill(b_.begin(), b_.end(), 0.0);
        if (data_.rows.intercept) {
            for (Index k = 0; k < R_; ++k) b_[k] = data_.null_intercept(k);
        }
        for (Index k = 0; k < R_; ++k)
            for (Index i = 0; i < n_; ++i)
                eta_[k * n_ + i] = b_[k] + (data_.rows.offset.empty() ? 0.0 : data_.rows.offset[i * R_ + k]);
        loss_ = evaluate(eta_);
        if (data_.rows.intercept) polish_intercepts(100);
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
        for (Index k = 0; k < R_; ++k)
            for (Index j = 0; j < p_; ++j) {
                const double size = std::abs(grad_[k * p_ + j]);
                if (size >= bound || beta_[k * p_ + j] != 0.0) use(k, j);
            }
        points_.clear();
        scores_.clear();
        const double way = l1_before - l1, share = way_ > 0.0 ? std::clamp(way / way_, 0.0, 2.0) : 0.0;
        way_ = way;
        Info info{std::numeric_limits<double>::infinity(), 0, Status::max_iter};
        double inner = 0.1 * stop.tol * scale;
        bool force = false;
        while (true) {
            // 1. Converge on the columns in use.
            bool settled = false;
            while (!settled && info.n_iter < stop.max_iter) {
                if (interrupt_.requested()) {
                    info.status = Status::interrupted;
                    return info;
                }
                look(0);
                if (info.n_iter == 0) models_[0].correction.extrapolate(share);
                if (R_ == 1 && info.n_iter > 0 && !force && gap_in_use(l1, l2) <= 0.9 * stop.tol * scale) break;
                force = false;
                const bool late = info.n_iter >= 1;
                double moved = step(0, l1, l2, inner, late);
                for (Index k = 1; k < R_; ++k) {
                    look(k);
                    moved = std::max(moved, step(k, l1, l2, inner, late));
                }
                if (R_ > 1) {
                    recentre(l1, l2);
                    extrapolate(l1, l2);
                }
                ++info.n_iter;
                // Two classes: the gap above decides; what is left here is a step that no longer moves.
                settled = moved <= (R_ == 1 ? 1e-6 * inner : inner);
            }
            // 2. All columns, and the duality gap.
            if (data_.rows.intercept) polish_intercepts(20);
            full_gradient();
            info.gap = duality_gap(l1, l2);
            if (info.gap <= stop.tol * scale) {
                info.status = Status::ok;
                return info;
            }
            if (std::isnan(info.gap)) {
                info.status = Status::diverged;
                return info;
            }
            if (info.n_iter >= stop.max_iter) return info;
            bool found = false;
            for (Index k = 0; k < R_; ++k)
                for (Index j = 0; j < p_; ++j)
                    if (std::abs(grad_[k * p_ + j]) > l1 * (1.0 + 1e-9)) found |= use(k, j);
            if (!found) {
                if (inner < 1e-18 * scale) {  // nothing left to gain: rounding, or no step lowers the objective
                    if (info.gap <= kRounding * scale) info.status = Status::ok;
                    return info;
                }
                inner *= 0.01;
                force = true;
            }
        }
    }

    void write(Span<double> theta) const {
        const Index q = p_ + data_.rows.intercept;
        for (Index k = 0; k < R_; ++k) {
            double b = b_[k];
            for (Index j = 0; j < p_; ++j) {
                theta[k * q + j] = beta_[k * p_ + j];
                b -= beta_[k * p_ + j] * X_.shift()[j];
            }
            if (data_.rows.intercept) theta[k * q + p_] = b;
        }
    }
    double loss() const { return loss_; }

private:
    // Fills mu_ with the means for these scores; the mean loss.
    double evaluate(const Vector& eta) {
        return parallel_sum(Blocks(n_, kRows),
                            [&](Index begin, Index end) { return data_.evaluate(begin, end, eta.data(), mu_.data()); });
    }

    // v = minus the weighted slope of the loss in score k, its sum, and (if wanted) h, the weighted curvature.
    double residual(Index k, bool with_h) {
        return parallel_sum(Blocks(n_, 4 * kRows), [&](Index begin, Index end) {
            return data_.residual(k, begin, end, mu_.data(), v_.data(), with_h ? h_.data() : nullptr);
        });
    }

    // Brings a column into the model of class k; whether it was new.
    bool use(Index k, Index j) {
        Model& model = models_[k];
        if (model.slot[j] >= 0) return false;
        model.slot[j] = int(model.columns.size());
        model.columns.push_back(j);
        return true;
    }

    // Columns whose coefficient has stayed 0 leave the model when it is rebuilt.
    void shed(Index k) {
        Model& model = models_[k];
        std::vector<Index> kept;
        for (const Index j : model.columns) {
            const bool keep = beta_[k * p_ + j] != 0.0 || model.slot[j] >= model.built;
            model.slot[j] = keep ? int(kept.size()) : -1;
            if (keep) kept.push_back(j);
        }
        model.columns = std::move(kept);
    }

    // Makes the cross-products fit the columns in use and the weights h_.
    void prepare(Index k) {
        Model& model = models_[k];
        double moved = 0.0, total = 0.0;
        for (const double h : h_) total += h;
        if (!model.h.empty() && model.total > 0.0) {
            // Along a path the weights shrink together: a factor takes most of the change.
            model.scale = total / model.total;
            for (std::size_t i = 0; i < h_.size(); ++i) moved += std::abs(h_[i] - model.scale * model.h[i]);
        }
        const Index count = Index(model.columns.size());
        // A stale model costs steps of 4 n m operations, a new one n m^2 / 2, which run several times faster: renew
        // when the steps beyond the first that each penalty needs have cost as much (the factor is measured).
        const bool renew =
            model.h.empty() || moved > 0.5 * total || kStepsPerColumn * (model.debt - 1) > double(count) || rebuild_;
        if (!renew && model.built == count) return;
        Index first = model.built;
        if (renew) {
            shed(k);
            model.h = h_;
            model.total = total;
            model.scale = 1.0;
            model.debt = 0;
            model.correction.reset();
            first = 0;
        }
        const Index m = Index(model.columns.size());
        if (m > model.ld) {
            const Index ld = std::max<Index>(2 * model.ld, m + 32);
            std::vector<float> G(ld * ld, 0.0F);
            for (Index a = 0; a < first; ++a) std::copy_n(model.G.data() + a * model.ld, first, G.data() + a * ld);
            model.G = std::move(G);
            model.ld = ld;
        }
        model.g.resize(m);
        const Blocks units(m - first, kCols);
        parallel_for(units.count(), [&](Index u) {
            for (Index s = first + units.begin(u); s < first + units.end(u); ++s)
                model.g[s] = X_.dot(model.columns[s], model.h.data(), model.total);
        });
        const bool centre = data_.rows.intercept && model.total > 0.0;
        const GramStore store{model.G.data(), model.ld, centre ? model.g.data() : nullptr,
                              centre ? 1.0 / model.total : 0.0};
        X_.cross_products(model.columns, first, model.h, interrupt_, store, model.Z);
        model.built = m;
        rebuild_ = false;
    }

    double penalty(Index k, double l1, double l2, const std::vector<Index>& columns, const Vector& delta,
                   double t) const {
        double sum = 0.0;
        for (std::size_t s = 0; s < columns.size(); ++s) {
            const double value = beta_[k * p_ + columns[s]] + t * delta[s];
            sum += l1 * std::abs(value) + 0.5 * l2 * value * value;
        }
        return sum;
    }

    // The gradient of class k on the columns in use, and cross-products to go with it.
    void look(Index k) {
        Model& model = models_[k];
        if (R_ == 1 && data_.rows.intercept) polish_intercepts(3);
        model.sum_v = residual(k, true);
        prepare(k);
        const Index m = Index(model.columns.size());
        model.q.resize(m);
        const Blocks units(m, kCols);
        parallel_for(units.count(), [&](Index u) {
            for (Index s = units.begin(u); s < units.end(u); ++s) {
                const Index j = model.columns[s];
                model.q[s] = has_grad_ ? grad_[k * p_ + j] : X_.dot(j, v_.data(), model.sum_v);
            }
        });
        has_q_ = true;
        if (R_ == 1) model.correction.observe(centred(model));
    }

    // The negative gradient once the intercept has followed.
    Vector centred(const Model& model) const {
        Vector q = model.q;
        if (data_.rows.intercept && model.total > 1e-300)
            for (std::size_t s = 0; s < q.size(); ++s) q[s] -= model.sum_v * model.g[s] / model.total;
        return q;
    }

    // The duality gap (two classes) as if there were no other columns.
    double gap_in_use(double l1, double l2) const {
        const Model& model = models_[0];
        return gap_from(l1, l2, [&](const auto& visit) {
            for (std::size_t s = 0; s < model.columns.size(); ++s) visit(beta_[model.columns[s]], model.q[s]);
        });
    }

    // One proximal Newton step of class k after look(k); the largest curvature-weighted squared change.
    double step(Index k, double l1, double l2, double inner, bool late) {
        Model& model = models_[k];
        model.debt += late;
        const double sum_v = model.sum_v;
        const Index m = Index(model.columns.size()), ld = model.ld;
        Vector q = centred(model), start(m), value(m);
        const bool free_b = data_.rows.intercept && model.total > 1e-300;
        for (Index s = 0; s < m; ++s) start[s] = value[s] = beta_[k * p_ + model.columns[s]];
        model.correction.add_to(q, 1.0);
        descend(model, l1, l2, 1e-6 * inner, ld, q, value);
        model.correction.add_to(q, -1.0);
        model.correction.predict(R_ == 1 ? std::move(q) : Vector());
        Vector delta(m);
        const double total = model.scale * model.total;
        double b_change = free_b ? sum_v / total : 0.0, moved = free_b ? sum_v * sum_v / total : 0.0;
        for (Index s = 0; s < m; ++s) {
            const double d = value[s] - start[s];
            delta[s] = d;
            if (free_b) b_change -= model.g[s] * d / model.total;
            moved = std::max(moved, (model.scale * double(model.G[s * ld + s]) + l2) * d * d);
        }
        if (moved == 0.0 && b_change == 0.0) return 0.0;
        has_grad_ = has_q_ = false;
        X_.combine(model.columns, delta, b_change, change_);
        const double before = loss_ + penalty(k, l1, l2, model.columns, delta, 0.0);
        double* eta = eta_.data() + k * n_;
        double t = 1.0, done = 0.0;
        for (int halving = 0;; ++halving) {
            for (Index i = 0; i < n_; ++i) eta[i] += (t - done) * change_[i];
            done = t;
            loss_ = evaluate(eta_);
            if (loss_ + penalty(k, l1, l2, model.columns, delta, t) <= before + 1e-14 * std::abs(before)) break;
            if (halving == 30) {
                for (Index i = 0; i < n_; ++i) eta[i] -= done * change_[i];
                loss_ = evaluate(eta_);
                rebuild_ = true;
                model.correction.reset();
                return 0.0;
            }
            t *= 0.5;
            rebuild_ = true;  // the model was too far off: take fresh weights next time
        }
        for (Index s = 0; s < m; ++s) beta_[k * p_ + model.columns[s]] = t == 1.0 ? value[s] : start[s] + t * delta[s];
        b_[k] += t * b_change;
        if (t < 1.0) model.correction.predict({});
        return moved;
    }

    // Coordinate descent on the model: q is the negative gradient of its smooth part, value the coefficients. Sweeps go
    // over the nonzero ones, then over all; every few, Anderson's extrapolation is tried (Bertrand & Massias, 2021).
    void descend(const Model& model, double l1, double l2, double tol, Index ld, Vector& q, Vector& value) const {
        const Index m = Index(value.size());
        const auto visit = [&](Index s) {
            const double curvature = model.scale * double(model.G[s * ld + s]);
            if (curvature <= 0.0) return 0.0;
            const double old = value[s];
            const double now = soft_threshold(q[s] + curvature * old, l1) / (curvature + l2);
            const double d = now - old;
            if (d == 0.0) return 0.0;
            value[s] = now;
            const float* row = model.G.data() + s * ld;
            double* to = q.data();
            const double change = model.scale * d;
            for (Index c = 0; c < m; ++c) to[c] -= change * double(row[c]);
            return (curvature + l2) * d * d;
        };
        Extrapolation memory(value, q);
        std::vector<Index> active;
        for (int sweep = 0; sweep < 200; ++sweep) {
            double moved = 0.0;
            for (Index s = 0; s < m; ++s) moved += visit(s);
            if (sweep == 0) tol = std::max(tol, 1e-3 * moved);  // the model is not worth more
            if (moved <= tol) return;
            active.clear();
            for (Index s = 0; s < m; ++s)
                if (value[s] != 0.0) active.push_back(s);
            memory.restart(value, q);
            for (int round = 0; round < 100; ++round) {
                moved = 0.0;
                for (const Index s : active) moved += visit(s);
                if (moved <= tol) break;
                memory.add(value, q, l1, l2);
            }
            if (interrupt_.requested()) return;
        }
    }

    // The likelihood does not change when one vector is added to all classes: move each feature's coefficients to the
    // common shift of least penalty.
    void recentre(double l1, double l2) {
        Vector values(R_);
        for (Index j = 0; j < p_; ++j) {
            bool used = false;
            for (Index k = 0; k < R_; ++k) {
                values[k] = beta_[k * p_ + j];
                used |= values[k] != 0.0;
            }
            if (!used) continue;
            const double t = least_penalty_shift(values, l1, l2);
            if (t == 0.0) continue;
            for (Index k = 0; k < R_; ++k) {
                beta_[k * p_ + j] = values[k] - t == 0.0 ? 0.0 : values[k] - t;
                if (beta_[k * p_ + j] != 0.0) use(k, j);
            }
            // All scores fall by t x_j; probabilities stay. Kept exact so that scores and coefficients agree.
            X_.combine({j}, {-t}, 0.0, change_);
            for (Index k = 0; k < R_; ++k)
                for (Index i = 0; i < n_; ++i) eta_[k * n_ + i] += change_[i];
        }
    }

    double full_penalty(const Vector& beta, double l1, double l2) const {
        double sum = 0.0;
        for (const double value : beta) sum += l1 * std::abs(value) + 0.5 * l2 * value * value;
        return sum;
    }

    // Classes that take turns approach the optimum slowly when they compete; every few rounds their common movement is
    // extrapolated: by Anderson's weights, then, for slow drifts at constant speed, by doubling the last rounds' way.
    void extrapolate(double l1, double l2) {
        Vector point = beta_;
        point.insert(point.end(), b_.begin(), b_.end());
        points_.push_back(std::move(point));
        scores_.push_back(eta_);
        if (points_.size() <= kDepth) return;
        AndersonWeights<kDepth> c;
        if (anderson_weights(points_, c))
            take_if_lower(anderson_mixture(points_, c), anderson_mixture(scores_, c), l1, l2);
        Vector way = points_.back(), way_eta = scores_.back();
        for (std::size_t s = 0; s < way.size(); ++s) way[s] -= points_.front()[s];
        for (std::size_t s = 0; s < way_eta.size(); ++s) way_eta[s] -= scores_.front()[s];
        for (double t = 1.0; t < 1e6; t *= 2.0) {
            Vector next = beta_, eta = eta_;
            next.insert(next.end(), b_.begin(), b_.end());
            for (std::size_t s = 0; s < way.size(); ++s) next[s] += t * way[s];
            for (std::size_t s = 0; s < eta.size(); ++s) eta[s] += t * way_eta[s];
            if (!take_if_lower(std::move(next), std::move(eta), l1, l2)) break;
        }
        points_.clear();
        scores_.clear();
    }

    // Moves to coefficients (slopes, then intercepts) with these scores if the objective is lower there.
    bool take_if_lower(Vector next, Vector eta, double l1, double l2) {
        const Vector b(next.end() - R_, next.end());
        next.resize(beta_.size());
        const double before = loss_ + full_penalty(beta_, l1, l2), loss = evaluate(eta);
        if (!(loss + full_penalty(next, l1, l2) < before)) {
            evaluate(eta_);  // back to the probabilities of where we are
            return false;
        }
        beta_ = std::move(next), b_ = b, eta_ = std::move(eta), loss_ = loss;
        has_grad_ = has_q_ = false;
        for (Index k = 0; k < R_; ++k)
            for (Index j = 0; j < p_; ++j)
                if (beta_[k * p_ + j] != 0.0) use(k, j);
        return true;
    }

    // argmin_t of sum_k l1 |v_k - t| + l2 / 2 (v_k - t)^2: the zero of a piecewise linear increasing function.
    static double least_penalty_shift(Vector values, double l1, double l2) {
        std::sort(values.begin(), values.end());
        const Index K = Index(values.size());
        double sum = 0.0;
        for (const double v : values) sum += v;
        // Derivative just above v[i]: l1 (2 (i + 1) - K) + l2 (K t - sum).
        for (Index i = 0; i < K; ++i) {
            const double t = values[i];
            const double below = l1 * double(2 * i - K) + l2 * (double(K) * t - sum);
            const double above = below + 2.0 * l1;
            if (below > 0.0) return (sum - l1 * double(2 * i - K) / l2) / double(K);  // between v[i-1] and v[i]
            if (above >= 0.0) {
                // A flat stretch (even K, no L2 part): stay at zero if it is inside.
                if (above == 0.0 && i + 1 < K && l2 == 0.0) {
                    const double high = values[i + 1];
                    return t <= 0.0 && 0.0 <= high ? 0.0 : (t > 0.0 ? t : high);
                }
                return t;
            }
        }
        return values.back();
    }

    void full_gradient() {
        for (Index k = 0; k < R_; ++k) {
            const Model& model = models_[k];
            // One score: the columns in use have been looked at since the last step.
            const int known = R_ == 1 && has_q_ ? int(model.q.size()) : 0;
            const double sum_v = residual(k, false);
            const Blocks units(p_, kCols);
            parallel_for(units.count(), [&](Index u) {
                for (Index j = units.begin(u); j < units.end(u); ++j) {
                    const int s = model.slot[j];
                    grad_[k * p_ + j] = 0 <= s && s < known ? model.q[s] : X_.dot(j, v_.data(), sum_v);
                }
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
                b_[k] += step;
                for (Index i = 0; i < n_; ++i) eta_[k * n_ + i] += step;
                loss_ = evaluate(eta_);
                has_grad_ = has_q_ = false;
            }
            // What is left enters the gap times a distance that vanishes with it.
            if (largest < (R_ == 1 ? 1e-12 : 1e-8)) return;
        }
    }

    // Primal minus dual at the residuals, scaled where they would not be feasible. Uses grad_ = X'v.
    double duality_gap(double l1, double l2) const {
        return gap_from(l1, l2, [&](const auto& visit) {
            for (std::size_t j = 0; j < beta_.size(); ++j) visit(beta_[j], grad_[j]);
        });
    }

    // The same from any way to visit all pairs (coefficient, gradient).
    template <class Visit>
    double gap_from(double l1, double l2, const Visit& pairs) const {
        double largest = 0.0, excess = 0.0, primal = loss_;
        pairs([&](double value, double gradient) {
            primal += l1 * std::abs(value) + 0.5 * l2 * value * value;
            largest = std::max(largest, std::abs(gradient));
            const double over = std::max(0.0, std::abs(gradient) - l1);
            excess += over * over;
        });
        double best = -std::numeric_limits<double>::infinity();
        if (l2 > 0.0) best = dual_value(1.0) - 0.5 * excess / l2;
        if (l1 > 0.0 || largest == 0.0) best = std::max(best, dual_value(largest > l1 ? l1 / largest : 1.0));
        const double gap = primal - best;
        return gap < 0.0 ? 0.0 : gap;  // NaN remains
    }

    double dual_value(double scale) const {
        return parallel_sum(Blocks(n_, kRows),
                            [&](Index begin, Index end) { return data_.dual(begin, end, mu_.data(), scale); });
    }

    const PathColumns& X_;
    const PathLoss& data_;
    const Interrupt& interrupt_;
    Index n_, p_, R_;
    Vector beta_, b_, eta_, mu_, v_, h_, change_, grad_;
    std::vector<Model> models_;
    std::vector<Vector> points_, scores_;  // of the last rounds, for extrapolate()
    double loss_ = 0.0;
    double way_ = 0.0;       // from the last penalty but one to the last
    bool has_grad_ = false;  // grad_ is of the present point
    bool has_q_ = false;     // and so is the q of the last model looked at
    bool rebuild_ = false;
};

}  // namespace

void newton_path(const PathColumns& X, const PathLoss& loss, Span<const double> l1, Span<const double> l2,
                 Span<const double> theta, StopRule stop, const Interrupt& interrupt, const NewtonPathOut& out) {
    PathSolver solver(X, loss, interrupt);
    const double scale = std::max(solver.null_loss(), 1e-300);
    // All zero: the model without slopes, where the solver stands already, is the better start.
    if (std::any_of(theta.begin(), theta.end(), [](double value) { return value != 0.0; })) solver.start(theta);
    const std::size_t block = theta.size();
    for (Index t = 0; t < l1.size(); ++t) {
        const auto info = solver.solve(l1[t], l2[t], t == 0 ? l1[0] : l1[t - 1], scale, stop);
        solver.write(out.theta.subspan(t * block, block));
        out.gap[t] = info.gap;
        out.loss[t] = solver.loss();
        out.n_iter[t] = info.n_iter;
        out.status[t] = int(info.status);
        if (info.status == Status::interrupted) return;
    }
}

}  // namespace statlearn::linear
