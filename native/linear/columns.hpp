// How coordinate descent sees its data: the same few operations on dense columns, sparse columns and a Gram matrix.
//
// Every source stands for a centred, weighted least-squares problem 1/2 |y - X w|^2: rows are multiplied by the square
// roots of their weights and columns are centred on their weighted means, but X itself is neither copied nor changed.
// Only columns that enter the working set are packed (dense) or have their products formed (sparse).
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "common/view.hpp"

namespace statlearn::linear {

// The non-zero coefficients of one model: positions in the working set, increasing, and values.
struct Solution {
    std::vector<Index> at;
    std::vector<double> value;
};

// C[b * ldc + a] = sum_i cols[a][i] R[b * ldr + i] for all columns a and b < n_right. Parallel over blocks of columns,
// sums over i in an order that depends on n only.
template <class T>
void cross_products(Span<const T* const> cols, const double* R, Index ldr, Index n_right, Index n, double* C,
                    Index ldc);

// Column means, centred norms and products with the centred target: what every source knows of every feature.
struct Moments {
    std::vector<double> mean;        // of each column; empty without centring
    std::vector<double> norm2;       // |x_j|^2, centred and weighted
    std::vector<double> target_dot;  // x_j' y
    double target_norm2 = 0.0;       // |y|^2
    double target_mean = 0.0;
    double total_weight = 0.0;
};

class ColumnSource {
public:
    virtual ~ColumnSource() = default;

    const Moments& moments() const { return moments_; }
    virtual Index features() const = 0;
    // Multiply-adds of one step that updates the residual, the alternative to updating correlations.
    virtual Index step_cost() const = 0;
    virtual bool has_residual() const { return true; }  // otherwise correlations are always updated

    // Appends features to the working set and fills their rows and columns of G (column-major, leading dimension ld).
    // With G null only the columns are packed.
    virtual void extend(Span<const Index> added, double* G, Index ld) = 0;
    // x_j' r of every feature j (C[b * p + j]) and |r|^2 for the residual r of each solution.
    virtual void correlations(Span<const Solution> solutions, double* C, double* rr) = 0;

    // The residual of one solution, for updates column by column; k is a position in the working set.
    virtual void start(const Solution& solution) = 0;
    virtual double dot(Index k) const = 0;
    virtual void subtract(Index k, double step) = 0;

protected:
    Moments moments_;
};

class DenseSource : public ColumnSource {
public:
    virtual Index rows() const = 0;                     // with a positive weight
    virtual void pack(Index j, double* out) const = 0;  // column j, centred and weighted
};

class SparseSource : public ColumnSource {
public:
    virtual Index rows() const = 0;
    virtual double weighted_dot(Index j, const double* v) const = 0;     // sum_i s_i x_ij v_i, not centred
    virtual void add_column(Index j, double step, double* v) const = 0;  // v += step x_j, not centred
    const std::vector<double>& weights() const { return weights_; }      // empty when all are 1
    double mean(Index j) const { return moments_.mean.empty() ? 0.0 : moments_.mean[j]; }

protected:
    std::vector<double> weights_;  // empty when all are 1
};

template <class T>
class DenseColumns final : public DenseSource {
public:
    // X column-major; `weights` empty (all 1) or one per row, where 0 leaves the row out.
    DenseColumns(Matrix<const T> X, Span<const double> y, Span<const double> weights, bool centre);

    Index features() const override { return X_.cols; }
    Index rows() const override { return Index(target_.size()); }
    void pack(Index j, double* out) const override;
    Index step_cost() const override { return 2 * Index(target_.size()); }
    void extend(Span<const Index> added, double* G, Index ld) override;
    void correlations(Span<const Solution> solutions, double* C, double* rr) override;
    void start(const Solution& solution) override;
    double dot(Index k) const override;
    void subtract(Index k, double step) override;

private:
    void residuals_of(Span<const Solution> solutions, double* R) const;

    Matrix<const T> X_;
    std::vector<Index> kept_;   // rows with a positive weight; empty when all are
    std::vector<double> root_;  // square roots of the weights of the kept rows; empty when all are 1
    std::vector<double> target_;
    std::vector<std::unique_ptr<double[]>> storage_;
    std::vector<Index> members_;         // the working set
    std::vector<const double*> packed_;  // its columns
    bool far_ = false;                   // a column whose mean is more than 1000 times its standard deviation
    std::vector<double> residual_;
};

template <class T>
class SparseColumns final : public SparseSource {
public:
    SparseColumns(CscView<T> X, Span<const double> y, Span<const double> weights, bool centre);

    Index features() const override { return X_.cols; }
    Index rows() const override { return X_.rows; }
    Index step_cost() const override { return 8 * (Index(X_.values.size()) / std::max<Index>(1, X_.cols) + 32); }
    void extend(Span<const Index> added, double* G, Index ld) override;
    void correlations(Span<const Solution> solutions, double* C, double* rr) override;
    void start(const Solution& solution) override;
    double dot(Index k) const override;
    void subtract(Index k, double step) override;
    double weighted_dot(Index j, const double* v) const override;
    void add_column(Index j, double step, double* v) const override;

private:
    void residual_of(const Solution& solution, double* r, Index stride) const;

    CscView<T> X_;
    std::vector<double> target_;
    std::vector<Index> members_;  // the working set
    std::vector<double> residual_;
    double shift_ = 0.0;  // the true residual is residual_ + shift_
};

// Cross-products only: G (p x p) and x_j' y are given, whatever they were made from.
class GramColumns final : public ColumnSource {
public:
    GramColumns(Matrix<const double> G, Span<const double> target_dot, double target_norm2);

    Index features() const override { return G_.cols; }
    Index step_cost() const override { return G_.cols; }
    bool has_residual() const override { return false; }
    void extend(Span<const Index> added, double* G, Index ld) override;
    void correlations(Span<const Solution> solutions, double* C, double* rr) override;
    void start(const Solution&) override {}
    double dot(Index) const override { return 0.0; }
    void subtract(Index, double) override {}

private:
    Matrix<const double> G_;
    std::vector<Index> members_;
};

}  // namespace statlearn::linear
