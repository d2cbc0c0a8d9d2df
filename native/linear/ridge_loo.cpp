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
    explicit Panels(Matrix<const double> M) : depth_(M.rows), count_((M.cols + kTileRows - 1) / kTileRows) {
        values_.assign(count_ * depth_ * kTileRows, 0.0);
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
    Loo(Matrix<const T> X, Span<const double> mean, Span<const double> root, Matrix<const double> V,
        Matrix<const double> fits, Matrix<const double> shrink, Matrix<const double> B, Span<const double> base,
        double least, Matrix<double> residuals)
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
        const auto lines = [](Index count) { return std::vector<double>(count * kBlockRows); };
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
                    const double scale = root_.empty() ? 1.0 : root_[i];
                    for (Index j = first; j < std::min(p, first + kPackCols); ++j) {
                        const double centre = mean_.empty() ? 0.0 : mean_[j];
                        to[j * kTileCols + i - panel] = scale * (double(row[j * X_.col_stride]) - centre);
                    }
                }
    }

    void divide(Index row, Index place, const Workspace& work) const {
        const Index panel = place / kTileCols, lane = place % kTileCols;
        const double* fit = work.fit.data() + panel * fits_.padded() * kTileCols + lane;
        const double* leverage = work.leverage.data() + panel * shrink_.padded() * kTileCols + lane;
        const double rest = 1.0 - base_[row];
        double* out = residuals_.row(row);
        for (Index t = 0; t < B_.cols; ++t)
            for (Index c = 0; c < penalties_; ++c, fit += kTileCols)
                *out++ = (B_(row, t) - *fit) / std::max(rest - leverage[c * kTileCols], least_);
    }

    Matrix<const T> X_;
    Span<const double> mean_, root_;
    Matrix<const double> B_;
    Span<const double> base_;
    double least_;
    Matrix<double> residuals_;
    Panels vectors_, fits_, shrink_;
    Index rank_, penalties_;
};

}  // namespace

template <class T>
void ridge_loo(Matrix<const T> X, Span<const double> mean, Span<const double> root, Matrix<const double> V,
               Matrix<const double> fits, Matrix<const double> shrink, Matrix<const double> B, Span<const double> base,
               double least, const Interrupt& interrupt, Matrix<double> residuals) {
    const Loo<T> loo(X, mean, root, V, fits, shrink, B, base, least, residuals);
    const Blocks units(X.rows, kUnitRows);
    parallel_for(units.count(), [&](Index u) {
        auto work = loo.workspace();
        for (Index i = units.begin(u); i < units.end(u) && !interrupt.requested(); i += kBlockRows)
            loo.block(i, std::min(i + kBlockRows, units.end(u)), work);
    });
}

template void ridge_loo<double>(Matrix<const double>, Span<const double>, Span<const double>, Matrix<const double>,
                                Matrix<const double>, Matrix<const double>, Matrix<const double>, Span<const double>,
                                double, const Interrupt&, Matrix<double>);
template void ridge_loo<float>(Matrix<const float>, Span<const double>, Span<const double>, Matrix<const double>,
                               Matrix<const double>, Matrix<const double>, Matrix<const double>, Span<const double>,
                               double, const Interrupt&, Matrix<double>);

}  // namespace statlearn::linear
