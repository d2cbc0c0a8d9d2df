#include "common/matching_pursuit.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/pack.hpp"
#include "common/parallel.hpp"
#include "common/vector.hpp"

namespace statlearn {

namespace {

constexpr Index kSignals = 64;    // of a unit of work
constexpr double kNoise = 1e-14;  // inner products below this share of the largest initial one are rounding errors

// Scratch and steps of the pursuit of one signal.
class Pursuit {
public:
    Pursuit(const PursuitAtoms& atoms, const PursuitPlan& plan)
        : atoms_(atoms),
          k_(atoms.count()),
          most_(std::min<Index>(plan.max_atoms, k_)),
          tol_(plan.tol),
          inner_(k_),
          row_(atoms.gram ? std::size_t(0) : std::size_t(k_)) {}

    // True if the pursuit ended early.
    bool run(const double* products, double square) {
        std::copy_n(products, k_, inner_.data());
        chosen_.clear();
        share_.clear();
        const double top = std::abs(inner_[best()]), noise = kNoise * top;
        while (steps() < most_ && (tol_ < 0.0 || square > tol_)) {
            const Index j = best();
            if (std::abs(inner_[j]) <= noise || !add(j, square)) return top > 0.0 || tol_ >= 0.0;
        }
        return false;
    }

    Index steps() const { return Index(chosen_.size()); }
    int chosen(Index i) const { return chosen_[i]; }

    // The coefficients of the first m atoms, refitted: the chosen columns of the basis are a triangle.
    void coefficients(Index m, double* out) const {
        for (Index i = m - 1; i >= 0; --i) {
            const double* own = basis_.data() + i * k_;
            double value = share_[i];
            for (Index l = i + 1; l < m; ++l) value -= own[chosen_[l]] * out[l];
            out[i] = value / own[chosen_[i]];
        }
    }

private:
    // The first atom with the largest absolute inner product.
    Index best() const {
        const double* inner = inner_.data();
        Pack4 most[4] = {};
        Index t = 0;
        for (; t + 16 <= k_; t += 16)
            for (Index v = 0; v < 4; ++v) most[v] = largest(absolute(packs(inner + t)[v]), most[v]);
        const Pack4 all = largest(largest(most[0], most[1]), largest(most[2], most[3]));
        double size = std::max(std::max(all[0], all[1]), std::max(all[2], all[3]));
        for (; t < k_; ++t) size = std::max(size, std::abs(inner[t]));
        for (t = 0; t + 4 <= k_; t += 4)
            if (const unsigned found = bits_of(absolute(packs(inner + t)[0]) == broadcast(size)))
                return t + __builtin_ctz(found);
        for (; t < k_; ++t)
            if (std::abs(inner[t]) == size) return t;
        return 0;  // not numbers
    }

    const double* gram_row(Index j) {
        const auto& matrix = atoms_.matrix;
        if (atoms_.gram) return matrix.row(j);
        columns_dot(matrix.data, matrix.col(j), matrix.rows, k_, row_.data());
        return row_.data();
    }

    bool add(Index j, double& square) {
        const Index m = steps();
        basis_.resize(std::max(basis_.size(), std::size_t((m + 1) * k_)));
        weights_.resize(m);
        const double* row = gram_row(j);
        double left = row[j];
        for (Index l = 0; l < m; ++l) {
            const double weight = basis_[l * k_ + j];
            weights_[l] = weight;
            left -= weight * weight;
        }
        if (!(left > 1e-13 * row[j])) return false;
        const double inverse = 1.0 / std::sqrt(left), share = inner_[j] * inverse;
        const double *basis = basis_.data(), *weights = weights_.data();
        double *own = basis_.data() + m * k_, *inner = inner_.data();
        // Some atoms at a time stay in the registers while the basis streams by.
        Index t = 0;
        for (; t + 16 <= k_; t += 16) {
            Pack4 s[4];
            for (Index v = 0; v < 4; ++v) s[v] = packs(row + t)[v];
            for (Index l = 0; l < m; ++l)
                for (Index v = 0; v < 4; ++v) s[v] -= weights[l] * packs(basis + l * k_ + t)[v];
            for (Index v = 0; v < 4; ++v) {
                s[v] *= inverse;
                packs(own + t)[v] = s[v];
                packs(inner + t)[v] -= share * s[v];
            }
        }
        for (; t < k_; ++t) {
            double s = row[t];
            for (Index l = 0; l < m; ++l) s -= weights[l] * basis[l * k_ + t];
            own[t] = s * inverse;
            inner[t] -= share * own[t];
        }
        square -= share * share;
        share_.push_back(share);
        chosen_.push_back(int(j));
        for (const int c : chosen_) inner[c] = 0.0;  // up to rounding: they must not be chosen again
        return true;
    }

    const PursuitAtoms& atoms_;
    Index k_, most_;
    double tol_;
    std::vector<double> basis_, inner_, row_, share_, weights_;
    std::vector<int> chosen_;
};

}  // namespace

Index omp_codes(const PursuitAtoms& atoms, Matrix<const double> products, Span<const double> squares,
                const PursuitPlan& plan, const Interrupt& interrupt, Matrix<double> codes, Span<int> steps) {
    const Index k = atoms.count();
    const Blocks blocks(products.rows, kSignals);
    std::vector<Index> early(blocks.count());
    const double most = std::min<double>(plan.max_atoms, double(k));
    const double row_cost = atoms.gram ? 0.0 : 2.0 * double(atoms.matrix.rows);
    const Work work(double(products.rows) * double(k) * most * (most + row_cost));
    parallel_for(blocks.count(), work, [&](Index b) {
        Pursuit pursuit(atoms, plan);
        std::vector<double> found;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            if (interrupt.requested()) return;
            early[b] += pursuit.run(products.row(i), squares[i]);
            const Index m = pursuit.steps();
            found.resize(m);
            pursuit.coefficients(m, found.data());
            double* code = codes.row(i);
            std::fill_n(code, k, 0.0);
            for (Index s = 0; s < m; ++s) code[pursuit.chosen(s)] = found[s];
            steps[i] = int(m);
        }
    });
    Index total = 0;
    for (const Index count : early) total += count;
    return total;
}

Index omp_path(const PursuitAtoms& atoms, Span<const double> products, double square, const PursuitPlan& plan,
               Span<int> chosen, Matrix<double> path) {
    Pursuit pursuit(atoms, plan);
    const bool early = pursuit.run(products.data(), square);
    const Index m = pursuit.steps();
    for (Index s = 0; s < m; ++s) {
        chosen[s] = pursuit.chosen(s);
        pursuit.coefficients(s + 1, path.row(s));
    }
    return early ? -1 - m : m;
}

}  // namespace statlearn
