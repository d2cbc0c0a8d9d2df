// Least squares of smallest norm for small designs that may be singular.
#pragma once

#include <vector>

#include "common/view.hpp"

namespace statlearn::smooth {

// The singular value decomposition of a design whose columns are scaled to length 1, for one right-hand side. Singular
// values up to 100 machine epsilons of the largest count as 0.
class PseudoInverse {
public:
    // A is rows x cols, column-major, and is overwritten, like b.
    void factor(std::vector<double>& A, Index rows, Index cols, std::vector<double>& b);

    bool singular() const { return singular_; }
    double rcond() const { return rcond_; }

    // Coefficient j of the solution.
    double solution(Index j) const;
    // Row j of the pseudo-inverse of A'A, `cols` long.
    void gram_row(Index j, double* row) const;

private:
    void reduce(std::vector<double>& A, Index& rows, Index cols, std::vector<double>& b);
    void rotate(std::vector<double>& A, Index rows, Index cols);

    Index cols_ = 0, rank_ = 0;
    bool singular_ = false;
    double rcond_ = 1.0;
    std::vector<double> scale_, V_;          // of the columns; right vectors of what rotate was given
    std::vector<double> right_, sigma_, c_;  // kept right vectors (rank x cols), values, left vectors times b
};

}  // namespace statlearn::smooth
