// A tall design matrix seen by rows: what solvers built on weighted cross-products need of it.
#pragma once

#include <memory>
#include <vector>

#include "common/rows.hpp"
#include "common/view.hpp"

namespace statlearn::linear {

// Z, n x q in double precision. Dense and sparse data share the solvers through this interface; its calls are coarse
// (a pass over all rows), so their being virtual costs nothing. Results are the same for any number of threads.
class RowDesign {
public:
    virtual ~RowDesign() = default;
    Index rows() const { return rows_; }
    Index cols() const { return cols_; }

    virtual void times(Span<const double> beta, Span<double> out) const = 0;    // out = Z beta
    virtual void transposed(Span<const double> v, Span<double> out) const = 0;  // out = Z' v
    virtual void gram(Span<const double> weights, Span<double> G) const = 0;    // G = Z' diag(weights) Z
    virtual void row(Index i, Span<double> out) const = 0;                      // out = row i
protected:
    Index rows_ = 0, cols_ = 0;
};

// Z = [1, (X - centre) / scale], or without the column of ones. `centre` and `scale` have one entry per column of X.
template <class T>
std::unique_ptr<RowDesign> dense_rows(Matrix<const T> X, Span<const double> centre, Span<const double> scale,
                                      bool intercept);

// The same for compressed rows: row i holds entries indptr[i] to indptr[i + 1]. Not centred, so that it stays sparse.
std::unique_ptr<RowDesign> sparse_rows(RowsView<double> X, Span<const double> scale, bool intercept);

}  // namespace statlearn::linear
