// Blocks of rows of X: scores, gradients and weighted cross-products of a linear model in one reading.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "common/blas.hpp"
#include "common/chunks.hpp"
#include "common/gram.hpp"
#include "common/interrupt.hpp"
#include "common/parallel.hpp"
#include "common/vector.hpp"
#include "common/view.hpp"

namespace statlearn::linear {

// Rows of a dense matrix, with a column of ones behind the last when `intercept`. q = cols + intercept.
// Hessians are taken about `shift` (one number per column, any point near the middle of the data): the parameters then
// are the slopes and the intercept at that point, which keeps the digits that data far from zero would lose.
template <class T>
struct DenseRows {
    using Value = T;
    Matrix<const T> X;
    Span<const double> shift;
    bool intercept;

    Index rows() const { return X.rows; }
    Index cols() const { return X.cols; }
    Index entries() const { return X.rows * X.cols; }
};

// Rows of a sparse matrix in compressed rows (held as the compressed columns of X').
template <class T>
struct SparseRows {
    using Value = T;
    CscView<T> Xt;
    Span<const double> shift;
    bool intercept;

    Index rows() const { return Xt.cols; }
    Index cols() const { return Xt.rows; }
    Index entries() const { return Index(Xt.values.size()); }
};

namespace rows {

constexpr Index kBlock = 128;             // rows handled at once: scores, residuals and packed rows stay in cache
constexpr Index kChunkEntries = 1 << 18;  // entries of X that are worth a unit of work
constexpr Index kMaxChunks = 32;
constexpr Index kChunkMemory = 1 << 26;  // bytes for the partial sums of all chunks together
constexpr Index kTiledWidth = 264;       // beyond, BLAS forms the cross-products as fast

// A grid over the rows that depends on the data only.
inline Blocks row_chunks(Index n, Index entries, Index bytes_per_chunk) {
    const Index per_row = std::max<Index>(1, entries / std::max<Index>(1, n));
    const Index most = std::clamp<Index>(kChunkMemory / std::max<Index>(1, bytes_per_chunk), 1, kMaxChunks);
    return chunk_grid(n, kChunkEntries / per_row, most, kBlock);
}

// eta[i - begin] = x_i'w + b, theta = (w, b).
template <class T>
void scores(const DenseRows<T>& rows, Index begin, Index end, const double* theta, double* eta) {
    const auto& X = rows.X;
    const double b = rows.intercept ? theta[X.cols] : 0.0;
    if (X.row_major()) {
        for (Index i = begin; i < end; ++i) eta[i - begin] = b + dot(X.row(i), theta, X.cols);
        return;
    }
    std::fill(eta, eta + (end - begin), b);
    for (Index j = 0; j < X.cols; ++j) {
        const T* col = X.col(j) + begin * X.row_stride;
        const double w = theta[j];
        if (X.row_stride == 1)
            for (Index i = 0; i < end - begin; ++i) eta[i] += w * double(col[i]);
        else
            for (Index i = 0; i < end - begin; ++i) eta[i] += w * double(col[i * X.row_stride]);
    }
}

template <class T>
void scores(const SparseRows<T>& rows, Index begin, Index end, const double* theta, double* eta) {
    const auto& Xt = rows.Xt;
    const double b = rows.intercept ? theta[Xt.rows] : 0.0;
    for (Index i = begin; i < end; ++i) {
        double sum = b;
        for (int k = Xt.indptr[i]; k < Xt.indptr[i + 1]; ++k) sum += double(Xt.values[k]) * theta[Xt.rows_of[k]];
        eta[i - begin] = sum;
    }
}

// g += sum_i r_i (x_i, 1), about zero.
template <class T>
void add_gradient(const DenseRows<T>& rows, Index begin, Index end, const double* r, double* g) {
    const auto& X = rows.X;
    const Index p = X.cols, m = end - begin;
    if (X.row_major()) {
        Index i = 0;
        for (; i + 4 <= m; i += 4) {
            const T *x0 = X.row(begin + i), *x1 = X.row(begin + i + 1), *x2 = X.row(begin + i + 2),
                    *x3 = X.row(begin + i + 3);
            const double r0 = r[i], r1 = r[i + 1], r2 = r[i + 2], r3 = r[i + 3];
            for (Index j = 0; j < p; ++j)
                g[j] += (r0 * double(x0[j]) + r1 * double(x1[j])) + (r2 * double(x2[j]) + r3 * double(x3[j]));
        }
        for (; i < m; ++i) {
            const T* x = X.row(begin + i);
            for (Index j = 0; j < p; ++j) g[j] += r[i] * double(x[j]);
        }
    } else {
        for (Index j = 0; j < p; ++j) {
            const T* col = X.col(j) + begin * X.row_stride;
            if (X.row_stride == 1) {
                g[j] += dot(col, r, m);
            } else {
                double sum = 0.0;
                for (Index i = 0; i < m; ++i) sum += r[i] * double(col[i * X.row_stride]);
                g[j] += sum;
            }
        }
    }
    if (rows.intercept)
        for (Index i = 0; i < m; ++i) g[p] += r[i];
}

template <class T>
void add_gradient(const SparseRows<T>& rows, Index begin, Index end, const double* r, double* g) {
    const auto& Xt = rows.Xt;
    for (Index i = begin; i < end; ++i) {
        const double ri = r[i - begin];
        if (ri == 0.0) continue;
        for (int k = Xt.indptr[i]; k < Xt.indptr[i + 1]; ++k) g[Xt.rows_of[k]] += ri * double(Xt.values[k]);
        if (rows.intercept) g[Xt.rows] += ri;
    }
}

// From the gradient about zero to the one about `shift`.
inline void shift_gradient(Span<const double> shift, bool intercept, double* g) {
    if (!intercept) return;
    const Index p = Index(shift.size());
    for (Index j = 0; j < p; ++j) g[j] -= shift[j] * g[p];
}

// z_i = (x_i - shift, 1, 0...) for a block of rows.
template <class T>
void pack(const DenseRows<T>& rows, Index begin, Index end, Index width, double* Z) {
    const auto& X = rows.X;
    const double* shift = rows.shift.data();
    if (X.row_stride >= X.col_stride) {
        for (Index i = begin; i < end; ++i) {
            const T* x = X.row(i);
            double* z = Z + (i - begin) * width;
            if (X.row_major())
                for (Index j = 0; j < X.cols; ++j) z[j] = double(x[j]) - shift[j];
            else
                for (Index j = 0; j < X.cols; ++j) z[j] = double(x[j * X.col_stride]) - shift[j];
        }
    } else {
        for (Index j = 0; j < X.cols; ++j) {
            const T* col = X.col(j);
            for (Index i = begin; i < end; ++i) Z[(i - begin) * width + j] = double(col[i * X.row_stride]) - shift[j];
        }
    }
    for (Index i = 0; i < end - begin; ++i) {
        double* z = Z + i * width + X.cols;
        std::fill(z, z + width - X.cols, 0.0);
        if (rows.intercept) z[0] = 1.0;
    }
}

// Weighted cross-products of a chunk of rows, one matrix per weight column.
template <class T>
class DenseGram {
public:
    DenseGram(const DenseRows<T>& rows, Index n_weights)
        : rows_(rows),
          width_((rows.cols() + rows.intercept + kGramTile - 1) / kGramTile * kGramTile),
          packed_(2 * kBlock * width_),
          C_(n_weights * width_ * width_) {}

    static Index bytes(const DenseRows<T>& rows, Index n_weights) {
        const Index width = rows.cols() + rows.intercept + kGramTile;
        return 8 * n_weights * width * width;
    }
    void start(Index begin, Index end) {
        begin_ = begin, end_ = end;
        pack(rows_, begin, end, width_, packed_.data());
    }
    void add(Index which, const double* weight) {
        const double* Z = packed_.data();
        double* A = packed_.data() + kBlock * width_;
        for (Index i = 0; i < end_ - begin_; ++i)
            for (Index j = 0; j < width_; ++j) A[i * width_ + j] = weight[i] * Z[i * width_ + j];
        gram_update(A, Z, end_ - begin_, width_, C_.data() + which * width_ * width_);
    }
    void add_to(Span<double> G) const {
        const Index q = rows_.cols() + rows_.intercept, count = Index(C_.size()) / (width_ * width_);
        for (Index c = 0; c < count; ++c)
            for (Index i = 0; i < q; ++i)
                for (Index j = i; j < q; ++j) G[(c * q + i) * q + j] += C_[(c * width_ + i) * width_ + j];
    }

private:
    const DenseRows<T>& rows_;
    Index width_, begin_ = 0, end_ = 0;
    std::vector<double> packed_, C_;
};

template <class T>
class SparseGram {
public:
    SparseGram(const SparseRows<T>& rows, Index n_weights)
        : rows_(rows), q_(rows.cols() + rows.intercept), C_(n_weights * q_ * q_) {}

    static Index bytes(const SparseRows<T>& rows, Index n_weights) {
        const Index q = rows.cols() + rows.intercept;
        return 8 * n_weights * q * q;
    }
    void start(Index begin, Index end) { begin_ = begin, end_ = end; }
    void add(Index which, const double* weight) {
        const auto& Xt = rows_.Xt;
        double* C = C_.data() + which * q_ * q_;
        for (Index i = begin_; i < end_; ++i) {
            const double h = weight[i - begin_];
            if (h == 0.0) continue;
            const int first = Xt.indptr[i], last = Xt.indptr[i + 1];
            for (int a = first; a < last; ++a) {
                const double value = h * double(Xt.values[a]);
                double* row = C + Index(Xt.rows_of[a]) * q_;
                for (int b = first; b < last; ++b) row[Xt.rows_of[b]] += value * double(Xt.values[b]);
                if (rows_.intercept) row[q_ - 1] += value;
            }
            if (rows_.intercept) C[q_ * q_ - 1] += h;
        }
    }
    void add_to(Span<double> G) const {
        for (std::size_t k = 0; k < C_.size(); ++k) G[k] += C_[k];
    }

private:
    const SparseRows<T>& rows_;
    Index q_, begin_ = 0, end_ = 0;
    std::vector<double> C_;
};

template <class T>
DenseGram<T> make_gram(const DenseRows<T>& rows, Index n) {
    return {rows, n};
}
template <class T>
SparseGram<T> make_gram(const SparseRows<T>& rows, Index n) {
    return {rows, n};
}
template <class Rows>
using GramOf = decltype(make_gram(std::declval<const Rows&>(), Index{1}));

template <class T>
bool tiled(const DenseRows<T>& rows) {
    return rows.cols() + rows.intercept <= kTiledWidth;
}
template <class T>
bool tiled(const SparseRows<T>&) {
    return true;
}

// G += sign * sum_i |weight_i| z_i z_i' by BLAS, upper half in row-major reading; weights all of one sign.
template <class T>
void wide_gram(const DenseRows<T>& rows, Span<const double> weight, double sign, const Interrupt& interrupt,
               double* G) {
    const Index q = rows.cols() + rows.intercept, n = rows.rows();
    const Blocks strips(n, std::max(kBlock, (Index{1} << 21) / q / kBlock * kBlock));
    std::vector<double> Z(strips.size * q);
    for (Index s = 0; s < strips.count() && !interrupt.requested(); ++s) {
        const Blocks parts(strips.end(s) - strips.begin(s), kBlock);
        parallel_for(parts.count(), [&](Index b) {
            const Index begin = strips.begin(s) + parts.begin(b), end = strips.begin(s) + parts.end(b);
            double* to = Z.data() + parts.begin(b) * q;
            pack(rows, begin, end, q, to);
            for (Index i = begin; i < end; ++i) {
                const double root = std::sqrt(std::abs(weight[i]));
                for (Index j = 0; j < q; ++j) to[(i - begin) * q + j] *= root;
            }
        });
        // Row-major upper is column-major lower.
        blas::syrk('L', 'N', int(q), int(parts.n), sign, Z.data(), int(q), 1.0, G, int(q));
    }
}
template <class T>
void wide_gram(const SparseRows<T>&, Span<const double>, double, const Interrupt&, double*) {}

inline void mirror(Span<double> G, Index q) {
    for (Index base = 0; base < Index(G.size()); base += q * q)
        for (Index i = 0; i < q; ++i)
            for (Index j = 0; j < i; ++j) G[base + i * q + j] = G[base + j * q + i];
}

}  // namespace rows

// With eta_i = x_i'w + b + offset_i, returns sum_i weight_i loss_i(eta_i) and fills grad (q) with its gradient and,
// unless empty, hess (q x q) with its Hessian. theta = (w, b) is the plain intercept; gradient and Hessian belong to
// the intercept at `shift`. `weights` and `offset` may be empty. Same bits for any number of threads. Cost: one reading
// of X, n q^2 / 2 multiply-adds for the Hessian. block(begin, m, eta, loss, r, h) gives losses, slopes and curvatures
// of the m rows from begin on.
template <class Rows, class BlockLoss>
double row_pass(const Rows& X, const BlockLoss& block, Span<const double> weights, Span<const double> offset,
                Span<const double> theta, const Interrupt& interrupt, Span<double> grad, Span<double> hess) {
    using namespace rows;
    const Index n = X.rows(), q = X.cols() + X.intercept;
    const bool with_hess = !hess.empty(), tiles = with_hess && tiled(X);
    const Blocks chunks = row_chunks(n, X.entries(), tiles ? GramOf<Rows>::bytes(X, 1) : 8 * q);
    struct Part {
        double loss = 0.0;
        std::vector<double> grad, hess;
    };
    std::vector<Part> parts(chunks.count());
    std::vector<double> curvature(with_hess && !tiles ? std::size_t(n) : 0);
    std::fill(hess.begin(), hess.end(), 0.0);
    parallel_for(chunks.count(), [&](Index c) {
        Part& part = parts[c];
        part.grad.assign(q, 0.0);
        auto gram = make_gram(X, tiles ? 1 : 0);
        double eta[kBlock], r[kBlock], h[kBlock], loss[kBlock];
        for (Index begin = chunks.begin(c); begin < chunks.end(c); begin += kBlock) {
            if (interrupt.requested()) return;
            const Index end = std::min(begin + kBlock, chunks.end(c)), m = end - begin;
            scores(X, begin, end, theta.data(), eta);
            if (!offset.empty())
                for (Index i = 0; i < m; ++i) eta[i] += offset[begin + i];
            block(begin, m, eta, loss, r, h);
            if (!weights.empty()) {
                const double* s = weights.data() + begin;
                for (Index i = 0; i < m; ++i) loss[i] *= s[i], r[i] *= s[i], h[i] *= s[i];
            }
            double sum = 0.0;
            for (Index i = 0; i < m; ++i) sum += loss[i];
            part.loss += sum;
            add_gradient(X, begin, end, r, part.grad.data());
            if (tiles) {
                gram.start(begin, end);
                gram.add(0, h);
            } else if (with_hess) {
                std::copy(h, h + m, curvature.begin() + begin);
            }
        }
        if (tiles) {
            part.hess.assign(q * q, 0.0);
            gram.add_to(part.hess);
        }
    });
    double total = 0.0;
    std::fill(grad.begin(), grad.end(), 0.0);
    for (const Part& part : parts) {
        total += part.loss;
        for (std::size_t j = 0; j < part.grad.size(); ++j) grad[j] += part.grad[j];
        for (std::size_t j = 0; j < part.hess.size(); ++j) hess[j] += part.hess[j];
    }
    shift_gradient(X.shift, X.intercept, grad.data());
    if (with_hess && !tiles) wide_gram(X, curvature, 1.0, interrupt, hess.data());
    if (with_hess) mirror(hess, q);
    return total;
}

}  // namespace statlearn::linear
