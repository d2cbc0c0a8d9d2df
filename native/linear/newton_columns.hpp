// Columns of a matrix about a shift, as proximal Newton steps see them: products, combinations, weighted
// cross-products.
#pragma once

#include <vector>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::linear {

using Vector = std::vector<double>;

// Columns of a dense matrix (each contiguous) about `shift`, and of a sparse matrix (shift is not used).
template <class T>
struct DenseByColumn {
    using Value = T;
    Matrix<const T> X;
    Span<const double> shift;
    Index rows() const { return X.rows; }
    Index cols() const { return X.cols; }
};
template <class T>
struct SparseByColumn {
    using Value = T;
    CscView<T> X;
    Span<const double> shift;
    Index rows() const { return X.rows; }
    Index cols() const { return X.cols; }
};

// x_j'v about the shift; sum_v is the sum of v.
template <class T>
double column_dot(const DenseByColumn<T>& X, Index j, const double* v, double sum_v);
template <class T>
double column_dot(const SparseByColumn<T>& X, Index j, const double* v, double sum_v);

// out = constant + sum_j delta_j x_j (about the shift), for the columns listed.
template <class T>
void combine(const DenseByColumn<T>& X, const std::vector<Index>& columns, const Vector& delta, double constant,
             Vector& out);
template <class T>
void combine(const SparseByColumn<T>& X, const std::vector<Index>& columns, const Vector& delta, double constant,
             Vector& out);

// Where cross-products go: centred on the way (mean[a] mean[c] / total is taken off), both halves. Single precision is
// enough for a model whose gradient is exact, and halves the memory that coordinate descent walks through.
struct GramStore {
    float* G;
    Index ld;
    const double* mean;    // weighted sums of the columns, or null
    double inverse_total;  // of the weights

    void operator()(Index row, Index col, double value) const {
        if (mean) value -= mean[row] * mean[col] * inverse_total;
        G[row * ld + col] = G[col * ld + row] = float(value);
    }
};

// Stores rows first..m-1 of the weighted cross-products of the columns listed. Z is work space: dense columns keep
// there, from call to call, what they have packed (see the definition).
template <class T>
void cross_products(const DenseByColumn<T>& X, const std::vector<Index>& columns, Index first, const Vector& h,
                    const Interrupt& interrupt, const GramStore& store, std::vector<float>& Z);
template <class T>
void cross_products(const SparseByColumn<T>& X, const std::vector<Index>& columns, Index first, const Vector& h,
                    const Interrupt& interrupt, const GramStore& store, std::vector<float>& Z);

}  // namespace statlearn::linear
