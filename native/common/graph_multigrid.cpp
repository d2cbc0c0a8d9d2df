#include "common/graph_multigrid.hpp"

#include <algorithm>
#include <cmath>

#include "common/blas.hpp"
#include "common/rng.hpp"

namespace statlearn {
namespace {

constexpr Index kCoarsest = 160;         // rows of a level that is solved directly
constexpr Index kLargestDense = 1000;    // of a coarsest level that could not be made smaller
constexpr std::size_t kMembers = 48;     // rows of an aggregate, at most, when it is founded
constexpr std::size_t kFewest = 3;       // free rows, at least, that found one
constexpr double kStrong = 0.25;         // of the strongest tie of a row: weaker ones found no aggregate
constexpr double kShift = 1e-9;          // of the coarsest matrix, relative to its diagonal, against its null vectors
constexpr int kCoarseSweeps = 8;         // Jacobi steps instead of the direct solution
constexpr double kLeastShrinkage = 0.8;  // a level with more rows than this share of the one above is of no use

// The aggregate of each row, -1 for rows without ties, and their number.
struct Aggregates {
    std::vector<int> of;
    int count = 0;
};

Aggregates aggregate(const RowsView<double>& A) {
    struct Tie {
        double weight;
        int row;
    };
    const auto stronger = [](const Tie& a, const Tie& b) {
        return a.weight > b.weight || (a.weight == b.weight && a.row < b.row);
    };
    Aggregates found;
    auto& of = found.of;
    of.assign(A.rows, -1);
    std::vector<Tie> free;
    // Free rows take their strongest free ties with them.
    for (Index i = 0; i < A.rows; ++i) {
        if (of[i] >= 0) continue;
        free.clear();
        double strongest = 0.0;
        A.each(i, [&](std::size_t j, double a) {
            if (Index(j) == i || a >= 0.0) return;
            strongest = std::max(strongest, -a);
            if (of[j] < 0) free.push_back({-a, int(j)});
        });
        std::erase_if(free, [&](const Tie& tie) { return tie.weight < kStrong * strongest; });
        if (free.size() < kFewest) continue;
        if (free.size() > kMembers) {
            std::nth_element(free.begin(), free.begin() + kMembers, free.end(), stronger);
            free.resize(kMembers);
        }
        of[i] = found.count;
        for (const Tie& tie : free) of[tie.row] = found.count;
        ++found.count;
    }
    // The others join the aggregate of their strongest tie, or found small ones with what is left beside them.
    const std::vector<int> first = of;
    for (Index i = 0; i < A.rows; ++i) {
        if (first[i] >= 0) continue;
        Tie best{0.0, -1};
        A.each(i, [&](std::size_t j, double a) {
            const Tie tie{-a, int(j)};
            if (Index(j) != i && a < 0.0 && first[j] >= 0 && (best.row < 0 || stronger(tie, best))) best = tie;
        });
        if (best.row >= 0) of[i] = first[best.row];
    }
    for (Index i = 0; i < A.rows; ++i) {
        if (of[i] >= 0) continue;
        bool tied = false;
        A.each(i, [&](std::size_t j, double a) {
            if (Index(j) == i || a >= 0.0) return;
            tied = true;
            if (of[j] < 0) of[j] = found.count;
        });
        if (tied) of[i] = found.count++;
    }
    return found;
}

// Upper estimate of the largest eigenvalue of D^-1 A, for D^-1 given.
double largest_value(const RowsView<double>& A, Span<const double> inverse_diagonal) {
    constexpr int kSteps = 4;
    constexpr double kMargin = 1.1;  // for what so few steps have missed
    std::vector<double> a, b;
    VectorBlock X = block_of(a, A.rows, kBlockWidth), Y = block_of(b, A.rows, kBlockWidth);
    Rng rng(0, 0);
    for (double& value : a) value = 2.0 * rng.uniform() - 1.0;
    double before[kBlockWidth] = {}, ratio = 0.0;
    for (int step = 0; step <= kSteps; ++step) {
        double after[kBlockWidth] = {};
        for (Index i = 0; i < A.rows; ++i)
            for (Index c = 0; c < kBlockWidth; ++c) after[c] += X.row(i)[c] * X.row(i)[c];
        if (step > 0) {
            ratio = 0.0;
            for (Index c = 0; c < kBlockWidth; ++c)
                if (before[c] > 0.0) ratio = std::max(ratio, std::sqrt(after[c] / before[c]));
        }
        std::copy(after, after + kBlockWidth, before);
        if (step == kSteps) break;
        each_product(A, X, [&](Index i, Index c, Pack4 sum) { *packs(Y.row(i) + c) = inverse_diagonal[i] * sum; });
        std::swap(X, Y);
    }
    return kMargin * ratio;
}

// Gives a level its Jacobi steps; returns the inverse of its diagonal and the estimate of the largest value.
std::pair<std::vector<double>, double> set_step(GraphLevel& level) {
    const RowsView<double>& A = level.A;
    std::vector<double> inverse(A.rows, 0.0);
    const Blocks blocks(A.rows, 1024);
    parallel_for(blocks.count(), Work(Index(A.values.size())), [&](Index b) {
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i)
            A.each(i, [&](std::size_t j, double a) {
                if (Index(j) == i && a > 0.0) inverse[j] = 1.0 / a;
            });
    });
    const double top = std::max(largest_value(A, inverse), 1e-300);
    // The step that is best for the upper two thirds of the spectrum; the rest is left to the coarser levels.
    level.step = inverse;
    for (double& step : level.step) step *= 1.5 / top;
    return {std::move(inverse), top};
}

// M + M' of a square matrix: rows of both, one below the other, added in pairs.
SparseRows plus_transpose(const SparseRows& M) {
    std::vector<SparseRows> parts{M, transposed(M.view())};
    for (SparseRows& part : parts) part.indptr.erase(part.indptr.begin());
    const SparseRows both = joined_rows(parts, 2 * M.rows, M.cols);
    SparseRows pairs;
    pairs.rows = M.rows;
    pairs.cols = 2 * M.rows;
    pairs.values.assign(2 * M.rows, 1.0);
    pairs.indptr.push_back(0);
    for (Index i = 0; i < M.rows; ++i) {
        pairs.cols_of.push_back(int(i));
        pairs.cols_of.push_back(int(M.rows + i));
        pairs.indptr.push_back(int(2 * (i + 1)));
    }
    return sparse_product(pairs.view(), both.view());
}

// The next level, with the prolongation to this one; empty if it would not be much smaller.
GraphLevel coarser(GraphLevel& level, Index n_null, std::vector<double>& near, Span<const double> inverse, double top) {
    const RowsView<double>& A = level.A;
    const Aggregates found = aggregate(A);
    GraphLevel next;
    if (found.count == 0 || double(found.count) > kLeastShrinkage * double(A.rows)) return next;
    std::vector<double> length(found.count, 0.0);
    for (Index i = 0; i < A.rows; ++i)
        if (const int a = found.of[i]; a >= 0) length[a] += near[i] * near[i];
    for (double& value : length) value = std::sqrt(value);

    std::vector<double> t(A.rows, 0.0);  // the near-null vector restricted to each aggregate
    next.null.assign(found.count * n_null, 0.0);
    for (Index i = 0; i < A.rows; ++i) {
        const int a = found.of[i];
        if (a < 0) continue;
        t[i] = near[i] / length[a];
        for (Index c = 0; c < n_null; ++c) next.null[a * n_null + c] += t[i] * level.null[i * n_null + c];
    }
    // P = T - (4/3 / top) D^-1 A T, with T the matrix of the groups. A T has an entry wherever T has one, since A has a
    // diagonal.
    level.P = grouped_columns(A, {found.of, t, found.count});
    const double omega = 4.0 / (3.0 * top);
    for (Index i = 0; i < A.rows; ++i) {
        const int own = found.of[i];
        for (int e = level.P.indptr[i]; e < level.P.indptr[i + 1]; ++e) {
            double& value = level.P.values[e];
            value *= -omega * inverse[i];
            if (level.P.cols_of[e] == own) value += t[i];
        }
    }
    level.Pt = transposed(level.P.view());
    // P'AP from half of the symmetric A.
    next.own = plus_transpose(sparse_product(level.Pt.view(), half_product(A, level.P.view()).view()));
    near = std::move(length);
    return next;
}

}  // namespace

Multilevel::Multilevel(const RowsView<double>& A, Span<const double> null, Index n_null, Span<const double> near,
                       const Interrupt& interrupt)
    : n_null_(n_null) {
    levels_.emplace_back();
    levels_[0].A = A;
    levels_[0].null.assign(null.begin(), null.end());
    std::vector<double> vector(near.begin(), near.end());
    while (!interrupt.requested()) {
        GraphLevel& last = levels_.back();
        const auto [inverse, top] = set_step(last);
        if (last.A.rows <= kCoarsest) break;
        GraphLevel next = coarser(last, n_null, vector, inverse, top);
        if (next.own.rows == 0) break;
        levels_.push_back(std::move(next));
        levels_.back().A = levels_.back().own.view();
    }
    const RowsView<double>& coarsest = levels_.back().A;
    const Index n = coarsest.rows;
    if (n > kLargestDense) return;
    inverse_.assign(n * n, 0.0);
    double largest = 0.0;
    for (Index i = 0; i < n; ++i)
        coarsest.each(i, [&](std::size_t j, double a) {
            inverse_[j * std::size_t(n) + std::size_t(i)] = a;
            if (Index(j) == i) largest = std::max(largest, a);
        });
    for (Index i = 0; i < n; ++i) inverse_[i * (n + 1)] += kShift * std::max(largest, 1e-300);
    if (blas::potrf('L', int(n), inverse_.data(), int(n)) || blas::potri('L', int(n), inverse_.data(), int(n))) {
        inverse_.clear();
        return;
    }
    for (Index j = 0; j < n; ++j)
        for (Index i = j + 1; i < n; ++i) inverse_[i * n + j] = inverse_[j * n + i];
}

void Multilevel::solve_coarsest(const VectorBlock& R, const VectorBlock& X) const {
    const GraphLevel& level = levels_.back();
    const Index n = level.A.rows;
    if (!inverse_.empty()) {
        blas::gemm('N', 'N', int(R.width), int(n), int(n), 1.0, R.data, int(R.stride), inverse_.data(), int(n), 0.0,
                   X.data, int(X.stride));
        return;
    }
    const VectorBlock Y = block_of(level.y, n, R.width);
    for (Index i = 0; i < n; ++i)
        for (Index c = 0; c < R.width; ++c) X.row(i)[c] = level.step[i] * R.row(i)[c];
    for (int sweep = 0; sweep < kCoarseSweeps; ++sweep) {
        each_product(level.A, X, [&](Index i, Index c, Pack4 sum) {
            *packs(Y.row(i) + c) = *packs(X.row(i) + c) + level.step[i] * (*packs(R.row(i) + c) - sum);
        });
        for (Index i = 0; i < n; ++i) std::copy(Y.row(i), Y.row(i) + Y.width, X.row(i));
    }
}

void Multilevel::cycle(Index l, const VectorBlock& R, const VectorBlock& X) const {
    if (l + 1 == count()) return solve_coarsest(R, X);
    const GraphLevel& level = levels_[l];
    const Index n = level.A.rows, below = level.P.cols, width = R.width;
    const VectorBlock Y = block_of(level.y, n, width), rest = block_of(level.rest, n, width);
    const VectorBlock r = block_of(level.r, below, width), x = block_of(level.x, below, width);
    const auto jacobi = [&](Index i, Index c) { return level.step[i] * *packs(R.row(i) + c); };
    const Blocks blocks(n, 2048);
    parallel_for(blocks.count(), Work(n * width), [&](Index b) {
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i)
            for (Index c = 0; c < width; c += kBlockWidth) *packs(Y.row(i) + c) = jacobi(i, c);
    });
    each_product(level.A, Y,
                 [&](Index i, Index c, Pack4 sum) { *packs(rest.row(i) + c) = *packs(R.row(i) + c) - sum; });
    sparse_times(level.Pt.view(), rest, r);
    cycle(l + 1, r, x);
    each_product(level.P.view(), x, [&](Index i, Index c, Pack4 sum) { *packs(Y.row(i) + c) += sum; });
    each_product(level.A, Y, [&](Index i, Index c, Pack4 sum) {
        *packs(X.row(i) + c) = *packs(Y.row(i) + c) + level.step[i] * (*packs(R.row(i) + c) - sum);
    });
}

std::vector<double> Multilevel::coarsest_vectors() const {
    const RowsView<double>& A = levels_.back().A;
    if (A.rows > kLargestDense) return {};
    const Index n = A.rows;
    std::vector<double> vectors(n * n, 0.0), values(n);
    for (Index i = 0; i < A.rows; ++i) A.each(i, [&](std::size_t j, double a) { vectors[j * n + std::size_t(i)] = a; });
    if (blas::syevd('L', int(n), vectors.data(), int(n), values.data())) vectors.clear();
    return vectors;
}

}  // namespace statlearn
