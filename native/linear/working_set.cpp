#include "linear/working_set.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "common/parallel.hpp"
#include "common/vector.hpp"

namespace statlearn::linear {
namespace {

// Empirical settings.
// The cost of a Newton step in passes: columns that join or leave the factor, times the active share of the working
// set.
constexpr double kJoinCost = 0.06, kLeaveCost = 0.2;
constexpr Index kPolished = 256;      // models with at most this many coefficients are solved to rounding
constexpr double kExact = 1e-25;      // a gap that needs no further step, relative to |y|^2
constexpr std::size_t kEntering = 8;  // coefficients that a Newton step may always take in
constexpr Index kSerial = 1 << 17;    // multiply-adds below which threads do not pay

}  // namespace

Index WorkingSet::nonzero() const { return size() - std::count(w_.begin(), w_.end(), 0.0); }

void WorkingSet::append(double correlation, double norm2, double factor, double target_dot) {
    w_.push_back(0.0);
    g_.push_back(correlation);
    norm2_.push_back(norm2);
    factor_.push_back(factor);
    target_dot_.push_back(target_dot);
}

double* WorkingSet::products(Index size, Index limit) {
    if (size > ld_) {
        const Index ld = std::min(limit, std::max<Index>(64, size + size / 2)) / 8 * 8 + 8;
        std::vector<double> G(ld * ld);
        for (Index k = 0; k < ld_; ++k) std::copy_n(G_.data() + k * ld_, ld_, G.data() + k * ld);
        G_.swap(G);
        ld_ = ld;
    }
    return G_.data();
}

void WorkingSet::drop_products() {
    G_.clear();
    G_.shrink_to_fit();
}

Solution WorkingSet::snapshot() const {
    Solution solution;
    for (std::size_t k = 0; k < w_.size(); ++k)
        if (w_[k] != 0.0) {
            solution.at.push_back(Index(k));
            solution.value.push_back(w_[k]);
        }
    return solution;
}

void WorkingSet::restore(const Solution& solution, std::vector<double> g) {
    std::fill(w_.begin(), w_.end(), 0.0);
    for (std::size_t k = 0; k < solution.at.size(); ++k) w_[solution.at[k]] = solution.value[k];
    g_ = std::move(g);
}

double WorkingSet::gap(Penalty penalty) const {
    Gap sum(penalty, options_.positive);
    double rr = target_norm2_;
    const std::size_t m = w_.size();
    for (std::size_t k = 0; k < m; ++k) {
        sum.see(g_[k], w_[k], factor_[k]);
        rr -= w_[k] * (target_dot_[k] + g_[k]);
    }
    for (std::size_t k = 0; k < m; ++k)
        if (w_[k] != 0.0 || penalty.l1 * factor_[k] == 0.0) sum.add(g_[k], w_[k], factor_[k], norm2_[k]);
    return sum.value(std::max(rr, 0.0));
}

double WorkingSet::objective(Penalty penalty) const {
    double value = 0.0;
    for (std::size_t k = 0; k < w_.size(); ++k)
        if (w_[k] != 0.0)
            value += factor_[k] * (penalty.l1 * std::abs(w_[k]) + 0.5 * penalty.l2 * w_[k] * w_[k]) -
                     0.5 * w_[k] * (target_dot_[k] + g_[k]);
    return value;  // up to |y|^2 / 2
}

// The minimiser over one coordinate, given its partial correlation x_k' (r + x_k w_k).
double WorkingSet::coordinate(std::size_t k, double pull, Penalty penalty) const {
    const double denominator = norm2_[k] + penalty.l2 * factor_[k];
    if (norm2_[k] == 0.0 || (options_.positive && pull <= 0.0)) return 0.0;
    return soft_threshold(pull, penalty.l1 * factor_[k]) / denominator;
}

bool WorkingSet::violates(std::size_t k, Penalty penalty) const {
    const double g = options_.positive ? g_[k] : std::abs(g_[k]);
    return w_[k] == 0.0 && g > penalty.l1 * factor_[k] * (1.0 + 1e-12);
}

void WorkingSet::move(std::size_t k, double value) {
    const double step = value - w_[k];
    w_[k] = value;
    const double* column = G_.data() + Index(k) * ld_;
    double* g = g_.data();
    const Index m = size();
    for (Index i = 0; i < m; ++i) g[i] -= step * column[i];
}

// The correlations after several coefficients have moved.
void WorkingSet::moved(const std::vector<Index>& places, const std::vector<double>& steps) {
    const Index m = size(), count = Index(places.size());
    std::vector<const double*> columns(places.size());
    for (std::size_t i = 0; i < places.size(); ++i) columns[i] = G_.data() + places[i] * ld_;
    const Blocks blocks(m, m * count < kSerial ? m : std::max<Index>(128, m / 4));
    parallel_for(blocks.count(), [&](Index block) {
        const Index begin = blocks.begin(block);
        subtract_columns(columns.data(), steps.data(), count, begin, blocks.end(block) - begin, g_.data() + begin);
    });
}

void WorkingSet::sweep(Penalty penalty) {
    const std::size_t m = w_.size();
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

// Brings the factor to the coefficients that are not 0, and with `enter` the ones that must leave zero. False if the
// columns are linearly dependent and a ridge penalty should have prevented it.
bool WorkingSet::update_factor(Penalty penalty, bool enter) {
    const std::size_t m = w_.size();
    if (active_.ridge() != penalty.l2) active_.reset(penalty.l2);
    std::vector<char> wanted(m, 0);
    std::size_t nonzero = 0;
    std::vector<std::pair<double, std::size_t>> entering;
    for (std::size_t k = 0; k < m; ++k) {
        if (norm2_[k] == 0.0) continue;
        wanted[k] = w_[k] != 0.0;
        nonzero += w_[k] != 0.0;
        if (enter && violates(k, penalty)) entering.emplace_back(penalty.l1 * factor_[k] / std::abs(g_[k]), k);
    }
    // Few at a time, the worst first: most of many violations go away when the worst are mended.
    const std::size_t room = std::max(kEntering, nonzero / 16);
    if (entering.size() > room) {
        std::nth_element(entering.begin(), entering.begin() + Index(room), entering.end());
        entering.resize(room);
    }
    for (const auto& [ratio, k] : entering) wanted[k] = 1;
    for (Index place = active_.size() - 1; place >= 0; --place) {
        const Index k = active_.order()[place];
        if (wanted[k])
            wanted[k] = 0;
        else
            active_.remove(place);
    }
    std::vector<Index> joining;
    for (std::size_t k = 0; k < m; ++k)
        if (wanted[k]) joining.push_back(Index(k));
    const RidgedProducts at{G_.data(), ld_, penalty.l2, factor_.data()};
    for (Span<const Index> rest = joining; !rest.empty();) {
        rest = rest.subspan(active_.add(rest, at));
        if (rest.empty()) break;
        if (!enter_dependent(rest.front(), penalty, at)) return false;
        rest = rest.subspan(1);
    }
    return true;
}

// From the present point to the minimiser for the columns of the factor, their signs held.
void WorkingSet::direction(Penalty penalty, std::vector<double>& step, std::vector<double>& sign) const {
    const auto& order = active_.order();
    step.resize(order.size());
    sign.resize(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Index k = order[i];
        sign[i] = std::copysign(1.0, side(k));
        step[i] = g_[k] - factor_[k] * (penalty.l2 * w_[k] + penalty.l1 * sign[i]);
    }
    active_.solve(step);
}

// A step to the exact minimiser for the non-zero coefficients, and with `enter` the ones that must leave zero, their
// signs held. Coefficients that would change sign are set to zero; should that raise the objective, a shorter step is
// taken, in the end the one to the first sign change, which cannot. False if the active columns are linearly dependent
// or no step helps.
bool WorkingSet::newton(Penalty penalty, bool enter) {
    if (!update_factor(penalty, enter)) return false;
    const auto& order = active_.order();
    std::vector<double> step, sign;
    const auto free = [&](std::size_t k) { return penalty.l1 * factor_[k] == 0.0 && !options_.positive; };
    direction(penalty, step, sign);
    // A coefficient that enters must move away from zero on its own side; jointly some would not.
    for (bool again = enter; again;) {
        again = false;
        for (Index i = active_.size() - 1; i >= 0; --i) {
            const Index k = order[i];
            if (w_[k] == 0.0 && !free(k) && step[i] * sign[i] < 0.0) {
                active_.remove(i);
                again = true;
            }
        }
        if (again) direction(penalty, step, sign);
    }
    double first = 1.0;
    bool crossed = false;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Index k = order[i];
        if (free(k) || (w_[k] + step[i]) * sign[i] >= 0.0) continue;
        crossed = true;
        first = std::min(first, -w_[k] / step[i]);
    }
    const std::vector<double> old = w_;
    std::vector<double> change(order.size());
    const auto go = [&](double part) {
        for (std::size_t i = 0; i < order.size(); ++i) {
            const Index k = order[i];
            double to = old[k] + part * step[i];
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
bool WorkingSet::enter_dependent(Index k, Penalty penalty, const RidgedProducts& at) {
    const Index one[1] = {k};
    while (active_.add(one, at) == 0) {
        if (penalty.l2 > 0.0) return false;
        const auto& order = active_.order();
        std::vector<double> along(order.size());
        for (std::size_t i = 0; i < order.size(); ++i) along[i] = -at(k, order[i]);
        active_.solve(along);
        const double own = std::copysign(1.0, side(k));
        double slope = factor_[k] * own;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const Index other = order[i];
            slope += factor_[other] * std::copysign(along[i], along[i] * side(other));
        }
        const double way = slope > 0.0 ? -1.0 : 1.0;
        if (w_[k] == 0.0 && way * own < 0.0) return true;  // better left out
        double length =
            w_[k] * way < 0.0 && factor_[k] > 0.0 ? std::abs(w_[k]) : std::numeric_limits<double>::infinity();
        Index blocking = -1;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const Index other = order[i];
            // One that enters too, and would go to its wrong side, blocks at once.
            if (factor_[other] == 0.0 || side(other) * along[i] * way >= 0.0) continue;
            if (std::abs(w_[other] / along[i]) < length) {
                length = std::abs(w_[other] / along[i]);
                blocking = Index(i);
            }
        }
        if (!std::isfinite(length)) return true;  // unpenalised columns: it stays as it is
        const double t = way * length;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const Index other = order[i];
            const double to = Index(i) == blocking ? 0.0 : w_[other] + t * along[i];
            along[i] = to - w_[other];
            w_[other] = to;
        }
        moved(order, along);
        if (blocking < 0) {
            move(k, 0.0);
            return true;
        }
        move(k, w_[k] + t);
        active_.remove(blocking);
    }
    return true;
}

int WorkingSet::solve(Penalty penalty, double target, int budget, bool along_path) {
    const std::size_t m = w_.size();
    int sweeps = 0;
    double since = 0.0;
    bool newton_ok = !options_.random, continued = !along_path;
    int poor = 0, polish = 0;
    double last_gap = std::numeric_limits<double>::infinity();
    stalled_ = false;
    while (sweeps < budget) {
        const double now = gap(penalty);
        if (interrupt_.requested()) break;
        // Along a path every model gets a step, even where its predecessor would do: predictions follow the path. And a
        // small model is taken to the last digit, since that costs next to nothing.
        if (now <= target && (continued || now <= 1e-3 * target)) {
            const bool exact = now <= kExact * target_norm2_ || !newton_ok || (sweeps == 0 && !along_path);
            const auto nonzero = Index(m) - std::count(w_.begin(), w_.end(), 0.0);
            if (exact || nonzero > kPolished || ++polish > 4 || now > 0.5 * last_gap) break;
            newton_ok = newton(penalty, true);
            last_gap = now;
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
        for (const Index k : active_.order()) kept += w_[k] != 0.0;
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

int WorkingSet::solve_by_residual(ColumnSource& source, Penalty penalty, double target, int budget) {
    int sweeps = 0;
    source.start(snapshot());
    std::vector<std::size_t> list;
    stalled_ = false;
    while (true) {
        for (std::size_t k = 0; k < w_.size(); ++k) g_[k] = source.dot(Index(k));
        if (sweeps >= budget || gap(penalty) <= target || stalled_) break;
        list.clear();
        for (std::size_t k = 0; k < w_.size(); ++k)
            if (w_[k] != 0.0 || std::abs(g_[k]) > penalty.l1 * factor_[k]) list.push_back(k);
        if (list.empty()) break;
        // Each pass lowers the objective by at least half the sum of |x_k|^2 step^2: go on until that is small.
        for (int pass = 0; pass < 10 && sweeps < budget; ++pass) {
            if (interrupt_.requested()) return sweeps;
            double decrease = 0.0;
            for (std::size_t step = 0; step < list.size(); ++step) {
                const std::size_t k = list[options_.random ? rng_.below(std::uint32_t(list.size())) : step];
                const double value = coordinate(k, source.dot(Index(k)) + norm2_[k] * w_[k], penalty);
                const double change = value - w_[k];
                if (change == 0.0) continue;
                source.subtract(Index(k), change);
                decrease += (norm2_[k] + penalty.l2 * factor_[k]) * change * change;
                w_[k] = value;
            }
            ++sweeps;
            stalled_ = decrease == 0.0 && !options_.random;
            if (decrease <= 0.1 * target) break;
        }
    }
    return sweeps;
}

}  // namespace statlearn::linear
