// How coordinate descent sees its data: the same few operations on dense columns, sparse columns and a Gram matrix.
//
// Every source stands for a centred, weighted least-squares problem 1/2 |y - X w|^2: rows are multiplied by the square
// roots of their weights and columns are centred on their weighted means, but X itself is neither copied nor changed.
// Only columns that enter the working set are packed (dense) or have their products formed (sparse).
#pragma once

#include <algorithm>
#include <memory>
#include <span>
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
void cross_products(std::span<const T* const> cols, const double* R, Index ldr, Index n_right, Index n, double* C,
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

template <class T>
class DenseColumns {
public:
    // X column-major; `weights` empty (all 1) or one per row, where 0 leaves the row out.
    DenseColumns(MatrixView<const T> X, std::span<const double> y, std::span<const double> weights, bool centre);

    const Moments& moments() const { return moments_; }
    Index features() const { return X_.cols; }
    Index rows() const { return Index(target_.size()); }  // with a positive weight
    void pack(Index j, double* out) const;                // column j, centred and weighted
    // Multiply-adds of one step that updates the residual, the alternative to updating correlations.
    Index step_cost() const { return 2 * Index(target_.size()); }

    // Appends features to the working set and fills their rows and columns of G (column-major, leading dimension ld).
    // With G null only the columns are packed.
    void extend(std::span<const Index> added, double* G, Index ld);
    // x_j' r of every feature j (C[b * p + j]) and |r|^2 for the residual r of each solution.
    void correlations(std::span<const Solution> solutions, double* C, double* rr);

    // The residual of one solution, for updates column by column; k is a position in the working set.
    void start(const Solution& solution);
    double dot(Index k) const;
    void subtract(Index k, double step);

private:
    void residuals_of(std::span<const Solution> solutions, double* R) const;

    MatrixView<const T> X_;
    std::vector<Index> kept_;   // rows with a positive weight; empty when all are
    std::vector<double> root_;  // square roots of the weights of the kept rows; empty when all are 1
    std::vector<double> target_;
    Moments moments_;
    std::vector<std::unique_ptr<double[]>> storage_;
    std::vector<Index> members_;         // the working set
    std::vector<const double*> packed_;  // its columns
    bool far_ = false;                   // a column whose mean is more than 1000 times its standard deviation
    std::vector<double> residual_;
};

template <class T>
class SparseColumns {
public:
    SparseColumns(CscView<T> X, std::span<const double> y, std::span<const double> weights, bool centre);

    const Moments& moments() const { return moments_; }
    Index features() const { return X_.cols; }
    Index step_cost() const { return 8 * (Index(X_.values.size()) / std::max<Index>(1, X_.cols) + 32); }
    void extend(std::span<const Index> added, double* G, Index ld);
    void correlations(std::span<const Solution> solutions, double* C, double* rr);
    void start(const Solution& solution);
    double dot(Index k) const;
    void subtract(Index k, double step);
    const CscView<T>& data() const { return X_; }
    const std::vector<double>& weights() const { return weights_; }  // empty when all are 1
    double mean(Index j) const { return moments_.mean.empty() ? 0.0 : moments_.mean[std::size_t(j)]; }

private:
    void residual_of(const Solution& solution, double* r, Index stride) const;

    CscView<T> X_;
    std::vector<double> weights_;  // empty when all are 1
    std::vector<double> target_;
    Moments moments_;
    std::vector<Index> members_;  // the working set
    std::vector<double> residual_;
    double shift_ = 0.0;  // the true residual is residual_ + shift_
};

// Cross-products only: G (p x p) and x_j' y are given, whatever they were made from.
class GramColumns {
public:
    GramColumns(MatrixView<const double> G, std::span<const double> target_dot, double target_norm2);

    const Moments& moments() const { return moments_; }
    Index features() const { return G_.cols; }
    Index step_cost() const { return G_.cols; }  // there is no residual: correlations are always updated
    void extend(std::span<const Index> added, double* G, Index ld);
    void correlations(std::span<const Solution> solutions, double* C, double* rr);
    void start(const Solution&) {}
    double dot(Index) const { return 0.0; }
    void subtract(Index, double) {}

private:
    MatrixView<const double> G_;
    Moments moments_;
    std::vector<Index> members_;
};

}  // namespace statlearn::linear
