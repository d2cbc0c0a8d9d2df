#include "common/sparse_rows.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace statlearn {
namespace {

// The rows of a product that one thread makes at a time: a number of blocks that is limited, since each needs memory of
// the size of B's rows and columns.
Blocks product_blocks(Index rows) { return Blocks(rows, std::max<Index>(64, (rows + 63) / 64)); }

}  // namespace

SparseRows joined_rows(std::vector<SparseRows>& parts, Index rows, Index cols) {
    SparseRows all;
    all.rows = rows;
    all.cols = cols;
    std::size_t entries = 0;
    for (const SparseRows& part : parts) entries += part.values.size();
    all.values.reserve(entries);
    all.cols_of.reserve(entries);
    all.indptr.reserve(std::size_t(rows) + 1);
    all.indptr.push_back(0);
    for (const SparseRows& part : parts) {
        const int before = int(all.values.size());
        for (const int end : part.indptr) all.indptr.push_back(before + end);
        all.values.insert(all.values.end(), part.values.begin(), part.values.end());
        all.cols_of.insert(all.cols_of.end(), part.cols_of.begin(), part.cols_of.end());
    }
    return all;
}

SparseRows transposed(const RowsView<double>& A) {
    SparseRows T;
    T.rows = A.cols;
    T.cols = A.rows;
    T.values.resize(A.values.size());
    T.cols_of.resize(A.values.size());
    T.indptr.assign(std::size_t(T.rows) + 1, 0);
    for (const int column : A.cols_of) ++T.indptr[column + 1];
    for (std::size_t j = 1; j < T.indptr.size(); ++j) T.indptr[j] += T.indptr[j - 1];
    std::vector<int> next(T.indptr.begin(), T.indptr.end() - 1);
    for (Index i = 0; i < A.rows; ++i)
        for (int e = A.indptr[i]; e < A.indptr[i + 1]; ++e) {
            const Index to = next[A.cols_of[e]]++;
            T.values[to] = A.values[e];
            T.cols_of[to] = int(i);
        }
    return T;
}

namespace {

// Rows of a product A B whose neighbours in A have much in common: the rows of B that they ask for are laid out in full
// over the few columns that occur in them, and a row of the product is a sum of such rows, kept in registers.
class DenseRows {
public:
    // Rows from `begin` on that share a layout. Empirical: enough for rows of B to be asked for again, and a layout
    // that stays in the cache.
    Index end_of_chunk(Index begin, Index most) const {
        constexpr int kEntries = 2048;
        Index end = begin + 1;
        while (end < most && A_.indptr[end + 1] - A_.indptr[begin] <= kEntries) ++end;
        return end;
    }

    DenseRows(const RowsView<double>& A, const RowsView<double>& B)
        : A_(A), B_(B), slot_(B.rows, -1), local_(B.cols, -1) {}

    // Appends the rows [begin, end) of the product to `to`; false, and nothing done, if they need too many columns.
    template <class Part>
    bool append(Index begin, Index end, const Part& part, SparseRows& to) {
        const bool fits = lay_out(begin, end, part);
        if (fits) {
            double sums[kWidest];
            for (std::size_t i = 0; i + 1 < starts_.size(); ++i) {
                for (Index c = 0; c < width_; c += kRegisters * kBlockWidth)
                    (this->*kRow[std::min(width_ - c, kRegisters * kBlockWidth) / kBlockWidth - 1])(i, c, sums);
                write(i, sums, to);
            }
        }
        for (const int j : asked_) slot_[j] = -1;
        for (const int k : columns_) local_[k] = -1;
        return fits;
    }

private:
    static constexpr Index kRegisters = 8;
    static constexpr std::size_t kWidest = 64;         // columns, a bit for each
    static constexpr Index kLargest = Index{1} << 16;  // numbers of a layout

    template <class Part>
    [[gnu::noinline]] bool lay_out(Index begin, Index end, const Part& part) {
        const int first = A_.indptr[begin], last = A_.indptr[end];
        asked_.clear();
        columns_.clear();
        values_.resize(last - first);
        slots_.resize(values_.size());
        starts_.assign(1, 0);
        const int* const a_cols = A_.cols_of.data();
        const double* const a_values = A_.values.data();
        double* const values = values_.data();
        int *const slots = slots_.data(), *const slot_of = slot_.data();
        std::size_t used = 0;
        for (Index i = begin; i < end; ++i) {
            const int end_of_row = A_.indptr[i + 1];
            for (int e = A_.indptr[i]; e < end_of_row; ++e) {
                const int j = a_cols[e];
                if (!part.keeps(int(i), j)) continue;
                if (slot_of[j] < 0 && !ask(j)) return false;
                values[used] = part.of(int(i), j, a_values[e]);
                slots[used++] = slot_of[j];
            }
            starts_.push_back(used);
        }
        width_ = std::max<Index>(1, (Index(columns_.size()) + kBlockWidth - 1) / kBlockWidth) * kBlockWidth;
        if (Index(asked_.size()) * width_ > kLargest) return false;
        full_.assign(asked_.size() * std::size_t(width_), 0.0);
        met_.assign(asked_.size(), 0);
        for (std::size_t s = 0; s < asked_.size(); ++s) {
            const Index j = asked_[s];
            for (int f = B_.indptr[j]; f < B_.indptr[j + 1]; ++f) {
                const int k = local_[B_.cols_of[f]];
                full_[s * std::size_t(width_) + std::size_t(k)] = B_.values[f];
                met_[s] |= std::uint64_t(1) << k;
            }
        }
        return true;
    }

    // Gives row j of B a place; false if its columns are too many.
    [[gnu::noinline]] bool ask(int j) {
        slot_[j] = int(asked_.size());
        asked_.push_back(j);
        for (int f = B_.indptr[j]; f < B_.indptr[j + 1]; ++f) {
            const int k = B_.cols_of[f];
            if (local_[k] >= 0) continue;
            local_[k] = int(columns_.size());
            columns_.push_back(k);
        }
        return columns_.size() <= kWidest;
    }

    // 4 Packs columns of row i, from column c of the layout.
    template <int Packs>
    void row(std::size_t i, Index c, double* sums) const {
        constexpr int kSums = Packs <= 3 ? 2 : 1;  // an addition need not wait for the one before
        const double* const from = full_.data() + c;
        Pack4 sum[kSums][Packs] = {};
        const auto add = [&](std::size_t e, Pack4* to) {
            const Pack4 a = broadcast(values_[e]);
            const Pack4* b = packs(from + Index(slots_[e]) * width_);
            for (int k = 0; k < Packs; ++k) to[k] = mul_add(a, b[k], to[k]);
        };
        std::size_t e = starts_[i];
        const std::size_t end = starts_[i + 1];
        for (; e + kSums <= end; e += kSums)
            for (int s = 0; s < kSums; ++s) add(e + std::size_t(s), sum[s]);
        for (; e < end; ++e) add(e, sum[0]);
        for (int k = 0; k < Packs; ++k)
            *packs(sums + c + 4 * k) = kSums == 2 ? sum[0][k] + sum[kSums - 1][k] : sum[0][k];
    }

    using Row = void (DenseRows::*)(std::size_t, Index, double*) const;
    static const Row kRow[kRegisters];  // by the number of packs

    void write(std::size_t i, const double* sums, SparseRows& to) const {
        std::uint64_t met = 0;
        for (std::size_t e = starts_[i]; e < starts_[i + 1]; ++e) met |= met_[slots_[e]];
        for (; met; met &= met - 1) {
            const Index k = std::countr_zero(met);
            to.cols_of.push_back(columns_[k]);
            to.values.push_back(sums[k]);
        }
        to.indptr.push_back(int(to.cols_of.size()));
    }

    const RowsView<double>&A_, &B_;
    std::vector<int> slot_, local_;  // of rows and of columns of B in the layout, -1 for none
    std::vector<int> asked_, columns_;
    UnsetVector<int> slots_;
    std::vector<std::size_t> starts_;
    UnsetVector<double> values_;
    std::vector<double> full_;
    std::vector<std::uint64_t> met_;  // a bit for each column of a row
    Index width_ = 0;
};

const DenseRows::Row DenseRows::kRow[] = {&DenseRows::row<1>, &DenseRows::row<2>, &DenseRows::row<3>,
                                          &DenseRows::row<4>, &DenseRows::row<5>, &DenseRows::row<6>,
                                          &DenseRows::row<7>, &DenseRows::row<8>};

// Rows of a product whose columns may be any.
class ScatteredRows {
public:
    ScatteredRows(const RowsView<double>& A, const RowsView<double>& B)
        : A_(A), B_(B), sums_(B.cols, 0.0), seen_(B.cols, 0), columns_(std::size_t(B.cols) + 1, 0) {}

    template <class Part>
    void append(Index begin, Index end, const Part& part, SparseRows& to) {
        // Plain pointers, which the compiler knows not to change by what is written through them.
        double* const sum = sums_.data();
        int *const met = seen_.data(), *const column = columns_.data();
        const double *const a_values = A_.values.data(), *const b_values = B_.values.data();
        const int *const a_cols = A_.cols_of.data(), *const b_cols = B_.cols_of.data(),
                         *const b_start = B_.indptr.data();
        for (Index i = begin; i < end; ++i) {
            int count = 0;
            const int last = A_.indptr[i + 1];
            for (int e = A_.indptr[i]; e < last; ++e) {
                const int j = a_cols[e];
                const double a = part.of(int(i), j, a_values[e]);
                if (!part.keeps(int(i), j) || a == 0.0) continue;
                const int end_of_row = b_start[j + 1];
                for (int f = b_start[j]; f < end_of_row; ++f) {
                    const int k = b_cols[f];
                    if (met[k]) {  // most of them: the rows of B that a row of A asks for have columns in common
                        sum[k] += a * b_values[f];
                    } else {
                        sum[k] = a * b_values[f];
                        column[count++] = k;
                        met[k] = 1;
                    }
                }
            }
            for (int at = 0; at < count; ++at) {
                const int k = column[at];
                to.cols_of.push_back(k);
                to.values.push_back(sum[k]);
                met[k] = 0;
            }
            to.indptr.push_back(int(to.cols_of.size()));
        }
    }

private:
    const RowsView<double>&A_, &B_;
    std::vector<double> sums_;
    std::vector<int> seen_, columns_;
};

// What is taken of A: everything, or the upper triangle with half of the diagonal.
struct Whole {
    static bool keeps(int, int) { return true; }
    static double of(int, int, double a) { return a; }
};
struct Half {
    static bool keeps(int i, int j) { return j >= i; }
    static double of(int i, int j, double a) { return j == i ? 0.5 * a : a; }
};

// (a part of A) B
template <class Part>
SparseRows product_of_part(const RowsView<double>& A, const RowsView<double>& B, const Part& part) {
    const Blocks blocks = product_blocks(A.rows);
    std::vector<SparseRows> parts(blocks.count());
    parallel_for(blocks.count(), [&](Index b) {
        SparseRows& made = parts[b];
        DenseRows dense(A, B);
        Index done = blocks.begin(b);
        while (done < blocks.end(b)) {
            const Index end = dense.end_of_chunk(done, blocks.end(b));
            if (!dense.append(done, end, part, made)) break;
            done = end;
        }
        if (done < blocks.end(b)) ScatteredRows(A, B).append(done, blocks.end(b), part, made);
    });
    return joined_rows(parts, A.rows, B.cols);
}

}  // namespace

SparseRows sparse_product(const RowsView<double>& A, const RowsView<double>& B) {
    return product_of_part(A, B, Whole{});
}

SparseRows grouped_columns(const RowsView<double>& A, const Groups& groups) {
    constexpr int kSums = 4;  // side by side: entries that follow each other are often of one group
    const Blocks blocks = product_blocks(A.rows);
    std::vector<SparseRows> parts(blocks.count());
    parallel_for(blocks.count(), [&](Index b) {
        SparseRows& made = parts[b];
        std::vector<double> sums(kSums * groups.count, 0.0);
        std::vector<Index> met(groups.count, -1);
        std::vector<int> columns(std::size_t(groups.count) + 1);
        const int *const a_cols = A.cols_of.data(), *const group_of = groups.of.data();
        const double *const a_values = A.values.data(), *const weight = groups.weight.data();
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            int count = 0;
            const int end = A.indptr[i + 1];
            for (int e = A.indptr[i]; e < end; ++e) {
                const int j = a_cols[e], g = group_of[j];
                if (g < 0) continue;
                double* const sum = sums.data() + kSums * g;
                if (met[g] != i) {
                    met[g] = i;
                    columns[count++] = g;
                    std::fill_n(sum, kSums, 0.0);
                }
                sum[e % kSums] += a_values[e] * weight[j];
            }
            for (int at = 0; at < count; ++at) {
                const double* const sum = sums.data() + kSums * columns[at];
                made.cols_of.push_back(columns[at]);
                made.values.push_back((sum[0] + sum[1]) + (sum[2] + sum[3]));
            }
            made.indptr.push_back(int(made.cols_of.size()));
        }
    });
    return joined_rows(parts, A.rows, groups.count);
}

SparseRows half_product(const RowsView<double>& A, const RowsView<double>& B) { return product_of_part(A, B, Half{}); }

}  // namespace statlearn
