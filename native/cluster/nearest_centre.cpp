#include "cluster/nearest_centre.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/parallel.hpp"
#include "common/tile.hpp"

namespace statlearn::cluster {
namespace {

constexpr Index kPanel = kTileRows;  // centres of a tile
constexpr Index kBlock = 1024;       // rows between two looks at the interrupt
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
constexpr Index kLanes = kTileLanes<T>;  // rows of a tile

// The two smallest scores of each lane so far, and where the smallest was.
template <class T>
struct alignas(32) Smallest {
    T best[kLanes<T>], second[kLanes<T>], which[kLanes<T>];
};

// Scores half[i] - a_i . b_l of four centres (a: depth x 4, with the sign changed) and a panel of rows (b: depth x
// lanes).
template <class T>
inline void score_tile(const T* a, const T* half, const T* b, Index depth, Index first, Smallest<T>& found) {
    using Pack = PackOf<T>;
    TileSums<T> s;
    tile_fill_rows(s, half);
    tile_accumulate(a, kPanel, b, kLanes<T>, depth, s);
    for (Index v = 0; v < kTilePacks; ++v) {
        Pack &best = packs(found.best)[v], &second = packs(found.second)[v], &which = packs(found.which)[v];
        for (Index i = 0; i < kPanel; ++i) {
            const auto less = s.v[i][v] < best;
            const Pack larger = less ? best : s.v[i][v];
            second = larger < second ? larger : second;
            which = less ? Pack{} + T(first + i) : which;
            best = less ? s.v[i][v] : best;
        }
    }
}

}  // namespace

template <class T>
CentreSet<T>::CentreSet(Index k, Index p, bool sparse)
    : k_(k), p_(p), padded_((k + kPanel - 1) / kPanel * kPanel), sparse_(sparse), squares_(k) {
    half_.resize(padded_);
    if (sparse)
        columns_.resize(p * padded_);
    else
        packed_.resize(padded_ * p);
}

template <class T>
void CentreSet<T>::set(const double* values, Span<const double> origin) {
    values_ = values;
    origin_.assign(origin.begin(), origin.end());
    std::fill(half_.begin(), half_.end(), std::numeric_limits<T>::infinity());
    double longest = 0.0;
    for (Index c = 0; c < k_; ++c) {
        const double* from = centre(c);
        double square = 0.0, shifted = 0.0;
        for (Index j = 0; j < p_; ++j) {
            square += from[j] * from[j];
            if (sparse_) {
                columns_[j * padded_ + c] = from[j];
            } else {
                const T x = T(from[j] - origin_[j]);
                packed_[c / kPanel * kPanel * p_ + j * kPanel + c % kPanel] = -x;
                shifted += double(x) * double(x);
            }
        }
        if (sparse_) shifted = square;
        squares_[c] = square;
        half_[c] = T(0.5 * shifted);
        longest = std::max(longest, shifted);
    }
    longest_ = std::sqrt(longest);
}

// `best` and `second` are scores of a row whose squared length from the origin is `square`.
template <class T>
void CentreSet<T>::finish(const RowsView<T>& X, Index i, double best, double second, double square, int which,
                          int* label, double* upper, double* lower) const {
    // |error of a squared distance| <= (p + 3) eps (|x| + |c|)^2: products, sums, and the shift of x and c.
    const double precision =
        sparse_ ? std::numeric_limits<double>::epsilon() : double(std::numeric_limits<T>::epsilon());
    const double reach = std::sqrt(square) + longest_;
    const double error = double(p_ + 3) * precision * reach * reach;
    double near = std::max(0.0, 2.0 * best + square), far = std::max(0.0, 2.0 * second + square);
    if (second - best > 2.0 * error || k_ == 1) {
        near += error, far = std::max(0.0, far - error);
    } else {
        near = far = kInfinity;
        which = 0;
        for (Index c = 0; c < k_; ++c) {
            const double d = distance(X, i, c);
            if (d < near) {
                far = near, near = d, which = int(c);
            } else if (d < far) {
                far = d;
            }
        }
    }
    *label = which;
    if (upper) *upper = std::sqrt(near) * (1.0 + 1e-14);
    if (lower) *lower = k_ == 1 ? kInfinity : std::sqrt(far) * (1.0 - 1e-14);
}

template <class T>
void CentreSet<T>::search_dense(const RowsView<T>& X, const Index* rows, Index begin, Index count, int* labels,
                                double* upper, double* lower) const {
    constexpr Index kL = kLanes<T>;
    std::vector<T> panel(p_ * kL);
    const double* origin = origin_.data();
    Smallest<T> found;
    T square[kL];
    for (Index e = 0; e < count; e += kL) {
        const Index used = std::min(kL, count - e);
        for (Index l = 0; l < kL; ++l) {
            const Index at = e + std::min(l, used - 1);  // lanes without a row repeat the last one
            const T* x = X.row(rows ? rows[at] : begin + at);
            for (Index j = 0; j < p_; ++j) panel[j * kL + l] = T(double(x[j]) - origin[j]);
        }
        std::fill(square, square + kL, T(0));
        for (Index j = 0; j < p_; ++j)
            for (Index l = 0; l < kL; ++l) square[l] += panel[j * kL + l] * panel[j * kL + l];
        std::fill(found.best, found.best + kL, std::numeric_limits<T>::infinity());
        std::fill(found.second, found.second + kL, std::numeric_limits<T>::infinity());
        std::fill(found.which, found.which + kL, T(0));
        for (Index c = 0; c < padded_; c += kPanel)
            score_tile<T>(packed_.data() + c * p_, half_.data() + c, panel.data(), p_, c, found);
        for (Index l = 0; l < used; ++l) {
            const Index i = rows ? rows[e + l] : begin + e + l;
            finish(X, i, double(found.best[l]), double(found.second[l]), double(square[l]), int(found.which[l]),
                   labels + e + l, upper ? upper + e + l : nullptr, lower ? lower + e + l : nullptr);
        }
    }
}

template <class T>
void CentreSet<T>::search_sparse(const RowsView<T>& X, const Index* rows, Index begin, Index count, int* labels,
                                 double* upper, double* lower) const {
    std::vector<double> score(padded_);
    for (Index e = 0; e < count; ++e) {
        const Index i = rows ? rows[e] : begin + e;
        for (Index c = 0; c < k_; ++c) score[c] = 0.5 * squares_[c];
        double square = 0.0;
        for (int q = X.indptr[i]; q < X.indptr[i + 1]; ++q) {
            const double x = double(X.values[q]);
            square += x * x;
            const double* column = columns_.data() + Index(X.cols_of[q]) * padded_;
            for (Index c = 0; c < k_; ++c) score[c] -= x * column[c];
        }
        double best = kInfinity, second = kInfinity;
        int which = 0;
        for (Index c = 0; c < k_; ++c) {
            const double s = score[c];
            if (s < best) {
                second = best, best = s, which = int(c);
            } else if (s < second) {
                second = s;
            }
        }
        finish(X, i, best, second, square, which, labels + e, upper ? upper + e : nullptr, lower ? lower + e : nullptr);
    }
}

template <class T>
void CentreSet<T>::search(const RowsView<T>& X, const Index* rows, Index begin, Index count, int* labels, double* upper,
                          double* lower) const {
    if (sparse_)
        search_sparse(X, rows, begin, count, labels, upper, lower);
    else
        search_dense(X, rows, begin, count, labels, upper, lower);
}

template <class T>
void nearest_centres(const RowsView<T>& X, const CentreSet<T>& centres, const Interrupt& interrupt, Span<int> labels,
                     Span<double> distances) {
    const Blocks blocks(X.rows, kBlock);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        const Index begin = blocks.begin(b), end = blocks.end(b);
        centres.search(X, nullptr, begin, end - begin, labels.data() + begin, nullptr, nullptr);
        if (distances.empty()) return;
        for (Index i = begin; i < end; ++i) distances[i] = centres.distance(X, i, labels[i]);
    });
}

template <class T>
void centre_distances(const RowsView<T>& X, Matrix<const double> centres, const Interrupt& interrupt, Span<T> D) {
    const Index k = centres.rows, p = centres.cols;
    std::vector<double> squares(k, 0.0);
    for (Index c = 0; c < k; ++c)
        for (Index j = 0; j < p; ++j) squares[c] += centres(c, j) * centres(c, j);
    const Blocks blocks(X.rows, kBlock);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i)
            for (Index c = 0; c < k; ++c) D[i * k + c] = T(std::sqrt(X.distance(i, centres.row(c), squares[c])));
    });
}

template <class T>
void row_sums(const RowsView<T>& X, Span<const double> weights, Span<const int> labels, Span<double> sums,
              Span<double> totals) {
    for (Index i = 0; i < X.rows; ++i) {
        const int c = labels[i];
        if (c < 0) continue;
        const double w = weights.empty() ? 1.0 : weights[i];
        X.add(i, w, sums.data() + c * X.cols);
        totals[c] += w;
    }
}

template <class T>
double mean_and_scatter(const RowsView<T>& X, Span<const double> weights, const Interrupt& interrupt,
                        Span<double> mean) {
    const Index p = X.cols;
    const auto weight = [&](Index i) { return weights.empty() ? 1.0 : weights[i]; };
    const Blocks blocks(X.rows, std::max<Index>(4096, (X.rows + 63) / 64));
    std::vector<double> sums(blocks.count() * (p + 1), 0.0);
    parallel_for(blocks.count(), [&](Index b) {
        double* sum = sums.data() + b * (p + 1);
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            if (i % kBlock == 0 && interrupt.requested()) return;
            X.add(i, weight(i), sum);
            sum[p] += weight(i);
        }
    });
    for (Index b = 1; b < blocks.count(); ++b)
        for (Index j = 0; j <= p; ++j) sums[j] += sums[b * (p + 1) + j];
    double square = 0.0;
    for (Index j = 0; j < p; ++j) {
        mean[j] = sums[j] / sums[p];
        square += mean[j] * mean[j];
    }
    return parallel_sum(Blocks(X.rows), [&](Index begin, Index end) {
        double sum = 0.0;
        for (Index i = begin; i < end; ++i) sum += weight(i) * X.distance(i, mean.data(), square);
        return sum;
    });
}

#define STATLEARN_NEAREST(T)                                                                                        \
    template class CentreSet<T>;                                                                                    \
    template void nearest_centres<T>(const RowsView<T>&, const CentreSet<T>&, const Interrupt&, Span<int>,          \
                                     Span<double>);                                                                 \
    template void centre_distances<T>(const RowsView<T>&, Matrix<const double>, const Interrupt&, Span<T>);         \
    template void row_sums<T>(const RowsView<T>&, Span<const double>, Span<const int>, Span<double>, Span<double>); \
    template double mean_and_scatter<T>(const RowsView<T>&, Span<const double>, const Interrupt&, Span<double>);
STATLEARN_NEAREST(float)
STATLEARN_NEAREST(double)
#undef STATLEARN_NEAREST

}  // namespace statlearn::cluster
