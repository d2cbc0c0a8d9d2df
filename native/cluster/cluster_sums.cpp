#include "cluster/cluster_sums.hpp"

#include <algorithm>
#include <vector>

#include "common/scratch.hpp"

namespace statlearn::cluster {
namespace {

double sum_of(const double* x, Index n) {
    Pack4 lanes = broadcast(0.0);
    Index j = 0;
    for (; j + 4 <= n; j += 4) lanes += packs(x + j)[0];
    double part[4];
    packs(part)[0] = lanes;
    double sum = (part[0] + part[1]) + (part[2] + part[3]);
    for (; j < n; ++j) sum += x[j];
    return sum;
}

// body(cluster, from, to) for the clusters that meet the places first .. last, cut to them.
template <class F>
void runs(Span<const Index> starts, Index first, Index last, F&& body) {
    auto at = std::upper_bound(starts.begin(), starts.end(), first) - 1;
    for (Index from = first; from < last; ++at) {
        const Index to = std::min(last, at[1]);
        if (to > from) body(static_cast<Index>(at - starts.begin()), from, to);
        from = std::max(from, to);
    }
}

struct Sums {
    const Panels& rows;
    Span<const Index> starts;
    PairMetric metric;

    // Distances of two blocks, added to the rows of the first and, unless `one_way`, of the second.
    void add(Index i0, Index i1, Index j0, Index j1, bool one_way, double* D, Matrix<double> sums, Index begin) const {
        pair_block(metric, rows, i0, i1, j0, j1, D, kPairBlock);
        if (i0 == j0)
            for (Index i = 0; i < i1 - i0; ++i) D[i * kPairBlock + i] = 0.0;
        for (Index i = i0; i < i1; ++i) {
            double* out = sums.row(i - begin);
            const double* line = D + (i - i0) * kPairBlock;
            runs(starts, j0, j1,
                 [&](Index c, Index from, Index to) { out[c] += sum_of(line + (from - j0), to - from); });
        }
        if (one_way) return;
        double column[kPairBlock];
        runs(starts, i0, i1, [&](Index c, Index from, Index to) {
            std::fill(column, column + (j1 - j0), 0.0);
            for (Index i = from; i < to; ++i) {
                const double* line = D + (i - i0) * kPairBlock;
                for (Index j = 0; j < j1 - j0; ++j) column[j] += line[j];
            }
            for (Index j = j0; j < j1; ++j) sums(j - begin, c) += column[j - j0];
        });
    }
};

}  // namespace

template <class T>
void cluster_sums(Matrix<const T> X, Span<const Index> order, Span<const Index> starts, PairMetric metric, Index begin,
                  const Interrupt& interrupt, Matrix<double> sums) {
    const Panels rows(X, order);
    const Sums work{rows, starts, metric};
    const Blocks grid(X.rows, kPairBlock);
    for (Index i = 0; i < sums.rows; ++i) std::fill(sums.row(i), sums.row(i) + sums.cols, 0.0);
    if (sums.rows == X.rows) {
        for_each_pair(X.rows, interrupt, [&](Index i0, Index i1, Index j0, Index j1) {
            Scratch<double> D(kPairBlock * kPairBlock);
            work.add(i0, i1, j0, j1, i0 == j0, D.data(), sums, 0);
        });
        return;
    }
    const Blocks strip(sums.rows, kPairBlock);
    parallel_for(strip.count(), [&](Index u) {
        Scratch<double> D(kPairBlock * kPairBlock);
        const Index i0 = begin + strip.begin(u), i1 = begin + strip.end(u);
        for (Index b = 0; b < grid.count() && !interrupt.requested(); ++b)
            work.add(i0, i1, grid.begin(b), grid.end(b), true, D.data(), sums, begin);
    });
}

template void cluster_sums<float>(Matrix<const float>, Span<const Index>, Span<const Index>, PairMetric, Index,
                                  const Interrupt&, Matrix<double>);
template void cluster_sums<double>(Matrix<const double>, Span<const Index>, Span<const Index>, PairMetric, Index,
                                   const Interrupt&, Matrix<double>);

}  // namespace statlearn::cluster
