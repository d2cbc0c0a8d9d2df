#include "svm/truncated_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "common/blas.hpp"
#include "common/parallel.hpp"

namespace statlearn::svm {
namespace {

// Empirical, all of them.
constexpr Index kHead = 64;           // columns whose Hessian is factorised
constexpr Index kHeadShare = 16;      // one entry in this many rows makes a column frequent
constexpr Index kMostChunks = 32;     // of rows
constexpr Index kValuesPerSum = 8;    // stored values for each entry of the sums of the chunks
constexpr double kResidual = 0.2;     // to which an inner solution reduces the residual
constexpr int kMostInner = 1000;      // conjugate gradients of a step
constexpr double kSlope = 0.01;       // to which the search along a direction reduces the slope
constexpr int kMostLengths = 50;      // tried by that search
constexpr double kGap = 100.0;        // the gap may be this much larger than the decrease that ends the search
constexpr double kRounding = 1e-15;   // a relative decrease below is rounding
constexpr Index kColumnBlock = 4096;  // columns reduced at once

double inner(Span<const double> x, Span<const double> y) { return dot(x.data(), y.data(), Index(x.size())); }

template <class T>
class Problem {
public:
    Problem(const RowsView<T>& X, const SquaredMachine& machine, const Interrupt& interrupt)
        : X_(X), machine_(machine), interrupt_(interrupt), q_(X.cols + 1), rows_(X.rows) {
        const auto stored = Index(X.values.size());
        const Index chunks = std::clamp<Index>(stored / (kValuesPerSum * q_), 1, kMostChunks);
        chunk_ = std::max<Index>(1, (X.rows + chunks - 1) / chunks);
        chunks_ = (X.rows + chunk_ - 1) / chunk_;
        sums_.resize(chunks_ * q_);
        losses_.resize(chunks_);
        with_loss_.resize(chunks_);
        make_preconditioner();
    }

    // f = X v + s v_p
    void scores(Span<const double> v, Span<double> f) const {
        const double constant = machine_.intercept_scale * v[q_ - 1];
        parallel_for(chunks_, Work(Index(X_.values.size())), [&](Index c) {
            const Index end = std::min(X_.rows, (c + 1) * chunk_);
            for (Index i = c * chunk_; i < end; ++i) f[i] = X_.dot(i, v.data()) + constant;
        });
    }

    // Objective at w, whose scores are f, and its gradient; remembers the rows with a loss.
    double evaluate(Span<const double> w, Span<const double> f, Span<double> gradient) {
        const double s = machine_.intercept_scale;
        each_chunk([&](Index c, Index begin, Index end, double* sum) {
            double loss = 0.0;
            Index kept = begin;
            for (Index i = begin; i < end; ++i) {
                const double r = machine_.residual(i, f[i]);
                if (r == 0.0) continue;
                rows_[kept++] = i;
                const double pull = -2.0 * machine_.price[i] * r;
                loss -= 0.5 * pull * r;
                X_.add(i, pull, sum);
                sum[q_ - 1] += pull * s;
            }
            losses_[c] = loss;
            with_loss_[c] = kept - begin;
        });
        reduce(w, gradient);
        return std::accumulate(losses_.begin(), losses_.end(), 0.0) + 0.5 * ridge_product(w, w);
    }

    // The length t > 0 at which the objective is least along w + t d, where its slope at t = 0 is `fall` < 0; f and u
    // are the scores of w and d. The slope is increasing and piecewise linear in t, so Newton's method, kept between a
    // point of negative and one of positive slope, ends after a few readings of the scores.
    double best_length(Span<const double> w, Span<const double> d, Span<const double> f, Span<const double> u,
                       double fall) const {
        const double start = ridge_product(w, d), square = ridge_product(d, d);
        double low = 0.0, high = std::numeric_limits<double>::infinity(), t = 1.0;
        for (int k = 0; k < kMostLengths; ++k) {
            const auto sum_over_rows = [&](auto&& term) {
                return parallel_sum(Blocks(X_.rows), [&](Index begin, Index end) {
                    double sum = 0.0;
                    for (Index i = begin; i < end; ++i) {
                        const double r = machine_.residual(i, f[i] + t * u[i]);
                        if (r != 0.0) sum += 2.0 * machine_.price[i] * u[i] * term(i, r);
                    }
                    return sum;
                });
            };
            const double slope = start + t * square - sum_over_rows([](std::size_t, double r) { return r; });
            if (std::abs(slope) <= -kSlope * fall) return t;
            (slope < 0.0 ? low : high) = t;
            const double curvature = square + sum_over_rows([&](std::size_t i, double) { return u[i]; });
            double next = t - slope / curvature;
            if (!(next > low && next < high)) next = high < 1e300 ? 0.5 * (low + high) : 2.0 * t;
            if (next == t) return t;
            t = next;
        }
        return low > 0.0 ? low : t;
    }

    // An approximate Newton step by preconditioned conjugate gradients, and the decrease that it promises.
    double step(Span<const double> gradient, Span<double> direction) {
        const Index q = q_;
        std::vector<double> r(q), z(q), d(q), h(q);
        std::fill(direction.begin(), direction.end(), 0.0);
        for (Index j = 0; j < q; ++j) r[j] = -gradient[j];
        precondition(r, z);
        d = z;
        double rz = inner(r, z), decrease = 0.0;
        const double enough = kResidual * kResidual * rz;
        for (int t = 0; t < kMostInner && rz > 0.0 && !interrupt_.requested(); ++t) {
            hessian_times(d, h);
            const double curvature = inner(d, h);
            if (!(curvature > 0.0)) break;
            const double length = rz / curvature;
            for (Index j = 0; j < q; ++j) {
                direction[j] += length * d[j];
                r[j] -= length * h[j];
            }
            decrease += 0.5 * length * rz;
            precondition(r, z);
            const double next = inner(r, z), ratio = next / rz;
            rz = next;
            if (rz <= enough) break;
            for (Index j = 0; j < q; ++j) d[j] = z[j] + ratio * d[j];
        }
        return decrease;
    }

    // Half the squared gradient: the duality gap of the multipliers that belong to w, and so a bound of the objective's
    // distance from its minimum, if the intercept is penalised.
    double gap(Span<const double> gradient) const { return 0.5 * ridge_product(gradient, gradient); }

private:
    double ridge_product(Span<const double> x, Span<const double> y) const {
        return inner(x, y) - (1.0 - machine_.last_ridge()) * x.back() * y.back();
    }

    // body(chunk, first row, end, its own vector of zeros); the vectors are added up by `reduce`.
    template <class F>
    void each_chunk(F&& body) {
        parallel_for(chunks_, Work(2 * Index(X_.values.size())), [&](Index c) {
            double* sum = sums_.data() + c * q_;
            std::fill(sum, sum + q_, 0.0);
            body(c, c * chunk_, std::min(X_.rows, (c + 1) * chunk_), sum);
        });
    }

    // out = ridge * v + the vectors of the chunks, in their order.
    void reduce(Span<const double> v, Span<double> out) const {
        const Blocks blocks(q_, kColumnBlock);
        parallel_for(blocks.count(), Work(chunks_ * q_), [&](Index b) {
            const Index begin = blocks.begin(b), end = blocks.end(b);
            for (Index j = begin; j < end; ++j) out[j] = v[j];
            if (end == q_) out[q_ - 1] *= machine_.last_ridge();
            for (Index c = 0; c < chunks_; ++c)
                for (Index j = begin; j < end; ++j) out[j] += sums_[c * q_ + j];
        });
    }

    void hessian_times(Span<const double> d, Span<double> out) {
        const double s = machine_.intercept_scale, constant = s * d[q_ - 1];
        each_chunk([&](Index c, Index begin, Index, double* sum) {
            for (Index k = begin; k < begin + with_loss_[c]; ++k) {
                const Index i = rows_[k];
                const double pull = 2.0 * machine_.price[i] * (X_.dot(i, d.data()) + constant);
                X_.add(i, pull, sum);
                sum[q_ - 1] += pull * s;
            }
        });
        reduce(d, out);
    }

    // The frequent columns of a sparse table, at most kHead of them, and the constant.
    void choose_head() {
        place_.assign(q_, -1);
        if (X_.sparse()) {
            std::vector<Index> count(X_.cols, 0);
            for (const int j : X_.cols_of) ++count[j];
            for (Index j = 0; j < X_.cols; ++j)
                if (count[j] * kHeadShare >= X_.rows) head_.push_back(j);
            if (Index(head_.size()) > kHead) {
                std::stable_sort(head_.begin(), head_.end(), [&](Index a, Index b) { return count[a] > count[b]; });
                head_.resize(kHead);
            }
        }
        head_.push_back(q_ - 1);
        for (std::size_t k = 0; k < head_.size(); ++k) place_[head_[k]] = int(k);
    }

    // The Hessian if every row had a loss: a bound of all Hessians on the way, and less sensitive than any one of them.
    void make_preconditioner() {
        choose_head();
        const auto h = head_.size();
        std::vector<double> grams(std::size_t(chunks_) * h * h, 0.0);
        each_chunk([&](Index c, Index begin, Index end, double* sum) {
            double* G = grams.data() + std::size_t(c) * h * h;
            std::vector<std::size_t> at(h);
            std::vector<double> x(h);
            for (Index i = begin; i < end; ++i) {
                const double factor = 2.0 * machine_.price[i];
                std::size_t m = 0;
                X_.each(i, [&](std::size_t j, double value) {
                    sum[j] += factor * value * value;
                    if (place_[j] < 0 || m + 1 >= h) return;
                    at[m] = std::size_t(place_[j]);
                    x[m++] = value;
                });
                at[m] = h - 1;
                x[m++] = machine_.intercept_scale;
                for (std::size_t a = 0; a < m; ++a)
                    for (std::size_t b = 0; b < m; ++b) G[at[a] * h + at[b]] += factor * x[a] * x[b];
            }
        });
        diagonal_.resize(q_);
        const std::vector<double> ones(q_, 1.0);
        reduce(ones, diagonal_);
        factor_.assign(h * h, 0.0);
        for (Index c = 0; c < chunks_; ++c)
            for (std::size_t k = 0; k < h * h; ++k) factor_[k] += grams[std::size_t(c) * h * h + k];
        for (std::size_t k = 0; k + 1 < h; ++k) factor_[k * h + k] += 1.0;
        double& last = factor_[h * h - 1];
        last += machine_.last_ridge();
        if (!(last > 0.0)) last = 1.0;
        diagonal_[q_ - 1] = last;
        // Rounding can spoil the factor of columns that depend on each other; the diagonal alone will do then.
        if (blas::potrf<double>('L', int(h), factor_.data(), int(h)) != 0) head_.clear();
    }

    void precondition(Span<const double> r, Span<double> z) const {
        for (Index j = 0; j < q_; ++j) z[j] = r[j] / diagonal_[j];
        const auto h = head_.size();
        if (h == 0) return;
        std::vector<double> u(h);
        for (std::size_t k = 0; k < h; ++k) u[k] = r[head_[k]];
        blas::potrs<double>('L', int(h), 1, factor_.data(), int(h), u.data(), int(h));
        for (std::size_t k = 0; k < h; ++k) z[head_[k]] = u[k];
    }

    const RowsView<T>& X_;
    const SquaredMachine& machine_;
    const Interrupt& interrupt_;
    Index q_, chunk_, chunks_;
    std::vector<Index> rows_, with_loss_;  // rows with a loss, from the begin of each chunk, and their number
    std::vector<double> sums_, losses_;
    std::vector<Index> head_;
    std::vector<int> place_;  // of a column in the head, or -1
    std::vector<double> factor_, diagonal_;
};

}  // namespace

template <class T>
SquaredInfo truncated_newton_fit(const RowsView<T>& X, const SquaredMachine& machine, StopRule stop,
                                 const Interrupt& interrupt, Span<double> w) {
    Problem<T> problem(X, machine, interrupt);
    const Index q = w.size(), n = X.rows;
    std::vector<double> gradient(q), direction(q), f(n), u(n);
    problem.scores(w, f);
    SquaredInfo info{0, problem.evaluate(w, f, gradient), 0.0, Status::max_iter};
    while (info.n_iter < stop.max_iter) {
        info.decrease = problem.step(gradient, direction);
        if (interrupt.requested()) {  // the step may have been cut short
            info.status = Status::interrupted;
            return info;
        }
        const double small = stop.tol * info.objective;
        const bool last = info.decrease <= small &&
                          (problem.gap(gradient) <= kGap * small || info.decrease <= kRounding * info.objective);
        const double fall = inner(gradient, direction);
        if (fall < 0.0) {
            problem.scores(direction, u);
            const double length = problem.best_length(w, direction, f, u, fall);
            for (Index j = 0; j < q; ++j) w[j] += length * direction[j];
            for (Index i = 0; i < n; ++i) f[i] += length * u[i];
            info.objective = problem.evaluate(w, f, gradient);
        }
        ++info.n_iter;
        if (last) {
            info.status = Status::ok;
            return info;
        }
    }
    return info;
}

template SquaredInfo truncated_newton_fit<float>(const RowsView<float>&, const SquaredMachine&, StopRule,
                                                 const Interrupt&, Span<double>);
template SquaredInfo truncated_newton_fit<double>(const RowsView<double>&, const SquaredMachine&, StopRule,
                                                  const Interrupt&, Span<double>);

}  // namespace statlearn::svm
