// The nearest of k centres for every row.
#pragma once

#include <vector>

#include "common/interrupt.hpp"
#include "common/rows.hpp"
#include "common/view.hpp"

namespace statlearn::cluster {

// Centres laid out for the search. Distances are compared by |c|^2 / 2 - x.c with x and c measured from `origin` (a
// point near the middle of the data, which saves digits), four centres and a panel of rows at a time. Where the
// rounding error of that form could change the answer, the distances are taken again as sums of squared differences:
// the label is the nearest centre by `RowsView::distance`, the lowest index among equals, however it was found.
template <class T>
class CentreSet {
public:
    CentreSet(Index k, Index p, bool sparse);

    // Takes k x p row-major centres; `values` must outlive the searches.
    void set(const double* values, Span<const double> origin);

    Index k() const { return k_; }
    Index p() const { return p_; }
    const double* centre(Index c) const { return values_ + c * p_; }
    double square(Index c) const { return squares_[c]; }
    double distance(const RowsView<T>& X, Index i, Index c) const { return X.distance(i, centre(c), square(c)); }

    // Labels of `count` rows: those listed in `rows`, or begin, begin + 1, ... if `rows` is null. Entry e of the
    // outputs belongs to the e-th row. `upper` and `lower` may be null: upper bounds the distance to the nearest centre
    // from above, lower the distance to every other one from below (not squared).
    void search(const RowsView<T>& X, const Index* rows, Index begin, Index count, int* labels, double* upper,
                double* lower) const;

private:
    void search_dense(const RowsView<T>& X, const Index* rows, Index begin, Index count, int* labels, double* upper,
                      double* lower) const;
    void search_sparse(const RowsView<T>& X, const Index* rows, Index begin, Index count, int* labels, double* upper,
                       double* lower) const;
    void finish(const RowsView<T>& X, Index i, double best, double second, double square, int which, int* label,
                double* upper, double* lower) const;

    Index k_, p_, padded_;
    bool sparse_;
    const double* values_ = nullptr;
    std::vector<double> origin_;
    std::vector<double> squares_;  // squared lengths, from zero
    std::vector<T> packed_;        // dense: panels of 4 centres with their signs changed, p x 4 each
    std::vector<T> half_;          // half the squared lengths from the origin, infinity for padding
    std::vector<double> columns_;  // sparse: p x padded, the centres' coordinates side by side
    double longest_ = 0.0;         // largest length from the origin
};

// Labels of all rows, in parallel, and with `distances` (may be empty) the squared distance of each to its centre.
template <class T>
void nearest_centres(const RowsView<T>& X, const CentreSet<T>& centres, const Interrupt& interrupt, Span<int> labels,
                     Span<double> distances);

// D (n x k, row-major) = distances of all rows to all centres, not squared.
template <class T>
void centre_distances(const RowsView<T>& X, Matrix<const double> centres, const Interrupt& interrupt, Span<T> D);

// Adds the weighted rows of each cluster to `sums` (k x p, row-major) and their weights to `totals`. Rows labelled -1
// are left out; `weights` may be empty (all 1).
template <class T>
void row_sums(const RowsView<T>& X, Span<const double> weights, Span<const int> labels, Span<double> sums,
              Span<double> totals);

// Weighted mean of the rows and weighted sum of squared distances to it (0 entries of a sparse table count).
template <class T>
double mean_and_scatter(const RowsView<T>& X, Span<const double> weights, const Interrupt& interrupt,
                        Span<double> mean);

}  // namespace statlearn::cluster
