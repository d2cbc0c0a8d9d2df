#include "linear/elastic_net.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "common/parallel.hpp"
#include "common/rng.hpp"
#include "linear/columns.hpp"
#include "linear/vector_ops.hpp"

namespace statlearn::linear {
namespace {

// Empirical settings.
constexpr Index kMaxBatch = 8;        // models solved ahead of one pass over X
constexpr double kMargin = 0.025;     // a feature joins when its predicted correlation is within 5 % of the threshold
constexpr double kInnerShare = 0.25;  // share of the tolerance that the working-set problem is solved to
// The cost of a Newton step in passes: columns that join or leave the factor, times the active share of the working
// set.
constexpr double kJoinCost = 0.06, kLeaveCost = 0.2;
constexpr double kSingular = 1e-11;           // a pivot below this part of its diagonal element means dependent columns
constexpr Index kPolished = 256;              // models with at most this many coefficients are solved to rounding
constexpr double kExact = 1e-25;              // a gap that needs no further step, relative to |y|^2
constexpr double kNear = 0.5, kStride = 0.7;  // a first penalty below half the largest is approached by steps of 0.7
constexpr double kLooseGap = 1e-3;            // gap of the models on the way, relative to |y|^2
constexpr Index kGramLimit = 4096;            // the working set may always have cross-products up to this size
constexpr std::size_t kEntering = 8;          // coefficients that a Newton step may always take in
constexpr Index kSerial = 1 << 17;            // multiply-adds below which threads do not pay
constexpr Index kPanel = 16;                  // columns of the blocked Cholesky factorisation
constexpr Index kAllFeatures = 128;           // up to this many features the working set is simply all of them

struct Penalty {
    double l1, l2;
};

double soft(double t, double threshold) {
    const double size = std::abs(t) - threshold;
    return size > 0.0 ? std::copysign(size, t) : 0.0;
}

// The duality gap as a sum of terms that are never negative, so that no digits cancel:
//   gap = (1 - s)^2 / 2 (|r|^2 + l2 sum f w^2) + sum_j (l1 f |w_j| - s w_j h_j),  h = X'r - l2 f w,
// where the dual point is s r and s = min(1, min_j l1 f_j / |h_j|). A feature without an L1 penalty has no such
// constraint: with a ridge penalty its conjugate is added, without any the residual must be orthogonal to it, and the
// gap counts |x_j' r| (|w_j| + |x_j' r| / |x_j|^2).
class Gap {
public:
    Gap(Penalty penalty, bool positive) : penalty_(penalty), positive_(positive) {}

    // First pass: the largest violation.
    void see(double g, double w, double f) {
        const double limit = penalty_.l1 * f;
        if (limit <= 0.0) return;
        const double h = g - penalty_.l2 * f * w;
        const double size = positive_ ? h : std::abs(h);
        if (size * scale_ > limit) scale_ = limit / size;
    }
    // Second pass, non-zero and L1-free features only.
    void add(double g, double w, double f, double norm2) {
        const double l1 = penalty_.l1 * f, l2 = penalty_.l2 * f;
        if (l1 > 0.0) {
            ridge_ += l2 * w * w;
            sum_ += l1 * std::abs(w) - scale_ * w * (g - l2 * w);
        } else if (l2 > 0.0) {
            // With w >= 0 the conjugate only counts a positive correlation.
            const double sg = scale_ * g;
            if (positive_ && sg < 0.0)
                sum_ += 0.5 * l2 * w * w - w * sg;
            else
                sum_ += (l2 * w - sg) * (l2 * w - sg) / (2.0 * l2);
        } else if (norm2 > 0.0) {
            const double pull = positive_ ? std::max(g, 0.0) : std::abs(g);
            sum_ += scale_ * (pull * (std::abs(w) + pull / norm2) - w * g);
        }
    }
    double value(double rr) const { return 0.5 * (1.0 - scale_) * (1.0 - scale_) * (rr + ridge_) + sum_; }

private:
    Penalty penalty_;
    bool positive_;
    double scale_ = 1.0, sum_ = 0.0, ridge_ = 0.0;
};

// Cholesky factor of the cross-products of the active coefficients, kept from model to model: columns join in blocks
// and leave by rotations, so that a step along the path costs O(m^2) and not O(m^3).
class ActiveFactor {
public:
    Index size() const { return Index(order_.size()); }
    const std::vector<Index>& order() const { return order_; }  // positions in the working set
    double ridge() const { return ridge_; }
    void reset(double ridge) {
        order_.clear();
        ridge_ = ridge;
    }

    // Appends columns; at(a, b) is an element of the matrix, by positions in the working set. Returns how many joined:
    // all, or those before the first that is, to rounding, a combination of the others.
    template <class At>
    Index add(std::span<const Index> joining, At&& at) {
        const Index old = size(), m = old + Index(joining.size());
        reserve(m);
        order_.insert(order_.end(), joining.begin(), joining.end());
        product_.resize(std::size_t((m - old + kPanel) * kPanel));
        panel_.resize(std::size_t(kPanel * m));
        for (Index first = 0; first < m; first += kPanel) {
            const Index width = std::min(kPanel, m - first), top = std::max(first, old), height = m - top;
            rows_.clear();
            for (Index i = top; i < m; ++i) rows_.push_back(row(i));
            for (Index j = 0; j < width; ++j) std::copy_n(row(first + j), first, panel_.data() + j * m);
            cross_products<double>(rows_, panel_.data(), m, width, first, product_.data(), height);
            for (Index i = top; i < m; ++i) {
                double* own = row(i) + first;
                const Index here = order_[std::size_t(i)];
                for (Index j = 0; j < std::min(width, i - first + 1); ++j) {
                    const double* other = row(first + j) + first;
                    const double element = at(here, order_[std::size_t(first + j)]);
                    double value = element - product_[std::size_t(j * height + i - top)];
                    for (Index k = 0; k < j; ++k) value -= own[k] * other[k];
                    if (first + j < i) {
                        own[j] = value / other[j];
                    } else if (value > kSingular * element) {
                        own[j] = std::sqrt(value);
                    } else {
                        order_.resize(std::size_t(i));
                        return i - old;
                    }
                }
            }
        }
        return m - old;
    }

    // Deletes the column at a place of the order; rotations restore the triangle: the entries of the rows below are
    // rotated from `place` on, the last one into the diagonal. Each row is a chain of dependent operations: four go
    // side by side.
    void remove(Index place) {
        const Index m = size();
        order_.erase(order_.begin() + place);
        // The rows stay where they are; the one that is free now goes behind the others.
        std::rotate(slot_.begin() + place, slot_.begin() + place + 1, slot_.begin() + m);
        cosine_.resize(std::size_t(m));
        sine_.resize(std::size_t(m));
        Index i = place;
        for (; i + 4 < m; i += 4) {
            double* at[4] = {row(i), row(i + 1), row(i + 2), row(i + 3)};
            double carry[4];
            for (int r = 0; r < 4; ++r) carry[r] = at[r][place];
            for (Index j = place; j < i; ++j) {
                const double c = cosine_[std::size_t(j)], t = sine_[std::size_t(j)];
                for (int r = 0; r < 4; ++r) {
                    const double next = at[r][j + 1];
                    at[r][j] = c * carry[r] + t * next;
                    carry[r] = c * next - t * carry[r];
                }
            }
            for (int r = 0; r < 4; ++r) rotate_row(at[r], i, i + r, carry[r]);
        }
        for (; i + 1 < m; ++i) rotate_row(row(i), place, i, row(i)[place]);
    }

    void solve(std::span<double> b) const {
        const Index m = size();
        for (Index i = 0; i < m; ++i) b[std::size_t(i)] = (b[std::size_t(i)] - dot(row(i), b.data(), i)) / row(i)[i];
        for (Index i = m - 1; i >= 0; --i) {
            const double* own = row(i);
            const double value = b[std::size_t(i)] /= own[i];
            for (Index k = 0; k < i; ++k) b[std::size_t(k)] -= own[k] * value;
        }
    }

private:
    // Applies the rotations from `first` on to row i, which has one entry too many, and makes the last one.
    void rotate_row(double* own, Index first, Index i, double carry) {
        for (Index j = first; j < i; ++j) {
            const double c = cosine_[std::size_t(j)], t = sine_[std::size_t(j)], next = own[j + 1];
            own[j] = c * carry + t * next;
            carry = c * next - t * carry;
        }
        const double last = own[i + 1], length = std::hypot(carry, last);
        cosine_[std::size_t(i)] = carry / length;
        sine_[std::size_t(i)] = last / length;
        own[i] = length;
    }
    double* row(Index i) { return L_.data() + slot_[std::size_t(i)] * ld_; }
    const double* row(Index i) const { return L_.data() + slot_[std::size_t(i)] * ld_; }
    void reserve(Index m) {
        if (m <= ld_) return;
        const Index ld = std::max<Index>(64, m + m / 2);
        std::vector<double> L(std::size_t(ld * ld));
        for (Index i = 0; i < size(); ++i) std::copy_n(row(i), i + 1, L.data() + i * ld);
        L_.swap(L);
        ld_ = ld;
        slot_.resize(std::size_t(ld));
        std::iota(slot_.begin(), slot_.end(), Index(0));
    }

    std::vector<Index> order_, slot_;  // the columns, and where the row of each is stored
    std::vector<double> L_, product_, panel_, cosine_, sine_;
    std::vector<const double*> rows_;
    Index ld_ = 0;
    double ridge_ = 0.0;
};

template <class Source>
class PathSolver {
public:
    PathSolver(Source& source, const PathProblem& problem, const PathOptions& options, const Interrupt& interrupt)
        : source_(source),
          moments_(source.moments()),
          problem_(problem),
          options_(options),
          interrupt_(interrupt),
          rng_(options.seed, 0),
          p_(source.features()),
          place_(std::size_t(p_), -1) {}

    Status run(const PathModels& models);

private:
    double factor(Index j) const { return problem_.factor.empty() ? 1.0 : problem_.factor[std::size_t(j)]; }
    Index size() const { return Index(members_.size()); }

    void start();
    Index approach();
    void screen(Index first, Index last);
    void join(std::vector<Index>& added);
    int solve(Penalty penalty, double target, int budget);
    int solve_by_correlations(Penalty penalty, double target, int budget);
    int solve_by_residual(Penalty penalty, double target, int budget);
    double coordinate(std::size_t k, double pull, Penalty penalty) const;
    void move(std::size_t k, double value);
    void moved(const std::vector<Index>& places, const std::vector<double>& steps);
    bool newton(Penalty penalty, bool enter);
    template <class At>
    bool enter_dependent(Index k, Penalty penalty, At&& at);
    bool violates(std::size_t k, Penalty penalty) const;
    void sweep(Penalty penalty);
    double objective(Penalty penalty) const;
    double working_gap(Penalty penalty) const;
    double full_gap(Penalty penalty, const Solution& solution, const double* C, double rr) const;
    void missing(Penalty penalty, const double* C, std::vector<double>& excess) const;
    Solution snapshot() const;
    void restore(const Solution& solution, const double* C);

    Source& source_;
    const Moments& moments_;
    const PathProblem& problem_;
    const PathOptions& options_;
    const Interrupt& interrupt_;
    Rng rng_;
    Index p_;

    std::vector<Penalty> penalties_;  // of the leading models and the wanted ones

    // The working set: members, and where each feature stands in it (-1: outside).
    std::vector<Index> members_, place_;
    std::vector<double> w_, g_, norm2_, factor_, target_dot_;  // coefficient, correlation, ... of each member
    std::vector<double> G_;                                    // their cross-products
    Index ld_ = 0;
    bool by_residual_ = false;  // too many members for cross-products: update the residual instead

    // Correlations of all features at the current point and at the last two certified models.
    std::vector<double> here_, last_, before_;
    double last_l1_ = 0.0, before_l1_ = 0.0;
    ActiveFactor active_;
    std::vector<char> wanted_;
    std::vector<double> old_w_;
    bool along_path_ = false;  // the current point solves the model before
    bool settled_ = false;     // the last pass changed no sign
    bool stalled_ = false;     // the last pass changed nothing
};

template <class Source>
void PathSolver<Source>::join(std::vector<Index>& added) {
    if (added.empty()) return;
    std::sort(added.begin(), added.end());
    const Index old = size(), grown = old + Index(added.size());
    for (const Index j : added) {
        place_[std::size_t(j)] = size();
        members_.push_back(j);
        w_.push_back(0.0);
        g_.push_back(here_[std::size_t(j)]);
        norm2_.push_back(moments_.norm2[std::size_t(j)]);
        factor_.push_back(factor(j));
        target_dot_.push_back(moments_.target_dot[std::size_t(j)]);
    }
    const auto active = old - std::count(w_.begin(), w_.end(), 0.0) + Index(added.size());
    if (!by_residual_ && !std::is_same_v<Source, GramColumns> &&
        std::min<Index>(2 * active, grown) > std::max(source_.step_cost(), kGramLimit)) {
        by_residual_ = true;
        G_.clear();
        G_.shrink_to_fit();
    }
    if (by_residual_) {
        source_.extend(added, nullptr, 0);
        return;
    }
    if (grown > ld_) {
        const Index ld = std::min(p_, std::max<Index>(64, grown + grown / 2)) / 8 * 8 + 8;
        std::vector<double> G(std::size_t(ld * ld));
        for (Index k = 0; k < old; ++k) std::copy_n(G_.data() + k * ld_, old, G.data() + k * ld);
        G_.swap(G);
        ld_ = ld;
    }
    source_.extend(added, G_.data(), ld_);
}

// The starting point, and its correlations.
template <class Source>
void PathSolver<Source>::start() {
    here_ = moments_.target_dot;
    std::vector<Index> added;
    for (Index j = 0; j < p_; ++j) {
        const bool started = !problem_.init.empty() && problem_.init[std::size_t(j)] != 0.0;
        if (started || factor(j) == 0.0 || p_ <= kAllFeatures) added.push_back(j);
    }
    join(added);
    if (!problem_.init.empty()) {
        Solution begin;
        for (const Index j : members_)
            if (problem_.init[std::size_t(j)] != 0.0 && moments_.norm2[std::size_t(j)] > 0.0) {
                begin.at.push_back(place_[std::size_t(j)]);
                begin.value.push_back(problem_.init[std::size_t(j)]);
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
        if (factor(j) > 0.0) last_l1_ = std::max(last_l1_, std::abs(here_[std::size_t(j)]) / factor(j));
}

// Adds the features whose correlation is predicted to reach the threshold for a model from `first` to `last`.
template <class Source>
void PathSolver<Source>::screen(Index first, Index last) {
    std::vector<Index> added;
    std::vector<std::pair<double, Index>> wanted;
    const double ends[2] = {penalties_[std::size_t(first)].l1, penalties_[std::size_t(last)].l1};
    if (ends[1] == 0.0) {
        for (Index j = 0; j < p_; ++j)
            if (place_[std::size_t(j)] < 0) added.push_back(j);
        return join(added);
    }
    if (size() == p_) return;
    const bool secant = !before_.empty() && before_l1_ != last_l1_;
    double step[2] = {0.0, 0.0};
    for (int e = 0; e < 2; ++e)
        if (secant) step[e] = (ends[e] - last_l1_) / (last_l1_ - before_l1_);
    for (Index j = 0; j < p_; ++j) {
        if (place_[std::size_t(j)] >= 0 || moments_.norm2[std::size_t(j)] == 0.0) continue;
        const double now = last_[std::size_t(j)], slope = secant ? now - before_[std::size_t(j)] : 0.0;
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
    const auto cap = std::size_t(std::max<Index>(64, size()));
    if (wanted.size() > cap) {
        std::nth_element(wanted.begin(), wanted.begin() + Index(cap), wanted.end());
        wanted.resize(cap);
    }
    for (const auto& [ratio, j] : wanted) added.push_back(j);
    join(added);
}

// The minimiser over one coordinate, given its partial correlation x_k' (r + x_k w_k).
template <class Source>
double PathSolver<Source>::coordinate(std::size_t k, double pull, Penalty penalty) const {
    const double denominator = norm2_[k] + penalty.l2 * factor_[k];
    if (norm2_[k] == 0.0 || (options_.positive && pull <= 0.0)) return 0.0;
    return soft(pull, penalty.l1 * factor_[k]) / denominator;
}

template <class Source>
void PathSolver<Source>::move(std::size_t k, double value) {
    const double step = value - w_[k];
    w_[k] = value;
    const double* column = G_.data() + Index(k) * ld_;
    double* g = g_.data();
    const Index m = size();
    for (Index i = 0; i < m; ++i) g[i] -= step * column[i];
}

// The correlations after several coefficients have moved.
template <class Source>
void PathSolver<Source>::moved(const std::vector<Index>& places, const std::vector<double>& steps) {
    const Index m = size(), count = Index(places.size());
    std::vector<const double*> columns(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) columns[i] = G_.data() + places[i] * ld_;
    const Blocks blocks(m, m * count < kSerial ? m : std::max<Index>(128, m / 4));
    parallel_for(blocks.count(), [&](Index block) {
        const Index begin = blocks.begin(block);
        subtract_columns(columns.data(), steps.data(), count, begin, blocks.end(block) - begin, g_.data() + begin);
    });
}

template <class Source>
double PathSolver<Source>::working_gap(Penalty penalty) const {
    Gap gap(penalty, options_.positive);
    double rr = moments_.target_norm2;
    const std::size_t m = members_.size();
    for (std::size_t k = 0; k < m; ++k) {
        gap.see(g_[k], w_[k], factor_[k]);
        rr -= w_[k] * (target_dot_[k] + g_[k]);
    }
    for (std::size_t k = 0; k < m; ++k)
        if (w_[k] != 0.0 || penalty.l1 * factor_[k] == 0.0) gap.add(g_[k], w_[k], factor_[k], norm2_[k]);
    return gap.value(std::max(rr, 0.0));
}

template <class Source>
double PathSolver<Source>::full_gap(Penalty penalty, const Solution& solution, const double* C, double rr) const {
    Gap gap(penalty, options_.positive);
    std::vector<double> dense(members_.size(), 0.0);
    for (std::size_t k = 0; k < solution.at.size(); ++k) dense[std::size_t(solution.at[k])] = solution.value[k];
    for (Index j = 0; j < p_; ++j) {
        const Index k = place_[std::size_t(j)];
        gap.see(C[j], k < 0 ? 0.0 : dense[std::size_t(k)], factor(j));
    }
    for (std::size_t k = 0; k < members_.size(); ++k)
        if (dense[k] != 0.0 || penalty.l1 * factor_[k] == 0.0) gap.add(C[members_[k]], dense[k], factor_[k], norm2_[k]);
    return gap.value(rr);
}

// How far the correlation of each outside feature exceeds its threshold, relative to it; the largest over calls.
template <class Source>
void PathSolver<Source>::missing(Penalty penalty, const double* C, std::vector<double>& excess) const {
    for (Index j = 0; j < p_; ++j) {
        if (place_[std::size_t(j)] >= 0 || moments_.norm2[std::size_t(j)] == 0.0) continue;
        const double c = options_.positive ? C[j] : std::abs(C[j]);
        const double ratio = c / (penalty.l1 * factor(j)) - 1.0;
        excess[std::size_t(j)] = std::max(excess[std::size_t(j)], ratio);
    }
}

template <class Source>
Solution PathSolver<Source>::snapshot() const {
    Solution solution;
    for (std::size_t k = 0; k < w_.size(); ++k)
        if (w_[k] != 0.0) {
            solution.at.push_back(Index(k));
            solution.value.push_back(w_[k]);
        }
    return solution;
}

template <class Source>
void PathSolver<Source>::restore(const Solution& solution, const double* C) {
    std::fill(w_.begin(), w_.end(), 0.0);
    for (std::size_t k = 0; k < solution.at.size(); ++k) w_[std::size_t(solution.at[k])] = solution.value[k];
    for (std::size_t k = 0; k < members_.size(); ++k) g_[k] = C[members_[k]];
    if (C != here_.data()) std::copy_n(C, p_, here_.data());
}

template <class Source>
double PathSolver<Source>::objective(Penalty penalty) const {
    double value = 0.0;
    for (std::size_t k = 0; k < w_.size(); ++k)
        if (w_[k] != 0.0)
            value += factor_[k] * (penalty.l1 * std::abs(w_[k]) + 0.5 * penalty.l2 * w_[k] * w_[k]) -
                     0.5 * w_[k] * (target_dot_[k] + g_[k]);
    return value;  // up to |y|^2 / 2
}

// A step to the exact minimiser for the non-zero coefficients, and with `enter` the ones that must leave zero, their
// signs held. Coefficients that would change sign are set to zero; should that raise the objective, a shorter step is
// taken, in the end the one to the first sign change, which cannot. False if the active columns are linearly dependent
// or no step helps.
template <class Source>
bool PathSolver<Source>::newton(Penalty penalty, bool enter) {
    const std::size_t m = w_.size();
    if (active_.ridge() != penalty.l2) active_.reset(penalty.l2);
    // Bring the factor to the present set.
    wanted_.assign(m, 0);
    std::size_t nonzero = 0;
    std::vector<std::pair<double, std::size_t>> entering;
    for (std::size_t k = 0; k < m; ++k) {
        if (norm2_[k] == 0.0) continue;
        wanted_[k] = w_[k] != 0.0;
        nonzero += w_[k] != 0.0;
        if (enter && violates(k, penalty)) entering.emplace_back(penalty.l1 * factor_[k] / std::abs(g_[k]), k);
    }
    // Few at a time, the worst first: most of many violations go away when the worst are mended.
    const std::size_t room = std::max(kEntering, nonzero / 16);
    if (entering.size() > room) {
        std::nth_element(entering.begin(), entering.begin() + Index(room), entering.end());
        entering.resize(room);
    }
    for (const auto& [ratio, k] : entering) wanted_[k] = 1;
    for (Index place = active_.size() - 1; place >= 0; --place) {
        const auto k = std::size_t(active_.order()[std::size_t(place)]);
        if (wanted_[k])
            wanted_[k] = 0;
        else
            active_.remove(place);
    }
    std::vector<Index> joining;
    for (std::size_t k = 0; k < m; ++k)
        if (wanted_[k]) joining.push_back(Index(k));
    const auto at = [&](Index a, Index b) {
        const double value = G_[std::size_t(a * ld_ + b)];
        return a == b ? value + penalty.l2 * factor_[std::size_t(a)] : value;
    };
    for (std::span<const Index> rest = joining; !rest.empty();) {
        rest = rest.subspan(std::size_t(active_.add(rest, at)));
        if (rest.empty()) break;
        if (!enter_dependent(rest.front(), penalty, at)) return false;
        rest = rest.subspan(1);
    }

    const auto& order = active_.order();
    std::vector<double> step, sign;
    const auto direction = [&] {
        step.resize(order.size());
        sign.resize(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) {
            const auto k = std::size_t(order[i]);
            sign[i] = std::copysign(1.0, w_[k] != 0.0 ? w_[k] : g_[k]);
            step[i] = g_[k] - factor_[k] * (penalty.l2 * w_[k] + penalty.l1 * sign[i]);
        }
        active_.solve(step);
    };
    const auto free = [&](std::size_t k) { return penalty.l1 * factor_[k] == 0.0 && !options_.positive; };
    direction();
    // A coefficient that enters must move away from zero on its own side; jointly some would not.
    for (bool again = enter; again;) {
        again = false;
        for (Index i = active_.size() - 1; i >= 0; --i) {
            const auto k = std::size_t(order[std::size_t(i)]);
            if (w_[k] == 0.0 && !free(k) && step[std::size_t(i)] * sign[std::size_t(i)] < 0.0) {
                active_.remove(i);
                again = true;
            }
        }
        if (again) direction();
    }
    double first = 1.0;
    bool crossed = false;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto k = std::size_t(order[i]);
        if (free(k) || (w_[k] + step[i]) * sign[i] >= 0.0) continue;
        crossed = true;
        first = std::min(first, -w_[k] / step[i]);
    }
    old_w_ = w_;
    std::vector<double> change(order.size());
    const auto go = [&](double part) {
        for (std::size_t i = 0; i < order.size(); ++i) {
            const auto k = std::size_t(order[i]);
            double to = old_w_[k] + part * step[i];
            if (!free(k) && to * sign[i] < 0.0) to = 0.0;
            change[i] = to - w_[k];
            w_[k] = to;
        }
        moved(order, change);
    };
    if (!crossed) {
        go(1.0);
        return true;
    }
    const double before = objective(penalty);
    for (double part = 1.0; part > first; part *= 0.5) {
        go(part);
        if (objective(penalty) < before) return true;
    }
    go(first);
    return true;
}

// Puts one column into the factor, though the columns there may span it already. Then the fit does not change along
// w_k + t, w_active - t G^-1 g_k: t goes in the direction that lowers the penalty, until a coefficient reaches zero and
// leaves (or k itself does). False if that cannot be decided, because a ridge penalty should have prevented it.
template <class Source>
template <class At>
bool PathSolver<Source>::enter_dependent(Index k, Penalty penalty, At&& at) {
    const Index one[1] = {k};
    const auto place = std::size_t(k);
    while (active_.add(one, at) == 0) {
        if (penalty.l2 > 0.0) return false;
        const auto& order = active_.order();
        std::vector<double> along(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) along[i] = -at(k, order[i]);
        active_.solve(along);
        const double own = std::copysign(1.0, w_[place] != 0.0 ? w_[place] : g_[place]);
        double slope = factor_[place] * own;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const auto other = std::size_t(order[i]);
            slope += factor_[other] * std::copysign(along[i], along[i] * (w_[other] != 0.0 ? w_[other] : g_[other]));
        }
        const double way = slope > 0.0 ? -1.0 : 1.0;
        if (w_[place] == 0.0 && way * own < 0.0) return true;  // better left out
        double length = w_[place] * way < 0.0 && factor_[place] > 0.0 ? std::abs(w_[place])
                                                                      : std::numeric_limits<double>::infinity();
        Index blocking = -1;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const auto other = std::size_t(order[i]);
            // One that enters too, and would go to its wrong side, blocks at once.
            const double side = w_[other] != 0.0 ? w_[other] : g_[other];
            if (factor_[other] == 0.0 || side * along[i] * way >= 0.0) continue;
            if (std::abs(w_[other] / along[i]) < length) {
                length = std::abs(w_[other] / along[i]);
                blocking = Index(i);
            }
        }
        if (!std::isfinite(length)) return true;  // unpenalised columns: it stays as it is
        const double t = way * length;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const auto other = std::size_t(order[i]);
            const double to = Index(i) == blocking ? 0.0 : w_[other] + t * along[i];
            along[i] = to - w_[other];
            w_[other] = to;
        }
        moved(order, along);
        if (blocking < 0) {
            move(place, 0.0);
            return true;
        }
        move(place, w_[place] + t);
        active_.remove(blocking);
    }
    return true;
}

template <class Source>
bool PathSolver<Source>::violates(std::size_t k, Penalty penalty) const {
    const double g = options_.positive ? g_[k] : std::abs(g_[k]);
    return w_[k] == 0.0 && g > penalty.l1 * factor_[k] * (1.0 + 1e-12);
}

template <class Source>
void PathSolver<Source>::sweep(Penalty penalty) {
    const std::size_t m = members_.size();
    stalled_ = !options_.random;
    settled_ = true;
    for (std::size_t step = 0; step < m; ++step) {
        const std::size_t k = options_.random ? rng_.below(std::uint32_t(m)) : step;
        const double old = w_[k];
        if (old == 0.0 && std::abs(g_[k]) <= penalty.l1 * factor_[k]) continue;
        const double value = coordinate(k, g_[k] + norm2_[k] * old, penalty);
        if (value == old) continue;
        settled_ &= (value > 0.0) == (old > 0.0) && (value < 0.0) == (old < 0.0);
        stalled_ = false;
        move(k, value);
    }
}

template <class Source>
int PathSolver<Source>::solve_by_correlations(Penalty penalty, double target, int budget) {
    const std::size_t m = members_.size();
    int sweeps = 0;
    double since = 0.0;
    bool newton_ok = !options_.random, continued = !along_path_;
    int poor = 0, polish = 0;
    double last_gap = std::numeric_limits<double>::infinity();
    stalled_ = false;
    while (sweeps < budget) {
        const double gap = working_gap(penalty);
        if (interrupt_.requested()) break;
        // Along a path every model gets a step, even where its predecessor would do: predictions follow the path. And a
        // small model is taken to the last digit, since that costs next to nothing.
        if (gap <= target && (continued || gap <= 1e-3 * target)) {
            const bool exact = gap <= kExact * moments_.target_norm2 || !newton_ok || (sweeps == 0 && !along_path_);
            const auto nonzero = Index(m) - std::count(w_.begin(), w_.end(), 0.0);
            if (exact || nonzero > kPolished || ++polish > 4 || gap > 0.5 * last_gap) break;
            newton_ok = newton(penalty, true);
            last_gap = gap;
            ++sweeps;
            continue;
        }
        // A Newton step pays when few coefficients have to enter, and when its cost, counted in passes, has been spent
        // on passes that did not do.
        Index active = 0, entering = 0, kept = 0;
        for (std::size_t k = 0; k < m; ++k) {
            active += w_[k] != 0.0;
            entering += violates(k, penalty);
        }
        for (const Index k : active_.order()) kept += w_[std::size_t(k)] != 0.0;
        // The first step along a path only follows the tangent.
        const bool current = active_.ridge() == penalty.l2;
        const bool tangent = !continued && current && kept == active && active_.size() == active && active > 0;
        continued = true;
        const double joining = double(active + entering - (current ? kept : 0));
        const double leaving = current ? double(active_.size() - kept) : 0.0;
        const double wait = (joining * kJoinCost + leaving * kLeaveCost) * double(active) / double(m + 1);
        const bool follows = 2 * kept > active;
        const bool near = follows || (settled_ && entering <= std::max<Index>(4, active / 4));
        if (newton_ok && active + entering > 0 && (tangent || (near && (since >= wait || (current && follows))))) {
            const double before = objective(penalty);
            newton_ok = newton(penalty, !tangent);
            // Its steps lower the objective until the signs are right; when they no longer do, passes take over.
            if (!tangent && !(objective(penalty) < before) && ++poor > 1) newton_ok = false;
            since = 0.0;
            ++sweeps;
            continue;
        }
        sweep(penalty);
        ++sweeps;
        since += 1.0;
        if (since > 10.0) {
            newton_ok = !options_.random;
            poor = 0;
        }
        if (stalled_) break;
    }
    return sweeps;
}

template <class Source>
int PathSolver<Source>::solve_by_residual(Penalty penalty, double target, int budget) {
    int sweeps = 0;
    source_.start(snapshot());
    std::vector<std::size_t> list;
    stalled_ = false;
    while (true) {
        for (std::size_t k = 0; k < members_.size(); ++k) g_[k] = source_.dot(Index(k));
        if (sweeps >= budget || working_gap(penalty) <= target || stalled_) break;
        list.clear();
        for (std::size_t k = 0; k < members_.size(); ++k)
            if (w_[k] != 0.0 || std::abs(g_[k]) > penalty.l1 * factor_[k]) list.push_back(k);
        if (list.empty()) break;
        // Each pass lowers the objective by at least half the sum of |x_k|^2 step^2: go on until that is small.
        for (int pass = 0; pass < 10 && sweeps < budget; ++pass) {
            if (interrupt_.requested()) return sweeps;
            double decrease = 0.0;
            for (std::size_t step = 0; step < list.size(); ++step) {
                const std::size_t k = list[options_.random ? rng_.below(std::uint32_t(list.size())) : step];
                const double value = coordinate(k, source_.dot(Index(k)) + norm2_[k] * w_[k], penalty);
                const double moved = value - w_[k];
                if (moved == 0.0) continue;
                source_.subtract(Index(k), moved);
                decrease += (norm2_[k] + penalty.l2 * factor_[k]) * moved * moved;
                w_[k] = value;
            }
            ++sweeps;
            stalled_ = decrease == 0.0 && !options_.random;
            if (decrease <= 0.1 * target) break;
        }
    }
    return sweeps;
}

template <class Source>
int PathSolver<Source>::solve(Penalty penalty, double target, int budget) {
    return by_residual_ ? solve_by_residual(penalty, target, budget) : solve_by_correlations(penalty, target, budget);
}

template <class Source>
Status PathSolver<Source>::run(const PathModels& models) {
    const Index K = Index(problem_.l1.size());
    const auto sum = [](const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); };
    std::fill(models.n_iter.begin(), models.n_iter.end(), 0);
    if (!std::isfinite(moments_.target_norm2 + sum(moments_.norm2) + sum(moments_.target_dot))) {
        // The squares overflow: there is nothing to compute with.
        for (Index k = 0; k < K; ++k) std::fill_n(models.coef.row(k), p_, std::numeric_limits<double>::quiet_NaN());
        std::fill(models.gap.begin(), models.gap.end(), std::numeric_limits<double>::infinity());
        return Status::diverged;
    }
    start();
    const Index lead = approach();
    const Index total = Index(penalties_.size());
    const double target = options_.tol * moments_.target_norm2;
    Status status = Status::ok;
    // A starting point that is good enough already stays as it is.
    double share = problem_.init.empty() ? kInnerShare : 1.0;
    std::vector<Solution> solutions;
    std::vector<double> C, rr(kMaxBatch), excess;
    std::vector<Index> added;
    std::vector<int> n_iter(static_cast<std::size_t>(total), 0);
    Index done = 0, ahead = kMaxBatch / 2;
    bool fresh = false;  // the next model has not been tried yet, and the one before is solved
    int idle = 0;        // verifications in a row that found nothing to add
    // The way to the first model counts as part of it, and need not be followed closely.
    const auto used = [&](Index model) {
        return model > lead ? n_iter[std::size_t(model)]
                            : std::accumulate(n_iter.begin(), n_iter.begin() + model + 1, 0);
    };
    while (done < total) {
        if (interrupt_.requested()) return Status::interrupted;
        const Index batch = std::min(ahead, total - done);
        screen(done, done + batch - 1);
        solutions.clear();
        bool stuck = false;
        for (Index b = 0; b < batch; ++b) {
            const auto model = std::size_t(done + b);
            const double limit = Index(model) < lead ? std::max(target, kLooseGap * moments_.target_norm2) : target;
            along_path_ = b > 0 || fresh;
            n_iter[model] += solve(penalties_[model], share * limit, options_.max_iter - used(done + b));
            if (b == 0) stuck = stalled_;
            solutions.push_back(snapshot());
        }
        C.resize(std::size_t(batch * p_));
        source_.correlations(solutions, C.data(), rr.data());
        Index b = 0;
        for (; b < batch; ++b) {
            const Index model = done + b, place = model - lead;
            const auto& solution = solutions[std::size_t(b)];
            const double gap =
                full_gap(penalties_[std::size_t(model)], solution, C.data() + b * p_, rr[std::size_t(b)]);
            if (place < 0) {
                // On the way: only a large gap calls for another look.
                const bool fine = gap <= 10.0 * std::max(target, kLooseGap * moments_.target_norm2);
                if (!fine && idle < 1 && used(model) < options_.max_iter) break;
                idle = 0;
                continue;
            }
            models.gap[std::size_t(place)] = gap;
            if (!(gap <= target)) {
                const bool over = used(model) >= options_.max_iter || idle > 1 || !std::isfinite(gap);
                if (!over || b > 0) break;
                status = Status::max_iter;
            }
            double* coef = models.coef.row(place);
            std::fill_n(coef, p_, 0.0);
            for (std::size_t k = 0; k < solution.at.size(); ++k)
                coef[members_[std::size_t(solution.at[k])]] = solution.value[k];
            idle = 0;
            share = kInnerShare;
        }
        if (b > 0) {
            if (b > 1) {
                before_.assign(C.data() + (b - 2) * p_, C.data() + (b - 1) * p_);
                before_l1_ = penalties_[std::size_t(done + b - 2)].l1;
            } else {
                before_.swap(last_);
                before_l1_ = last_l1_;
            }
            last_.assign(C.data() + (b - 1) * p_, C.data() + b * p_);
            last_l1_ = penalties_[std::size_t(done + b - 1)].l1;
        }
        const Index at = std::min(b, batch - 1);
        restore(solutions[std::size_t(at)], C.data() + at * p_);
        done += b;
        fresh = b == batch;
        if (b == batch) {
            ahead = std::min(2 * ahead, kMaxBatch);
            continue;
        }
        // Not certified: the features that were missing join, for this model and the ones behind it.
        excess.assign(std::size_t(p_), 0.0);
        for (Index c = b; c < batch; ++c) missing(penalties_[std::size_t(done + c - b)], C.data() + c * p_, excess);
        std::vector<std::pair<double, Index>> wanted;
        for (Index j = 0; j < p_; ++j)
            if (excess[std::size_t(j)] > 0.0) wanted.emplace_back(-excess[std::size_t(j)], j);
        const auto cap = std::size_t(std::max<Index>(64, size()));
        if (wanted.size() > cap) {
            std::nth_element(wanted.begin(), wanted.begin() + Index(cap), wanted.end());
            wanted.resize(cap);
        }
        added.clear();
        for (const auto& [ratio, j] : wanted) added.push_back(j);
        if (added.empty() && b == 0) {
            share *= 0.1;
            idle += stuck;
        } else {
            idle = 0;
        }
        join(added);
        for (Index c = 1; c < batch - b; ++c) n_iter[std::size_t(done + c)] = 0;
        ahead = std::max(batch - b, kMaxBatch / 2);
    }
    for (Index k = 0; k < total; ++k)
        models.n_iter[std::size_t(std::max<Index>(0, k - lead))] += n_iter[std::size_t(k)];
    return status;
}

// The penalties of the models, led by a few stronger ones when the first model is far from the starting point 0: the
// signs of a hard model are found by following the path to it. Returns the number of leading models.
template <class Source>
Index PathSolver<Source>::approach() {
    penalties_.clear();
    const double first = problem_.l1.front();
    if (problem_.init.empty() && !options_.random && first > 0.0 && first < kNear * last_l1_) {
        const Index steps = Index(std::ceil(std::log(first / last_l1_) / std::log(kStride)));
        for (Index k = 1; k < steps; ++k)
            penalties_.push_back(
                {last_l1_ * std::pow(first / last_l1_, double(k) / double(steps)), problem_.l2.front()});
    }
    const Index lead = Index(penalties_.size());
    for (std::size_t k = 0; k < problem_.l1.size(); ++k) penalties_.push_back({problem_.l1[k], problem_.l2[k]});
    return lead;
}

}  // namespace

template <class Source>
Status enet_path(Source& source, const PathProblem& problem, const PathOptions& options, const Interrupt& interrupt,
                 const PathModels& models) {
    return PathSolver<Source>(source, problem, options, interrupt).run(models);
}

template Status enet_path(DenseColumns<double>&, const PathProblem&, const PathOptions&, const Interrupt&,
                          const PathModels&);
template Status enet_path(DenseColumns<float>&, const PathProblem&, const PathOptions&, const Interrupt&,
                          const PathModels&);
template Status enet_path(SparseColumns<double>&, const PathProblem&, const PathOptions&, const Interrupt&,
                          const PathModels&);
template Status enet_path(SparseColumns<float>&, const PathProblem&, const PathOptions&, const Interrupt&,
                          const PathModels&);
template Status enet_path(GramColumns&, const PathProblem&, const PathOptions&, const Interrupt&, const PathModels&);

}  // namespace statlearn::linear
