#include "svm/smo.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "common/parallel.hpp"
#include "svm/row_cache.hpp"
#include "svm/working_set.hpp"

namespace statlearn::svm {
namespace {

constexpr Index kChunk = 2048;          // columns of Kb that one thread brings up to date
constexpr int kRoundsToShrink = 8;      // empirical
constexpr double kLocalAccuracy = 0.1;  // a round reduces the violation in its working set to this part; empirical
constexpr double kRounding = 1e-9;      // violations below this part of the largest score are errors of rounding
constexpr std::int64_t kStepsPerVariable = 30;  // of a round, at most; empirical
// A run of this many steps for every variable (fewer for many of them), whose least violation is hardly below that of
// the runs before gets nowhere: the box is so large that the optimum is out of reach.
constexpr std::int64_t kRunOfFew = 10'000, kRunLength = 5'000'000, kRunOfMany = 200;
constexpr double kHardlyBelow = 0.9;

// y[target[j]] += sum over k of factor[k] rows[k][j], the rows of a chunk of columns one after the other.
template <class T>
void add_rows(Span<const double> factor, const std::vector<const T*>& rows, Span<const int> target, Span<double> y) {
    const Index width = Index(target.size()), chunks = (width + kChunk - 1) / kChunk;
    const std::size_t count = factor.size();
    parallel_for(chunks, Work(double(width) * double(count)), [&](Index c) {
        const Index begin = c * kChunk, size = std::min(kChunk, width - begin);
        double sum[kChunk] = {};
        std::size_t k = 0;
        for (; k + 4 <= count; k += 4) {
            const T *a = rows[k] + begin, *b = rows[k + 1] + begin, *d = rows[k + 2] + begin, *e = rows[k + 3] + begin;
            const double fa = factor[k], fb = factor[k + 1], fd = factor[k + 2], fe = factor[k + 3];
            for (Index j = 0; j < size; ++j)
                sum[j] += (fa * double(a[j]) + fb * double(b[j])) + (fd * double(d[j]) + fe * double(e[j]));
        }
        for (; k < count; ++k)
            for (Index j = 0; j < size; ++j) sum[j] += factor[k] * double(rows[k][begin + j]);
        for (Index j = 0; j < size; ++j) y[target[begin + j]] += sum[j];
    });
}

template <class T>
class Solver {
public:
    Solver(const DualProblem& problem, KernelRows<T>& kernel, const SmoOptions& options, Span<double> b,
           Span<double> score)
        : problem_(problem),
          kernel_(kernel),
          options_(options),
          b_(b),
          score_(score),
          n_(kernel.order()),
          m_(Index(b.size())),
          groups_(problem.group.empty() ? 1 : 2),
          cache_(kernel, options.cache_bytes),
          capacity_(std::max<Index>(2, std::min({options.working_set, m_, cache_.capacity()}))),
          local_(capacity_),
          chosen_(m_, 0) {
        all_columns();
    }

    SmoInfo run(const Interrupt& interrupt, const SmoReport& report) {
        sum_scores(columns_);
        double objective = objective_now();
        SmoInfo info{0, 0, 0, 0.0, objective, Status::ok};
        int since_shrink = 0;
        const std::int64_t run_length = std::max(std::min(kRunLength, kRunOfFew * m_), kRunOfMany * m_);
        std::int64_t run_end = run_length;
        double least = std::numeric_limits<double>::infinity(), least_before = least;
        while (true) {
            find_extremes();
            info.violation = violation();
            if (report) report({info.steps, info.violation, objective, Index(active_.size())});
            if (!finite_) {
                info.status = Status::diverged;
                break;
            }
            if (info.violation < options_.tol) {
                if (Index(active_.size()) == m_) break;
                restore();
                since_shrink = 0;
                objective = objective_now();
                continue;
            }
            if (interrupt.requested()) {
                info.status = Status::interrupted;
                break;
            }
            if (options_.max_iter >= 0 && info.steps >= options_.max_iter) {
                info.status = Status::max_iter;
                break;
            }
            if (options_.shrinking && ++since_shrink > kRoundsToShrink) {
                shrink();
                since_shrink = 0;
            }
            double gain = 0.0;
            const std::int64_t steps = round(info, gain);
            objective -= gain;
            info.steps += steps;
            ++info.rounds;
            bool stalled = !moved_;  // the steps are below the precision of b: nothing more can be reached
            least = std::min(least, info.violation);
            if (info.steps >= run_end) {
                stalled |= least >= kHardlyBelow * least_before;
                run_end = info.steps + run_length;
                least_before = least;
            }
            if (stalled) {
                double largest = 1.0;
                for (const double value : score_) largest = std::max(largest, std::abs(value));
                info.status = info.violation <= kRounding * largest ? Status::ok : Status::max_iter;
                break;
            }
        }
        if (Index(active_.size()) < m_) {
            restore();
            find_extremes();
            info.violation = violation();
        }
        info.objective = objective_now();
        info.kernel_rows = cache_.evaluated();
        return info;
    }

private:
    double gradient(int v) const { return score_[problem_.row_of[v]] + problem_.linear[v]; }
    int group(int v) const { return groups_ == 1 ? 0 : problem_.group[v]; }
    bool may_grow(int v) const { return b_[v] < problem_.upper[v]; }
    bool may_fall(int v) const { return b_[v] > problem_.lower[v]; }

    double objective_now() const {
        double sum = 0.0;
        for (Index v = 0; v < m_; ++v) sum += b_[v] * (gradient(int(v)) + problem_.linear[v]);
        return 0.5 * sum;
    }

    void find_extremes() {
        constexpr double kInfinite = std::numeric_limits<double>::infinity();
        least_growing_[0] = least_growing_[1] = kInfinite;
        most_falling_[0] = most_falling_[1] = -kInfinite;
        double sum = 0.0;
        for (const int v : active_) {
            const double g = gradient(v);
            const int s = group(v);
            sum += 0.0 * g;  // NaN if g is not finite, which comparisons would pass over
            if (may_grow(v)) least_growing_[s] = std::min(least_growing_[s], g);
            if (may_fall(v)) most_falling_[s] = std::max(most_falling_[s], g);
        }
        finite_ = sum == 0.0;
    }
    double violation() const {
        if (!finite_) return std::numeric_limits<double>::quiet_NaN();
        double most = 0.0;
        for (int s = 0; s < groups_; ++s) most = std::max(most, most_falling_[s] - least_growing_[s]);
        return most;
    }

    void all_columns() {
        columns_.resize(n_);
        std::iota(columns_.begin(), columns_.end(), 0);
        active_.resize(m_);
        std::iota(active_.begin(), active_.end(), 0);
        position_.resize(n_);
        std::iota(position_.begin(), position_.end(), 0);
    }

    // score = Kb anew for the columns that the kernel gives now.
    void sum_scores(Span<const int> columns) {
        for (const int row : columns) score_[row] = 0.0;
        std::vector<double> by_row(n_, 0.0);
        for (Index v = 0; v < m_; ++v) by_row[problem_.row_of[v]] += b_[v];
        std::vector<int> rows;
        for (Index i = 0; i < n_; ++i)
            if (by_row[i] != 0.0) rows.push_back(int(i));
        if (rows.empty() || columns.empty()) return;
        const auto width = columns.size();
        const auto block = std::clamp<std::size_t>(1'000'000 / width, 4, 256);
        std::vector<T> values(std::min(block, rows.size()) * width);
        std::vector<T*> places;
        std::vector<const T*> where;
        std::vector<double> factor;
        for (std::size_t begin = 0; begin < rows.size(); begin += block) {
            const std::size_t count = std::min(block, rows.size() - begin);
            places.clear(), where.clear(), factor.clear();
            for (std::size_t k = 0; k < count; ++k) {
                places.push_back(values.data() + k * width);
                where.push_back(places.back());
                factor.push_back(by_row[rows[begin + k]]);
            }
            kernel_.evaluate({rows.data() + begin, count}, places.data());
            add_rows<T>(factor, where, columns, score_);
        }
    }

    // Sets variables aside that are at a bound and would have to cross the whole violation to move.
    void shrink() {
        std::vector<int> kept;
        for (const int v : active_) {
            const int s = group(v);
            const double g = gradient(v);
            const bool grows = may_grow(v), falls = may_fall(v);
            const bool aside = (!falls && g > most_falling_[s]) || (!grows && g < least_growing_[s]);
            if (!aside) kept.push_back(v);
        }
        if (Index(kept.size()) < 2 || Index(kept.size()) > Index(active_.size()) * 9 / 10) return;
        std::vector<std::uint8_t> needed(n_, 0);
        for (const int v : kept) needed[problem_.row_of[v]] = 1;
        std::vector<int> positions, columns;
        for (std::size_t j = 0; j < columns_.size(); ++j)
            if (needed[columns_[j]]) positions.push_back(int(j)), columns.push_back(columns_[j]);
        active_ = std::move(kept);
        columns_ = std::move(columns);
        for (std::size_t j = 0; j < columns_.size(); ++j) position_[columns_[j]] = int(j);
        cache_.keep_columns(positions, columns_);
        std::erase_if(set_, [&](int v) { return !needed[problem_.row_of[v]]; });
    }

    // Brings back everything that was set aside.
    void restore() {
        std::vector<std::uint8_t> present(n_, 0);
        for (const int row : columns_) present[row] = 1;
        std::vector<int> absent;
        for (Index i = 0; i < n_; ++i)
            if (!present[i]) absent.push_back(int(i));
        if (!absent.empty()) {
            std::vector<std::uint8_t> support(n_, 0);
            for (Index v = 0; v < m_; ++v)
                if (b_[v] != 0.0) support[problem_.row_of[v]] = 1;
            std::vector<int> others;
            for (Index i = 0; i < n_; ++i)
                if (support[i] && present[i]) others.push_back(int(i));
            kernel_.select(absent, others);
            sum_scores(absent);
            all_columns();
            cache_.restart(columns_);
        } else {
            all_columns();
        }
        set_.clear();
    }

    // Half of the set stays from the round before (the variables that came last), the rest are the worst violators.
    void choose_set() {
        const Index stay = Index(active_.size()) <= capacity_ ? 0 : std::min<Index>(Index(set_.size()), capacity_ / 2);
        set_.erase(set_.begin(), set_.end() - stay);
        std::fill(chosen_.begin(), chosen_.end(), 0);
        for (const int v : set_) chosen_[v] = 1;
        const Index share = std::max<Index>(1, (capacity_ - stay) / (2 * groups_));
        for (int s = 0; s < groups_; ++s)
            for (const bool growing : {true, false}) {
                candidates_.clear();
                for (const int v : active_) {
                    if (group(v) != s || chosen_[v]) continue;
                    const double g = gradient(v);
                    if (growing ? may_grow(v) && g < most_falling_[s] : may_fall(v) && g > least_growing_[s])
                        candidates_.emplace_back(growing ? g : -g, v);
                }
                const auto count = std::min<std::size_t>(share, candidates_.size());
                if (count < candidates_.size())
                    std::nth_element(candidates_.begin(), candidates_.begin() + Index(count), candidates_.end());
                std::sort(candidates_.begin(), candidates_.begin() + Index(count));
                for (std::size_t k = 0; k < count && Index(set_.size()) < capacity_; ++k) {
                    set_.push_back(candidates_[k].second);
                    chosen_[candidates_[k].second] = 1;
                }
            }
    }

    std::int64_t round(const SmoInfo& info, double& gain) {
        choose_set();
        const Index q = Index(set_.size());
        rows_.clear();
        place_.resize(q);
        for (Index k = 0; k < q; ++k) rows_.push_back(problem_.row_of[set_[k]]);
        std::sort(rows_.begin(), rows_.end());
        rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
        cache_.fetch(rows_, where_);

        local_.start(q, groups_ == 2);
        std::vector<int> columns(q);
        for (Index k = 0; k < q; ++k) {
            const int row = problem_.row_of[set_[k]];
            place_[k] = int(std::lower_bound(rows_.begin(), rows_.end(), row) - rows_.begin());
            columns[k] = position_[row];
        }
        for (Index k = 0; k < q; ++k) {
            const T* from = where_[place_[k]];
            T* to = local_.kernel_row(k);
            for (Index l = 0; l < q; ++l) to[l] = from[columns[l]];
        }
        before_.resize(q);
        for (Index k = 0; k < q; ++k) {
            const int v = set_[k];
            const Index at = v;
            before_[k] = gradient(v);
            local_.set(k, b_[at], before_[k], problem_.lower[at], problem_.upper[at], group(v));
        }
        const bool whole = q == m_;
        std::int64_t most = whole ? 1'000'000 : kStepsPerVariable * q;
        if (options_.max_iter >= 0) most = std::min(most, options_.max_iter - info.steps);
        const double tol = whole ? 0.99 * options_.tol : std::max(0.5 * options_.tol, kLocalAccuracy * info.violation);
        const std::int64_t steps = local_.solve(tol, most);

        factor_.assign(rows_.size(), 0.0);
        std::vector<double> change(q);
        for (Index k = 0; k < q; ++k) {
            const Index at = set_[k];
            change[k] = local_.value(k) - b_[at];
            b_[at] = local_.value(k);
            factor_[place_[k]] += change[k];
        }
        changed_.clear();
        used_factor_.clear();
        for (std::size_t k = 0; k < rows_.size(); ++k)
            if (factor_[k] != 0.0) changed_.push_back(where_[k]), used_factor_.push_back(factor_[k]);
        add_rows<T>(used_factor_, changed_, columns_, score_);
        moved_ = false;
        for (Index k = 0; k < q; ++k) {
            const double delta = change[k];
            if (delta == 0.0) continue;
            moved_ = true;
            gain -= 0.5 * delta * (before_[k] + gradient(set_[k]));
        }
        return steps;
    }

    const DualProblem& problem_;
    KernelRows<T>& kernel_;
    const SmoOptions& options_;
    Span<double> b_, score_;
    Index n_, m_;
    int groups_;
    RowCache<T> cache_;
    Index capacity_;
    WorkingSet<T> local_;
    std::vector<int> columns_, position_, active_, set_, rows_, place_;
    std::vector<std::uint8_t> chosen_;
    std::vector<std::pair<double, int>> candidates_;
    std::vector<const T*> where_, changed_;
    std::vector<double> before_, factor_, used_factor_;
    double least_growing_[2], most_falling_[2];
    bool moved_ = true, finite_ = true;
};

}  // namespace

template <class T>
SmoInfo smo_solve(const DualProblem& problem, KernelRows<T>& kernel, const SmoOptions& options,
                  const Interrupt& interrupt, const SmoReport& report, Span<double> b, Span<double> score) {
    return Solver<T>(problem, kernel, options, b, score).run(interrupt, report);
}

template SmoInfo smo_solve<float>(const DualProblem&, KernelRows<float>&, const SmoOptions&, const Interrupt&,
                                  const SmoReport&, Span<double>, Span<double>);
template SmoInfo smo_solve<double>(const DualProblem&, KernelRows<double>&, const SmoOptions&, const Interrupt&,
                                   const SmoReport&, Span<double>, Span<double>);

}  // namespace statlearn::svm
