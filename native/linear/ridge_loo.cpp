#include "linear/ridge_loo.hpp"

#include <algorithm>
#include <vector>

#include "common/parallel.hpp"
#include "common/tile.hpp"

namespace statlearn::linear {
namespace {

constexpr Index kBlockRows = 4 * kTileCols;  // rows whose products stay in the second-level cache
constexpr Index kUnitRows = 8 * kBlockRows;  // rows of one unit of work
constexpr Index kDepth = 256;                // summands at once: a panel of rows stays in the first-level cache
constexpr Index kPackCols = 128;
constexpr Index kGroup = 16;  // panels of the left factor that stay in the second-level cache

// A matrix M (depth x cols), packed as the left factor of M' R: panels of 4 columns, each contiguous along the depth.
class Panels {
public:
    explicit Panels(MatrixView<const double> M) : depth_(M.rows), count_((M.cols + kTileRows - 1) / kTileRows) {
        values_.assign(static_cast<std::size_t>(count_ * depth_ * kTileRows), 0.0);
        for (Index j = 0; j < M.cols; ++j) {
            double* to = values_.data() + j / kTileRows * depth_ * kTileRows + j % kTileRows;
            for (Index k = 0; k < depth_; ++k) to[k * kTileRows] = M(k, j);
        }
    }
    Index depth() const { return depth_; }
    Index count() const { return count_; }
    Index padded() const { return count_ * kTileRows; }

    // out += M' R for a few panels of 12 rows: R and out hold, per panel, `depth()` and `padded()` lines of 12.
    void multiply(const double* R, Index panels, double* out) const {
        for (Index k = 0; k < depth_; k += kDepth) {
            const Index depth = std::min(kDepth, depth_ - k);
            for (Index group = 0; group < count_; group += kGroup)
                for (Index panel = 0; panel < panels; ++panel)
                    for (Index j = group; j < std::min(count_, group + kGroup); ++j)
                        tile_update(values_.data() + (j * depth_ + k) * kTileRows, kTileRows,
                                    R + (panel * depth_ + k) * kTileCols, kTileCols, depth,
                                    out + (panel * padded() + j * kTileRows) * kTileCols, kTileCols);
        }
    }

private:
    Index depth_, count_;
    std::vector<double> values_;
};

template <class T>
class Loo {
public:
    Loo(MatrixView<const T> X, std::span<const double> mean, std::span<const double> root, MatrixView<const double> V,
        MatrixView<const double> fits, MatrixView<const double> shrink, MatrixView<const double> B,
        std::span<const double> base, double least, MatrixView<double> residuals)
        : X_(X),
          mean_(mean),
          root_(root),
          B_(B),
          base_(base),
          least_(least),
          residuals_(residuals),
          vectors_(V),
          fits_(fits),
          shrink_(shrink),
          rank_(V.cols),
          penalties_(shrink.cols) {}

    struct Workspace {
        std::vector<double> A, Z, fit, leverage;
    };
    Workspace workspace() const {
        const auto lines = [](Index count) { return std::vector<double>(std::size_t(count * kBlockRows)); };
        return {lines(X_.cols), lines(vectors_.padded()), lines(fits_.padded()), lines(shrink_.padded())};
    }

    // Rows begin..end, at most kBlockRows.
    void block(Index begin, Index end, Workspace& work) const {
        const Index panels = (end - begin + kTileCols - 1) / kTileCols;
        pack_rows(begin, end, work.A.data());
        std::fill(work.Z.begin(), work.Z.end(), 0.0);
        vectors_.multiply(work.A.data(), panels, work.Z.data());
        // The next factor has as many lines as V has columns: close the gaps that their padding has left.
        for (Index panel = 1; panel < panels && vectors_.padded() > rank_; ++panel)
            std::copy_n(work.Z.data() + panel * vectors_.padded() * kTileCols, rank_ * kTileCols,
                        work.Z.data() + panel * rank_ * kTileCols);
        std::fill(work.fit.begin(), work.fit.end(), 0.0);
        fits_.multiply(work.Z.data(), panels, work.fit.data());
        for (double& z : work.Z) z *= z;
        std::fill(work.leverage.begin(), work.leverage.end(), 0.0);
        shrink_.multiply(work.Z.data(), panels, work.leverage.data());
        for (Index i = begin; i < end; ++i) divide(i, i - begin, work);
    }

private:
    // The rows of A, transposed into panels of 12; a few columns at a time, so that what is written stays in cache.
    void pack_rows(Index begin, Index end, double* to) const {
        const Index p = X_.cols;
        for (Index panel = begin; panel < end; panel += kTileCols, to += p * kTileCols)
            for (Index first = 0; first < p; first += kPackCols)
                for (Index i = panel; i < std::min(end, panel + kTileCols); ++i) {
                    const T* row = X_.row(i);
                    const double scale = root_.empty() ? 1.0 : root_[std::size_t(i)];
                    for (Index j = first; j < std::min(p, first + kPackCols); ++j) {
                        const double centre = mean_.empty() ? 0.0 : mean_[std::size_t(j)];
                        to[j * kTileCols + i - panel] = scale * (double(row[j * X_.col_stride]) - centre);
                    }
                }
    }

    void divide(Index row, Index place, const Workspace& work) const {
        const Index panel = place / kTileCols, lane = place % kTileCols;
        const double* fit = work.fit.data() + panel * fits_.padded() * kTileCols + lane;
        const double* leverage = work.leverage.data() + panel * shrink_.padded() * kTileCols + lane;
        const double rest = 1.0 - base_[std::size_t(row)];
        double* out = residuals_.row(row);
        for (Index t = 0; t < B_.cols; ++t)
            for (Index c = 0; c < penalties_; ++c, fit += kTileCols)
                *out++ = (B_(row, t) - *fit) / std::max(rest - leverage[c * kTileCols], least_);
    }

    MatrixView<const T> X_;
    std::span<const double> mean_, root_;
    MatrixView<const double> B_;
    std::span<const double> base_;
    double least_;
    MatrixView<double> residuals_;
    Panels vectors_, fits_, shrink_;
    Index rank_, penalties_;
};

}  // namespace

template <class T>
void ridge_loo(MatrixView<const T> X, std::span<const double> mean, std::span<const double> root,
               MatrixView<const double> V, MatrixView<const double> fits, MatrixView<const double> shrink,
               MatrixView<const double> B, std::span<const double> base, double least, const Interrupt& interrupt,
               MatrixView<double> residuals) {
    const Loo<T> loo(X, mean, root, V, fits, shrink, B, base, least, residuals);
    const Blocks units(X.rows, kUnitRows);
    parallel_for(units.count(), [&](Index u) {
        auto work = loo.workspace();
        for (Index i = units.begin(u); i < units.end(u) && !interrupt.requested(); i += kBlockRows)
            loo.block(i, std::min(i + kBlockRows, units.end(u)), work);
    });
}

template void ridge_loo<double>(MatrixView<const double>, std::span<const double>, std::span<const double>,
                                MatrixView<const double>, MatrixView<const double>, MatrixView<const double>,
                                MatrixView<const double>, std::span<const double>, double, const Interrupt&,
                                MatrixView<double>);
template void ridge_loo<float>(MatrixView<const float>, std::span<const double>, std::span<const double>,
                               MatrixView<const double>, MatrixView<const double>, MatrixView<const double>,
                               MatrixView<const double>, std::span<const double>, double, const Interrupt&,
                               MatrixView<double>);

}  // namespace statlearn::linear
