#include "linear/row_design.hpp"

#include <algorithm>
#include <cstddef>

#include "common/gram.hpp"
#include "common/parallel.hpp"

namespace statlearn::linear {
namespace {

constexpr Index kRowBlock = 2048;  // rows per unit of work
constexpr Index kPackRows = 64;    // scaled rows that stay in the first-level cache

// A grid that depends on n and the size of a partial sum only: at most 64 parts, and at most about 32 MB of them.
Blocks row_blocks(Index n, std::size_t part_size = 1) {
    const Index most =
        std::clamp(Index((std::size_t{1} << 22) / std::max(part_size, std::size_t{1})), Index{4}, Index{64});
    return Blocks(n, std::max(kRowBlock, (n + most - 1) / most));
}

// Sum of the vectors that body(block, part) leaves, added in block order.
template <class F>
void sum_of_parts(Index n, std::size_t size, Span<double> out, F&& body) {
    const Blocks blocks = row_blocks(n, size);
    std::vector<double> parts(std::size_t(blocks.count()) * size, 0.0);
    parallel_for(blocks.count(),
                 [&](Index b) { body(blocks.begin(b), blocks.end(b), parts.data() + std::size_t(b) * size); });
    std::fill(out.begin(), out.end(), 0.0);
    for (Index b = 0; b < blocks.count(); ++b)
        for (Index j = 0; j < out.size(); ++j) out[j] += parts[std::size_t(b) * size + j];
}

// Rows packed one after the other, padded with zeros to a multiple of the tile of gram_update.
class DenseRows final : public RowDesign {
public:
    template <class T>
    DenseRows(Matrix<const T> X, Span<const double> centre, Span<const double> scale, bool intercept) {
        rows_ = X.rows, cols_ = X.cols + (intercept ? 1 : 0);
        width_ = (cols_ + kGramTile - 1) / kGramTile * kGramTile;
        Z_.assign(rows_ * width_, 0.0);
        const Index first = intercept ? 1 : 0;
        const Blocks blocks = row_blocks(rows_);
        parallel_for(blocks.count(), [&](Index b) {
            if (intercept)
                for (Index i = blocks.begin(b); i < blocks.end(b); ++i) Z_[i * width_] = 1.0;
            const auto put = [&](Index i, Index j) {
                Z_[i * width_ + first + j] = (double(X(i, j)) - centre[j]) / scale[j];
            };
            if (X.row_major()) {
                for (Index i = blocks.begin(b); i < blocks.end(b); ++i)
                    for (Index j = 0; j < X.cols; ++j) put(i, j);
            } else {
                for (Index j = 0; j < X.cols; ++j)
                    for (Index i = blocks.begin(b); i < blocks.end(b); ++i) put(i, j);
            }
        });
    }

    void times(Span<const double> beta, Span<double> out) const override {
        std::vector<double> padded(width_, 0.0);
        std::copy_n(beta.begin(), cols_, padded.begin());
        const Blocks blocks = row_blocks(rows_);
        parallel_for(blocks.count(), [&](Index b) {
            for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
                const double* z = Z_.data() + i * width_;
                double lanes[kGramTile] = {};  // separate sums, so that the loop runs in vector registers
                for (Index j = 0; j < width_; j += kGramTile)
                    for (Index l = 0; l < kGramTile; ++l) lanes[l] += z[j + l] * padded[j + l];
                double sum = 0.0;
                for (const double lane : lanes) sum += lane;
                out[i] = sum;
            }
        });
    }

    void transposed(Span<const double> v, Span<double> out) const override {
        sum_of_parts(rows_, std::size_t(width_), out, [&](Index begin, Index end, double* part) {
            for (Index i = begin; i < end; ++i) {
                const double* z = Z_.data() + i * width_;
                const double value = v[i];
                for (Index j = 0; j < width_; ++j) part[j] += value * z[j];
            }
        });
    }

    void gram(Span<const double> weights, Span<double> G) const override {
        const Index size = width_ * width_;
        std::vector<double> sum(size);
        sum_of_parts(rows_, size, sum, [&](Index begin, Index end, double* part) {
            std::vector<double> scaled(kPackRows * width_);
            for (Index i = begin; i < end; i += kPackRows) {
                const Index count = std::min(kPackRows, end - i);
                const double* z = Z_.data() + i * width_;
                for (Index k = 0; k < count; ++k) {
                    const double w = weights[i + k];
                    for (Index j = 0; j < width_; ++j) scaled[k * width_ + j] = w * z[k * width_ + j];
                }
                gram_update(scaled.data(), z, count, width_, part);
            }
        });
        for (Index i = 0; i < cols_; ++i)
            for (Index j = i; j < cols_; ++j) G[i * cols_ + j] = G[j * cols_ + i] = sum[i * width_ + j];
    }

    void row(Index i, Span<double> out) const override { std::copy_n(Z_.data() + i * width_, cols_, out.begin()); }

private:
    Index width_ = 0;
    std::vector<double> Z_;
};

class SparseRows final : public RowDesign {
public:
    SparseRows(RowsView<double> X, Span<const double> scale, bool intercept) : X_(X), first_(intercept ? 1 : 0) {
        rows_ = X.rows, cols_ = X.cols + first_;
        values_.resize(X.values.size());
        for (std::size_t k = 0; k < values_.size(); ++k) values_[k] = X.values[k] / scale[X.cols_of[k]];
    }

    void times(Span<const double> beta, Span<double> out) const override {
        const Blocks blocks = row_blocks(rows_);
        parallel_for(blocks.count(), [&](Index b) {
            for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
                double sum = first_ ? beta[0] : 0.0;
                each(i, [&](Index j, double z) { sum += z * beta[j]; });
                out[i] = sum;
            }
        });
    }

    void transposed(Span<const double> v, Span<double> out) const override {
        sum_of_parts(rows_, std::size_t(cols_), out, [&](Index begin, Index end, double* part) {
            for (Index i = begin; i < end; ++i) {
                const double value = v[i];
                if (first_) part[0] += value;
                each(i, [&](Index j, double z) { part[j] += value * z; });
            }
        });
    }

    // One thread: a matrix per thread would cost more memory than the few products of a sparse row are worth.
    void gram(Span<const double> weights, Span<double> G) const override {
        std::fill(G.begin(), G.end(), 0.0);
        for (Index i = 0; i < rows_; ++i) {
            const double w = weights[i];
            if (first_) {
                G[0] += w;
                each(i, [&](Index j, double z) { G[j * cols_] += w * z; });
            }
            each(i, [&](Index j, double z) {
                double* line = G.data() + j * cols_;
                each(i, [&](Index l, double other) { line[l] += w * z * other; });
            });
        }
        if (first_)
            for (Index j = 1; j < cols_; ++j) G[j] = G[j * cols_];
    }

    void row(Index i, Span<double> out) const override {
        std::fill(out.begin(), out.end(), 0.0);
        if (first_) out[0] = 1.0;
        each(i, [&](Index j, double z) { out[j] += z; });
    }

private:
    template <class F>
    void each(Index i, F&& body) const {
        for (int k = X_.indptr[i]; k < X_.indptr[i + 1]; ++k) body(Index(X_.cols_of[k]) + first_, values_[k]);
    }

    RowsView<double> X_;
    Index first_;
    std::vector<double> values_;
};

}  // namespace

template <class T>
std::unique_ptr<RowDesign> dense_rows(Matrix<const T> X, Span<const double> centre, Span<const double> scale,
                                      bool intercept) {
    return std::make_unique<DenseRows>(X, centre, scale, intercept);
}
template std::unique_ptr<RowDesign> dense_rows<double>(Matrix<const double>, Span<const double>, Span<const double>,
                                                       bool);
template std::unique_ptr<RowDesign> dense_rows<float>(Matrix<const float>, Span<const double>, Span<const double>,
                                                      bool);

std::unique_ptr<RowDesign> sparse_rows(RowsView<double> X, Span<const double> scale, bool intercept) {
    return std::make_unique<SparseRows>(X, scale, intercept);
}

}  // namespace statlearn::linear
