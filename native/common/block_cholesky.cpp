#include "common/block_cholesky.hpp"

#include <algorithm>
#include <vector>

#include "common/blas.hpp"
#include "common/parallel.hpp"

namespace statlearn {
namespace {

constexpr Index kSide = 128;     // rows and columns of a block
constexpr Index kColumns = 192;  // right-hand sides of a unit of work

// Row-major blocks are column-major blocks of the transpose: L is the transpose of an upper triangle U with A = U'U.
int step(Index x) { return static_cast<int>(x); }

Work cubic(Index a, Index b, Index c) { return Work(double(a) * double(b) * double(c) / 8.0); }

}  // namespace

Index cholesky_factor(Matrix<double> A, const Interrupt& interrupt) {
    const Index n = A.rows, ld = A.row_stride;
    const Blocks blocks(n, kSide);
    for (Index j = 0; j < blocks.count(); ++j) {
        if (interrupt.requested()) return 0;
        const Index j0 = blocks.begin(j), width = blocks.end(j) - j0;
        double* corner = A.row(j0) + j0;
        if (j0 > 0)
            blas::syrk<double>('U', 'T', step(width), step(j0), -1.0, A.row(j0), step(ld), 1.0, corner, step(ld));
        const int info = blas::potrf<double>('U', step(width), corner, step(ld));
        if (info != 0) return j0 + info;
        parallel_for(blocks.count() - j - 1, cubic(n - j0 - width, width, j0 + width), [&](Index u) {
            const Index i0 = blocks.begin(j + 1 + u), height = blocks.end(j + 1 + u) - i0;
            double* own = A.row(i0) + j0;
            if (j0 > 0)
                blas::gemm<double>('T', 'N', step(width), step(height), step(j0), -1.0, A.row(j0), step(ld), A.row(i0),
                                   step(ld), 1.0, own, step(ld));
            blas::trsm<double>('L', 'U', 'T', false, step(width), step(height), 1.0, corner, step(ld), own, step(ld));
        });
    }
    return 0;
}

void cholesky_inverse(Matrix<const double> L, const Interrupt& interrupt, Matrix<double> out) {
    const Index n = L.rows, ld = L.row_stride, lo = out.row_stride;
    const Blocks blocks(n, kSide);
    const Index count = blocks.count();
    // out = Z = L^-1, a row of blocks at a time: Z_ij = -(sum over j < k <= i of Z_ik L_kj) L_jj^-1. Long rows first.
    parallel_for(count, cubic(n, n, n / 3 + 1), [&](Index u) {
        const Index i = count - 1 - u, i0 = blocks.begin(i), i1 = blocks.end(i), height = i1 - i0;
        for (Index r = i0; r < i1; ++r)
            for (Index c = i0; c < i1; ++c) out(r, c) = r == c ? 1.0 : 0.0;
        for (Index j = i; j >= 0; --j) {
            if (interrupt.requested()) return;
            const Index j0 = blocks.begin(j), j1 = blocks.end(j), width = j1 - j0;
            double* own = out.row(i0) + j0;
            if (j < i)
                blas::gemm<double>('N', 'N', step(width), step(height), step(i1 - j1), -1.0, L.row(j1) + j0, step(ld),
                                   out.row(i0) + j1, step(lo), 0.0, own, step(lo));
            blas::trsm<double>('L', 'U', 'N', false, step(width), step(height), 1.0, L.row(j0) + j0, step(ld), own,
                               step(lo));
        }
    });
    // A^-1 = Z'Z, a row of blocks at a time from the top: row i needs the rows of Z from i on, its own from a copy.
    std::vector<double> copy(kSide * n);
    for (Index i = 0; i < count; ++i) {
        if (interrupt.requested()) return;
        const Index i0 = blocks.begin(i), i1 = blocks.end(i), height = i1 - i0;
        for (Index r = i0; r < i1; ++r) std::copy_n(out.row(r), i1, copy.data() + (r - i0) * n);
        parallel_for(i + 1, cubic(height, i1, n - i0), [&](Index j) {
            const Index j0 = blocks.begin(j), width = blocks.end(j) - j0;
            double* own = out.row(i0) + j0;
            blas::gemm<double>('N', 'T', step(width), step(height), step(height), 1.0, copy.data() + j0, step(n),
                               copy.data() + i0, step(n), 0.0, own, step(lo));
            if (i1 < n)
                blas::gemm<double>('N', 'T', step(width), step(height), step(n - i1), 1.0, out.row(i1) + j0, step(lo),
                                   out.row(i1) + i0, step(lo), 1.0, own, step(lo));
        });
    }
}

void cholesky_solve_half(Matrix<const double> L, bool transposed, Matrix<double> B) {
    const Index n = L.rows;
    const Blocks blocks(B.cols, kColumns);
    // Row-major L X = B is X' L' = B', with U = L' in column-major order on the right.
    parallel_for(blocks.count(), cubic(n, n, B.cols), [&](Index b) {
        const Index first = blocks.begin(b), count = blocks.end(b) - first;
        blas::trsm<double>('R', 'U', transposed ? 'T' : 'N', false, step(count), step(n), 1.0, L.data,
                           step(L.row_stride), B.data + first, step(B.row_stride));
    });
}

}  // namespace statlearn
