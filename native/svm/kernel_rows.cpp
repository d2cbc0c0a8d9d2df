#include "svm/kernel_rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "common/parallel.hpp"

namespace statlearn::svm {
namespace {

// Rows packed for the block kernel: those selected as columns first, the others behind them.
template <class T>
class PackedRows : public KernelRows<T> {
public:
    explicit PackedRows(Span<const int> rows)
        : rows_(rows.begin(), rows.end()), position_(rows.size()), diagonal_(rows.size()) {}

    Index order() const override { return Index(rows_.size()); }
    T diagonal(Index i) const override { return T(diagonal_[i]); }

    void select(Span<const int> columns, Span<const int> others) override {
        std::vector<int> stored;
        stored.reserve(columns.size() + others.size());
        for (const auto part : {columns, others})
            for (const int i : part) {
                position_[i] = Index(stored.size());
                stored.push_back(rows_[i]);
            }
        width_ = Index(columns.size());
        source_.reset();
        source_ = pack(stored);
    }

    void evaluate(Span<const int> which, T* const* out) override {
        which_.clear();
        for (const int i : which) which_.push_back(position_[i]);
        source_->rows(which_, 0, width_, Span<T* const>(out, which.size()));
    }

protected:
    void begin() {
        std::vector<int> all(rows_.size());
        std::iota(all.begin(), all.end(), 0);
        select(all, {});
        source_->diagonal(diagonal_);
    }
    virtual std::unique_ptr<KernelSource> pack(Span<const int> stored) = 0;

private:
    std::vector<int> rows_;
    std::vector<Index> position_, which_;
    std::vector<double> diagonal_;
    Index width_ = 0;
    std::unique_ptr<KernelSource> source_;
};

template <class T>
class DenseRows final : public PackedRows<T> {
public:
    DenseRows(const KernelSpec& spec, Matrix<const T> X, Span<const int> rows)
        : PackedRows<T>(rows), spec_(spec), X_(X) {
        this->begin();
    }

private:
    std::unique_ptr<KernelSource> pack(Span<const int> stored) override {
        bool in_place = Index(stored.size()) == X_.rows;
        for (Index i = 0; in_place && i < X_.rows; ++i) in_place = stored[i] == i;
        if (in_place) return dense_kernel<T>(spec_, X_);
        std::vector<T> gathered(stored.size() * std::size_t(X_.cols));  // only until the source has packed it
        for (Index k = 0; k < stored.size(); ++k)
            for (Index j = 0; j < X_.cols; ++j) gathered[k * std::size_t(X_.cols) + std::size_t(j)] = X_(stored[k], j);
        return dense_kernel<T>(spec_, {gathered.data(), Index(stored.size()), X_.cols, X_.cols, 1});
    }

    KernelSpec spec_;
    Matrix<const T> X_;
};

template <class T>
class SparseRows final : public PackedRows<T> {
public:
    SparseRows(const KernelSpec& spec, const CscView<T>& X, Span<const int> rows)
        : PackedRows<T>(rows), spec_(spec), X_(X) {
        this->begin();
    }

private:
    std::unique_ptr<KernelSource> pack(Span<const int> stored) override {
        values_.clear(), columns_.clear(), starts_.assign(1, 0);
        for (const int row : stored) {
            const auto first = X_.indptr[row], last = X_.indptr[row + 1];
            values_.insert(values_.end(), X_.values.begin() + first, X_.values.begin() + last);
            columns_.insert(columns_.end(), X_.rows_of.begin() + first, X_.rows_of.begin() + last);
            starts_.push_back(int(values_.size()));
        }
        return sparse_kernel<T>(spec_, {values_, columns_, starts_, X_.rows, Index(stored.size())});
    }

    KernelSpec spec_;
    CscView<T> X_;
    std::vector<T> values_;
    std::vector<int> columns_, starts_;
};

template <class T>
class MatrixRows final : public KernelRows<T> {
public:
    MatrixRows(Matrix<const T> K, Span<const int> rows) : K_(K), rows_(rows.begin(), rows.end()), columns_(rows_) {}

    Index order() const override { return Index(rows_.size()); }
    T diagonal(Index i) const override { return K_(rows_[i], rows_[i]); }
    void select(Span<const int> columns, Span<const int>) override {
        columns_.clear();
        for (const int j : columns) columns_.push_back(rows_[j]);
    }
    void evaluate(Span<const int> which, T* const* out) override {
        parallel_for(Index(which.size()), Work(double(which.size()) * double(columns_.size())), [&](Index k) {
            const T* row = K_.row(rows_[which[k]]);
            for (std::size_t j = 0; j < columns_.size(); ++j) out[k][j] = row[columns_[j] * K_.col_stride];
        });
    }

private:
    Matrix<const T> K_;
    std::vector<int> rows_, columns_;
};

}  // namespace

template <class T>
std::unique_ptr<KernelRows<T>> dense_rows(const KernelSpec& spec, Matrix<const T> X, Span<const int> rows) {
    return std::make_unique<DenseRows<T>>(spec, X, rows);
}
template <class T>
std::unique_ptr<KernelRows<T>> sparse_rows(const KernelSpec& spec, const CscView<T>& X, Span<const int> rows) {
    return std::make_unique<SparseRows<T>>(spec, X, rows);
}
template <class T>
std::unique_ptr<KernelRows<T>> matrix_rows(Matrix<const T> K, Span<const int> rows) {
    return std::make_unique<MatrixRows<T>>(K, rows);
}

template std::unique_ptr<KernelRows<float>> dense_rows(const KernelSpec&, Matrix<const float>, Span<const int>);
template std::unique_ptr<KernelRows<double>> dense_rows(const KernelSpec&, Matrix<const double>, Span<const int>);
template std::unique_ptr<KernelRows<float>> sparse_rows(const KernelSpec&, const CscView<float>&, Span<const int>);
template std::unique_ptr<KernelRows<double>> sparse_rows(const KernelSpec&, const CscView<double>&, Span<const int>);
template std::unique_ptr<KernelRows<float>> matrix_rows(Matrix<const float>, Span<const int>);
template std::unique_ptr<KernelRows<double>> matrix_rows(Matrix<const double>, Span<const int>);

}  // namespace statlearn::svm
