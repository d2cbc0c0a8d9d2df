#include "decomposition/sparse_code.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/cholesky.hpp"
#include "common/parallel.hpp"
#include "common/vector.hpp"

namespace statlearn::decomposition {

namespace {

constexpr Index kSignals = 8;  // of a unit of work: batches of online learning are small

Index total_of(const std::vector<Index>& part) {
    Index sum = 0;
    for (const Index value : part) sum += value;
    return sum;
}

// Scratch and steps of the lasso of one signal.
class LassoSignal {
public:
    LassoSignal(Matrix<const double> G, const LassoPlan& plan)
        : G_(G), k_(G.rows), plan_(plan), rest_(k_), target_(std::size_t(k_) + 1) {
        active_.reserve(k_);
    }

    // False if the tolerance was not reached.
    bool run(const double* products, double square, double* code) {
        std::copy_n(products, k_, rest_.data());
        double largest = 0.0;
        for (Index j = 0; j < k_; ++j) {
            if (plan_.positive && code[j] < 0.0) code[j] = 0.0;
            if (code[j] != 0.0) axpy(-code[j], G_.row(j), rest_.data(), k_);
            largest = std::max(largest, std::abs(products[j]));
        }
        const double scale = std::max(largest, plan_.alpha);
        if (scale == 0.0) return true;
        int passes = 0;
        while (true) {
            // A pass over all atoms: those that move are active until the next one.
            active_.clear();
            double moved = 0.0;
            for (Index j = 0; j < k_; ++j) {
                moved = std::max(moved, step(j, code));
                if (code[j] != 0.0) active_.push_back(int(j));
            }
            ++passes;
            if (plan_.exact) {
                if (moved <= 1e-13 * scale) return true;
            } else if (gap(products, square, code) <= plan_.tol * std::max(square, 1e-300)) {
                return true;
            }
            if (passes >= plan_.max_iter) return false;
            const double enough = std::max(1e-2 * moved, 1e-14 * scale);
            for (int inner = 0; inner < (plan_.exact ? 2 : 100); ++inner) {
                double change = 0.0;
                for (const int j : active_) change = std::max(change, step(j, code));
                if (change <= enough) break;
            }
            std::erase_if(active_, [&](int j) { return code[j] == 0.0; });
            if (plan_.exact && search_support(products, code, scale)) return true;
        }
    }

private:
    // Minimises over one coordinate; returns how much its product with the residual changed.
    double step(Index j, double* code) {
        const double curvature = G_(j, j);
        if (!(curvature > 0.0)) return 0.0;
        const double value = rest_[j] + curvature * code[j];
        const double shrunk = plan_.positive ? std::max(0.0, value - plan_.alpha) : soft_threshold(value, plan_.alpha);
        const double next = shrunk / curvature, change = next - code[j];
        if (change == 0.0) return 0.0;
        code[j] = next;
        const double* row = G_.row(j);
        double* rest = rest_.data();
        for (Index t = 0; t < k_; ++t) rest[t] -= change * row[t];
        return std::abs(change) * curvature;
    }

    // Dual gap: the residual, scaled so that no product exceeds alpha, is feasible.
    double gap(const double* products, double square, const double* code) const {
        double largest = 0.0, fitted = 0.0, size = 0.0, cross = 0.0;
        for (Index j = 0; j < k_; ++j) {
            const double r = rest_[j];
            largest = std::max(largest, plan_.positive ? r : std::abs(r));
            fitted += code[j] * (products[j] - r);  // c'Gc
            cross += code[j] * products[j];
            size += std::abs(code[j]);
        }
        const double residual = std::max(0.0, square - 2.0 * cross + fitted);
        const double with_x = square - cross;  // <x, residual>
        const double factor = largest > plan_.alpha ? plan_.alpha / largest : 1.0;
        return 0.5 * residual + plan_.alpha * size - (factor * with_x - 0.5 * factor * factor * residual);
    }

    // Search over supports and signs from the present code (Lee, Battle, Raina & Ng, 2007): solves the equations of the
    // support with its signs; where a coefficient would change sign, goes as far as the first zero and leaves that atom
    // out; where all agree, admits the atom that violates its condition most. True at the optimum. False if atoms of
    // the support are dependent: the code is then what it was when that was found, and no worse than before.
    bool search_support(const double* products, double* code, double scale) {
        const double most = plan_.alpha + 1e-10 * scale;
        sign_.resize(k_);
        for (const int j : active_) sign_[j] = code[j] > 0.0 ? 1.0 : -1.0;
        if (factor_active()) {
            for (Index round = 0; round < 4 * k_ + 8; ++round) {
                solve_active(products);
                const Index m = Index(active_.size());
                Index first = -1;
                double reach = 1.0;
                for (Index i = 0; i < m; ++i) {
                    const int j = active_[i];
                    if (target_[i] * sign_[j] > 0.0) continue;
                    const double share = code[j] == 0.0 ? 0.0 : code[j] / (code[j] - target_[i]);
                    if (first < 0 || share < reach) first = i, reach = share;
                }
                for (Index i = 0; i < m; ++i) {
                    const int j = active_[i];
                    code[j] = first < 0 ? target_[i] : code[j] + reach * (target_[i] - code[j]);
                }
                if (first >= 0) {
                    code[active_[first]] = 0.0;
                    active_.erase(active_.begin() + first);
                    set_.remove(first);
                    if (reach == 0.0) break;  // rounding: the atom that was admitted last does not want to move
                    continue;
                }
                take_rest(products, code);
                Index worst = -1;
                double largest = most;
                for (Index j = 0; j < k_; ++j) {
                    const double size = plan_.positive ? rest_[j] : std::abs(rest_[j]);
                    if (size > largest && code[j] == 0.0 && G_(j, j) > 0.0) largest = size, worst = j;
                }
                if (worst < 0) return true;
                sign_[worst] = rest_[worst] > 0.0 ? 1.0 : -1.0;
                if (!admit(int(worst))) break;
            }
        }
        take_rest(products, code);
        return false;
    }

    // The factor of the active atoms; false if they are dependent.
    bool factor_active() {
        const std::vector<int> wanted = active_;
        active_.clear();
        set_.clear();
        for (const int j : wanted)
            if (!admit(j)) {
                active_ = wanted;
                return false;
            }
        return true;
    }

    bool admit(int j) {
        const Index m = Index(active_.size());
        set_.reserve(m + 1);
        cross_.resize(std::size_t(m) + 1);
        for (Index l = 0; l < m; ++l) cross_[l] = G_(j, active_[l]);
        if (!set_.append(cross_.data(), G_(j, j), 1e-12)) return false;
        active_.push_back(j);
        return true;
    }

    // The coefficients of the active atoms with their signs, in `target_`.
    void solve_active(const double* products) {
        for (std::size_t i = 0; i < active_.size(); ++i)
            target_[i] = products[active_[i]] - plan_.alpha * sign_[active_[i]];
        set_.solve(target_.data());
    }

    void take_rest(const double* products, const double* code) {
        std::copy_n(products, k_, rest_.data());
        for (Index j = 0; j < k_; ++j)
            if (code[j] != 0.0) axpy(-code[j], G_.row(j), rest_.data(), k_);
    }

    Matrix<const double> G_;
    Index k_;
    const LassoPlan& plan_;
    std::vector<double> rest_, target_, cross_, sign_;
    std::vector<int> active_;
    CholeskySet set_;
};

}  // namespace

Index lasso_codes(Matrix<const double> G, Matrix<const double> products, Span<const double> squares,
                  const LassoPlan& plan, const Interrupt& interrupt, Matrix<double> codes) {
    const Blocks blocks(products.rows, kSignals);
    std::vector<Index> failed(blocks.count());
    parallel_for(blocks.count(), Work(double(products.rows) * double(G.rows) * 50.0), [&](Index b) {
        LassoSignal signal(G, plan);
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            if (interrupt.requested()) return;
            failed[b] += !signal.run(products.row(i), squares[i], codes.row(i));
        }
    });
    return total_of(failed);
}

}  // namespace statlearn::decomposition
