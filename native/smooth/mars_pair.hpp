// What the forward pass of MARS keeps: the model in orthogonal columns, and one candidate family per (parent, feature).
#pragma once

#include <cstdint>
#include <vector>

#include "common/view.hpp"
#include "smooth/mars.hpp"

namespace statlearn::smooth {

// The rows, sorted by each feature, and the model as orthonormal columns q_1, q_2, ... with what they leave of Y.
// All products are weighted: columns and residuals carry the square roots of the weights.
class MarsData {
public:
    MarsData(Matrix<const double> X, Matrix<const double> Y, Span<const double> weights, Index columns);

    Index n, p, m;
    double total_weight;

    const double* column(Index j) const { return X_.col(j); }
    double middle(Index j) const { return middle_[j]; }
    Span<const std::uint32_t> order(Index j) const { return {order_.data() + j * n, n}; }
    double weight(Index i) const { return weights_.empty() ? 1.0 : weights_[i]; }
    double root(Index i) const { return roots_.empty() ? 1.0 : roots_[i]; }
    bool weighted() const { return !weights_.empty(); }

    // Makes the values of a basis function a column of the model, unless what the others leave of it is at most
    // `least` (a sum of squares).
    bool enter(const std::vector<double>& values, double least);

    Index columns() const { return columns_; }
    Index stride() const { return stride_; }                               // from row to row of q
    const double* q(Index c) const { return q_.data() + c; }               // entry of the first row of column c
    const double* share(Index c) const { return shares_.data() + c * m; }  // q_c' residual, for each response
    Span<const double> residual() const { return residual_; }              // n x m
    double rss() const;

private:
    Matrix<const double> X_;
    Span<const double> weights_;
    std::vector<double> roots_, middle_, q_, shares_, residual_;
    std::vector<std::uint32_t> order_;
    Index stride_, columns_ = 0;
};

// How far apart knots are: counted in rows where the parent is not zero, heavy rows more than once.
struct Spans {
    double start, between, end;
};
Spans spans_of(const MarsData& data, const std::vector<double>& parent, Index degree, const MarsOptions& options);

// The hinges b (x - t)_+ of one parent b and one feature x, for all knots t.
struct Pair {
    Index parent, feature;

    Pair(Index parent_term, Index of_feature, Spans spans) : parent(parent_term), feature(of_feature), spans_(spans) {}

    struct Best {
        double gain = 0.0;  // fall of the residual sum of squares
        Index knot = -1;    // -1: the linear term alone
    };

    // Accounts for the columns that entered the model since the last call (at the first call: for all).
    void bring_up(const MarsData& data, const std::vector<double>& b, bool step, bool only_linear);

    // The best knot for a model that has used `slots` places. Gains are multiplied by `discount`; one of
    // `largest_gain` or more is not believed.
    Best best(Index slots, double discount, double largest_gain, Index responses) const;

    bool has_linear() const;  // whether b x is outside the span of the model
    double knot_value(Index k) const { return knots_[k].value; }
    void close() { *this = Pair(parent, feature, spans_); }

private:
    struct Knot {
        double value;  // on the scale of x
        Index above;   // rows of `rows` before it
    };

    void place_knots(const MarsData& data, const std::vector<double>& b, Span<const std::uint32_t> rows, bool step);
    template <int W>
    void sweep(const MarsData& data, const std::vector<double>& b, Span<const std::uint32_t> rows,
               const double* columns, Index stride, bool step, double* products, double* with_linear) const;
    void first_products(const MarsData& data, const std::vector<double>& b, Span<const std::uint32_t> rows, bool step);

    Spans spans_;
    std::vector<Knot> knots_;
    // For each knot, of the hinge h less its part in the model: h'h, h'h less its mean alone, h'z and h'residual.
    std::vector<double> hh_, centred_, hz_, hr_;
    // Of the linear candidate z = b x less its part in the model: z'z, the same at first, z'residual.
    double zz_ = 0.0, zz_first_ = 0.0;
    std::vector<double> zr_;
    Index columns_ = 0;  // of the model, accounted for
    bool placed_ = false, step_ = false;
};

}  // namespace statlearn::smooth
