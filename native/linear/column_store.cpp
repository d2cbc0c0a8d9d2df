#include "linear/column_store.hpp"

#include <algorithm>

#include "common/parallel.hpp"
#include "common/vector.hpp"

namespace statlearn::linear {
namespace {

constexpr Index kChunk = 2048;  // rows that are summed in single precision

// out[b * ld + a] += the products of A left columns with B right ones over n rows; columns `stride` apart.
template <int A, int B>
void tile(const float* left, const float* right, Index stride, Index n, double* out, Index ld) {
    const float *lefts[A], *rights[B];
    for (int a = 0; a < A; ++a) lefts[a] = left + a * stride;
    for (int b = 0; b < B; ++b) rights[b] = right + b * stride;
    dot_tile<A, B>(lefts, rights, n, out, ld);
}

// y += sum_c delta[c] x_c over n rows, eight columns at a time.
void add_columns(const float* x, Index stride, const double* delta, Index count, Index n, float* y) {
    Index c = 0;
    for (; c + 8 <= count; c += 8) {
        const float* a = x + c * stride;
        float d[8];
        for (int k = 0; k < 8; ++k) d[k] = float(delta[c + k]);
        for (Index i = 0; i < n; ++i) {
            const float low =
                (d[0] * a[i] + d[1] * a[stride + i]) + (d[2] * a[2 * stride + i] + d[3] * a[3 * stride + i]);
            const float high = (d[4] * a[4 * stride + i] + d[5] * a[5 * stride + i]) +
                               (d[6] * a[6 * stride + i] + d[7] * a[7 * stride + i]);
            y[i] += low + high;
        }
    }
    for (; c < count; ++c) {
        const float* a = x + c * stride;
        const float d = float(delta[c]);
        for (Index i = 0; i < n; ++i) y[i] += d * a[i];
    }
}

}  // namespace

double DenseStore::norm2(const Shift& shift) const {
    double sum = 0.0;
    for (const float value : shift) sum += double(value) * double(value);
    return sum;
}

void DenseStore::append(Span<const Index> features) {
    const Index old = size();
    packed_.resize(packed_.size() + features.size() * std::size_t(rows_));
    const Blocks blocks(Index(features.size()), 16);
    parallel_for(blocks.count(), [&](Index block) {
        std::vector<double> column(rows_);
        for (Index a = blocks.begin(block); a < blocks.end(block); ++a) {
            source_.pack(features[a], column.data());
            float* to = packed_.data() + (old + a) * rows_;
            for (Index i = 0; i < rows_; ++i) to[i] = float(column[i]);
        }
    });
}

void DenseStore::dots(Index begin, Index end, const Shift& shift, double* out) const {
    std::fill(out, out + (end - begin), 0.0);
    for (Index first = 0; first < rows_; first += kChunk) {
        const Index n = std::min(kChunk, rows_ - first);
        const float *x = packed_.data() + begin * rows_ + first, *u = shift.data() + first;
        Index c = begin;
        for (; c + 8 <= end; c += 8, x += 8 * rows_) tile<8, 1>(x, u, rows_, n, out + (c - begin), 0);
        for (; c + 2 <= end; c += 2, x += 2 * rows_) tile<2, 1>(x, u, rows_, n, out + (c - begin), 0);
        for (; c < end; ++c, x += rows_) tile<1, 1>(x, u, rows_, n, out + (c - begin), 0);
    }
}

void DenseStore::add(Index begin, Index end, const double* delta, Shift& shift) const {
    for (Index first = 0; first < rows_; first += kChunk)
        add_columns(packed_.data() + begin * rows_ + first, rows_, delta, end - begin, std::min(kChunk, rows_ - first),
                    shift.data() + first);
}

void DenseStore::products(Index begin, Index first, Index end, float* G, Index ld) const {
    constexpr Index kTile = 24;
    const Blocks tiles(end - first, kTile);
    parallel_for(tiles.count(), [&](Index t) {
        const Index low = first + tiles.begin(t), high = first + tiles.end(t), width = high - begin;
        std::vector<double> sums(width * kTile, 0.0);
        for (Index row = 0; row < rows_; row += kChunk) {
            const Index n = std::min(kChunk, rows_ - row);
            const float* x = packed_.data() + row;
            for (Index c = begin; c < high; c += 4) {
                const Index here = std::min<Index>(4, high - c);
                for (Index a = low; a < high;) {
                    double* out = sums.data() + (a - low) * width + (c - begin);
                    const float *left = x + c * rows_, *right = x + a * rows_;
                    if (here == 4 && a + 2 <= high) {
                        tile<4, 2>(left, right, rows_, n, out, width);
                        a += 2;
                        continue;
                    }
                    for (Index k = 0; k < here; ++k) tile<1, 1>(left + k * rows_, right, rows_, n, out + k, width);
                    ++a;
                }
            }
        }
        for (Index a = low; a < high; ++a)
            for (Index c = begin; c <= a; ++c)
                G[(a - begin) * ld + (c - begin)] = G[(c - begin) * ld + (a - begin)] =
                    float(sums[(a - low) * width + (c - begin)]);
    });
}

void DenseStore::exact_products(Span<const Index> features, double* G) const {
    const auto m = features.size();
    std::vector<double> block(m * std::size_t(rows_));
    for (Index a = 0; a < m; ++a) {
        double* column = block.data() + a * std::size_t(rows_);
        source_.pack(features[a], column);
        for (Index b = 0; b <= a; ++b)
            G[a * m + b] = G[b * m + a] = dot(column, block.data() + b * std::size_t(rows_), rows_);
    }
}

// Sparse --------------------------------------------------------------------------------------------------------------

double SparseStore::norm2(const Shift& shift) const {
    const auto& weights = source_.weights();
    double sum = 0.0;
    for (std::size_t i = 0; i + 1 < shift.size(); ++i) {
        const double value = shift[i] - shift.back();
        sum += (weights.empty() ? 1.0 : weights[i]) * value * value;
    }
    return sum;
}

void SparseStore::dots(Index begin, Index end, const Shift& shift, double* out) const {
    const double constant = shift.back() * source_.moments().total_weight;
    for (Index c = begin; c < end; ++c) {
        const Index j = features_[c];
        // The shift itself sums to 0.
        out[c - begin] = source_.weighted_dot(j, shift.data()) - constant * source_.mean(j);
    }
}

void SparseStore::add(Index begin, Index end, const double* delta, Shift& shift) const {
    for (Index c = begin; c < end; ++c) {
        const Index j = features_[c];
        const double step = delta[c - begin];
        source_.add_column(j, step, shift.data());
        shift.back() += step * source_.mean(j);
    }
}

void SparseStore::products(Index begin, Index first, Index end, float* G, Index ld) const {
    const Blocks blocks(end - first, 8);
    parallel_for(blocks.count(), [&](Index block) {
        auto column = zero();
        std::vector<double> row(end - begin);
        for (Index a = first + blocks.begin(block); a < first + blocks.end(block); ++a) {
            const double one = 1.0;
            add(a, a + 1, &one, column);
            dots(begin, a + 1, column, row.data());
            for (Index c = begin; c <= a; ++c)
                G[(a - begin) * ld + (c - begin)] = G[(c - begin) * ld + (a - begin)] = float(row[c - begin]);
            const double back = -1.0;
            add(a, a + 1, &back, column);
        }
    });
}

void SparseStore::exact_products(Span<const Index> features, double* G) const {
    SparseStore own(source_);
    own.append(features);
    const auto m = Index(features.size());
    auto column = zero();
    for (Index a = 0; a < m; ++a) {
        const double one = 1.0, back = -1.0;
        own.add(a, a + 1, &one, column);
        own.dots(0, m, column, G + a * m);
        own.add(a, a + 1, &back, column);
    }
}

}  // namespace statlearn::linear
