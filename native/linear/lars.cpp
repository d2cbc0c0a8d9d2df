#include "linear/lars.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/cholesky.hpp"
#include "common/parallel.hpp"

namespace statlearn::linear {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr Index kColumnBlock = 32;

// Inner products of columns, from the Gram matrix or from the columns themselves.
class Products {
public:
    Products(Matrix<const double> design, bool is_gram) : design_(design), gram_(is_gram) {
        if (!gram_) image_.resize(design.rows);
    }
    double inner(int j, int k) const {
        return gram_ ? design_(j, k) : dot(design_.col(j), design_.col(k), design_.rows);
    }
    // a = X'X_A w for all columns.
    void direction(const std::vector<int>& active, const std::vector<double>& w, std::vector<double>& a) {
        const Index p = design_.cols;
        if (gram_) {
            std::fill(a.begin(), a.end(), 0.0);
            for (std::size_t k = 0; k < active.size(); ++k) axpy(w[k], design_.col(active[k]), a.data(), p);
            return;
        }
        std::fill(image_.begin(), image_.end(), 0.0);
        for (std::size_t k = 0; k < active.size(); ++k) axpy(w[k], design_.col(active[k]), image_.data(), design_.rows);
        const Blocks blocks(p, kColumnBlock);
        parallel_for(blocks.count(), Work(design_.rows * p), [&](Index b) {
            for (Index j = blocks.begin(b); j < blocks.end(b); ++j)
                a[j] = dot(design_.col(j), image_.data(), design_.rows);
        });
    }

private:
    Matrix<const double> design_;
    bool gram_;
    std::vector<double> image_;
};

enum class State : char { outside, active, blocked };

class Lars {
public:
    Lars(Matrix<const double> design, bool is_gram, Span<const double> xy, const LarsOptions& options)
        : products_(design, is_gram),
          xy_(xy),
          options_(options),
          p_(int(xy.size())),
          c_(xy.begin(), xy.end()),
          beta_(xy.size()),
          a_(xy.size()),
          state_(xy.size(), State::outside),
          norm2_(xy.size()) {
        for (int j = 0; j < p_; ++j) norm2_[j] = products_.inner(j, j);
    }

    LarsPath run(const Interrupt& interrupt) {
        level_ = 0.0;
        for (int j = 0; j < p_; ++j) level_ = std::max(level_, signed_product(j));
        bool over = level_ <= options_.c_min;
        if (over) level_ = options_.c_min;
        push();
        std::vector<int> leavers;
        while (!over && path_.n_iter < options_.max_iter) {
            if (interrupt.requested()) {
                path_.status = Status::interrupted;
                break;
            }
            update_set(leavers);
            if (active_.empty()) break;
            over = step(leavers);
            ++path_.n_iter;
            push();
        }
        path_.active = active_;
        return std::move(path_);
    }

private:
    // The inner product in the direction that counts: absolute, or signed when coefficients must not be negative.
    double signed_product(int j) const {
        const double c = c_[j];
        return options_.positive ? c : std::abs(c);
    }

    // Rounding error of the inner product of column j, given the size of what was subtracted from it.
    double noise(int j) const {
        const double growth = 8.0 * (8.0 + double(active_.size()));  // of errors in the triangular solves
        return growth * kEps * (std::abs(xy_[j]) + std::sqrt(norm2_[j]) * mass_);
    }

    void push() {
        if (!options_.keep_path) {
            path_.level.clear();
            path_.coefs.clear();
            path_.products.clear();
        }
        path_.level.push_back(level_);
        path_.coefs.insert(path_.coefs.end(), beta_.begin(), beta_.end());
        path_.products.insert(path_.products.end(), c_.begin(), c_.end());
    }

    std::vector<double> cross_products(int j) const {
        std::vector<double> cross(active_.size());
        for (std::size_t k = 0; k < active_.size(); ++k) cross[k] = products_.inner(j, active_[k]);
        return cross;
    }

    double threshold() const { return 64.0 * std::max(options_.eps, kEps); }

    bool dependent(int j) const {
        auto cross = cross_products(j);
        return !(factor_.pivot(cross.data(), norm2_[j]) > threshold() * norm2_[j]);
    }

    void add(int j) {
        auto cross = cross_products(j);
        if (!factor_.append(cross.data(), norm2_[j], threshold())) {
            block(j);
            return;
        }
        active_.push_back(j);
        sign_.push_back(options_.positive || c_[j] > 0 ? 1.0 : -1.0);
        state_[j] = State::active;
        path_.events.insert(path_.events.end(), {path_.n_iter, j + 1});
    }

    void block(int j) {
        state_[j] = State::blocked;
        path_.degenerate.push_back(j);
    }

    void drop(int j) {
        const Index k = std::find(active_.begin(), active_.end(), j) - active_.begin();
        factor_.remove(Index(k));
        active_.erase(active_.begin() + Index(k));
        sign_.erase(sign_.begin() + Index(k));
        state_[j] = State::outside;
        path_.events.insert(path_.events.end(), {path_.n_iter, -j - 1});
    }

    void find_direction() {
        w_ = sign_;
        factor_.solve(w_.data());
        products_.direction(active_, w_, a_);
        mass_ = 0.0;
        for (std::size_t k = 0; k < active_.size(); ++k) {
            const Index j = active_[k];
            mass_ += std::sqrt(norm2_[j]) * (std::abs(beta_[j]) + level_ * std::abs(w_[k]));
        }
    }

    bool tied(int j) const { return level_ - signed_product(j) <= 64.0 * kEps * level_ + noise(j); }

    // Lets the leavers go, admits the columns that tie, and leaves the direction of the next step in w_ and a_.
    void update_set(const std::vector<int>& leavers) {
        std::vector<int> candidates;
        if (!leavers.empty())
            for (int j = 0; j < p_; ++j)  // what depended on a leaver may be independent now
                if (state_[j] == State::blocked) state_[j] = State::outside;
        for (int j = 0; j < p_; ++j)
            if (state_[j] == State::outside && tied(j)) candidates.push_back(j);
        for (const int j : leavers) drop(j);
        if (options_.lasso && candidates.size() + leavers.size() > 1) {
            candidates.insert(candidates.end(), leavers.begin(), leavers.end());
            std::sort(candidates.begin(), candidates.end());
            pivot(candidates);
            return;
        }
        for (const int j : candidates) add(j);
        find_direction();
        if (options_.lasso && candidates.size() == 1 && state_[candidates[0]] == State::active &&
            w_.back() * sign_.back() <= 0.0) {  // only rounding can do this: the column is as good as dependent
            const int j = candidates[0];
            drop(j);
            block(j);
            find_direction();
        }
    }

    // Which of the candidates (coefficient 0, inner product at the level) move away from 0, and which let their inner
    // product fall: the one subset that satisfies the lasso conditions just beyond this point.
    void pivot(const std::vector<int>& candidates) {
        const std::size_t limit = 50 + 20 * candidates.size();
        for (std::size_t flips = 0; flips < limit; ++flips) {
            find_direction();
            int violator = -1;
            for (const int j : candidates) {
                const Index at = j;
                if (state_[at] == State::outside) {
                    const double s = options_.positive || c_[at] > 0 ? 1.0 : -1.0;
                    if (s * a_[at] < 1.0 - 1e-10) violator = j;
                } else if (state_[at] == State::active) {
                    const Index k = std::find(active_.begin(), active_.end(), j) - active_.begin();
                    if (w_[k] * sign_[k] < 0.0) violator = j;
                }
                if (violator >= 0) break;
            }
            if (violator < 0) {
                for (const int j : candidates)  // parallel for good, or by chance only?
                    if (state_[j] == State::outside && std::abs(std::abs(a_[j]) - 1.0) < 1e-10 && dependent(j))
                        block(j);
                return;
            }
            if (state_[violator] == State::active)
                drop(violator);
            else
                add(violator);
        }
        path_.status = Status::diverged;
    }

    // Moves to the next event; true when the path is over. The columns that must leave are left in `leavers`.
    bool step(std::vector<int>& leavers) {
        leavers.clear();
        double gamma = level_ - options_.c_min;
        bool over = true;
        const bool saturated = int(active_.size()) >= options_.max_rank;  // a full step leaves no residual
        for (int j = 0; j < p_ && !saturated; ++j) {
            const Index at = j;
            if (state_[at] != State::outside) continue;
            // Its inner product at the end of a full step: a column that is 0 there never ties before.
            if (std::abs(c_[at] - level_ * a_[at]) <= noise(j)) continue;
            const double upper = level_ - c_[at], lower = level_ + c_[at];
            const double slack = 64.0 * kEps * level_ + noise(j);
            double g = kInf;
            if (upper > slack && a_[at] < 1.0) g = std::min(g, upper / (1.0 - a_[at]));
            if (!options_.positive && lower > slack && a_[at] > -1.0) g = std::min(g, lower / (1.0 + a_[at]));
            if (g < gamma) {
                gamma = g;
                over = false;
            }
        }
        if (options_.lasso) {
            double nearest = kInf;
            for (std::size_t k = 0; k < active_.size(); ++k) nearest = std::min(nearest, zero_at(k));
            if (nearest < gamma) {
                gamma = nearest;
                over = false;
            }
            for (std::size_t k = 0; k < active_.size(); ++k)  // those that reach 0 with it, too
                if (zero_at(k) <= gamma * (1.0 + 1e-12)) leavers.push_back(active_[k]);
        }
        level_ = over ? options_.c_min : level_ - gamma;
        for (std::size_t k = 0; k < active_.size(); ++k) beta_[active_[k]] += gamma * w_[k];
        for (const int j : leavers) beta_[j] = 0.0;
        for (int j = 0; j < p_; ++j) c_[j] -= gamma * a_[j];
        for (std::size_t k = 0; k < active_.size(); ++k) c_[active_[k]] = sign_[k] * level_;
        return over && (saturated || options_.c_min > 0.0 || !resume());
    }

    // Step length at which active coefficient k returns to 0.
    double zero_at(std::size_t k) const {
        const double b = beta_[active_[k]];
        return b * w_[k] < 0.0 ? -b / w_[k] : kInf;
    }

    // After a full least-squares step every inner product should be 0. With columns of extreme scales the level of a
    // small one may have been below the rounding errors of a large one: then the path goes on from there.
    bool resume() {
        std::vector<double> b(active_.size());
        for (std::size_t k = 0; k < active_.size(); ++k) b[k] = beta_[active_[k]];
        products_.direction(active_, b, a_);
        double found = 0.0;
        for (int j = 0; j < p_; ++j) {
            const Index at = j;
            if (state_[at] == State::active) continue;
            c_[at] = xy_[at] - a_[at];
            if (state_[at] == State::outside && signed_product(j) > 1e4 * noise(j))
                found = std::max(found, signed_product(j));
        }
        if (found == 0.0) return false;
        level_ = found;
        for (std::size_t k = 0; k < active_.size(); ++k) c_[active_[k]] = sign_[k] * level_;
        return true;
    }

    Products products_;
    Span<const double> xy_;
    LarsOptions options_;
    int p_;
    std::vector<double> c_, beta_, a_, w_, sign_;
    std::vector<State> state_;
    std::vector<double> norm2_;
    std::vector<int> active_;
    CholeskySet factor_;
    LarsPath path_;
    double level_ = 0.0;
    double mass_ = 0.0;
};

}  // namespace

LarsPath lars_path(Matrix<const double> design, bool is_gram, Span<const double> xy, const LarsOptions& options,
                   const Interrupt& interrupt) {
    return Lars(design, is_gram, xy, options).run(interrupt);
}

}  // namespace statlearn::linear
