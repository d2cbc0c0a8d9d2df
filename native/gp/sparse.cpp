#include "gp/sparse.hpp"

#include <algorithm>
#include <vector>

#include "common/blas.hpp"
#include "common/chunks.hpp"
#include "common/parallel.hpp"

namespace statlearn::gp {
namespace {

constexpr Index kRows = 384;   // of a block
constexpr Index kChunks = 16;  // partial sums, added in their order

Matrix<const double> part_of(Matrix<const double> X, Index first, Index count) {
    return {X.row(first), count, X.cols, X.row_stride, X.col_stride};
}

double work_of(Index n, Index m) { return double(n) * double(m) * double(m) / 8.0; }

}  // namespace

void sparse_moments(const Formula& formula, Matrix<const double> X, Span<const double> y, Matrix<const double> Z,
                    const Interrupt& interrupt, Matrix<double> moments, Span<double> products) {
    const Index n = X.rows, m = Z.rows;
    const Blocks chunks = chunk_grid(n, kRows, kChunks);
    const Index size = m * m;
    std::vector<double> sums(std::size_t(chunks.count()) * size, 0.0), sides(chunks.count() * m, 0.0);
    parallel_for(chunks.count(), Work(work_of(n, m)), [&](Index c) {
        std::vector<double> K(kRows * m);
        double* own = sums.data() + std::size_t(c) * size;
        double* side = sides.data() + c * m;
        for (Index first = chunks.begin(c); first < chunks.end(c); first += kRows) {
            if (interrupt.requested()) return;
            const Index count = std::min(kRows, chunks.end(c) - first);
            const Matrix<double> out{K.data(), count, m, m, 1};
            covariance_cross(formula, part_of(X, first, count), Z, interrupt, out);
            // Row-major K is K' in column-major order: K'K is its product with the transpose.
            blas::syrk<double>('U', 'N', int(m), int(count), 1.0, K.data(), int(m), 1.0, own, int(m));
            blas::gemv<double>('N', int(m), int(count), 1.0, K.data(), int(m), y.data() + first, 1.0, side);
        }
    });
    const Blocks rows(m, 64);
    parallel_for(rows.count(), Work(double(chunks.count()) * double(m) * double(m)), [&](Index b) {
        for (Index i = rows.begin(b); i < rows.end(b); ++i) {
            products[i] = 0.0;
            for (Index c = 0; c < chunks.count(); ++c) products[i] += sides[c * m + i];
            std::fill_n(moments.row(i), i + 1, 0.0);
            for (Index c = 0; c < chunks.count(); ++c) {
                const double* own = sums.data() + std::size_t(c) * size + std::size_t(i * m);
                for (Index j = 0; j <= i; ++j) moments(i, j) += own[j];
            }
        }
    });
}

void sparse_gradient(const Formula& formula, Matrix<const double> X, Span<const double> y, Matrix<const double> Z,
                     Matrix<const double> G, Span<const double> g, const Interrupt& interrupt, Span<double> out) {
    const Index n = X.rows, m = Z.rows;
    const Blocks blocks(n, kRows);
    const std::size_t q = out.size();
    std::vector<double> part(std::size_t(blocks.count()) * q, 0.0);
    parallel_for(blocks.count(), Work(2.0 * work_of(n, m)), [&](Index b) {
        if (interrupt.requested()) return;
        const Index first = blocks.begin(b), count = blocks.end(b) - first;
        std::vector<double> K(count * m), W(count * m);
        const Matrix<double> values{K.data(), count, m, m, 1}, weights{W.data(), count, m, m, 1};
        covariance_cross(formula, part_of(X, first, count), Z, interrupt, values);
        for (Index i = 0; i < count; ++i)
            for (Index j = 0; j < m; ++j) weights(i, j) = y[first + i] * g[j];
        blas::gemm<double>('N', 'N', int(m), int(count), int(m), 2.0, G.data, int(m), K.data(), int(m), 1.0, W.data(),
                           int(m));
        covariance_cross_trace(formula, part_of(X, first, count), Z, weights.as_const(), interrupt,
                               {part.data() + std::size_t(b) * q, q});
    });
    std::fill(out.begin(), out.end(), 0.0);
    for (Index b = 0; b < blocks.count(); ++b)
        for (std::size_t s = 0; s < q; ++s) out[s] += part[std::size_t(b) * q + s];
}

}  // namespace statlearn::gp
