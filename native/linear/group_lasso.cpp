#include "linear/group_lasso.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "common/blas.hpp"
#include "common/parallel.hpp"
#include "linear/column_blocks.hpp"

namespace statlearn::linear {
namespace {

// Empirical settings.
constexpr Index kMaxBatch = 8;       // penalties solved ahead of one pass over X
constexpr double kMargin = 0.05;     // a group joins when its predicted norm is within 5 % of its limit
constexpr double kSafety = 0.6;      // share of the tolerance that the estimated gap must reach
constexpr double kNear = 0.5;        // a first penalty below half the largest is approached
constexpr double kStride = 0.7;      // by steps of 0.7
constexpr double kLooseGap = 1e-2;   // with this gap, relative to the objective at 0
constexpr std::size_t kDepth = 4;    // sweeps that are extrapolated together
constexpr double kRefine = 1e-4;     // what single precision can gain before the gradient must be exact again
constexpr Index kPolished = 256;     // with this many columns or fewer
constexpr double kExact = 1e-13;     // the gap, relative to the objective at 0, is brought down to this
constexpr Index kSmallGroup = 64;    // eigenvectors of larger groups are left to the threads of LAPACK
constexpr double kRounding = 1e-10;  // a group at 0 may violate its condition by this share of its penalty
constexpr double kEps = std::numeric_limits<double>::epsilon();

double norm(const double* x, Index n) { return std::sqrt(dot(x, x, n)); }

// The minimiser of b'Db/2 - v'b + lambda |b| for a diagonal D >= 0, into b. Outside of 0, b = (D + lambda/t)^-1 v with
// t = |b| the root of H(t) = sum v_i^2 / (d_i t + lambda)^2 = 1; 1/sqrt(H) is concave and almost linear in t, so
// Newton's method from the left converges in a few steps.
void solve_block(const double* d, const double* v, Index m, double lambda, double* b) {
    const double top = *std::max_element(d, d + m);
    if (lambda == 0.0) {
        for (Index i = 0; i < m; ++i) b[i] = d[i] > 1e-12 * top ? v[i] / d[i] : 0.0;
        return;
    }
    const double size = norm(v, m);
    if (size <= lambda || !(top > 0.0)) {
        std::fill(b, b + m, 0.0);
        return;
    }
    if (m == 1) {
        b[0] = v[0] * (1.0 - lambda / size) / d[0];
        return;
    }
    double t = (size - lambda) / top;  // H >= 1 here
    for (int k = 0; k < 50; ++k) {
        double H = 0.0, slope = 0.0;
        for (Index i = 0; i < m; ++i) {
            const double q = 1.0 / (d[i] * t + lambda), e = v[i] * q;
            H += e * e;
            slope += e * e * d[i] * q;
        }
        const double step = H * (std::sqrt(H) - 1.0) / slope;
        t += step;
        if (std::abs(step) <= 4.0 * kEps * t) break;
    }
    for (Index i = 0; i < m; ++i) b[i] = v[i] * t / (d[i] * t + lambda);
}

// A group of the working set: its columns begin at `at`, and X_g'X_g = Q diag(d) Q'.
struct Member {
    int group;
    Index at, size;
    double penalty;
    std::vector<double> Q, d;  // Q column-major; empty for a single column
};

template <class Store>
class GroupPath {
public:
    GroupPath(typename Store::Source& source, const Groups& groups, StopRule stop, const Interrupt& interrupt)
        : source_(source),
          moments_(source.moments()),
          groups_(groups),
          stop_(stop),
          interrupt_(interrupt),
          p_(source.features()),
          place_(groups.count(), -1),
          blocks_(source),
          last_(moments_.target_dot) {}

    struct Results {
        Matrix<double> coefs;
        Span<double> gaps;
        Span<int> sweeps;
    };
    GroupLassoInfo run(Span<const double> alphas, const Results& out);

private:
    using Point = typename ColumnBlocks<Store>::Point;
    // A penalty that has been solved on the working set.
    struct Candidate {
        Solution solution;
        std::vector<double> beta;
        Point point;
        double estimate;  // of the gap
        bool stalled;
    };
    // The model before the present one, for extrapolation; `gradient` of all columns of X.
    struct Before {
        bool known = false;
        double lambda = 0.0;
        std::vector<double> beta, gradient;
        Point point;
    };

    double limit(const Member& member) const { return lambda_ * member.penalty; }
    double group_norm(int g, const double* C) const {
        double sum = 0.0;
        for (int k = groups_.starts[g]; k < groups_.starts[g + 1]; ++k) {
            const double c = C[groups_.columns[k]];
            sum += c * c;
        }
        return std::sqrt(sum);
    }

    // The gap that penalty k must reach, and the one it should: a small problem is solved almost to rounding, since
    // that costs next to nothing.
    double target(std::size_t k) const {
        return (k < lead_ ? std::max(stop_.tol, kLooseGap) : stop_.tol) * 0.5 * moments_.target_norm2;
    }
    double wish(std::size_t k) const {
        if (p_ > kPolished || k < lead_) return target(k);
        return std::min(target(k), kExact * 0.5 * moments_.target_norm2);
    }
    // X'r of all columns for model b of the batch.
    const double* gradients(std::size_t b) const { return C_.data() + Index(b) * p_; }

    void approach(Span<const double> alphas);
    void solve_batch(std::size_t done, std::size_t batch, bool fresh);
    std::size_t certify(std::size_t done, const Results& out);
    void resume(std::size_t done, std::size_t at, bool first_try);
    std::vector<int> missing(std::size_t done, std::size_t first) const;
    void screen(std::size_t first, std::size_t last);
    void join(std::vector<int> added);
    void anchor();
    void extrapolate_path();
    double visit(Member& member);
    void solve(double target, int budget, int& count);
    void extrapolate_sweeps();
    double objective(const std::vector<double>& beta, const Point& point) const;
    void to_columns(const Member& member, const double* rotated, double* out) const;
    void to_rotated(const Member& member, const double* raw, double* out) const;
    Candidate candidate() const;
    double gap(const Candidate& model, const double* C, double rr) const;

    typename Store::Source& source_;
    const Moments& moments_;
    const Groups& groups_;
    StopRule stop_;
    const Interrupt& interrupt_;
    Index p_;

    std::vector<double> lambdas_;  // of the penalties on the way and of the wanted ones, times the total weight
    std::size_t lead_ = 0;
    double lambda_ = 0.0, present_ = 0.0;  // the penalty being solved, and that of the present coefficients

    std::vector<int> place_;  // of a group in the working set, or -1
    std::vector<Member> members_;
    std::vector<Index> features_;  // of each column of the working set
    ColumnBlocks<Store> blocks_;
    std::vector<double> beta_, anchor_;  // coefficients in the eigenvectors; unrotated ones at the anchor
    std::vector<double> last_;           // gradient X'r of all columns at the anchor
    Before before_;
    double share_ = 1.0;  // the gap over its estimate, as seen so far
    double estimate_ = 0.0, slack_ = 0.0;
    bool stalled_ = false;
    std::vector<Candidate> models_;  // of the batch, with gradients and squared norms of their residuals
    std::vector<double> C_, rr_;
    std::vector<int> counts_;  // sweeps of each penalty
    int idle_ = 0;             // verifications in a row after which nothing moved
    int polished_ = 0;         // attempts in a row to do better than asked for
    GroupLassoInfo info_;
    std::vector<double> work_;
    std::vector<std::vector<double>> history_;
    std::vector<Point> history_points_;
};

template <class Store>
void GroupPath<Store>::to_columns(const Member& member, const double* rotated, double* out) const {
    if (member.Q.empty()) {
        out[0] = rotated[0];
        return;
    }
    std::fill(out, out + member.size, 0.0);
    for (Index i = 0; i < member.size; ++i) axpy(rotated[i], member.Q.data() + i * member.size, out, member.size);
}

template <class Store>
void GroupPath<Store>::to_rotated(const Member& member, const double* raw, double* out) const {
    if (member.Q.empty())
        out[0] = raw[0];
    else
        for (Index i = 0; i < member.size; ++i) out[i] = dot(member.Q.data() + i * member.size, raw, member.size);
}

template <class Store>
void GroupPath<Store>::join(std::vector<int> added) {
    if (added.empty()) return;
    std::sort(added.begin(), added.end());
    const std::size_t old = members_.size();
    std::vector<Index> features, sizes;
    for (const int g : added) {
        place_[g] = int(members_.size());
        const Index size = groups_.size(g);
        members_.push_back({g, Index(features_.size() + features.size()), size, groups_.penalty[g], {}, {}});
        for (int k = groups_.starts[g]; k < groups_.starts[g + 1]; ++k) features.push_back(groups_.columns[k]);
        sizes.push_back(size);
    }
    const bool was_whole = blocks_.whole();
    const auto decompose = [&](std::size_t a) {
        Member& member = members_[a];
        const Index m = member.size;
        member.d.resize(m);
        if (m == 1) {
            member.d[0] = moments_.norm2[features[std::size_t(member.at) - features_.size()]];
            return;
        }
        member.Q.resize(m * m);
        const Span<const Index> own(features.data() + (std::size_t(member.at) - features_.size()), m);
        blocks_.store().exact_products(own, member.Q.data());
        if (blas::syevd('L', int(m), member.Q.data(), int(m), member.d.data()) != 0)
            throw std::runtime_error("X: the cross-products of a group overflow; scale the columns of X");
        for (double& value : member.d) value = std::max(value, 0.0);
    };
    parallel_for(Index(members_.size() - old), [&](Index a) {
        if (members_[old + std::size_t(a)].size <= kSmallGroup) decompose(old + std::size_t(a));
    });
    for (std::size_t a = old; a < members_.size(); ++a)
        if (members_[a].size > kSmallGroup) decompose(a);
    source_.extend(features, nullptr, 0);
    blocks_.append(features, sizes);
    features_.insert(features_.end(), features.begin(), features.end());
    beta_.resize(features_.size(), 0.0);
    before_.beta.resize(features_.size(), 0.0);
    if (was_whole != blocks_.whole()) before_.known = false;  // its state is of the other kind
}

// The gradient of the working set at the present point is exact from here on.
template <class Store>
void GroupPath<Store>::anchor() {
    std::vector<double> gradient(features_.size());
    for (std::size_t c = 0; c < features_.size(); ++c) gradient[c] = last_[features_[c]];
    blocks_.anchor(std::move(gradient));
    anchor_.resize(features_.size());
    for (const Member& member : members_) to_columns(member, beta_.data() + member.at, anchor_.data() + member.at);
    if (before_.known && blocks_.whole()) {
        before_.point.gradient.resize(features_.size());
        for (std::size_t c = 0; c < features_.size(); ++c) before_.point.gradient[c] = before_.gradient[features_[c]];
    }
}

// Adds the groups whose norm is predicted to reach the limit for a penalty from `first` to `last`.
template <class Store>
void GroupPath<Store>::screen(std::size_t first, std::size_t last) {
    const double ends[2] = {lambdas_[first], lambdas_[last]};
    const bool secant = before_.known && before_.lambda != present_;
    // Without a second model to extrapolate from: the strong rule, slopes at most 1 (Tibshirani et al., 2012).
    const double slack = secant ? 0.0 : std::max(0.0, present_ - ends[0]);
    std::vector<std::pair<double, int>> wanted;
    for (int g = 0; g < groups_.count(); ++g) {
        if (place_[g] >= 0) continue;
        const double weight = groups_.penalty[g];
        double ratio = weight == 0.0 || ends[1] == 0.0 ? std::numeric_limits<double>::infinity() : 0.0;
        for (const double end : ends) {
            if (!std::isfinite(ratio)) break;
            const double step = secant ? (end - present_) / (present_ - before_.lambda) : 0.0;
            double sum = 0.0;
            for (int k = groups_.starts[g]; k < groups_.starts[g + 1]; ++k) {
                const Index j = groups_.columns[k];
                const double c = last_[j] + (secant ? step * (last_[j] - before_.gradient[j]) : 0.0);
                sum += c * c;
            }
            ratio = std::max(ratio, (std::sqrt(sum) / weight + slack) / end);
        }
        if (ratio >= 1.0 - kMargin) wanted.emplace_back(-ratio, g);
    }
    const auto cap = std::max<std::size_t>(16, members_.size());
    if (wanted.size() > cap && std::isfinite(wanted.front().first)) {
        std::nth_element(wanted.begin(), wanted.begin() + Index(cap), wanted.end());
        wanted.resize(cap);
    }
    std::vector<int> added;
    for (const auto& [ratio, g] : wanted) added.push_back(g);
    join(std::move(added));
}

// Starts the next penalty where the line through the last two solutions leads to, if that is an improvement.
template <class Store>
void GroupPath<Store>::extrapolate_path() {
    const double span = present_ - before_.lambda;
    const std::vector<double> beta = beta_;
    Point point = blocks_.point();
    const bool usable = before_.known && span != 0.0;
    if (usable) {
        const double t = (lambda_ - present_) / span;
        std::vector<double> guess = beta_;
        for (std::size_t c = 0; c < guess.size(); ++c) guess[c] += t * (beta_[c] - before_.beta[c]);
        const Point there = blocks_.between(point, before_.point, -t);
        if (objective(guess, there) < objective(beta_, point)) {
            beta_ = std::move(guess);
            blocks_.go_to(there);
        }
    }
    before_.known = true;
    before_.lambda = present_;
    before_.beta = beta;
    before_.point = std::move(point);
}

template <class Store>
double GroupPath<Store>::objective(const std::vector<double>& beta, const Point& point) const {
    std::vector<double> change(beta.size());
    double value = 0.0;
    for (const Member& member : members_) {
        to_columns(member, beta.data() + member.at, change.data() + member.at);
        value += limit(member) * norm(beta.data() + member.at, member.size);
    }
    for (std::size_t c = 0; c < change.size(); ++c) change[c] -= anchor_[c];
    return value - blocks_.slope(change) + 0.5 * blocks_.curvature(point, change);
}

// Minimises over one group; how far it was from its optimality condition, relative to its penalty.
template <class Store>
double GroupPath<Store>::visit(Member& member) {
    const Index m = member.size;
    work_.resize(4 * m);
    double *v = work_.data(), *next = v + m, *step = next + m, *raw = step + m;
    double* b = beta_.data() + member.at;
    to_rotated(member, blocks_.gradient(member.at), v);
    const double cut = limit(member), size = norm(b, m);
    double violation = 0.0;
    if (cut > 0.0 && size == 0.0) {
        violation = norm(v, m) / cut - 1.0;
        if (violation <= kRounding) return 0.0;
    } else if (cut > 0.0) {
        for (Index i = 0; i < m; ++i) step[i] = v[i] - cut / size * b[i];
        violation = norm(step, m) / cut;
    } else {
        slack_ += norm(v, m) * size;
    }
    for (Index i = 0; i < m; ++i) v[i] += member.d[i] * b[i];
    solve_block(member.d.data(), v, m, cut, next);
    bool moved = false;
    for (Index i = 0; i < m; ++i) {
        step[i] = next[i] - b[i];
        moved |= step[i] != 0.0;
    }
    if (!moved) return violation;
    stalled_ = false;
    to_columns(member, step, raw);
    blocks_.move(member.at, m, raw);
    std::copy_n(next, m, b);
    return violation;
}

// Sweeps over the working set until the gap is estimated to be below the target, or as far as one anchor leads.
template <class Store>
void GroupPath<Store>::solve(double target, int budget, int& count) {
    history_.clear();
    history_points_.clear();
    stalled_ = false;
    double first = -1.0;
    while (count < budget && !stalled_ && !interrupt_.requested()) {
        double worst = 0.0;
        slack_ = 0.0;
        stalled_ = true;
        std::size_t a = 0;
        for (Index block = 0; block < blocks_.blocks(); ++block) {
            blocks_.enter(block);
            for (; a < members_.size() && members_[a].at < blocks_.end(block); ++a)
                worst = std::max(worst, visit(members_[a]));
            blocks_.leave(block);
        }
        ++count;
        double penalty = 0.0;
        for (const Member& member : members_) penalty += limit(member) * norm(beta_.data() + member.at, member.size);
        estimate_ = worst * penalty + slack_;
        if (first < 0.0) first = estimate_;
        if (share_ * estimate_ <= target || estimate_ <= kRefine * first) break;
        extrapolate_sweeps();
    }
}

template <class Store>
void GroupPath<Store>::extrapolate_sweeps() {
    history_.push_back(beta_);
    history_points_.push_back(blocks_.point());
    if (history_.size() <= kDepth) return;
    AndersonWeights<kDepth> c;
    if (anderson_weights(history_, c)) {
        auto beta = anderson_mixture(history_, c);
        const Point point = blocks_.mixture(history_points_, c);
        if (objective(beta, point) < objective(beta_, blocks_.point())) {
            beta_ = std::move(beta);
            blocks_.go_to(point);
        }
    }
    history_.clear();
    history_points_.clear();
}

template <class Store>
typename GroupPath<Store>::Candidate GroupPath<Store>::candidate() const {
    Candidate out{{}, beta_, blocks_.point(), estimate_, stalled_};
    std::vector<double> raw;
    for (const Member& member : members_) {
        const double* b = beta_.data() + member.at;
        if (std::all_of(b, b + member.size, [](double value) { return value == 0.0; })) continue;
        raw.resize(member.size);
        to_columns(member, b, raw.data());
        for (Index i = 0; i < member.size; ++i) {
            out.solution.at.push_back(member.at + i);
            out.solution.value.push_back(raw[i]);
        }
    }
    return out;
}

// The duality gap as a sum of terms that are never negative: with the dual point s r, s = min(1, min_g limit_g /
// |X_g'r|),
//   gap = (1 - s)^2 / 2 |r|^2 + sum_g (limit_g |b_g| - s b_g'X_g'r).
// The residual must be orthogonal to free groups: for them the gap counts |x_j' r| (|b_j| + |x_j' r| / |x_j|^2).
template <class Store>
double GroupPath<Store>::gap(const Candidate& model, const double* C, double rr) const {
    double scale = 1.0, sum = 0.0;
    for (int g = 0; g < groups_.count(); ++g) {
        const double cut = lambda_ * groups_.penalty[g], size = cut > 0.0 ? group_norm(g, C) : 0.0;
        if (size * scale > cut) scale = cut / size;
    }
    std::vector<double> raw(features_.size(), 0.0);
    for (std::size_t k = 0; k < model.solution.at.size(); ++k) raw[model.solution.at[k]] = model.solution.value[k];
    for (const Member& member : members_) {
        const double cut = limit(member);
        const double* b = raw.data() + member.at;
        double product = 0.0;
        for (Index i = 0; i < member.size; ++i) {
            const Index j = features_[member.at + i];
            const double c = C[j];
            product += b[i] * c;
            if (cut == 0.0 && moments_.norm2[j] > 0.0)
                sum += std::abs(c) * (std::abs(b[i]) + std::abs(c) / moments_.norm2[j]);
        }
        if (cut > 0.0) sum += cut * norm(b, member.size) - scale * product;
    }
    return std::max(0.5 * (1.0 - scale) * (1.0 - scale) * rr + sum, 0.0);
}

// The penalties, led by a few stronger ones when the first is far from the starting point 0.
template <class Store>
void GroupPath<Store>::approach(Span<const double> alphas) {
    for (int g = 0; g < groups_.count(); ++g)
        if (groups_.penalty[g] > 0.0) present_ = std::max(present_, group_norm(g, last_.data()) / groups_.penalty[g]);
    const double first = alphas.front() * moments_.total_weight;
    if (first > 0.0 && first < kNear * present_ && std::isfinite(present_)) {
        const double steps = std::ceil(std::log(first / present_) / std::log(kStride));
        for (double k = 1.0; k < steps; ++k) lambdas_.push_back(present_ * std::pow(first / present_, k / steps));
    }
    lead_ = lambdas_.size();
    for (const double alpha : alphas) lambdas_.push_back(alpha * moments_.total_weight);
}

// Solves `batch` penalties from number `done` on, on the working set that is predicted to do for all of them, and then
// computes the exact gradients of all groups.
template <class Store>
void GroupPath<Store>::solve_batch(std::size_t done, std::size_t batch, bool fresh) {
    screen(done, done + batch - 1);
    anchor();
    models_.clear();
    std::vector<Solution> solutions;
    for (std::size_t b = 0; b < batch; ++b) {
        lambda_ = lambdas_[done + b];
        if (b > 0 || fresh) extrapolate_path();
        solve(kSafety * wish(done + b), stop_.max_iter, counts_[done + b]);
        present_ = lambda_;
        models_.push_back(candidate());
        solutions.push_back(models_.back().solution);
    }
    C_.resize(batch * std::size_t(p_));
    rr_.resize(batch);
    if (!interrupt_.requested()) source_.correlations(solutions, C_.data(), rr_.data());
}

// Writes the models of the batch whose gap is small enough, and says how many they are: those before the first that
// should be solved again. A model for which there is no hope is written too, and counted as stopped.
template <class Store>
std::size_t GroupPath<Store>::certify(std::size_t done, const Results& out) {
    for (std::size_t b = 0; b < models_.size(); ++b) {
        const std::size_t k = done + b;
        const Candidate& model = models_[b];
        lambda_ = lambdas_[k];
        const double found = gap(model, gradients(b), rr_[b]);
        if (model.estimate > 0.0 && std::isfinite(found)) {
            const double ratio = std::clamp(found / model.estimate, 0.02, 10.0);
            share_ = std::max(ratio, 0.8 * share_ + 0.2 * ratio);
        }
        const bool fine = found <= (k < lead_ ? 10.0 : 1.0) * target(k), over = counts_[k] >= stop_.max_iter;
        if (fine && found > 10.0 * wish(k) && polished_ < 3 && !over) {
            ++polished_;
            return b;
        }
        polished_ = 0;
        if (!fine && (b > 0 || (idle_ <= 1 && !over && std::isfinite(found)))) {
            if (b == 0) idle_ += model.stalled;
            return b;
        }
        idle_ = 0;
        if (k < lead_) continue;
        if (!fine) {
            ++info_.n_stopped;
            info_.status = Status::max_iter;
        }
        out.gaps[k - lead_] = found / moments_.total_weight;
        double* coef = out.coefs.row(Index(k - lead_));
        std::fill_n(coef, p_, 0.0);
        for (std::size_t i = 0; i < model.solution.at.size(); ++i)
            coef[features_[model.solution.at[i]]] = model.solution.value[i];
    }
    return models_.size();
}

// Goes to model `at` of the batch that starts with penalty `done`, and remembers the one before it.
template <class Store>
void GroupPath<Store>::resume(std::size_t done, std::size_t at, bool first_try) {
    beta_ = models_[at].beta;
    blocks_.go_to(models_[at].point);
    present_ = lambdas_[done + at];
    if (at > 0) {
        before_.known = true;
        before_.lambda = lambdas_[done + at - 1];
        before_.beta = models_[at - 1].beta;
        before_.point = models_[at - 1].point;
        before_.gradient.assign(gradients(at - 1), gradients(at));
    } else if (first_try) {
        before_.gradient = last_;  // of the point where this batch started
    }
    if (before_.known) blocks_.rebase(before_.point);
    last_.assign(gradients(at), gradients(at) + p_);
}

// Groups outside the working set that violate their condition for a model of the batch from `first` on.
template <class Store>
std::vector<int> GroupPath<Store>::missing(std::size_t done, std::size_t first) const {
    std::vector<int> found;
    for (int g = 0; g < groups_.count(); ++g) {
        if (place_[g] >= 0) continue;
        for (std::size_t b = first; b < models_.size(); ++b)
            if (group_norm(g, gradients(b)) > lambdas_[done + b] * groups_.penalty[g]) {
                found.push_back(g);
                break;
            }
    }
    return found;
}

template <class Store>
GroupLassoInfo GroupPath<Store>::run(Span<const double> alphas, const Results& out) {
    approach(alphas);
    const std::size_t total = lambdas_.size();
    counts_.assign(total, 0);
    std::size_t done = 0, ahead = 1;
    bool fresh = true;  // the next penalty has not been tried yet
    while (done < total) {
        const std::size_t batch = std::min(ahead, total - done);
        const bool first_try = fresh;
        solve_batch(done, batch, fresh);
        if (interrupt_.requested()) {
            info_.status = Status::interrupted;
            return info_;
        }
        const std::size_t good = certify(done, out);
        fresh = good == batch;
        resume(done, fresh ? batch - 1 : good, first_try);
        if (fresh) {
            ahead = std::min<std::size_t>(2 * ahead, kMaxBatch);
        } else {
            auto added = missing(done, good);
            if (added.empty() && share_ * models_[good].estimate <= kSafety * wish(done + good)) share_ *= 1.5;
            join(std::move(added));
            std::fill(counts_.begin() + Index(done + good) + 1, counts_.begin() + Index(done + batch), 0);
            ahead = batch - good;
        }
        done += good;
    }
    for (Index k = 0; k < alphas.size(); ++k) out.sweeps[k] = counts_[lead_ + k];
    for (std::size_t k = 0; k < lead_; ++k) out.sweeps[0] += counts_[k];
    return info_;
}

}  // namespace

GroupLassoInfo group_lasso_path(DenseSource& source, const Groups& groups, Span<const double> alphas, StopRule stop,
                                const Interrupt& interrupt, Matrix<double> coefs, Span<double> gaps, Span<int> sweeps) {
    return GroupPath<DenseStore>(source, groups, stop, interrupt).run(alphas, {coefs, gaps, sweeps});
}

GroupLassoInfo group_lasso_path(SparseSource& source, const Groups& groups, Span<const double> alphas, StopRule stop,
                                const Interrupt& interrupt, Matrix<double> coefs, Span<double> gaps, Span<int> sweeps) {
    return GroupPath<SparseStore>(source, groups, stop, interrupt).run(alphas, {coefs, gaps, sweeps});
}

}  // namespace statlearn::linear
