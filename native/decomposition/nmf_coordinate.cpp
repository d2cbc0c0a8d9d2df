#include <algorithm>
#include <cmath>
#include <vector>

#include "common/parallel.hpp"
#include "decomposition/nmf.hpp"

namespace statlearn::decomposition {

namespace {

constexpr Index kSide = 16;   // rows that go side by side, one per lane
constexpr Index kRows = 128;  // rows of a unit of work

// One sweep over the coordinates of kSide rows, w and a being k x kSide; returns the sum of the violations.
double sweep(const double* a, const double* G, std::span<const int> order, Index k, const CoordinatePlan& plan,
             double* w, Index used) {
    double violation[kSide] = {};
    for (const int t : order) {
        double g[kSide];
        const double* at = a + t * kSide;
        for (Index r = 0; r < kSide; ++r) g[r] = plan.l1 - at[r];
        const double* row = G + t * k;
        for (Index l = 0; l < k; ++l) {
            const double weight = row[l];
            const double* from = w + l * kSide;
            for (Index r = 0; r < kSide; ++r) g[r] += weight * from[r];
        }
        const double curvature = row[t] + plan.l2;
        double* own = w + t * kSide;
        const double inverse = curvature > 0.0 ? 1.0 / curvature : 0.0;
        for (Index r = 0; r < kSide; ++r) {
            const double gradient = g[r] + plan.l2 * own[r];
            const double projected = own[r] == 0.0 ? (gradient < 0.0 ? gradient : 0.0) : gradient;
            violation[r] += std::abs(projected);
            const double next = own[r] - gradient * inverse;
            own[r] = next > 0.0 ? next : 0.0;
        }
    }
    double sum = 0.0;
    for (Index r = 0; r < used; ++r) sum += violation[r];
    return sum;
}

}  // namespace

template <class T>
double nmf_coordinate_rows(MatrixView<const T> A, MatrixView<const double> G, std::span<const int> order,
                           const CoordinatePlan& plan, const Interrupt& interrupt, MatrixView<T> W) {
    const Index n = W.rows, k = W.cols;
    std::vector<double> gram(std::size_t(k * k));
    for (Index i = 0; i < k; ++i)
        for (Index j = 0; j < k; ++j) gram[std::size_t(i * k + j)] = G(i, j);
    const Blocks blocks(n, kRows);
    std::vector<double> part(std::size_t(blocks.count()));
    parallel_for(blocks.count(), Work(2.0 * double(n) * double(k * k) * plan.max_sweeps), [&](Index b) {
        if (interrupt.requested()) return;
        std::vector<double> a(std::size_t(k * kSide)), w(std::size_t(k * kSide));
        double sum = 0.0;
        for (Index first = blocks.begin(b); first < blocks.end(b); first += kSide) {
            const Index used = std::min(kSide, blocks.end(b) - first);
            for (Index t = 0; t < k; ++t)
                for (Index r = 0; r < kSide; ++r) {
                    const Index i = first + std::min(r, used - 1);
                    a[std::size_t(t * kSide + r)] = double(A(i, t));
                    w[std::size_t(t * kSide + r)] = double(W(i, t));
                }
            const double at_first = sweep(a.data(), gram.data(), order, k, plan, w.data(), used);
            sum += at_first;
            for (int s = 1; s < plan.max_sweeps; ++s)
                if (sweep(a.data(), gram.data(), order, k, plan, w.data(), used) <= plan.enough * at_first) break;
            for (Index t = 0; t < k; ++t)
                for (Index r = 0; r < used; ++r) W(first + r, t) = T(w[std::size_t(t * kSide + r)]);
        }
        part[std::size_t(b)] = sum;
    });
    double total = 0.0;
    for (const double value : part) total += value;
    return total;
}

template <class T>
void nmf_masked_rows(MatrixView<const T> X, MatrixView<const T> Ht, const CoordinatePlan& plan,
                     const Interrupt& interrupt, MatrixView<T> W) {
    const Index n = W.rows, k = W.cols, p = X.cols;
    const Blocks blocks(n, 32);
    parallel_for(blocks.count(), Work(double(n) * double(p) * double(k * k)), [&](Index b) {
        std::vector<double> gram(std::size_t(k * k)), right(static_cast<std::size_t>(k)), w(right);
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            if (interrupt.requested()) return;
            std::fill(gram.begin(), gram.end(), 0.0);
            std::fill(right.begin(), right.end(), 0.0);
            for (Index j = 0; j < p; ++j) {
                const double x = double(X(i, j));
                if (x != x) continue;
                const T* h = Ht.row(j);
                for (Index l = 0; l < k; ++l) {
                    const double value = double(h[l]);
                    right[std::size_t(l)] += x * value;
                    double* row = gram.data() + l * k;
                    for (Index t = 0; t < k; ++t) row[t] += value * double(h[t]);
                }
            }
            for (Index l = 0; l < k; ++l) w[std::size_t(l)] = double(W(i, l));
            double first = 0.0;
            for (int s = 0; s < plan.max_sweeps; ++s) {
                double violation = 0.0;
                for (Index t = 0; t < k; ++t) {
                    const double* row = gram.data() + t * k;
                    double g = plan.l1 - right[std::size_t(t)] + plan.l2 * w[std::size_t(t)];
                    for (Index l = 0; l < k; ++l) g += row[l] * w[std::size_t(l)];
                    const double curvature = row[t] + plan.l2;
                    if (w[std::size_t(t)] > 0.0 || g < 0.0) violation += std::abs(g);
                    if (curvature > 0.0) w[std::size_t(t)] = std::max(0.0, w[std::size_t(t)] - g / curvature);
                }
                if (s == 0) first = violation;
                if (violation <= plan.enough * first) break;
            }
            for (Index l = 0; l < k; ++l) W(i, l) = T(w[std::size_t(l)]);
        }
    });
}

template void nmf_masked_rows<float>(MatrixView<const float>, MatrixView<const float>, const CoordinatePlan&,
                                     const Interrupt&, MatrixView<float>);
template void nmf_masked_rows<double>(MatrixView<const double>, MatrixView<const double>, const CoordinatePlan&,
                                      const Interrupt&, MatrixView<double>);
template double nmf_coordinate_rows<float>(MatrixView<const float>, MatrixView<const double>, std::span<const int>,
                                           const CoordinatePlan&, const Interrupt&, MatrixView<float>);
template double nmf_coordinate_rows<double>(MatrixView<const double>, MatrixView<const double>, std::span<const int>,
                                            const CoordinatePlan&, const Interrupt&, MatrixView<double>);

}  // namespace statlearn::decomposition
