#include "decomposition/sparse_times.hpp"

#include "common/pack.hpp"
#include "common/parallel.hpp"

namespace statlearn::decomposition {
namespace {

constexpr Index kRows = 256;
constexpr int kAhead = 6;  // entries between the request of a row of V and its use (empirical)

// Columns `first` to first + 4 * Packs of one row, in registers.
template <int Packs>
inline void row_times(const double* values, const int* columns, int count, const double* V, Index ld, double* out) {
    Pack4 sum[Packs] = {};
    for (int e = 0; e < count; ++e) {
        if (e + kAhead < count) {
            const double* next = V + columns[e + kAhead] * ld;
            for (int line = 0; line < Packs; line += 2) __builtin_prefetch(next + 4 * line);
        }
        const double* v = V + columns[e] * ld;
        const double a = values[e];
        for (int k = 0; k < Packs; ++k) sum[k] += a * packs(v)[k];
    }
    for (int k = 0; k < Packs; ++k) packs(out)[k] = sum[k];
}

}  // namespace

void sparse_times(const RowsView<double>& A, Matrix<const double> V, const Interrupt& interrupt,
                  Matrix<double> product) {
    const Index k = V.cols, ld = V.row_stride;
    const Blocks blocks(A.rows, kRows);
    parallel_for(blocks.count(), Work(double(A.values.size()) * double(k) + double(A.rows)), [&](Index b) {
        if (interrupt.requested()) return;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            const int begin = A.indptr[i], count = A.indptr[i + 1] - begin;
            const double* values = A.values.data() + begin;
            const int* columns = A.cols_of.data() + begin;
            Index c = 0;
            for (; c + 32 <= k; c += 32) row_times<8>(values, columns, count, V.data + c, ld, product.row(i) + c);
            for (; c + 8 <= k; c += 8) row_times<2>(values, columns, count, V.data + c, ld, product.row(i) + c);
        }
    });
}

}  // namespace statlearn::decomposition
