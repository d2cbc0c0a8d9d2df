// Columns of a working set for models in single precision: the exact gradient is known at an anchor, and what the model
// adds is only the change since then, so that its rounding errors vanish with the change.
//
// Columns are centred and weighted as their source (columns.hpp) says. A `Shift` holds the change of the fit; it is
// linear in the change of the coefficients, so shifts may be combined like vectors.
#pragma once

#include <vector>

#include "linear/columns.hpp"

namespace statlearn::linear {

// Packed copies in single precision.
class DenseStore {
public:
    using Source = DenseSource;
    using Shift = std::vector<float>;

    explicit DenseStore(const DenseSource& source) : source_(source), rows_(source.rows()) {}

    Index size() const { return rows_ == 0 ? 0 : Index(packed_.size()) / rows_; }
    Shift zero() const { return Shift(std::size_t(rows_), 0.0F); }
    double norm2(const Shift& shift) const;
    Index pass_cost() const { return 2 * rows_; }  // multiply-adds per column of dots and add together

    void append(Span<const Index> features);
    // out[c] = z_c' shift for the columns begin..end-1.
    void dots(Index begin, Index end, const Shift& shift, double* out) const;
    // shift += sum_c delta[c] z_c
    void add(Index begin, Index end, const double* delta, Shift& shift) const;
    // G[a * ld + b] = z_a' z_b for a in first..end-1 and b in begin..a, and its mirror image; a and b count from begin.
    void products(Index begin, Index first, Index end, float* G, Index ld) const;
    // Z'Z of any features in double precision, both halves.
    void exact_products(Span<const Index> features, double* G) const;

private:
    const DenseSource& source_;
    Index rows_;
    std::vector<float> packed_;
};

// The columns stay where they are. The last element of a shift is a constant that is taken off all the others: what
// centring the columns amounts to.
class SparseStore {
public:
    using Source = SparseSource;
    using Shift = std::vector<double>;

    explicit SparseStore(const SparseSource& source) : source_(source) {}

    Index size() const { return Index(features_.size()); }
    Shift zero() const { return Shift(std::size_t(source_.rows() + 1), 0.0); }
    double norm2(const Shift& shift) const;
    Index pass_cost() const { return source_.step_cost(); }

    void append(Span<const Index> features) { features_.insert(features_.end(), features.begin(), features.end()); }
    void dots(Index begin, Index end, const Shift& shift, double* out) const;
    void add(Index begin, Index end, const double* delta, Shift& shift) const;
    void products(Index begin, Index first, Index end, float* G, Index ld) const;
    void exact_products(Span<const Index> features, double* G) const;

private:
    const SparseSource& source_;
    std::vector<Index> features_;
};

}  // namespace statlearn::linear
