#include "common/kernel_matrix.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "common/kernel_finish.hpp"
#include "common/kernel_sums.hpp"
#include "common/large_output.hpp"
#include "common/parallel.hpp"

namespace statlearn {
namespace {

using detail::KernelTerm;
using detail::kPanel;
using detail::Packed;

constexpr Index kBlock = 96;          // rows and columns of a block: a multiple of both panel widths
constexpr Index kChunk = 8 * kBlock;  // columns of a unit of work where there are few rows
constexpr Index kStrip = 24;          // rows of a block that are finished while their sums are in the first cache

// The expansion |x|^2 + |y|^2 - 2 <x, y> costs half of the sum of squared differences and loses about
// gamma |y|^2 units in the last place, with |y| counted from the mean: it is used up to this loss.
constexpr double kLargestLoss = 32.0;

// How a kernel is computed on these stored rows.
template <class T>
struct Plan {
    KernelSpec spec;
    KernelTerm term;
    bool expanded = false;  // squared distances from inner products of centred rows
    std::vector<T> centre;  // subtracted when rows are packed; only with the expansion

    Plan(const KernelSpec& kernel, Matrix<const T> Y) : spec(kernel), term(detail::kernel_term(kernel.kind)) {
        if (spec.kind != KernelKind::rbf || Y.rows == 0) return;
        std::vector<double> sum(Y.cols, 0.0);
        for (Index i = 0; i < Y.rows; ++i)
            for (Index k = 0; k < Y.cols; ++k) sum[k] += double(Y(i, k));
        centre.resize(Y.cols);
        for (std::size_t k = 0; k < centre.size(); ++k) centre[k] = T(sum[k] / double(Y.rows));
        double largest = 0.0;
        for (Index i = 0; i < Y.rows; ++i) {
            double norm = 0.0;
            for (Index k = 0; k < Y.cols; ++k) {
                const double d = double(Y(i, k)) - double(centre[k]);
                norm += d * d;
            }
            largest = std::max(largest, norm);
        }
        expanded = spec.gamma * largest <= kLargestLoss;
        if (!expanded)
            centre.clear();
        else
            term = KernelTerm::product;
    }
};

// Packs row `from` of X as row `to`.
template <class T>
void pack_row(const Plan<T>& plan, Matrix<const T> X, Index from, Packed<T>& rows, Index to) {
    const T* x = X.row(from);
    T* out = rows.at(to);
    const Index p = X.cols, step = X.col_stride;
    if (plan.spec.kind == KernelKind::cosine) {
        double norm = 0.0;
        for (Index k = 0; k < p; ++k) norm += double(x[k * step]) * double(x[k * step]);
        norm = std::sqrt(norm);
        const double scale = norm > 0.0 ? norm : 1.0;
        for (Index k = 0; k < p; ++k) out[k * kPanel<T>] = T(double(x[k * step]) / scale);
    } else if (plan.expanded) {
        double norm = 0.0;
        for (Index k = 0; k < p; ++k) {
            const T d = x[k * step] - plan.centre[k];
            out[k * kPanel<T>] = d;
            norm += double(d) * double(d);
        }
        rows.norms[to] = T(norm);
    } else {
        for (Index k = 0; k < p; ++k) out[k * kPanel<T>] = x[k * step];
    }
}

// The rows `which` of X, or all of them if that is empty.
template <class T>
Packed<T> pack(const Plan<T>& plan, Matrix<const T> X) {
    Packed<T> rows(X.rows, X.cols);
    if (plan.expanded)
        rows.norms.resize(rows.data.size() / std::size_t(std::max<Index>(X.cols, 1)) + std::size_t(kBlock));
    const Blocks blocks(X.rows, kChunk);
    parallel_for(blocks.count(), Work(X.rows * X.cols), [&](Index b) {
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) pack_row(plan, X, i, rows, i);
    });
    return rows;
}

// Kernel values of a block, laid out as the sums.
template <class T>
void values(const Plan<T>& plan, const Packed<T>& A, Index i0, Index i1, const Packed<T>& B, Index j0, Index j1,
            T* buffer) {
    // Whole panels: loops without a remainder give every value by the same instructions.
    const Index m = (j1 - j0 + kPanel<T> - 1) / kPanel<T> * kPanel<T>;
    for (Index first = i0; first < i1; first += kStrip) {
        const Index last = std::min(i1, first + kStrip);
        T* rows = buffer + (first - i0) * kBlock;
        detail::kernel_sums(plan.term, A, first, last, B, j0, j1, rows, kBlock);
        for (Index i = first; i < last; ++i, rows += kBlock) {
            if (plan.expanded)
                detail::gaussian_from_products(T(plan.spec.gamma), rows, m, A.norms[i], B.norms.data() + j0);
            else
                detail::finish(plan.spec, rows, m);
        }
    }
}

// Where the blocks of a matrix go.
template <class T>
class BlockWriter {
public:
    explicit BlockWriter(Matrix<T> out)
        : out_(out), streamed_(std::size_t(out.rows) * std::size_t(out.cols) * sizeof(T) >= kStreamedBytes) {
        if (out.rows && out.cols && out.row_stride == out.cols)
            touch_pages(out.data, std::size_t(out.rows) * std::size_t(out.cols) * sizeof(T));
    }

    // Rows i0 to i1, columns j0 to j1, from a block of values.
    void put(Index i0, Index i1, Index j0, Index j1, const T* block) const {
        for (Index i = i0; i < i1; ++i, block += kBlock) put_row(block, j1 - j0, out_.row(i) + j0);
    }

    // Its mirror image: rows j0 to j1, columns i0 to i1.
    void put_mirrored(Index i0, Index i1, Index j0, Index j1, const T* block) const {
        constexpr Index kWide = PackFor<T>::size;
        T flipped[kWide * kBlock];
        for (Index j = j0; j < j1; j += kWide) {
            // Whole squares: what lies beyond the last row or column is in the buffer, and is not copied on.
            for (Index i = 0; i < i1 - i0; i += kWide)
                transpose_square(block + i * kBlock + (j - j0), kBlock, flipped + i, kBlock);
            for (Index l = 0; l < std::min(kWide, j1 - j); ++l)
                put_row(flipped + l * kBlock, i1 - i0, out_.row(j + l) + i0);
        }
    }

    // To be called by every unit of work when it has put its blocks.
    void finish() const {
        if (streamed_) finish_streaming();
    }

private:
    void put_row(const T* values, Index m, T* to) const {
        if (streamed_)
            stream_copy(values, m, to);
        else
            std::copy_n(values, m, to);
    }

    Matrix<T> out_;
    bool streamed_;
};

template <class T>
class DenseKernel final : public KernelSource {
public:
    DenseKernel(const KernelSpec& spec, Matrix<const T> X) : plan_(spec, X), rows_(pack(plan_, X)) {}

    Index size() const override { return rows_.n; }
    void rows(Span<const Index> which, Index first, Index last, Span<double* const> out) const override {
        fill(which, first, last, out);
    }
    void rows(Span<const Index> which, Index first, Index last, Span<float* const> out) const override {
        fill(which, first, last, out);
    }
    void diagonal(Span<double> out) const override {
        for (Index i = 0; i < rows_.n; ++i) {
            const T* x = rows_.at(i);
            double sum = 0.0;
            if (plan_.term == KernelTerm::product && !plan_.expanded)
                for (Index k = 0; k < rows_.p; ++k) sum += double(x[k * kPanel<T>]) * double(x[k * kPanel<T>]);
            else if (plan_.term == KernelTerm::minimum)
                for (Index k = 0; k < rows_.p; ++k) sum += double(x[k * kPanel<T>]);
            detail::finish(plan_.spec, &sum, 1);
            out[i] = sum;
        }
    }

private:
    template <class Out>
    void fill(Span<const Index> which, Index first, Index last, Span<Out* const> out) const {
        const Index n = Index(which.size()), p = rows_.p;
        Packed<T> left(n, p);
        if (plan_.expanded) left.norms.resize(n);
        for (Index r = 0; r < n; ++r) {
            const Index i = which[r];
            const T* from = rows_.at(i);
            T* to = left.at(r);
            for (Index k = 0; k < p; ++k) to[k * kPanel<T>] = from[k * kPanel<T>];
            if (plan_.expanded) left.norms[r] = rows_.norms[i];
        }
        // Columns from the panel that holds `first` on.
        const Index begin = first / kPanel<T> * kPanel<T>;
        const Blocks chunks(last - begin, kChunk);
        const double work = double(n) * double(last - first) * double(p + 8);
        parallel_for(chunks.count(), Work(work / 4), [&](Index c) {
            T buffer[kBlock * kBlock];
            for (Index i0 = 0; i0 < n; i0 += kBlock)
                for (Index j0 = begin + chunks.begin(c); j0 < begin + chunks.end(c); j0 += kBlock) {
                    const Index i1 = std::min(n, i0 + kBlock), j1 = std::min(begin + chunks.end(c), j0 + kBlock);
                    values(plan_, left, i0, i1, rows_, j0, j1, buffer);
                    for (Index i = i0; i < i1; ++i) {
                        const T* row = buffer + (i - i0) * kBlock;
                        Out* to = out[i];
                        for (Index j = std::max(j0, first); j < j1; ++j) to[j - first] = Out(row[j - j0]);
                        const Index own = which[i];
                        if (plan_.expanded && own >= std::max(j0, first) && own < j1) to[own - first] = Out(1);
                    }
                }
        });
    }

    Plan<T> plan_;
    Packed<T> rows_;
};

template <class T>
class PrecomputedKernel final : public KernelSource {
public:
    explicit PrecomputedKernel(Matrix<const T> K) : K_(K) {}

    Index size() const override { return K_.rows; }
    void rows(Span<const Index> which, Index first, Index last, Span<double* const> out) const override {
        copy(which, first, last, out);
    }
    void rows(Span<const Index> which, Index first, Index last, Span<float* const> out) const override {
        copy(which, first, last, out);
    }
    void diagonal(Span<double> out) const override {
        for (Index i = 0; i < K_.rows; ++i) out[i] = double(K_(i, i));
    }

private:
    template <class Out>
    void copy(Span<const Index> which, Index first, Index last, Span<Out* const> out) const {
        for (Index r = 0; r < which.size(); ++r)
            for (Index j = first; j < last; ++j) out[r][j - first] = Out(K_(which[r], j));
    }

    Matrix<const T> K_;
};

}  // namespace

template <class T>
std::unique_ptr<KernelSource> dense_kernel(const KernelSpec& spec, Matrix<const T> X) {
    return std::make_unique<DenseKernel<T>>(spec, X);
}

template <class T>
std::unique_ptr<KernelSource> precomputed_kernel(Matrix<const T> K) {
    return std::make_unique<PrecomputedKernel<T>>(K);
}

template <class T>
void kernel_cross(const KernelSpec& spec, Matrix<const T> X, Matrix<const T> Y, const Interrupt& interrupt,
                  Matrix<T> out) {
    const Plan<T> plan(spec, Y);
    const Packed<T> A = pack(plan, X), B = pack(plan, Y);
    const Blocks tall(X.rows, kBlock), wide(Y.rows, kChunk);
    const double work = double(X.rows) * double(Y.rows) * double(X.cols + 8);
    const BlockWriter<T> writer(out);
    parallel_for(tall.count() * wide.count(), Work(work / 4), [&](Index unit) {
        if (interrupt.requested()) return;
        const Index a = unit / wide.count(), b = unit % wide.count();
        const Index i0 = tall.begin(a), i1 = tall.end(a);
        T buffer[kBlock * kBlock];
        for (Index j0 = wide.begin(b); j0 < wide.end(b); j0 += kBlock) {
            const Index j1 = std::min(wide.end(b), j0 + kBlock);
            values(plan, A, i0, i1, B, j0, j1, buffer);
            writer.put(i0, i1, j0, j1, buffer);
        }
        writer.finish();
    });
}

template <class T>
void kernel_gram(const KernelSpec& spec, Matrix<const T> X, const Interrupt& interrupt, Matrix<T> out) {
    const Plan<T> plan(spec, X);
    const Packed<T> A = pack(plan, X);
    const Blocks blocks(X.rows, kBlock);
    const double work = double(X.rows) * double(X.rows) * double(X.cols + 8);
    const BlockWriter<T> writer(out);
    parallel_for(blocks.count(), Work(work / 8), [&](Index a) {
        const Index i0 = blocks.begin(a), i1 = blocks.end(a);
        T buffer[kBlock * kBlock] = {};
        for (Index b = a; b < blocks.count(); ++b) {
            if (interrupt.requested()) break;
            const Index j0 = blocks.begin(b), j1 = blocks.end(b);
            values(plan, A, i0, i1, A, j0, j1, buffer);
            if (plan.expanded && a == b)
                for (Index i = 0; i < i1 - i0; ++i) buffer[i * kBlock + i] = T(1);
            writer.put(i0, i1, j0, j1, buffer);
            if (a != b) writer.put_mirrored(i0, i1, j0, j1, buffer);
        }
        writer.finish();
    });
}

#define STATLEARN_KERNEL(T)                                                                                          \
    template std::unique_ptr<KernelSource> dense_kernel<T>(const KernelSpec&, Matrix<const T>);                      \
    template std::unique_ptr<KernelSource> precomputed_kernel<T>(Matrix<const T>);                                   \
    template void kernel_cross<T>(const KernelSpec&, Matrix<const T>, Matrix<const T>, const Interrupt&, Matrix<T>); \
    template void kernel_gram<T>(const KernelSpec&, Matrix<const T>, const Interrupt&, Matrix<T>);
STATLEARN_KERNEL(double)
STATLEARN_KERNEL(float)
#undef STATLEARN_KERNEL

}  // namespace statlearn
