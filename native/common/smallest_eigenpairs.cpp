#include "common/smallest_eigenpairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/blas.hpp"
#include "common/graph_multigrid.hpp"
#include "common/rng.hpp"

namespace statlearn {
namespace {

constexpr Index kRows = 1024;         // of a block of the reductions
constexpr int kLevelSteps = 2;        // on the coarser levels, on the way up
constexpr double kDependent = 1e-10;  // directions with a smaller share of their squared length are dropped

Index padded(Index width) { return (width + kBlockWidth - 1) / kBlockWidth * kBlockWidth; }

// A small column-major matrix.
struct Small {
    std::vector<double> data;
    Index rows = 0, cols = 0;

    Small(Index r, Index c) : data(r * c, 0.0), rows(r), cols(c) {}
    double& operator()(Index i, Index j) { return data[j * rows + i]; }
    double operator()(Index i, Index j) const { return data[j * rows + i]; }
};

Small product(const Small& A, bool transpose_a, const Small& B) {
    Small C(transpose_a ? A.cols : A.rows, B.cols);
    if (C.rows && C.cols && B.rows)
        blas::gemm(transpose_a ? 'T' : 'N', 'N', int(C.rows), int(C.cols), int(B.rows), 1.0, A.data.data(), int(A.rows),
                   B.data.data(), int(B.rows), 0.0, C.data.data(), int(C.rows));
    return C;
}

// X'Y of two blocks of vectors, summed over blocks of rows in their order.
Small inner(const VectorBlock& X, const VectorBlock& Y) {
    const Blocks blocks(X.rows, kRows);
    const Index size = X.width * Y.width;
    std::vector<double> part(blocks.count() * size);
    Small sum(X.width, Y.width);
    if (size == 0) return sum;
    parallel_for(blocks.count(), Work(X.rows * size), [&](Index b) {
        const Index begin = blocks.begin(b), count = blocks.end(b) - begin;
        blas::gemm('N', 'T', int(X.width), int(Y.width), int(count), 1.0, X.row(begin), int(X.stride), Y.row(begin),
                   int(Y.stride), 0.0, part.data() + b * size, int(X.width));
    });
    for (Index b = 0; b < blocks.count(); ++b)
        for (Index e = 0; e < size; ++e) sum.data[e] += part[b * size + e];
    return sum;
}

// Y = scale Y + X C
void add_product(const VectorBlock& X, const Small& C, double sign, double scale, const VectorBlock& Y) {
    if (X.width == 0 || Y.width == 0) return;
    const Blocks blocks(X.rows, kRows);
    parallel_for(blocks.count(), Work(X.rows * X.width * Y.width), [&](Index b) {
        const Index begin = blocks.begin(b), count = blocks.end(b) - begin;
        blas::gemm('T', 'N', int(Y.width), int(count), int(X.width), sign, C.data.data(), int(C.rows), X.row(begin),
                   int(X.stride), scale, Y.row(begin), int(Y.stride));
    });
}

// The combinations of columns with the Gram matrix G that are orthonormal; dependent directions are dropped.
Small orthonormal(const Small& G) {
    const Index n = G.rows;
    std::vector<double> scale(n), values(n);
    for (Index j = 0; j < n; ++j) scale[j] = G(j, j) > 0.0 ? 1.0 / std::sqrt(G(j, j)) : 0.0;
    Small V(n, n);
    for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < n; ++i) V(i, j) = scale[i] * G(i, j) * scale[j];
    if (n == 0 || blas::syevd('L', int(n), V.data.data(), int(n), values.data())) return Small(n, 0);
    Index first = 0;
    while (first < n && values[first] <= kDependent * values.back()) ++first;
    Small C(n, n - first);
    for (Index j = first; j < n; ++j)
        for (Index i = 0; i < n; ++i) C(i, j - first) = scale[i] * V(i, j) / std::sqrt(values[j]);
    return C;
}

// The search of one level. Its basis has the columns [X | P | W]: the vectors, the last steps and the new directions.
class Search {
public:
    Search(const Multilevel& levels, Index level, Index width, std::uint64_t seed)
        : levels_(levels), at_(levels.level(level)), level_(level), m_(width), seed_(seed) {
        const Index n = at_.A.rows, n_null = levels.n_null();
        all_ = block_of(basis_, n, n_null + 3 * m_);
        null_ = all_.columns(0, n_null);
        for (Index i = 0; i < n; ++i) std::copy_n(at_.null.data() + i * n_null, n_null, null_.row(i));
        Q_ = all_.columns(n_null, 3 * m_);
        AQ_ = block_of(image_, n, 3 * m_);
    }

    VectorBlock start() const { return Q_.columns(0, m_); }  // to be filled before `run`
    const std::vector<double>& values() const { return values_; }

    PairsInfo run(Index wanted, StopRule stop, const Interrupt& interrupt) {
        PairsInfo info{HUGE_VAL, 0, Status::diverged};
        if (!begin()) return info;
        info.status = Status::max_iter;
        for (;; ++info.n_iter) {
            info.residual = residuals(wanted, stop.tol);
            if (info.residual <= stop.tol) {
                // A X has been updated, not computed: the last word is with the product itself.
                sparse_times(at_.A, Q_.columns(0, m_), AQ_.columns(0, m_));
                info.residual = residuals(wanted, stop.tol);
                if (info.residual <= 2.0 * stop.tol) {
                    info.status = Status::ok;
                    break;
                }
            }
            if (info.n_iter == stop.max_iter) break;
            if (interrupt.requested()) {
                info.status = Status::interrupted;
                break;
            }
            const Step done = step();
            if (done == Step::failed) info.status = Status::diverged;
            if (done != Step::taken) break;
        }
        return info;
    }

private:
    // X orthonormal, outside of the null space, and rotated to Ritz vectors. Random vectors take the places of those
    // that depend on others: a coarse graph may have fewer rows than there are vectors.
    bool begin() {
        constexpr int kAttempts = 3;
        const VectorBlock X = Q_.columns(0, m_);
        const Index most = std::min(m_, X.rows - null_.width);
        for (int attempt = 0;; ++attempt) {
            leave_null(X);
            leave_null(X);
            const Small C = orthonormal(inner(X, X));
            replace(Q_, X.width, C, m_);
            rank_ = C.cols;
            if (rank_ >= most || attempt == kAttempts) break;
            for (Index j = rank_; j < most; ++j) {
                Rng rng(seed_, std::uint64_t((level_ + 1) * m_ + j));
                for (Index i = 0; i < X.rows; ++i) X.row(i)[j] = rng.normal();
            }
        }
        sparse_times(at_.A, X, AQ_.columns(0, m_));
        return rayleigh_ritz(rank_, 0);
    }

    void leave_null(const VectorBlock& X) const { add_product(null_, inner(null_, X), -1.0, 1.0, X); }

    // The first columns of a block become (its first `used` columns) C; those up to `width` that C does not fill are 0.
    void replace(const VectorBlock& B, Index used, const Small& C, Index width) const {
        const Blocks blocks(B.rows, kRows);
        parallel_for(blocks.count(), Work(B.rows * used * (C.cols + 1)), [&](Index b) {
            const Index begin = blocks.begin(b), count = blocks.end(b) - begin;
            std::vector<double> made(count * C.cols);
            if (C.cols)
                blas::gemm('T', 'N', int(C.cols), int(count), int(used), 1.0, C.data.data(), int(C.rows), B.row(begin),
                           int(B.stride), 0.0, made.data(), int(C.cols));
            for (Index i = 0; i < count; ++i) {
                double* to = B.row(begin + i);
                std::copy_n(made.data() + i * C.cols, C.cols, to);
                std::fill(to + C.cols, to + std::max(width, C.cols), 0.0);
            }
        });
    }

    // Residuals of the active vectors, packed into R_; the largest norm of those wanted.
    double residuals(Index wanted, double tol) {
        const Index n = at_.A.rows;
        const Blocks blocks(n, kRows);
        std::vector<double> part(blocks.count() * m_, 0.0), norm(m_, 0.0);
        parallel_for(blocks.count(), Work(4 * n * m_), [&](Index b) {
            for (Index i = blocks.begin(b); i < blocks.end(b); ++i)
                for (Index j = 0; j < rank_; ++j) {
                    const double r = AQ_.row(i)[j] - values_[j] * Q_.row(i)[j];
                    part[b * m_ + j] += r * r;
                }
        });
        for (Index b = 0; b < blocks.count(); ++b)
            for (Index j = 0; j < m_; ++j) norm[j] += part[b * m_ + j];
        active_.clear();
        double largest = 0.0;
        for (Index j = 0; j < rank_; ++j) {
            const double length = std::sqrt(norm[j]);
            if (j < wanted) largest = std::max(largest, length);
            if (length > tol) active_.push_back(j);
        }
        return rank_ < wanted ? HUGE_VAL : largest;
    }

    VectorBlock packed_residuals() {
        const Index n = at_.A.rows, width = padded(Index(active_.size()));
        const VectorBlock R = block_of(residual_, n, width);
        const Blocks blocks(n, kRows);
        parallel_for(blocks.count(), Work(4 * n * width), [&](Index b) {
            for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
                double* to = R.row(i);
                for (const Index j : active_) *to++ = AQ_.row(i)[j] - values_[j] * Q_.row(i)[j];
                std::fill(to, R.row(i) + width, 0.0);
            }
        });
        return R;
    }

    enum class Step { taken, nothing_left, failed };

    Step step() {
        const VectorBlock R = packed_residuals();
        const Index known = rank_ + steps_;
        const VectorBlock W = Q_.columns(known, R.width);  // 3 m columns hold them: rank, steps and directions are <= m
        levels_.cycle(level_, R, W);
        for (int pass = 0; pass < 2; ++pass) {
            const VectorBlock before = all_.columns(0, null_.width + known);
            add_product(before, inner(before, W), -1.0, 1.0, W);
        }
        const Small C = orthonormal(inner(W, W));
        if (C.cols == 0) return Step::nothing_left;
        replace(W, W.width, C, W.width);
        product_with_directions(known, C.cols);
        return rayleigh_ritz(known + C.cols, rank_) ? Step::taken : Step::failed;
    }

    // A W into the image. The columns need not begin at a multiple of four, but the block has room up to one.
    void product_with_directions(Index known, Index count) {
        const VectorBlock W = block_of(residual_, at_.A.rows, padded(count));
        const Blocks blocks(at_.A.rows, kRows);
        parallel_for(blocks.count(), Work(at_.A.rows * count), [&](Index b) {
            for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
                std::copy_n(Q_.row(i) + known, count, W.row(i));
                std::fill(W.row(i) + count, W.row(i) + W.width, 0.0);
            }
        });
        each_product(at_.A, W, [&](Index i, Index c, Pack4 sum) {
            for (Index k = c; k < std::min(c + kBlockWidth, count); ++k) AQ_.row(i)[known + k] = sum[k - c];
        });
    }

    // The best vectors in the span of the first `used` columns, and the steps to them from the first `before`; false,
    // and nothing changed, if LAPACK finds no eigenvalues.
    bool rayleigh_ritz(Index used, Index before) {
        const VectorBlock Q = Q_.columns(0, used), AQ = AQ_.columns(0, used);
        Small G = inner(Q, Q), H = inner(Q, AQ);
        for (Index j = 0; j < used; ++j)
            for (Index i = 0; i < j; ++i) H(i, j) = H(j, i) = 0.5 * (H(i, j) + H(j, i));
        // G is the identity up to rounding errors, which its Cholesky factor takes out.
        Small L = G;
        if (blas::potrf('L', int(used), L.data.data(), int(used))) {
            L = Small(used, used);
            for (Index j = 0; j < used; ++j) L(j, j) = 1.0;
        }
        blas::trsm('L', 'L', 'N', false, int(used), int(used), 1.0, L.data.data(), int(used), H.data.data(), int(used));
        blas::trsm('R', 'L', 'T', false, int(used), int(used), 1.0, L.data.data(), int(used), H.data.data(), int(used));
        std::vector<double> values(used, 0.0);
        if (blas::syevd('L', int(used), H.data.data(), int(used), values.data())) return false;
        blas::trsm('L', 'L', 'T', false, int(used), int(used), 1.0, L.data.data(), int(used), H.data.data(), int(used));
        const Index kept = std::min(m_, used);
        values_.assign(values.begin(), values.begin() + kept);

        Small C(used, kept);
        std::copy_n(H.data.begin(), used * kept, C.data.begin());
        Small S(used, 0);
        if (before > 0) {
            // The part of the new vectors outside of the old ones, made orthonormal to the new ones.
            S = C;
            for (Index j = 0; j < kept; ++j)
                for (Index i = 0; i < before; ++i) S(i, j) = 0.0;
            const Small along = product(C, true, product(G, false, S));
            const Small inside = product(C, false, along);
            for (std::size_t e = 0; e < S.data.size(); ++e) S.data[e] -= inside.data[e];
            S = product(S, false, orthonormal(product(S, true, product(G, false, S))));
        }
        Small both(used, kept + S.cols);
        std::copy(C.data.begin(), C.data.end(), both.data.begin());
        std::copy(S.data.begin(), S.data.end(), both.data.begin() + std::ptrdiff_t(C.data.size()));
        replace(Q_, used, both, std::max(m_, both.cols));
        replace(AQ_, used, both, std::max(m_, both.cols));
        rank_ = kept;
        steps_ = S.cols;
        return true;
    }

    const Multilevel& levels_;
    const GraphLevel& at_;
    Index level_, m_;
    std::uint64_t seed_;
    Index rank_ = 0, steps_ = 0;  // columns of X and of P
    std::vector<double> basis_, image_, residual_, values_;
    std::vector<Index> active_;
    VectorBlock all_, null_, Q_, AQ_;  // the null vectors stand before the basis, so that one product leaves both
};

// The first vectors: those of the coarsest level, and random ones for what it lacks and for the last column, so that no
// symmetry of the aggregates can hide a vector.
void coarsest_start(const Multilevel& levels, Index wanted, std::uint64_t seed, const VectorBlock& X) {
    const std::vector<double> known = levels.coarsest_vectors();
    const Index given = known.empty() ? 0 : std::min(X.rows - levels.n_null(), X.width - (X.width > wanted));
    for (Index j = 0; j < X.width; ++j) {
        if (j < given) {
            for (Index i = 0; i < X.rows; ++i) X.row(i)[j] = known[(j + levels.n_null()) * X.rows + i];
            continue;
        }
        Rng rng(seed, std::uint64_t(j));
        for (Index i = 0; i < X.rows; ++i) X.row(i)[j] = rng.normal();
    }
}

}  // namespace

PairsInfo smallest_pairs(const RowsView<double>& A, Matrix<const double> null, Span<const double> near, StopRule stop,
                         std::uint64_t seed, const Interrupt& interrupt, Span<double> values, Matrix<double> vectors) {
    const Index wanted = Index(values.size());
    const Index width = padded(wanted + 1);
    const Multilevel levels(A, {null.data, null.rows * null.cols}, null.cols, near, interrupt);
    std::vector<double> found;
    VectorBlock X = block_of(found, levels.level(levels.count() - 1).A.rows, width);
    coarsest_start(levels, wanted, seed, X);
    for (Index l = levels.count() - 1;; --l) {
        Search search(levels, l, width, seed);
        const VectorBlock start = search.start();
        if (l + 1 == levels.count())
            for (Index i = 0; i < X.rows; ++i) std::copy_n(X.row(i), width, start.row(i));
        else
            sparse_times(levels.level(l).P.view(), X, start);
        const auto info = search.run(wanted, l == 0 ? stop : StopRule{0.0, kLevelSteps}, interrupt);
        if (l == 0) {
            // Fewer than wanted if the search failed.
            std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
            const auto solved = std::min(values.size(), Index(search.values().size()));
            std::copy_n(search.values().begin(), solved, values.begin());
            for (Index i = 0; i < A.rows; ++i) std::copy_n(start.row(i), wanted, vectors.row(i));
            return info;
        }
        if (interrupt.requested()) return {HUGE_VAL, 0, Status::interrupted};
        X = block_of(found, start.rows, width);
        for (Index i = 0; i < X.rows; ++i) std::copy_n(start.row(i), width, X.row(i));
    }
}

}  // namespace statlearn
