#include "svm/squared_newton.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/blas.hpp"
#include "common/chunks.hpp"
#include "common/gram.hpp"
#include "common/parallel.hpp"
#include "common/rows.hpp"

namespace statlearn::svm {
namespace {

constexpr Index kPack = 64;         // changed rows added at once
constexpr Index kLeastRows = 1024;  // of a chunk
constexpr Index kMostChunks = 32;

// What a chunk of rows adds to the objective, the gradient and the Hessian (upper tiles, kept from step to step).
struct Share {
    std::vector<double> hessian, gradient;
    double loss = 0.0;
};

template <class T>
class Problem {
public:
    Problem(Matrix<const T> X, const SquaredMachine& machine)
        : X_(X),
          rows_{{X.data, X.rows * X.cols}, {}, {}, X.rows, X.cols},
          machine_(machine),
          q_(X.cols + 1),
          width_((q_ + kGramTile - 1) / kGramTile * kGramTile),
          chunk_(chunk_grid(X.rows, kLeastRows, kMostChunks).size),
          active_(X.rows, 0) {
        shares_.resize((X.rows + chunk_ - 1) / chunk_);
        for (auto& share : shares_) {
            share.hessian.assign(width_ * width_, 0.0);
            share.gradient.assign(q_, 0.0);
        }
    }

    // Objective at w, with the gradient and the Hessian there.
    double evaluate(Span<const double> w, Span<double> gradient) {
        const double s = machine_.intercept_scale;
        parallel_for(Index(shares_.size()), [&](Index c) {
            Share& share = shares_[c];
            share.loss = 0.0;
            std::fill(share.gradient.begin(), share.gradient.end(), 0.0);
            std::vector<double> A(kPack * width_, 0.0), B(kPack * width_, 0.0);
            Index packed = 0;
            const auto flush = [&] {
                if (packed) gram_update(A.data(), B.data(), packed, width_, share.hessian.data());
                packed = 0;
            };
            const Index end = std::min(X_.rows, (c + 1) * chunk_);
            for (Index i = c * chunk_; i < end; ++i) {
                const double f = rows_.dot(i, w.data()) + s * w[q_ - 1];
                const double r = machine_.residual(i, f);
                const bool now = r != 0.0;
                const double price = machine_.price[i];
                if (now) {
                    share.loss += price * r * r;
                    rows_.add(i, -2.0 * price * r, share.gradient.data());
                    share.gradient[q_ - 1] -= 2.0 * price * r * s;
                }
                if (now == bool(active_[i])) continue;
                active_[i] = now;
                double *b = B.data() + packed * width_, *a = A.data() + packed * width_;
                const T* x = X_.row(i);
                const double factor = now ? 2.0 * price : -2.0 * price;
                for (Index j = 0; j < X_.cols; ++j) b[j] = double(x[j]);
                b[X_.cols] = s;
                for (Index j = 0; j < q_; ++j) a[j] = factor * b[j];
                if (++packed == kPack) flush();
            }
            flush();
        });
        double objective = 0.0;
        std::fill(gradient.begin(), gradient.end(), 0.0);
        for (const Share& share : shares_) {
            objective += share.loss;
            for (Index j = 0; j < q_; ++j) gradient[j] += share.gradient[j];
        }
        for (Index j = 0; j < q_; ++j) {
            const double value = w[j], penalty = ridge(j);
            objective += 0.5 * penalty * value * value;
            gradient[j] += penalty * value;
        }
        return objective;
    }

    // The Newton step -H^-1 gradient; false if H is singular.
    bool step(Span<const double> gradient, Span<double> direction) {
        std::vector<double> H(q_ * q_, 0.0);
        for (const Share& share : shares_)
            for (Index i = 0; i < q_; ++i)
                for (Index j = i; j < q_; ++j) H[i * q_ + j] += share.hessian[i * width_ + j];
        for (Index j = 0; j < q_; ++j) {
            double& own = H[j * q_ + j];
            own += ridge(j);
            // A column without any entry, or an intercept that no row with a loss needs, does not move.
            if (!(own > 0.0)) own = 1.0;
        }
        if (machine_.free_intercept) H[q_ * q_ - 1] *= 1.0 + 1e-14;
        for (Index j = 0; j < q_; ++j) direction[j] = -gradient[j];
        // Row-major upper is column-major lower.
        if (blas::potrf<double>('L', int(q_), H.data(), int(q_)) != 0) return false;
        blas::potrs<double>('L', int(q_), 1, H.data(), int(q_), direction.data(), int(q_));
        return true;
    }

private:
    double ridge(Index j) const { return j < q_ - 1 ? 1.0 : machine_.last_ridge(); }

    Matrix<const T> X_;
    RowsView<T> rows_;
    const SquaredMachine& machine_;
    Index q_, width_, chunk_;
    std::vector<std::uint8_t> active_;
    std::vector<Share> shares_;
};

}  // namespace

template <class T>
SquaredInfo squared_newton_fit(Matrix<const T> X, const SquaredMachine& machine, StopRule stop,
                               const Interrupt& interrupt, Span<double> w) {
    const auto q = w.size();
    Problem<T> problem(X, machine);
    std::vector<double> gradient(q), direction(q), trial(q);
    SquaredInfo info{0, problem.evaluate(w, gradient), 0.0, Status::max_iter};
    while (info.n_iter < stop.max_iter) {
        if (interrupt.requested()) {
            info.status = Status::interrupted;
            return info;
        }
        if (!problem.step(gradient, direction)) {
            info.status = Status::diverged;
            return info;
        }
        double slope = 0.0;
        for (Index j = 0; j < q; ++j) slope += gradient[j] * direction[j];
        info.decrease = -0.5 * slope;
        const bool last = info.decrease <= stop.tol * info.objective;
        double length = 1.0, objective = info.objective;
        for (int half = 0; half < 40; ++half, length *= 0.5) {
            for (Index j = 0; j < q; ++j) trial[j] = w[j] + length * direction[j];
            objective = problem.evaluate(trial, gradient);
            if (objective <= info.objective + 1e-4 * length * slope + 1e-15 * std::abs(info.objective)) break;
        }
        ++info.n_iter;
        std::copy(trial.begin(), trial.end(), w.begin());
        info.objective = objective;
        if (last) {
            info.status = Status::ok;
            return info;
        }
    }
    return info;
}

template SquaredInfo squared_newton_fit<float>(Matrix<const float>, const SquaredMachine&, StopRule, const Interrupt&,
                                               Span<double>);
template SquaredInfo squared_newton_fit<double>(Matrix<const double>, const SquaredMachine&, StopRule, const Interrupt&,
                                                Span<double>);

}  // namespace statlearn::svm
