#include <algorithm>
#include <cmath>
#include <vector>

#include "common/parallel.hpp"
#include "decomposition/nmf.hpp"
#include "decomposition/nmf_rows.hpp"

namespace statlearn::decomposition {

namespace {

constexpr Index kRows = 128;  // rows of a unit of work

}  // namespace

// One sweep over the coordinates of kSide rows; returns the sum of the violations of the first `used` ones.
double CoordinateRows::sweep(Index used) {
    constexpr Index packs_of_side = kSide / 4;
    const double *a = a_.data(), *G = gram_.data();
    double* w = w_.data();
    Pack4 violation[packs_of_side] = {};
    for (const int t : order_) {
        // Two sums for each lane: additions that need not wait for each other.
        Pack4 g[packs_of_side], other[packs_of_side] = {};
        for (Index v = 0; v < packs_of_side; ++v) g[v] = plan_.l1 - packs(a + t * kSide)[v];
        const double* row = G + t * k_;
        Index l = 0;
        for (; l + 2 <= k_; l += 2) {
            const double one = row[l], two = row[l + 1];
            const Pack4* from = packs(w + l * kSide);
            for (Index v = 0; v < packs_of_side; ++v) g[v] += one * from[v];
            for (Index v = 0; v < packs_of_side; ++v) other[v] += two * from[packs_of_side + v];
        }
        if (l < k_)
            for (Index v = 0; v < packs_of_side; ++v) g[v] += row[l] * packs(w + l * kSide)[v];
        const double curvature = row[t] + plan_.l2;
        const double inverse = curvature > 0.0 ? 1.0 / curvature : 0.0;
        Pack4* own = packs(w + t * kSide);
        const Pack4 zero = {};
        for (Index v = 0; v < packs_of_side; ++v) {
            const Pack4 now = own[v], gradient = (g[v] + other[v]) + plan_.l2 * now;
            const Pack4 inward = gradient < zero ? gradient : zero;
            violation[v] += absolute(now == zero ? inward : gradient);
            own[v] = largest(now - gradient * inverse, zero);
        }
    }
    double each[kSide], sum = 0.0;
    for (Index v = 0; v < packs_of_side; ++v) packs(each)[v] = violation[v];
    for (Index r = 0; r < used; ++r) sum += each[r];
    return sum;
}

template <class T>
double CoordinateRows::descend(const T* A, Index a_step, Index rows, T* W, Index w_step) {
    double sum = 0.0;
    for (Index first = 0; first < rows; first += kSide) {
        const Index used = std::min(kSide, rows - first);
        for (Index r = 0; r < kSide; ++r) {
            const Index i = first + std::min(r, used - 1);
            for (Index t = 0; t < k_; ++t) {
                a_[t * kSide + r] = double(A[i * a_step + t]);
                w_[t * kSide + r] = double(W[i * w_step + t]);
            }
        }
        const double at_first = sweep(used);
        sum += at_first;
        for (int s = 1; s < plan_.max_sweeps; ++s)
            if (sweep(used) <= plan_.enough * at_first) break;
        for (Index r = 0; r < used; ++r)
            for (Index t = 0; t < k_; ++t) W[(first + r) * w_step + t] = T(w_[t * kSide + r]);
    }
    return sum;
}

template double CoordinateRows::descend<float>(const float*, Index, Index, float*, Index);
template double CoordinateRows::descend<double>(const double*, Index, Index, double*, Index);

template <class T>
double nmf_coordinate_rows(Matrix<const T> A, Matrix<const double> G, Span<const int> order, const CoordinatePlan& plan,
                           const Interrupt& interrupt, Matrix<T> W) {
    const Index n = W.rows, k = W.cols;
    const Blocks blocks(n, kRows);
    std::vector<double> part(blocks.count());
    parallel_for(blocks.count(), Work(2.0 * double(n) * double(k * k) * plan.max_sweeps), [&](Index b) {
        if (interrupt.requested()) return;
        CoordinateRows rows(G, order, plan);
        const Index first = blocks.begin(b);
        part[b] = rows.descend(A.row(first), A.row_stride, blocks.end(b) - first, W.row(first), W.row_stride);
    });
    double total = 0.0;
    for (const double value : part) total += value;
    return total;
}

template <class T>
void nmf_masked_rows(Matrix<const T> X, Matrix<const T> Ht, const CoordinatePlan& plan, const Interrupt& interrupt,
                     Matrix<T> W) {
    const Index n = W.rows, k = W.cols, p = X.cols;
    const Blocks blocks(n, 32);
    parallel_for(blocks.count(), Work(double(n) * double(p) * double(k * k)), [&](Index b) {
        std::vector<double> gram(k * k), right(k), w(right);
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
                    right[l] += x * value;
                    double* row = gram.data() + l * k;
                    for (Index t = 0; t < k; ++t) row[t] += value * double(h[t]);
                }
            }
            for (Index l = 0; l < k; ++l) w[l] = double(W(i, l));
            double first = 0.0;
            for (int s = 0; s < plan.max_sweeps; ++s) {
                double violation = 0.0;
                for (Index t = 0; t < k; ++t) {
                    const double* row = gram.data() + t * k;
                    double g = plan.l1 - right[t] + plan.l2 * w[t];
                    for (Index l = 0; l < k; ++l) g += row[l] * w[l];
                    const double curvature = row[t] + plan.l2;
                    if (w[t] > 0.0 || g < 0.0) violation += std::abs(g);
                    if (curvature > 0.0) w[t] = std::max(0.0, w[t] - g / curvature);
                }
                if (s == 0) first = violation;
                if (violation <= plan.enough * first) break;
            }
            for (Index l = 0; l < k; ++l) W(i, l) = T(w[l]);
        }
    });
}

template void nmf_masked_rows<float>(Matrix<const float>, Matrix<const float>, const CoordinatePlan&, const Interrupt&,
                                     Matrix<float>);
template void nmf_masked_rows<double>(Matrix<const double>, Matrix<const double>, const CoordinatePlan&,
                                      const Interrupt&, Matrix<double>);
template double nmf_coordinate_rows<float>(Matrix<const float>, Matrix<const double>, Span<const int>,
                                           const CoordinatePlan&, const Interrupt&, Matrix<float>);
template double nmf_coordinate_rows<double>(Matrix<const double>, Matrix<const double>, Span<const int>,
                                            const CoordinatePlan&, const Interrupt&, Matrix<double>);

}  // namespace statlearn::decomposition
