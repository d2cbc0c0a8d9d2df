#include "decomposition/fastica.hpp"

#include <algorithm>
#include <vector>

#include "common/parallel.hpp"
#include "common/tile.hpp"
#include "common/vector.hpp"
#include "common/vmath.hpp"

namespace statlearn::decomposition {
namespace {

constexpr Index kBlock = 20 * kTileCols;  // columns of Z in work at a time: they and their projections stay in cache
constexpr Index kMaxChunks = 64;

Index up(Index n, Index step) { return (n + step - 1) / step * step; }

// y becomes g(y); returns the sum of g'(y).
double evaluate(Contrast contrast, double a, Index n, double* y) {
    double sum = 0.0;
    if (contrast == Contrast::log_cosh) {
        for (Index i = 0; i < n; ++i) y[i] = tanh_fast(a * y[i]);
        sum = a * (double(n) - dot(y, y, n));
    } else if (contrast == Contrast::exponential) {
        double slope[kBlock];
        for (Index i = 0; i < n; ++i) {
            const double square = y[i] * y[i], e = exp_fast(-0.5 * square);
            slope[i] = (1.0 - square) * e;
            y[i] *= e;
        }
        for (Index i = 0; i < n; ++i) sum += slope[i];
    } else {
        sum = 3.0 * dot(y, y, n);
        for (Index i = 0; i < n; ++i) y[i] = y[i] * y[i] * y[i];
    }
    return sum;
}

}  // namespace

void ica_moments(Matrix<const double> Z, Matrix<const double> W, Contrast contrast, double a,
                 const Interrupt& interrupt, Matrix<double> moments, Span<double> slopes) {
    const Index k = Z.rows, n = Z.cols, m = W.rows, m4 = up(m, kTileRows);
    std::vector<double> transposed(k * m4, 0.0);  // row l holds the weights of coordinate l
    for (Index c = 0; c < m; ++c)
        for (Index l = 0; l < k; ++l) transposed[l * m4 + c] = W(c, l);
    const Blocks chunks(n, std::max(up((n + kMaxChunks - 1) / kMaxChunks, kBlock), 4 * kBlock));
    const Index k3 = up(k, 3), size = m4 * k3 + m4;
    std::vector<double> parts(chunks.count() * size, 0.0);
    parallel_for(chunks.count(), Work(2.0 * double(n) * double(m) * double(k + 10)), [&](Index chunk) {
        std::vector<double> scratch((k3 + m4) * kBlock, 0.0);
        double *z = scratch.data(), *y = z + k3 * kBlock;
        double* sums = parts.data() + chunk * size;
        for (Index begin = chunks.begin(chunk); begin < chunks.end(chunk); begin += kBlock) {
            if (interrupt.requested()) return;
            const Index count = std::min(kBlock, chunks.end(chunk) - begin);
            for (Index l = 0; l < k; ++l) {
                const double* from = Z.row(l) + begin;
                std::copy(from, from + count, z + l * kBlock);
                std::fill(z + l * kBlock + count, z + (l + 1) * kBlock, 0.0);
            }
            for (Index c = 0; c < m4; c += kTileRows)
                for (Index i = 0; i < count; i += kTileCols) {
                    TileSums<double> s{};
                    tile_accumulate(transposed.data() + c, m4, z + i, kBlock, k, s);
                    tile_store(s, y + c * kBlock + i, kBlock);
                }
            for (Index c = 0; c < m; ++c) sums[m4 * k3 + c] += evaluate(contrast, a, count, y + c * kBlock);
            for (Index l = 0; l < k3; l += 3) {
                const double* right[3] = {z + l * kBlock, z + (l + 1) * kBlock, z + (l + 2) * kBlock};
                for (Index c = 0; c < m4; c += 4) {
                    const double* left[4] = {y + c * kBlock, y + (c + 1) * kBlock, y + (c + 2) * kBlock,
                                             y + (c + 3) * kBlock};
                    dot_tile<4, 3>(left, right, count, sums + l * m4 + c, m4);
                }
            }
        }
    });
    for (Index c = 0; c < m; ++c) {
        slopes[c] = 0.0;
        for (Index l = 0; l < k; ++l) moments(c, l) = 0.0;
    }
    for (Index chunk = 0; chunk < chunks.count(); ++chunk) {
        const double* sums = parts.data() + chunk * size;
        for (Index c = 0; c < m; ++c) {
            slopes[c] += sums[m4 * k3 + c];
            for (Index l = 0; l < k; ++l) moments(c, l) += sums[l * m4 + c];
        }
    }
}

}  // namespace statlearn::decomposition
