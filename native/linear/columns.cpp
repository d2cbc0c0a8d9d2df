#include "linear/columns.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/parallel.hpp"
#include "common/vector.hpp"

namespace statlearn::linear {
namespace {

constexpr Index kLeft = 3, kRight = 4;  // a tile of 3 x 4 products keeps 12 accumulators in registers
constexpr Index kRowChunk = 2048;       // rows summed at a time, so that the right-hand sides stay in cache
constexpr Index kColumnBlock = 48;      // columns per unit of parallel work
constexpr Index kStrip = 512;           // rows per unit of parallel work

// C[b * ldc + a] += sum over n rows, for A columns and B right-hand sides.
template <class T, int A, int B>
void tile(const T* const* cols, Index first, const double* R, Index ldr, Index n, double* C, Index ldc) {
    const T* left[A];
    const double* right[B];
    for (int a = 0; a < A; ++a) left[a] = cols[a] + first;
    for (int b = 0; b < B; ++b) right[b] = R + b * ldr;
    dot_tile<A, B>(left, right, n, C, ldc);
}

template <class T, int A>
void tile_row(const T* const* cols, Index first, const double* R, Index ldr, Index n_right, Index n, double* C,
              Index ldc) {
    Index b = 0;
    for (; b + kRight <= n_right; b += kRight) tile<T, A, 4>(cols, first, R + b * ldr, ldr, n, C + b * ldc, ldc);
    R += b * ldr;
    C += b * ldc;
    if (n_right - b == 3) tile<T, A, 3>(cols, first, R, ldr, n, C, ldc);
    if (n_right - b == 2) tile<T, A, 2>(cols, first, R, ldr, n, C, ldc);
    if (n_right - b == 1) tile<T, A, 1>(cols, first, R, ldr, n, C, ldc);
}

// Weighted mean of y (0 without centring), and its total weight.
void target_moments(Span<const double> y, Span<const double> weights, bool centre, Moments& m) {
    double sum = 0.0, total_weight = 0.0;
    for (Index i = 0; i < y.size(); ++i) {
        const double weight = weights.empty() ? 1.0 : weights[i];
        total_weight += weight;
        if (weight != 0.0) sum += weight * y[i];
    }
    m.total_weight = total_weight;
    m.target_mean = centre ? sum / total_weight : 0.0;
    m.target_norm2 = 0.0;
    for (Index i = 0; i < y.size(); ++i) {
        const double weight = weights.empty() ? 1.0 : weights[i];
        const double d = y[i] - m.target_mean;
        if (weight != 0.0) m.target_norm2 += weight * d * d;
    }
}

// R[b] = start - sum_k value_k columns[at_k] for each solution b: a strip of rows stays in the cache while all
// solutions take their columns from it.
void subtract_solutions(Span<const double* const> columns, Span<const Solution> solutions, Span<const double> start,
                        double* R) {
    const Index rows = Index(start.size());
    const Blocks strips(rows, kStrip);
    parallel_for(strips.count(), [&](Index strip) {
        const Index begin = strips.begin(strip), n = strips.end(strip) - begin;
        std::vector<std::size_t> next(solutions.size(), 0);
        std::vector<const double*> used;
        for (Index b = 0; b < solutions.size(); ++b) std::copy_n(start.data() + begin, n, R + Index(b) * rows + begin);
        // Positions increase in every solution, so that they go through the columns together.
        for (Index limit = kColumnBlock; limit < Index(columns.size()) + kColumnBlock; limit += kColumnBlock)
            for (Index b = 0; b < solutions.size(); ++b) {
                const auto& [at, value] = solutions[b];
                const auto first = next[b];
                used.clear();
                for (; next[b] < at.size() && at[next[b]] < limit; ++next[b]) used.push_back(columns[at[next[b]]]);
                subtract_columns(used.data(), value.data() + first, Index(used.size()), begin, n,
                                 R + Index(b) * rows + begin);
            }
    });
}

}  // namespace

template <class T>
void cross_products(Span<const T* const> cols, const double* R, Index ldr, Index n_right, Index n, double* C,
                    Index ldc) {
    const Blocks blocks(Index(cols.size()), kColumnBlock);
    parallel_for(blocks.count(), [&](Index block) {
        const Index begin = blocks.begin(block), end = blocks.end(block);
        for (Index b = 0; b < n_right; ++b) std::fill(C + b * ldc + begin, C + b * ldc + end, 0.0);
        for (Index first = 0; first < n; first += kRowChunk) {
            const Index rows = std::min(kRowChunk, n - first);
            Index a = begin;
            for (; a + kLeft <= end; a += kLeft)
                tile_row<T, 3>(cols.data() + a, first, R + first, ldr, n_right, rows, C + a, ldc);
            if (end - a == 2) tile_row<T, 2>(cols.data() + a, first, R + first, ldr, n_right, rows, C + a, ldc);
            if (end - a == 1) tile_row<T, 1>(cols.data() + a, first, R + first, ldr, n_right, rows, C + a, ldc);
        }
    });
}

// Dense ---------------------------------------------------------------------------------------------------------------

template <class T>
DenseColumns<T>::DenseColumns(Matrix<const T> X, Span<const double> y, Span<const double> weights, bool centre)
    : X_(X) {
    const Index n = X.rows, p = X.cols;
    target_moments(y, weights, centre, moments_);
    if (!weights.empty()) {
        for (Index i = 0; i < n; ++i)
            if (weights[i] > 0.0) kept_.push_back(i);
        if (Index(kept_.size()) == n && std::all_of(weights.begin(), weights.end(), [](double w) { return w == 1.0; }))
            kept_.clear();
        else
            for (const Index i : kept_) root_.push_back(std::sqrt(weights[i]));
        if (Index(kept_.size()) == n) kept_.clear();
    }
    const Index rows = kept_.empty() ? n : Index(kept_.size());
    target_.resize(rows);
    for (Index i = 0; i < rows; ++i) {
        const Index row = kept_.empty() ? i : kept_[i];
        const double root = root_.empty() ? 1.0 : root_[i];
        target_[i] = root * (y[row] - moments_.target_mean);
    }
    if (centre) moments_.mean.resize(p);
    moments_.norm2.resize(p);
    moments_.target_dot.resize(p);
    // The column is in the first-level cache when it is read again: the mean first, then centred sums lose no digits.
    const Blocks blocks(p, kColumnBlock);
    parallel_for(blocks.count(), [&](Index block) {
        std::vector<double> column(rows);
        for (Index j = blocks.begin(block); j < blocks.end(block); ++j) {
            if (centre) {
                const T* x = X_.col(j);
                double sum = 0.0;
                if (root_.empty() && kept_.empty()) {
                    double part[8] = {};
                    Index i = 0;
                    for (; i + 8 <= n; i += 8)
                        for (int k = 0; k < 8; ++k) part[k] += double(x[i + k]);
                    for (; i < n; ++i) sum += double(x[i]);
                    for (const double value : part) sum += value;
                } else {
                    for (Index i = 0; i < n; ++i)
                        if (weights[i] != 0.0) sum += weights[i] * double(x[i]);
                }
                moments_.mean[j] = sum / moments_.total_weight;
            }
            pack(j, column.data());
            moments_.norm2[j] = statlearn::dot(column.data(), column.data(), rows);
            moments_.target_dot[j] = statlearn::dot(column.data(), target_.data(), rows);
        }
    });
    for (Index j = 0; centre && j < p; ++j) {
        const double m = moments_.mean[j];
        far_ |= m * m * moments_.total_weight > 1e6 * moments_.norm2[j];
    }
}

template <class T>
void DenseColumns<T>::pack(Index j, double* out) const {
    const T* x = X_.col(j);
    const double mean = moments_.mean.empty() ? 0.0 : moments_.mean[j];
    const Index rows = Index(target_.size());
    if (kept_.empty())
        for (Index i = 0; i < rows; ++i) out[i] = double(x[i]) - mean;
    else
        for (Index i = 0; i < rows; ++i) out[i] = double(x[kept_[i]]) - mean;
    if (!root_.empty())
        for (Index i = 0; i < rows; ++i) out[i] *= root_[i];
}

template <class T>
void DenseColumns<T>::extend(Span<const Index> added, double* G, Index ld) {
    const Index old = Index(packed_.size()), n_new = Index(added.size()), rows = Index(target_.size());
    if (n_new == 0) return;
    storage_.push_back(std::make_unique_for_overwrite<double[]>(rows * n_new));
    double* fresh = storage_.back().get();
    for (Index a = 0; a < n_new; ++a) packed_.push_back(fresh + a * rows);
    members_.insert(members_.end(), added.begin(), added.end());
    const Blocks blocks(n_new, 16);
    parallel_for(blocks.count(), [&](Index block) {
        for (Index a = blocks.begin(block); a < blocks.end(block); ++a) pack(added[a], fresh + a * rows);
    });
    if (!G) return;
    // New columns against all, then the mirror image.
    cross_products<double>({packed_.data(), packed_.size()}, fresh, rows, n_new, rows, G + old * ld, ld);
    for (Index a = old; a < old + n_new; ++a)
        for (Index k = 0; k < old; ++k) G[k * ld + a] = G[a * ld + k];
}

template <class T>
void DenseColumns<T>::residuals_of(Span<const Solution> solutions, double* R) const {
    subtract_solutions(packed_, solutions, target_, R);
}

template <class T>
void DenseColumns<T>::correlations(Span<const Solution> solutions, double* C, double* rr) {
    const Index n = X_.rows, p = X_.cols, rows = Index(target_.size()), batch = Index(solutions.size());
    std::vector<double> residuals(rows * batch), R, sums(batch);
    residuals_of(solutions, residuals.data());
    const bool plain = root_.empty() && kept_.empty();
    if (!plain) R.assign(n * batch, 0.0);
    for (Index b = 0; b < batch; ++b) {
        const double* r = residuals.data() + b * rows;
        double* out = plain ? nullptr : R.data() + b * n;
        double sum = 0.0;
        rr[b] = statlearn::dot(r, r, rows);
        for (Index i = 0; i < rows; ++i) {
            const double value = root_.empty() ? r[i] : root_[i] * r[i];
            if (!plain) out[kept_.empty() ? i : kept_[i]] = value;
            sum += value;
        }
        sums[b] = sum;
    }
    std::vector<const T*> cols(p);
    for (Index j = 0; j < p; ++j) cols[j] = X_.col(j);
    cross_products<T>(cols, plain ? residuals.data() : R.data(), n, batch, n, C, p);
    // The residuals sum to 0 but for rounding; large means would magnify that.
    if (!moments_.mean.empty())
        for (Index b = 0; b < batch; ++b) axpy(-sums[b], moments_.mean.data(), C + b * p, p);
    if (!far_ || packed_.empty()) return;
    // Columns far from zero lose digits there; those of the working set are at hand without their means.
    const Index size = Index(packed_.size());
    std::vector<double> inner(size * batch);
    cross_products<double>({packed_.data(), packed_.size()}, residuals.data(), rows, batch, rows, inner.data(), size);
    for (Index b = 0; b < batch; ++b)
        for (Index k = 0; k < size; ++k) C[b * p + members_[k]] = inner[b * size + k];
}

template <class T>
void DenseColumns<T>::start(const Solution& solution) {
    residual_.resize(target_.size());
    residuals_of({&solution, 1}, residual_.data());
}

template <class T>
double DenseColumns<T>::dot(Index k) const {
    return statlearn::dot(packed_[k], residual_.data(), Index(target_.size()));
}

template <class T>
void DenseColumns<T>::subtract(Index k, double step) {
    axpy(-step, packed_[k], residual_.data(), Index(target_.size()));
}

// Sparse --------------------------------------------------------------------------------------------------------------

namespace {

struct Range {
    Index begin, end;
};

template <class T>
Range entries(const CscView<T>& X, Index j) {
    return {X.indptr[j], X.indptr[j + 1]};
}

}  // namespace

template <class T>
SparseColumns<T>::SparseColumns(CscView<T> X, Span<const double> y, Span<const double> weights, bool centre) : X_(X) {
    weights_.assign(weights.begin(), weights.end());
    const Index p = X.cols;
    target_moments(y, weights, centre, moments_);
    target_.resize(y.size());
    for (Index i = 0; i < y.size(); ++i) {
        const bool absent = !weights.empty() && weights[i] == 0.0;
        target_[i] = absent ? 0.0 : y[i] - moments_.target_mean;
    }
    if (centre) moments_.mean.resize(p);
    moments_.norm2.resize(p);
    moments_.target_dot.resize(p);
    const double S = moments_.total_weight;
    const Blocks blocks(p, 256);
    parallel_for(blocks.count(), [&](Index block) {
        for (Index j = blocks.begin(block); j < blocks.end(block); ++j) {
            const auto [begin, end] = entries(X_, j);
            double sum = 0.0, seen = 0.0, product = 0.0, norm2 = 0.0;
            for (auto e = begin; e < end; ++e) {
                const Index i = X_.rows_of[e];
                const double weight = weights_.empty() ? 1.0 : weights_[i];
                sum += weight * double(X_.values[e]);
                product += weight * double(X_.values[e]) * target_[i];
                seen += weight;
            }
            const double m = centre ? sum / S : 0.0;
            for (auto e = begin; e < end; ++e) {
                const double weight = weights_.empty() ? 1.0 : weights_[X_.rows_of[e]];
                const double d = double(X_.values[e]) - m;
                norm2 += weight * d * d;
            }
            if (centre) moments_.mean[j] = m;
            moments_.norm2[j] = norm2 + std::max(0.0, S - seen) * m * m;
            moments_.target_dot[j] = product;
        }
    });
}

template <class T>
void SparseColumns<T>::extend(Span<const Index> added, double* G, Index ld) {
    const Index old = Index(members_.size()), n_new = Index(added.size());
    members_.insert(members_.end(), added.begin(), added.end());
    if (!G) return;
    const Index size = Index(members_.size());
    const double S = moments_.total_weight;
    const Blocks blocks(n_new, 8);
    parallel_for(blocks.count(), [&](Index block) {
        std::vector<double> column(X_.rows, 0.0);
        for (Index a = old + blocks.begin(block); a < old + blocks.end(block); ++a) {
            const Index j = members_[a];
            const auto own = entries(X_, j);
            for (auto e = own.begin; e < own.end; ++e) {
                const Index i = X_.rows_of[e];
                column[i] += (weights_.empty() ? 1.0 : weights_[i]) * double(X_.values[e]);
            }
            for (Index k = 0; k < size; ++k) {
                const Index other = members_[k];
                const auto [begin, end] = entries(X_, other);
                double sum = 0.0;
                for (auto e = begin; e < end; ++e) sum += double(X_.values[e]) * column[X_.rows_of[e]];
                G[a * ld + k] = k == a ? moments_.norm2[j] : sum - S * mean(j) * mean(other);
            }
            for (auto e = own.begin; e < own.end; ++e) column[X_.rows_of[e]] = 0.0;
        }
    });
    for (Index a = old; a < size; ++a)
        for (Index k = 0; k < old; ++k) G[k * ld + a] = G[a * ld + k];
}

template <class T>
void SparseColumns<T>::residual_of(const Solution& solution, double* r, Index stride) const {
    double shift = 0.0;
    for (std::size_t i = 0; i < target_.size(); ++i) r[Index(i) * stride] = target_[i];
    for (std::size_t k = 0; k < solution.at.size(); ++k) {
        const Index j = members_[solution.at[k]];
        const auto [begin, end] = entries(X_, j);
        for (auto e = begin; e < end; ++e) r[Index(X_.rows_of[e]) * stride] -= solution.value[k] * double(X_.values[e]);
        shift += solution.value[k] * mean(j);
    }
    for (std::size_t i = 0; i < target_.size(); ++i) r[Index(i) * stride] += shift;
}

template <class T>
void SparseColumns<T>::correlations(Span<const Solution> solutions, double* C, double* rr) {
    const Index n = X_.rows, p = X_.cols, batch = Index(solutions.size());
    // Weighted residuals side by side: an entry of X meets all of them at once.
    std::vector<double> R(n * batch), sums(batch);
    parallel_for(batch, [&](Index b) {
        residual_of(solutions[b], R.data() + b, batch);
        double norm2 = 0.0, sum = 0.0;
        for (Index i = 0; i < n; ++i) {
            double& r = R[i * batch + b];
            const double weight = weights_.empty() ? 1.0 : weights_[i];
            norm2 += weight * r * r;
            r *= weight;
            sum += r;
        }
        rr[b] = norm2;
        sums[b] = sum;
    });
    const Blocks blocks(p, 256);
    parallel_for(blocks.count(), [&](Index block) {
        std::vector<double> sum(batch);
        for (Index j = blocks.begin(block); j < blocks.end(block); ++j) {
            for (Index b = 0; b < batch; ++b) sum[b] = -mean(j) * sums[b];
            const auto [begin, end] = entries(X_, j);
            for (auto e = begin; e < end; ++e)
                axpy(double(X_.values[e]), R.data() + Index(X_.rows_of[e]) * batch, sum.data(), batch);
            for (Index b = 0; b < batch; ++b) C[b * p + j] = sum[b];
        }
    });
}

template <class T>
void SparseColumns<T>::start(const Solution& solution) {
    residual_.resize(target_.size());
    residual_of(solution, residual_.data(), 1);
    shift_ = 0.0;
}

template <class T>
double SparseColumns<T>::dot(Index k) const {
    const Index j = members_[k];
    const auto [begin, end] = entries(X_, j);
    double sum = 0.0;
    if (weights_.empty())
        for (auto e = begin; e < end; ++e) sum += double(X_.values[e]) * residual_[X_.rows_of[e]];
    else
        for (auto e = begin; e < end; ++e) {
            const Index i = X_.rows_of[e];
            sum += weights_[i] * double(X_.values[e]) * residual_[i];
        }
    // The true residual is centred, so the mean of the column needs no part in the product.
    return sum + shift_ * moments_.total_weight * mean(j);
}

template <class T>
void SparseColumns<T>::subtract(Index k, double step) {
    const Index j = members_[k];
    const auto [begin, end] = entries(X_, j);
    for (auto e = begin; e < end; ++e) residual_[X_.rows_of[e]] -= step * double(X_.values[e]);
    shift_ += step * mean(j);
}

// Gram ----------------------------------------------------------------------------------------------------------------

GramColumns::GramColumns(Matrix<const double> G, Span<const double> target_dot, double target_norm2) : G_(G) {
    moments_.target_dot.assign(target_dot.begin(), target_dot.end());
    moments_.target_norm2 = target_norm2;
    moments_.norm2.resize(G.cols);
    for (Index j = 0; j < G.cols; ++j) moments_.norm2[j] = std::max(0.0, G(j, j));
}

void GramColumns::extend(Span<const Index> added, double* G, Index ld) {
    const Index old = Index(members_.size());
    members_.insert(members_.end(), added.begin(), added.end());
    const Index size = Index(members_.size());
    for (Index a = old; a < size; ++a) {
        const double* column = G_.col(members_[a]);
        for (Index k = 0; k < size; ++k) G[a * ld + k] = column[members_[k]];
        for (Index k = 0; k < old; ++k) G[k * ld + a] = G[a * ld + k];
    }
}

void GramColumns::correlations(Span<const Solution> solutions, double* C, double* rr) {
    const Index p = G_.cols, batch = Index(solutions.size());
    std::vector<const double*> columns(members_.size());
    for (std::size_t k = 0; k < columns.size(); ++k) columns[k] = G_.col(members_[k]);
    subtract_solutions(columns, solutions, moments_.target_dot, C);
    for (Index b = 0; b < batch; ++b) {
        double sum = moments_.target_norm2;
        const auto& solution = solutions[b];
        for (std::size_t k = 0; k < solution.at.size(); ++k) {
            const Index j = members_[solution.at[k]];
            sum -= solution.value[k] * (moments_.target_dot[j] + C[std::size_t(b * p) + j]);
        }
        rr[b] = std::max(0.0, sum);
    }
}

template <class T>
double SparseColumns<T>::weighted_dot(Index j, const double* v) const {
    double sum = 0.0;
    for (int e = X_.indptr[j]; e < X_.indptr[j + 1]; ++e) {
        const Index i = X_.rows_of[e];
        sum += (weights_.empty() ? 1.0 : weights_[i]) * double(X_.values[e]) * v[i];
    }
    return sum;
}

template <class T>
void SparseColumns<T>::add_column(Index j, double step, double* v) const {
    for (int e = X_.indptr[j]; e < X_.indptr[j + 1]; ++e) v[X_.rows_of[e]] += step * double(X_.values[e]);
}

template class DenseColumns<double>;
template class DenseColumns<float>;
template class SparseColumns<double>;
template class SparseColumns<float>;
template void cross_products<double>(Span<const double* const>, const double*, Index, Index, Index, double*, Index);
template void cross_products<float>(Span<const float* const>, const double*, Index, Index, Index, double*, Index);

}  // namespace statlearn::linear
