// Kernels of sparse rows, in one of two ways. Where columns have few entries, a row visits the rows that share a column
// with it. Otherwise eight rows at a time are spread out over all columns, and the others walk along their entries.
#include <algorithm>
#include <vector>

#include "common/kernel_finish.hpp"
#include "common/kernel_matrix.hpp"
#include "common/parallel.hpp"
#include "common/scratch.hpp"

namespace statlearn {
namespace {

using detail::KernelTerm;

constexpr Index kSpread = 8;      // rows spread out at once
constexpr Index kColumns = 1024;  // stored rows of a unit of work

double term_of(KernelTerm term, double a, double b) {
    switch (term) {
        case KernelTerm::product:
        case KernelTerm::square:  // squared distances come from products
            return a * b;
        case KernelTerm::absolute:
            return std::fabs(a - b);
        case KernelTerm::chi2:
            return a + b != 0.0 ? (a - b) * (a - b) / (a + b) : 0.0;
        case KernelTerm::minimum:
            return std::min(a, b);
    }
    return 0.0;
}

template <class T>
Span<const T> entries(const CscView<T>& X, Index i) {
    const auto begin = std::size_t(X.indptr[i]), end = std::size_t(X.indptr[i + 1]);
    return X.values.subspan(begin, end - begin);
}

// Per row: its terms with a row of zeros, so that only the columns where both rows have entries need a correction; for
// squared distances the squared norm, for cosines the norm.
template <class T>
std::vector<double> totals(KernelKind kind, const CscView<T>& X) {
    const KernelTerm term = detail::kernel_term(kind);
    const bool norms = term == KernelTerm::square || kind == KernelKind::cosine;
    std::vector<double> sum(X.cols, 0.0);
    for (Index i = 0; i < X.cols; ++i)
        for (const T value : entries(X, i))
            sum[i] += norms ? double(value) * double(value) : term_of(term, double(value), 0.0);
    if (kind == KernelKind::cosine)
        for (double& total : sum) total = std::sqrt(total);
    return sum;
}

// The sum over common columns of two rows becomes the kernel's sum with what each row has alone.
double complete(KernelKind kind, double sum, double x_total, double y_total) {
    const KernelTerm term = detail::kernel_term(kind);
    if (kind == KernelKind::cosine) {
        return sum == 0.0 ? 0.0 : sum / (x_total * y_total);
    }
    if (term == KernelTerm::square) return std::max(0.0, (x_total + y_total) - 2.0 * sum);
    if (term == KernelTerm::absolute || term == KernelTerm::chi2) return std::max(0.0, (x_total + y_total) + sum);
    return term == KernelTerm::minimum ? (x_total + y_total) + sum : sum;
}

// The stored rows of every column, ascending.
template <class T>
struct Inverted {
    std::vector<Index> starts;
    std::vector<int> rows;
    std::vector<double> values;

    explicit Inverted(const CscView<T>& Y)
        : starts(std::size_t(Y.rows) + 1, 0), rows(Y.values.size()), values(rows.size()) {
        const Index stored = Y.indptr[Y.cols];
        for (Index e = 0; e < stored; ++e) ++starts[Y.rows_of[e] + 1];
        for (std::size_t k = 1; k < starts.size(); ++k) starts[k] += starts[k - 1];
        std::vector<Index> next(starts.begin(), starts.end() - 1);
        for (Index j = 0; j < Y.cols; ++j)
            for (Index e = Y.indptr[j]; e < Y.indptr[j + 1]; ++e) {
                const Index place = next[Y.rows_of[e]]++;
                rows[place] = int(j);
                values[place] = double(Y.values[e]);
            }
    }

    // out[j - first] = k(x_i, y_j) for first <= j < last.
    void row(const KernelSpec& spec, const CscView<T>& X, Index i, Span<const double> x_totals,
             Span<const double> y_totals, Index first, Index last, double* out) const {
        const KernelTerm term = detail::kernel_term(spec.kind);
        const bool product = term == KernelTerm::product || term == KernelTerm::square;
        std::fill(out, out + (last - first), 0.0);
        for (Index e = X.indptr[i]; e < X.indptr[i + 1]; ++e) {
            const double x = double(X.values[e]), alone = term_of(term, x, 0.0);
            const Index k = X.rows_of[e];
            const int* begin = rows.data() + starts[k];
            const int* end = rows.data() + starts[k + 1];
            if (first > 0) begin = std::lower_bound(begin, end, int(first));
            const double* value = values.data() + (begin - rows.data());
            for (; begin < end && *begin < last; ++begin, ++value)
                out[*begin - first] +=
                    product ? x * *value : term_of(term, x, *value) - (alone + term_of(term, 0.0, *value));
        }
        for (Index j = first; j < last; ++j)
            out[j - first] = complete(spec.kind, out[j - first], x_totals[i], y_totals[j]);
        detail::finish(spec, out, last - first);
    }
};

// Whether visiting the rows that share a column is cheaper: a visit costs about as much as a step of four rows that are
// spread out (empirical). Depends on the data only.
template <class T>
bool inverts(const CscView<T>& X, const CscView<T>& Y) {
    std::vector<double> left(X.rows, 0.0), right(X.rows, 0.0);
    const auto count = [](const CscView<T>& M, std::vector<double>& counts) {
        for (Index e = 0; e < M.indptr[M.cols]; ++e) counts[M.rows_of[e]] += 1.0;
    };
    count(X, left);
    count(Y, right);
    double visits = 0.0;
    for (std::size_t k = 0; k < left.size(); ++k) visits += left[k] * right[k];
    return 4.0 * visits < double(X.cols) * double(Y.indptr[Y.cols]);
}

// out[r * (last - first) + j - first] = k(x_which[r], y_j) for up to kSpread rows. `spread` has kSpread zeros for every
// column and is left so.
template <class T>
class SparseBlock {
public:
    SparseBlock(const KernelSpec& spec, const CscView<T>& X, Span<const double> x_totals, const CscView<T>& Y,
                Span<const double> y_totals)
        : spec_(spec), X_(X), Y_(Y), x_totals_(x_totals), y_totals_(y_totals), spread_(X.rows * kSpread, 0.0) {}

    void values(Span<const Index> which, Index first, Index last, double* out) {
        scatter(which, true);
        const Index m = last - first;
        const KernelTerm term = detail::kernel_term(spec_.kind);
        for (Index j = first; j < last; ++j) {
            double sum[kSpread] = {};
            const Index begin = Y_.indptr[j], end = Y_.indptr[j + 1];
            if (term == KernelTerm::product || term == KernelTerm::square) {
                for (Index e = begin; e < end; ++e) {
                    const double value = double(Y_.values[e]);
                    const double* x = spread_.data() + Index(Y_.rows_of[e]) * kSpread;
                    for (Index r = 0; r < kSpread; ++r) sum[r] += x[r] * value;
                }
            } else {
                for (Index e = begin; e < end; ++e) {
                    const double value = double(Y_.values[e]);
                    const double* x = spread_.data() + Index(Y_.rows_of[e]) * kSpread;
                    const double alone = term_of(term, 0.0, value);
                    for (Index r = 0; r < kSpread; ++r)
                        sum[r] += term_of(term, x[r], value) - (term_of(term, x[r], 0.0) + alone);
                }
            }
            for (Index r = 0; r < which.size(); ++r)
                out[Index(r) * m + j - first] = complete(spec_.kind, sum[r], x_totals_[which[r]], y_totals_[j]);
        }
        for (Index r = 0; r < which.size(); ++r) detail::finish(spec_, out + Index(r) * m, m);
        scatter(which, false);
    }

private:
    void scatter(Span<const Index> which, bool set) {
        for (Index r = 0; r < which.size(); ++r)
            for (Index e = X_.indptr[which[r]]; e < X_.indptr[which[r] + 1]; ++e)
                spread_[std::size_t(X_.rows_of[e]) * kSpread + r] = set ? double(X_.values[e]) : 0.0;
    }

    KernelSpec spec_;
    const CscView<T>&X_, &Y_;
    Span<const double> x_totals_, y_totals_;
    std::vector<double> spread_;
};

bool one_on_diagonal(KernelKind kind) {
    return kind == KernelKind::rbf || kind == KernelKind::laplacian || kind == KernelKind::laplacian_l2 ||
           kind == KernelKind::chi2;
}

template <class T>
class SparseKernel final : public KernelSource {
public:
    SparseKernel(const KernelSpec& spec, const CscView<T>& X) : spec_(spec), X_(X), totals_(totals(spec.kind, X)) {
        if (inverts(X_, X_)) inverted_ = std::make_unique<Inverted<T>>(X_);
    }

    Index size() const override { return X_.cols; }
    void rows(Span<const Index> which, Index first, Index last, Span<double* const> out) const override {
        fill(which, first, last, out);
    }
    void rows(Span<const Index> which, Index first, Index last, Span<float* const> out) const override {
        fill(which, first, last, out);
    }
    void diagonal(Span<double> out) const override {
        for (Index i = 0; i < X_.cols; ++i) {
            double sum = 0.0;
            for (const T value : entries(X_, i)) {
                const double x = double(value);
                const KernelTerm term = detail::kernel_term(spec_.kind);
                if (term == KernelTerm::product) sum += x * x;
                if (term == KernelTerm::minimum) sum += x;
            }
            if (spec_.kind == KernelKind::cosine) sum = sum > 0.0 ? 1.0 : 0.0;
            detail::finish(spec_, &sum, 1);
            out[i] = sum;
        }
    }

private:
    template <class Out>
    void fill(Span<const Index> which, Index first, Index last, Span<Out* const> out) const {
        if (inverted_) return visit(which, first, last, out);
        const Blocks groups(Index(which.size()), kSpread), chunks(last - first, kColumns);
        const double work = double(which.size()) * double(X_.values.size());
        parallel_for(chunks.count(), Work(work), [&](Index c) {
            SparseBlock<T> block(spec_, X_, totals_, X_, totals_);
            Scratch<double> buffer(kSpread * kColumns);
            const Index j0 = first + chunks.begin(c), j1 = first + chunks.end(c);
            for (Index g = 0; g < groups.count(); ++g) {
                const auto some = which.subspan(groups.begin(g), groups.end(g) - groups.begin(g));
                block.values(some, j0, j1, buffer.data());
                for (Index r = 0; r < some.size(); ++r) {
                    const double* from = buffer.data() + Index(r) * (j1 - j0);
                    Out* to = out[std::size_t(groups.begin(g)) + r];
                    for (Index j = j0; j < j1; ++j) to[j - first] = Out(from[j - j0]);
                    if (one_on_diagonal(spec_.kind) && some[r] >= j0 && some[r] < j1) to[some[r] - first] = Out(1);
                }
            }
        });
    }

    template <class Out>
    void visit(Span<const Index> which, Index first, Index last, Span<Out* const> out) const {
        parallel_for(Index(which.size()), Work(double(which.size()) * double(last - first)), [&](Index r) {
            const Index own = which[r];
            Scratch<double> buffer(last - first);
            inverted_->row(spec_, X_, own, totals_, totals_, first, last, buffer.data());
            if (one_on_diagonal(spec_.kind) && own >= first && own < last) buffer[own - first] = 1.0;
            std::transform(buffer.begin(), buffer.end(), out[r], [](double value) { return Out(value); });
        });
    }

    KernelSpec spec_;
    CscView<T> X_;
    std::vector<double> totals_;
    std::unique_ptr<Inverted<T>> inverted_;
};

// Groups of eight rows of X against Y, of which the columns before the group are left out if `symmetric`.
template <class T>
void sparse_pairs(const KernelSpec& spec, const CscView<T>& X, const CscView<T>& Y, bool symmetric,
                  const Interrupt& interrupt, Matrix<T> out) {
    const std::vector<double> x_totals = totals(spec.kind, X), y_totals = totals(spec.kind, Y);
    if (inverts(X, Y)) {
        const Inverted<T> inverted(Y);
        const Blocks blocks(X.cols, 8 * kSpread);
        parallel_for(blocks.count(), Work(double(X.cols) * double(Y.cols)), [&](Index b) {
            Scratch<double> buffer(Y.cols);
            for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
                if (interrupt.requested()) return;
                inverted.row(spec, X, i, x_totals, y_totals, 0, Y.cols, buffer.data());
                if (symmetric && one_on_diagonal(spec.kind)) buffer[i] = 1.0;
                std::transform(buffer.begin(), buffer.end(), out.row(i), [](double value) { return T(value); });
            }
        });
        return;
    }
    // A unit spreads out several groups, one after the other, in the same memory.
    const Blocks units(X.cols, 8 * kSpread);
    const double work = double(X.cols) * double(Y.values.size());
    parallel_for(units.count(), Work(work), [&](Index u) {
        SparseBlock<T> block(spec, X, x_totals, Y, y_totals);
        Scratch<double> buffer(kSpread * kColumns);
        Index which[kSpread];
        for (Index i0 = units.begin(u); i0 < units.end(u); i0 += kSpread) {
            const Index count = std::min(kSpread, units.end(u) - i0);
            for (Index r = 0; r < count; ++r) which[r] = i0 + r;
            for (Index j0 = symmetric ? i0 : 0; j0 < Y.cols; j0 += kColumns) {
                if (interrupt.requested()) return;
                const Index j1 = std::min(Y.cols, j0 + kColumns);
                block.values({which, count}, j0, j1, buffer.data());
                for (Index r = 0; r < count; ++r)
                    for (Index j = j0; j < j1; ++j) out(i0 + r, j) = T(buffer[r * (j1 - j0) + j - j0]);
                for (Index j = std::max(j0, i0 + count); symmetric && j < j1; ++j)
                    for (Index r = 0; r < count; ++r) out(j, i0 + r) = out(i0 + r, j);
            }
            for (Index r = 0; r < count && symmetric && one_on_diagonal(spec.kind); ++r) out(i0 + r, i0 + r) = T(1);
        }
    });
}

}  // namespace

template <class T>
std::unique_ptr<KernelSource> sparse_kernel(const KernelSpec& spec, const CscView<T>& X) {
    return std::make_unique<SparseKernel<T>>(spec, X);
}

template <class T>
void kernel_cross(const KernelSpec& spec, const CscView<T>& X, const CscView<T>& Y, const Interrupt& interrupt,
                  Matrix<T> out) {
    sparse_pairs(spec, X, Y, false, interrupt, out);
}

template <class T>
void kernel_gram(const KernelSpec& spec, const CscView<T>& X, const Interrupt& interrupt, Matrix<T> out) {
    sparse_pairs(spec, X, X, true, interrupt, out);
}

#define STATLEARN_KERNEL(T)                                                                                  \
    template std::unique_ptr<KernelSource> sparse_kernel<T>(const KernelSpec&, const CscView<T>&);           \
    template void kernel_cross<T>(const KernelSpec&, const CscView<T>&, const CscView<T>&, const Interrupt&, \
                                  Matrix<T>);                                                                \
    template void kernel_gram<T>(const KernelSpec&, const CscView<T>&, const Interrupt&, Matrix<T>);
STATLEARN_KERNEL(double)
STATLEARN_KERNEL(float)
#undef STATLEARN_KERNEL

}  // namespace statlearn
