#include "linear/elastic_net.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "linear/columns.hpp"
#include "linear/duality_gap.hpp"
#include "linear/working_set.hpp"

namespace statlearn::linear {
namespace {

// Empirical settings.
constexpr Index kMaxBatch = 8;        // models solved ahead of one pass over X
constexpr double kMargin = 0.025;     // a feature joins when its predicted correlation is that near to the threshold
constexpr double kInnerShare = 0.25;  // share of the tolerance that the working-set problem is solved to
constexpr double kNear = 0.5, kStride = 0.7;  // a first penalty below half the largest is approached by steps of 0.7
constexpr double kLooseGap = 1e-3;            // gap of the models on the way, relative to |y|^2
constexpr Index kGramLimit = 4096;            // the working set may always have cross-products up to this size
constexpr Index kAllFeatures = 128;           // up to this many features the working set is simply all of them

// The outer problem: which features the next models need, and whether the models solved on them hold for all features.
class PathSolver {
public:
    PathSolver(ColumnSource& source, const PathProblem& problem, const PathOptions& options, const Interrupt& interrupt)
        : source_(source),
          moments_(source.moments()),
          problem_(problem),
          options_(options),
          interrupt_(interrupt),
          p_(source.features()),
          place_(p_, -1),
          set_(options, moments_.target_norm2, interrupt),
          rr_(kMaxBatch),
          target_(options.tol * moments_.target_norm2) {}

    Status run(const PathModels& models);

private:
    using Ranked = std::vector<std::pair<double, Index>>;  // features, the ones with the least value first

    double factor(Index j) const { return problem_.factor.empty() ? 1.0 : problem_.factor[j]; }
    bool overflows() const;
    void start();
    void approach();
    void screen(Index first, Index last);
    void join(std::vector<Index>& added);
    bool join_best(Ranked& wanted);
    void solve_ahead(Index batch);
    Index certify(Index batch, const PathModels& models);
    void remember(Index count);
    void mend(Index b, Index batch);
    double full_gap(Penalty penalty, const Solution& solution, const double* C, double rr) const;
    void missing(Penalty penalty, const double* C, std::vector<double>& excess) const;
    void restore(const Solution& solution, const double* C);
    int used(Index model) const;
    double loose() const { return std::max(target_, kLooseGap * moments_.target_norm2); }

    ColumnSource& source_;
    const Moments& moments_;
    const PathProblem& problem_;
    const PathOptions& options_;
    const Interrupt& interrupt_;
    Index p_;

    std::vector<Penalty> penalties_;  // of the leading models and the wanted ones
    Index lead_ = 0;                  // the number of leading models
    std::vector<int> n_iter_;         // of each

    // The features of the working set, and where each feature stands in it (-1: outside).
    std::vector<Index> members_, place_;
    WorkingSet set_;
    bool by_residual_ = false;  // too many members for cross-products: update the residual instead

    // Correlations of all features at the current point and at the last two certified models.
    std::vector<double> here_, last_, before_;
    double last_l1_ = 0.0, before_l1_ = 0.0;

    // The models solved ahead, and what the pass over X says of them.
    std::vector<Solution> solutions_;
    std::vector<double> C_, rr_;
    Index done_ = 0, ahead_ = kMaxBatch / 2;
    bool fresh_ = false;          // the next model has not been tried yet, and the one before is solved
    bool stuck_ = false;          // the first of them could not be improved
    int idle_ = 0;                // verifications in a row that found nothing to add
    double share_ = kInnerShare;  // of the target, for the working-set problem
    double target_;
    Status status_ = Status::ok;
};

void PathSolver::join(std::vector<Index>& added) {
    if (added.empty()) return;
    std::sort(added.begin(), added.end());
    const Index old = set_.size(), grown = old + Index(added.size());
    const Index active = set_.nonzero();
    for (const Index j : added) {
        place_[j] = Index(members_.size());
        members_.push_back(j);
        set_.append(here_[j], moments_.norm2[j], factor(j), moments_.target_dot[j]);
    }
    if (!by_residual_ && source_.has_residual() &&
        std::min<Index>(2 * active, grown) > std::max(source_.step_cost(), kGramLimit)) {
        by_residual_ = true;
        set_.drop_products();
    }
    double* G = by_residual_ ? nullptr : set_.products(grown, p_);
    source_.extend(added, G, set_.ld());
}

// Adds the best of these features, as many as double the set at most; whether there were any.
bool PathSolver::join_best(Ranked& wanted) {
    const std::size_t cap = std::max<Index>(64, set_.size());
    if (wanted.size() > cap) {
        std::nth_element(wanted.begin(), wanted.begin() + Index(cap), wanted.end());
        wanted.resize(cap);
    }
    std::vector<Index> added;
    for (const auto& [rank, j] : wanted) added.push_back(j);
    join(added);
    return !added.empty();
}

// The starting point, and its correlations.
void PathSolver::start() {
    here_ = moments_.target_dot;
    std::vector<Index> added;
    for (Index j = 0; j < p_; ++j) {
        const bool started = !problem_.init.empty() && problem_.init[j] != 0.0;
        if (started || factor(j) == 0.0 || p_ <= kAllFeatures) added.push_back(j);
    }
    join(added);
    if (!problem_.init.empty()) {
        Solution begin;
        for (const Index j : members_)
            if (problem_.init[j] != 0.0 && moments_.norm2[j] > 0.0) {
                begin.at.push_back(place_[j]);
                begin.value.push_back(problem_.init[j]);
            }
        if (!begin.at.empty()) {
            double rr;
            source_.correlations({&begin, 1}, here_.data(), &rr);
            restore(begin, here_.data());
        }
    }
    last_ = here_;
    last_l1_ = 0.0;
    for (Index j = 0; j < p_; ++j)
        if (factor(j) > 0.0) last_l1_ = std::max(last_l1_, std::abs(here_[j]) / factor(j));
}

// The penalties of the models, led by a few stronger ones when the first model is far from the starting point 0: the
// signs of a hard model are found by following the path to it.
void PathSolver::approach() {
    const double first = problem_.l1.front();
    const bool far = first < kNear * last_l1_ && std::isfinite(last_l1_);
    if (problem_.init.empty() && !options_.random && first > 0.0 && far) {
        const Index steps = Index(std::ceil(std::log(first / last_l1_) / std::log(kStride)));
        for (Index k = 1; k < steps; ++k)
            penalties_.push_back(
                {last_l1_ * std::pow(first / last_l1_, double(k) / double(steps)), problem_.l2.front()});
    }
    lead_ = Index(penalties_.size());
    for (Index k = 0; k < problem_.l1.size(); ++k) penalties_.push_back({problem_.l1[k], problem_.l2[k]});
    n_iter_.assign(penalties_.size(), 0);
}

// Adds the features whose correlation is predicted to reach the threshold for a model from `first` to `last`.
void PathSolver::screen(Index first, Index last) {
    const double ends[2] = {penalties_[first].l1, penalties_[last].l1};
    if (ends[1] == 0.0) {
        std::vector<Index> added;
        for (Index j = 0; j < p_; ++j)
            if (place_[j] < 0) added.push_back(j);
        return join(added);
    }
    if (set_.size() == p_) return;
    Ranked wanted;
    const bool secant = !before_.empty() && before_l1_ != last_l1_;
    double step[2] = {0.0, 0.0};
    for (int e = 0; e < 2; ++e)
        if (secant) step[e] = (ends[e] - last_l1_) / (last_l1_ - before_l1_);
    for (Index j = 0; j < p_; ++j) {
        if (place_[j] >= 0 || moments_.norm2[j] == 0.0) continue;
        const double now = last_[j], slope = secant ? now - before_[j] : 0.0;
        double ratio = 0.0;
        for (int e = 0; e < 2; ++e) {
            double c = now + step[e] * slope;
            c = options_.positive ? c : std::abs(c);
            // Without a second model to extrapolate from: the strong rule, slopes at most 1 (Tibshirani et al., 2012).
            const double slack = secant ? 0.0 : std::max(0.0, last_l1_ - ends[e]);
            ratio = std::max(ratio, (c / factor(j) + slack) / ends[e]);
        }
        if (ratio >= 1.0 - kMargin) wanted.emplace_back(-ratio, j);
    }
    join_best(wanted);
}

double PathSolver::full_gap(Penalty penalty, const Solution& solution, const double* C, double rr) const {
    Gap gap(penalty, options_.positive);
    std::vector<double> dense(members_.size(), 0.0);
    for (std::size_t k = 0; k < solution.at.size(); ++k) dense[solution.at[k]] = solution.value[k];
    for (Index j = 0; j < p_; ++j) {
        const Index k = place_[j];
        gap.see(C[j], k < 0 ? 0.0 : dense[k], factor(j));
    }
    for (std::size_t k = 0; k < members_.size(); ++k)
        if (dense[k] != 0.0 || penalty.l1 * factor(members_[k]) == 0.0)
            gap.add(C[members_[k]], dense[k], factor(members_[k]), moments_.norm2[members_[k]]);
    return gap.value(rr);
}

// How far the correlation of each outside feature exceeds its threshold, relative to it; the largest over calls.
void PathSolver::missing(Penalty penalty, const double* C, std::vector<double>& excess) const {
    for (Index j = 0; j < p_; ++j) {
        if (place_[j] >= 0 || moments_.norm2[j] == 0.0) continue;
        const double c = options_.positive ? C[j] : std::abs(C[j]);
        const double ratio = c / (penalty.l1 * factor(j)) - 1.0;
        excess[j] = std::max(excess[j], ratio);
    }
}

void PathSolver::restore(const Solution& solution, const double* C) {
    std::vector<double> g(members_.size());
    for (std::size_t k = 0; k < members_.size(); ++k) g[k] = C[members_[k]];
    set_.restore(solution, std::move(g));
    if (C != here_.data()) std::copy_n(C, p_, here_.data());
}

bool PathSolver::overflows() const {
    const auto sum = [](const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); };
    return !std::isfinite(moments_.target_norm2 + sum(moments_.norm2) + sum(moments_.target_dot));
}

// Steps spent on a model; the way to the first one counts as part of it.
int PathSolver::used(Index model) const {
    return model > lead_ ? n_iter_[model] : std::accumulate(n_iter_.begin(), n_iter_.begin() + model + 1, 0);
}

// The next models, each from the one before.
void PathSolver::solve_ahead(Index batch) {
    solutions_.clear();
    for (Index b = 0; b < batch; ++b) {
        const Index model = done_ + b;
        const Penalty penalty = penalties_[model];
        // The way to the first model need not be followed closely.
        const double goal = share_ * (model < lead_ ? loose() : target_);
        const int budget = options_.max_iter - used(model);
        n_iter_[model] += by_residual_ ? set_.solve_by_residual(source_, penalty, goal, budget)
                                       : set_.solve(penalty, goal, budget, b > 0 || fresh_);
        if (b == 0) stuck_ = set_.stalled();
        solutions_.push_back(set_.snapshot());
    }
}

// One pass over X; how many of the models hold for all features. Those are written out.
Index PathSolver::certify(Index batch, const PathModels& models) {
    C_.resize(batch * p_);
    source_.correlations(solutions_, C_.data(), rr_.data());
    for (Index b = 0; b < batch; ++b) {
        const Index model = done_ + b, place = model - lead_;
        const Solution& solution = solutions_[b];
        const double gap = full_gap(penalties_[model], solution, C_.data() + b * p_, rr_[b]);
        if (place < 0) {
            // On the way: only a large gap calls for another look.
            if (gap > 10.0 * loose() && idle_ < 1 && used(model) < options_.max_iter) return b;
            idle_ = 0;
            continue;
        }
        models.gap[place] = gap;
        if (!(gap <= target_)) {
            const bool over = used(model) >= options_.max_iter || idle_ > 1 || !std::isfinite(gap);
            if (!over || b > 0) return b;
            status_ = Status::max_iter;
        }
        double* coef = models.coef.row(place);
        std::fill_n(coef, p_, 0.0);
        for (std::size_t k = 0; k < solution.at.size(); ++k) coef[members_[solution.at[k]]] = solution.value[k];
        idle_ = 0;
        share_ = kInnerShare;
    }
    return batch;
}

// The correlations of the last two of `count` certified models, from which the next ones are predicted.
void PathSolver::remember(Index count) {
    if (count == 0) return;
    if (count > 1) {
        before_.assign(C_.data() + (count - 2) * p_, C_.data() + (count - 1) * p_);
        before_l1_ = penalties_[done_ + count - 2].l1;
    } else {
        before_.swap(last_);
        before_l1_ = last_l1_;
    }
    last_.assign(C_.data() + (count - 1) * p_, C_.data() + count * p_);
    last_l1_ = penalties_[done_ + count - 1].l1;
}

// Model b of the batch was not certified: the features that were missing join, for it and the ones behind it.
void PathSolver::mend(Index b, Index batch) {
    std::vector<double> excess(p_, 0.0);
    for (Index c = b; c < batch; ++c) missing(penalties_[done_ + c - b], C_.data() + c * p_, excess);
    Ranked wanted;
    for (Index j = 0; j < p_; ++j)
        if (excess[j] > 0.0) wanted.emplace_back(-excess[j], j);
    if (!join_best(wanted) && b == 0) {
        share_ *= 0.1;
        idle_ += stuck_;
    } else {
        idle_ = 0;
    }
    for (Index c = 1; c < batch - b; ++c) n_iter_[done_ + c] = 0;
    ahead_ = std::max(batch - b, kMaxBatch / 2);
}

Status PathSolver::run(const PathModels& models) {
    std::fill(models.n_iter.begin(), models.n_iter.end(), 0);
    if (overflows()) {  // there is nothing to compute with
        for (Index k = 0; k < models.coef.rows; ++k)
            std::fill_n(models.coef.row(k), p_, std::numeric_limits<double>::quiet_NaN());
        std::fill(models.gap.begin(), models.gap.end(), std::numeric_limits<double>::infinity());
        return Status::diverged;
    }
    start();
    approach();
    // A starting point that is good enough already stays as it is.
    if (!problem_.init.empty()) share_ = 1.0;
    const Index total = Index(penalties_.size());
    while (done_ < total) {
        if (interrupt_.requested()) return Status::interrupted;
        const Index batch = std::min(ahead_, total - done_);
        screen(done_, done_ + batch - 1);
        solve_ahead(batch);
        const Index certified = certify(batch, models), at = std::min(certified, batch - 1);
        remember(certified);
        restore(solutions_[at], C_.data() + at * p_);
        done_ += certified;
        fresh_ = certified == batch;
        if (fresh_)
            ahead_ = std::min(2 * ahead_, kMaxBatch);
        else
            mend(certified, batch);
    }
    for (Index k = 0; k < total; ++k) models.n_iter[std::max<Index>(0, k - lead_)] += n_iter_[k];
    return status_;
}

}  // namespace

Status enet_path(ColumnSource& source, const PathProblem& problem, const PathOptions& options,
                 const Interrupt& interrupt, const PathModels& models) {
    return PathSolver(source, problem, options, interrupt).run(models);
}

}  // namespace statlearn::linear
