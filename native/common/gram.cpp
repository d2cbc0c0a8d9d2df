#include "common/gram.hpp"

#include <algorithm>
#include <vector>

#include "common/chunks.hpp"
#include "common/packed_gram.hpp"
#include "common/parallel.hpp"

namespace statlearn {
namespace {

constexpr Index kChunkRows = 2048;  // smallest share of rows with a matrix of its own
constexpr Index kMaxChunks = 32;
constexpr Index kLine = 8;  // doubles in a cache line

// B holds the rows [x - shift, y - shift_y, 1, 0...] (0 for a row of weight 0), A the same times the weight, both in
// panels of 12 columns with kGramRows rows each: what the tiles read is contiguous.
template <class T>
void pack(const Matrix<const T>& X, const Matrix<const T>& Y, Span<const T> weights, Span<const double> shift,
          Index begin, Index end, Index width, double* A, double* B) {
    const Index p = X.cols, m = Y.cols, rows = end - begin;
    const auto place = [&](Index i, Index j) {
        return B + (j / kTileCols * kGramRows + i) * kTileCols + j % kTileCols;
    };
    const auto copy = [&](const Matrix<const T>& M, Index offset) {
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
                    const double centre = shift[offset + j];
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
            const double w = double(weights[begin + i]);
            double* from = B + (panel * kGramRows + i) * kTileCols;
            double* to = A + (panel * kGramRows + i) * kTileCols;
            // A row of weight 0 is absent, whatever it holds.
            if (w == 0.0) std::fill_n(from, kTileCols, 0.0);
            for (Index l = 0; l < kTileCols; ++l) to[l] = w * from[l];
        }
}

}  // namespace

void gram_update(const double* A, const double* B, Index rows, Index width, double* C) {
    for (Index j = 0; j < width; j += kGramTile)
        for (Index i = 0; i < j + kGramTile; i += kTileRows)
            tile_update(A + i, width, B + j, width, rows, C + i * width + j, width);
}

template <class T>
void gram_with_targets(Matrix<const T> X, Matrix<const T> Y, Span<const T> weights, Span<const double> shift,
                       const Interrupt& interrupt, Span<double> G) {
    const Index n = X.rows, q = X.cols + Y.cols + 1;
    const Index width = (q + kGramTile - 1) / kGramTile * kGramTile;
    const Blocks chunks = chunk_grid(n, kChunkRows, kMaxChunks);
    std::vector<std::vector<double>> parts(chunks.count());
    parallel_for(chunks.count(), [&](Index c) {
        auto& C = parts[c];
        C.assign(packed_size<double>(width), 0.0);
        std::vector<double> packed(2 * kGramRows * width);
        double* B = packed.data();
        double* A = weights.empty() ? B : B + kGramRows * width;
        for (Index i = chunks.begin(c); i < chunks.end(c); i += kGramRows) {
            if (interrupt.requested()) return;
            const Index end = std::min(i + kGramRows, chunks.end(c));
            pack(X, Y, weights, shift, i, end, width, A, B);
            add_packed_gram(A, B, end - i, width / kTileCols, C.data());
        }
    });
    std::vector<double> sum(packed_size<double>(width), 0.0);
    for (const auto& C : parts)
        for (std::size_t k = 0; k < C.size(); ++k) sum[k] += C[k];
    for (Index i = 0; i < q; ++i)
        for (Index j = i; j < q; ++j) G[i * q + j] = G[j * q + i] = sum[packed_place<double>(i, j)];
}

template void gram_with_targets<double>(Matrix<const double>, Matrix<const double>, Span<const double>,
                                        Span<const double>, const Interrupt&, Span<double>);
template void gram_with_targets<float>(Matrix<const float>, Matrix<const float>, Span<const float>, Span<const double>,
                                       const Interrupt&, Span<double>);

}  // namespace statlearn
