#include "trees/oblique.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "common/parallel.hpp"
#include "trees/bins.hpp"

namespace statlearn::trees {

namespace {

constexpr Index kSortSteps = 8;  // operations for each number of a column that is sorted and searched, roughly
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double mass_of(Span<const double> sums, Mass mass) {
    if (mass == Mass::squares) return sums[2] - sums[1] * sums[1] / (sums[0] > 0 ? sums[0] : 1.0);
    double n = 0.0, inner = 0.0;
    for (const double s : sums) n += s;
    if (mass == Mass::gini) {
        for (const double s : sums) inner += s * s;
        return n - inner / (n > 0 ? n : 1.0);
    }
    for (const double s : sums) inner += s > 0 ? s * std::log2(s) : 0.0;
    return (n > 0 ? n * std::log2(n) : 0.0) - inner;
}

// Room for one column, used again for the next one.
template <class T>
struct Workspace {
    std::vector<std::pair<T, std::uint32_t>> sorted;
    std::vector<double> remaining, low, high;
};

template <class T>
std::pair<double, double> best_cut(Matrix<const T> Z, Index column, Matrix<const double> parts, Mass mass,
                                   Index min_leaf, Span<const double> total, Workspace<T>& work) {
    const Index m = Z.rows, K = total.size();
    work.sorted.resize(m);
    for (Index i = 0; i < m; ++i) {
        const T z = Z(Index(i), column);
        if (z != z) return {kInfinity, 0.0};  // the direction has overflowed: no order, no cut
        work.sorted[i] = {z, std::uint32_t(i)};
    }
    std::sort(work.sorted.begin(), work.sorted.end());
    work.low.assign(K, 0.0);
    work.high.resize(K);
    work.remaining.assign(m, kInfinity);
    double least = kInfinity;
    for (Index i = 0; i + 1 < m; ++i) {
        const double* own = parts.row(work.sorted[i].second);
        for (Index k = 0; k < K; ++k) work.low[k] += own[k];
        const auto behind = Index(i) + 1;
        if (behind < min_leaf || Z.rows - behind < min_leaf || !(work.sorted[i].first < work.sorted[i + 1].first))
            continue;
        for (Index k = 0; k < K; ++k) work.high[k] = total[k] - work.low[k];
        work.remaining[i] = mass_of(work.low, mass) + mass_of(work.high, mass);
        least = std::min(least, work.remaining[i]);
    }
    if (least == kInfinity) return {kInfinity, 0.0};
    const double tie = least + 1e-12 * std::abs(mass_of(total, mass));
    Index place = 0;
    while (place + 2 < m && !(work.remaining[place] <= tie)) ++place;
    return {least, double(between(work.sorted[place].first, work.sorted[place + 1].first))};
}

}  // namespace

template <class T>
void best_cuts(Matrix<const T> Z, Matrix<const double> parts, Mass mass, Index min_leaf, const Interrupt& interrupt,
               Span<double> left, Span<double> cut) {
    std::vector<double> total(parts.cols, 0.0);
    for (Index i = 0; i < parts.rows; ++i)
        for (Index k = 0; k < parts.cols; ++k) total[k] += parts(i, k);
    const int workers = threads_for(Work(kSortSteps * Z.rows * Z.cols));
    const Blocks blocks(Z.cols, std::max<Index>(1, (Z.cols + 4 * workers - 1) / (4 * workers)));
    parallel_for(blocks.count(), workers, [&](Index b) {
        Workspace<T> work;
        for (Index j = blocks.begin(b); j < blocks.end(b) && !interrupt.requested(); ++j)
            std::tie(left[j], cut[j]) = best_cut(Z, j, parts, mass, min_leaf, total, work);
    });
}

template void best_cuts(Matrix<const float>, Matrix<const double>, Mass, Index, const Interrupt&, Span<double>,
                        Span<double>);
template void best_cuts(Matrix<const double>, Matrix<const double>, Mass, Index, const Interrupt&, Span<double>,
                        Span<double>);

}  // namespace statlearn::trees
