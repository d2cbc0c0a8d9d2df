#include "common/gram.hpp"

#include <algorithm>
#include <vector>

#include "common/parallel.hpp"
#include "common/tile.hpp"

namespace statlearn {
namespace {

constexpr Index kPackRows = 128;    // rows packed at once: A and B stay in the second-level cache
constexpr Index kChunkRows = 2048;  // smallest share of rows with a matrix of its own
constexpr Index kMaxChunks = 32;
constexpr Index kLine = 8;  // doubles in a cache line

// B holds the rows [x - shift, y - shift_y, 1, 0...] (0 for a row of weight 0), A the same times the weight, both in
// panels of 12 columns with kPackRows rows each: what the tiles read is contiguous.
template <class T>
void pack(const MatrixView<const T>& X, const MatrixView<const T>& Y, std::span<const T> weights,
          std::span<const double> shift, Index begin, Index end, Index width, double* A, double* B) {
    const Index p = X.cols, m = Y.cols, rows = end - begin;
    const auto place = [&](Index i, Index j) {
        return B + (j / kTileCols * kPackRows + i) * kTileCols + j % kTileCols;
    };
    const auto copy = [&](const MatrixView<const T>& M, Index offset) {
        // Walk along the contiguous direction of the source.
        if (M.row_stride >= M.col_stride && offset == 0) {
            for (Index i = 0; i < rows; ++i)
                for (Index j = 0; j < M.cols; j += kTileCols) {
                    const T* from = M.row(begin + i) + j * M.col_stride;
                    const double* centre = shift.data() + j;
                    double* to = place(i, j);
                    if (j + kTileCols <= M.cols && M.col_stride == 1)
                        for (Index l = 0; l < kTileCols; ++l) to[l] = double(from[l]) - centre[l];
                    else
                        for (Index l = 0; l < std::min(kTileCols, M.cols - j); ++l)
                            to[l] = double(from[l * M.col_stride]) - centre[l];
                }
            return;
        }
        // Column by column, but a cache line of each column of a panel at a time.
        for (Index first = 0; first < M.cols; first += kTileCols)
            for (Index i = 0; i < rows; i += kLine) {
                const Index count = std::min(kLine, rows - i);
                for (Index j = first; j < std::min(first + kTileCols, M.cols); ++j) {
                    const T* from = M.col(j) + (begin + i) * M.row_stride;
                    const double centre = shift[std::size_t(offset + j)];
                    double* to = place(i, offset + j);
                    if (count == kLine && M.row_stride == 1)
                        for (Index l = 0; l < kLine; ++l) to[l * kTileCols] = double(from[l]) - centre;
                    else
                        for (Index l = 0; l < count; ++l) to[l * kTileCols] = double(from[l * M.row_stride]) - centre;
                }
            }
    };
    copy(X, 0);
    copy(Y, p);
    for (Index j = p + m; j < width; ++j)
        for (Index i = 0; i < rows; ++i) *place(i, j) = j == p + m ? 1.0 : 0.0;
    if (weights.empty()) return;
    for (Index panel = 0; panel < width / kTileCols; ++panel)
        for (Index i = 0; i < rows; ++i) {
            const double w = double(weights[std::size_t(begin + i)]);
            double* from = B + (panel * kPackRows + i) * kTileCols;
            double* to = A + (panel * kPackRows + i) * kTileCols;
            // A row of weight 0 is absent, whatever it holds.
            if (w == 0.0) std::fill_n(from, kTileCols, 0.0);
            for (Index l = 0; l < kTileCols; ++l) to[l] = w * from[l];
        }
}

// Adds A'B of packed panels to the upper triangle, panels on the diagonal in full. C holds the tiles one after the
// other in the order of this loop, so that it streams by: `tile_of` finds an entry again.
void panel_update(const double* A, const double* B, Index rows, Index width, double* C) {
    const Index panels = width / kTileCols, size = kPackRows * kTileCols;
    for (Index j = 0; j < panels; ++j)
        for (Index i = 0; i <= j; ++i)
            for (Index s = 0; s < kTileCols; s += kTileRows, C += kTileRows * kTileCols)
                tile_update(A + i * size + s, kTileCols, B + j * size, kTileCols, rows, C, kTileCols);
}

// Where `panel_update` keeps the entry i <= j.
Index tile_of(Index i, Index j) {
    const Index a = i / kTileCols, b = j / kTileCols;
    return ((b * (b + 1) / 2 + a) * kTileCols + i % kTileCols) * kTileCols + j % kTileCols;
}

}  // namespace

void gram_update(const double* A, const double* B, Index rows, Index width, double* C) {
    for (Index j = 0; j < width; j += kGramTile)
        for (Index i = 0; i < j + kGramTile; i += kTileRows)
            tile_update(A + i, width, B + j, width, rows, C + i * width + j, width);
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
        C.assign(static_cast<std::size_t>(tile_of(0, width)), 0.0);
        std::vector<double> packed(static_cast<std::size_t>(2 * kPackRows * width));
        double* B = packed.data();
        double* A = weights.empty() ? B : B + kPackRows * width;
        for (Index i = chunks.begin(c); i < chunks.end(c); i += kPackRows) {
            if (interrupt.requested()) return;
            const Index end = std::min(i + kPackRows, chunks.end(c));
            pack(X, Y, weights, shift, i, end, width, A, B);
            panel_update(A, B, end - i, width, C.data());
        }
    });
    std::vector<double> sum(static_cast<std::size_t>(tile_of(0, width)), 0.0);
    for (const auto& C : parts)
        for (std::size_t k = 0; k < C.size(); ++k) sum[k] += C[k];
    for (Index i = 0; i < q; ++i)
        for (Index j = i; j < q; ++j)
            G[std::size_t(i * q + j)] = G[std::size_t(j * q + i)] = sum[std::size_t(tile_of(i, j))];
}

template void gram_with_targets<double>(MatrixView<const double>, MatrixView<const double>, std::span<const double>,
                                        std::span<const double>, const Interrupt&, std::span<double>);
template void gram_with_targets<float>(MatrixView<const float>, MatrixView<const float>, std::span<const float>,
                                       std::span<const double>, const Interrupt&, std::span<double>);

}  // namespace statlearn
