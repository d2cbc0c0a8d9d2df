#include "common/gram.hpp"

#include <algorithm>
#include <vector>

#include "common/parallel.hpp"

namespace statlearn {
namespace {

constexpr Index kPackRows = 128;    // rows packed at once: A and B stay in the second-level cache
constexpr Index kChunkRows = 8192;  // smallest share of rows with a matrix of its own
constexpr Index kMaxChunks = 32;
constexpr Index kTileRows = 4;  // C is updated in tiles of 4 x 12: 12 accumulators of 4 doubles

#if defined(__GNUC__)
typedef double Pack4 __attribute__((vector_size(32), aligned(8), may_alias));

// C[4 x 12] += sum over rows of a[4] (outer) b[12].
void tile_update(const double* a, const double* b, Index rows, Index width, double* C) {
    Pack4 c[kTileRows][3] = {};
    for (Index k = 0; k < rows; ++k, a += width, b += width) {
        const Pack4 b0 = *reinterpret_cast<const Pack4*>(b);
        const Pack4 b1 = *reinterpret_cast<const Pack4*>(b + 4);
        const Pack4 b2 = *reinterpret_cast<const Pack4*>(b + 8);
        for (Index i = 0; i < kTileRows; ++i) {
            c[i][0] += a[i] * b0;
            c[i][1] += a[i] * b1;
            c[i][2] += a[i] * b2;
        }
    }
    for (Index i = 0; i < kTileRows; ++i)
        for (Index v = 0; v < 3; ++v) *reinterpret_cast<Pack4*>(C + i * width + 4 * v) += c[i][v];
}
#else
void tile_update(const double* a, const double* b, Index rows, Index width, double* C) {
    double c[kTileRows][kGramTile] = {};
    for (Index k = 0; k < rows; ++k, a += width, b += width)
        for (Index i = 0; i < kTileRows; ++i)
            for (Index j = 0; j < kGramTile; ++j) c[i][j] += a[i] * b[j];
    for (Index i = 0; i < kTileRows; ++i)
        for (Index j = 0; j < kGramTile; ++j) C[i * width + j] += c[i][j];
}
#endif

// B holds the rows [x - shift, y - shift_y, 1, 0...], A the same times the weight.
template <class T>
void pack(const MatrixView<const T>& X, const MatrixView<const T>& Y, std::span<const T> weights,
          std::span<const double> shift, Index begin, Index end, Index width, double* A, double* B) {
    const Index p = X.cols, m = Y.cols;
    const auto copy = [&](const MatrixView<const T>& M, Index offset) {
        // Walk along the contiguous direction of the source.
        if (M.row_stride >= M.col_stride) {
            for (Index i = begin; i < end; ++i) {
                const T* row = M.row(i);
                double* to = B + (i - begin) * width + offset;
                for (Index j = 0; j < M.cols; ++j)
                    to[j] = double(row[j * M.col_stride]) - shift[std::size_t(offset + j)];
            }
        } else {
            for (Index j = 0; j < M.cols; ++j) {
                const T* col = M.col(j);
                const double s = shift[std::size_t(offset + j)];
                for (Index i = begin; i < end; ++i)
                    B[(i - begin) * width + offset + j] = double(col[i * M.row_stride]) - s;
            }
        }
    };
    copy(X, 0);
    copy(Y, p);
    for (Index i = begin; i < end; ++i) {
        double* row = B + (i - begin) * width;
        row[p + m] = 1.0;
        std::fill(row + p + m + 1, row + width, 0.0);
        if (weights.empty()) continue;
        const double w = double(weights[std::size_t(i)]);
        double* scaled = A + (i - begin) * width;
        // A row of weight 0 is absent, whatever it holds.
        for (Index j = 0; j < width; ++j) scaled[j] = w == 0.0 ? 0.0 : w * row[j];
    }
}

}  // namespace

void gram_update(const double* A, const double* B, Index rows, Index width, double* C) {
    for (Index j = 0; j < width; j += kGramTile)
        for (Index i = 0; i < j + kGramTile; i += kTileRows) tile_update(A + i, B + j, rows, width, C + i * width + j);
}

template <class T>
void gram_with_targets(MatrixView<const T> X, MatrixView<const T> Y, std::span<const T> weights,
                       std::span<const double> shift, const Interrupt& interrupt, std::span<double> G) {
    const Index n = X.rows, q = X.cols + Y.cols + 1;
    const Index width = (q + kGramTile - 1) / kGramTile * kGramTile;
    const Blocks chunks(n, std::max(kChunkRows, (n + kMaxChunks - 1) / kMaxChunks));
    std::vector<std::vector<double>> parts(static_cast<std::size_t>(chunks.count()));
    parallel_for(chunks.count(), [&](Index c) {
        auto& C = parts[static_cast<std::size_t>(c)];
        C.assign(static_cast<std::size_t>(width * width), 0.0);
        std::vector<double> packed(static_cast<std::size_t>(2 * kPackRows * width));
        double* B = packed.data();
        double* A = weights.empty() ? B : B + kPackRows * width;
        for (Index i = chunks.begin(c); i < chunks.end(c); i += kPackRows) {
            if (interrupt.requested()) return;
            const Index end = std::min(i + kPackRows, chunks.end(c));
            pack(X, Y, weights, shift, i, end, width, A, B);
            gram_update(A, B, end - i, width, C.data());
        }
    });
    std::fill(G.begin(), G.end(), 0.0);
    for (const auto& C : parts)
        for (Index i = 0; i < q && !C.empty(); ++i)
            for (Index j = i; j < q; ++j) G[std::size_t(i * q + j)] += C[std::size_t(i * width + j)];
    for (Index i = 0; i < q; ++i)
        for (Index j = 0; j < i; ++j) G[std::size_t(i * q + j)] = G[std::size_t(j * q + i)];
}

template void gram_with_targets<double>(MatrixView<const double>, MatrixView<const double>, std::span<const double>,
                                        std::span<const double>, const Interrupt&, std::span<double>);
template void gram_with_targets<float>(MatrixView<const float>, MatrixView<const float>, std::span<const float>,
                                       std::span<const double>, const Interrupt&, std::span<double>);

}  // namespace statlearn
