#include "decomposition/atoms.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/vector.hpp"

namespace statlearn::decomposition {

Index atoms_update(Matrix<const double> A, Matrix<const double> B, Index first, double rare, bool positive,
                   Matrix<double> D) {
    const Index k = D.rows, p = D.cols;
    std::vector<double> fit(p);
    for (Index j = first; j < k; ++j) {
        const double own = A(j, j);
        if (!(own > rare)) return j;
        std::fill(fit.begin(), fit.end(), 0.0);
        columns_axpy(D.data, p, A.row(j), p, k, fit.data());
        double* atom = D.row(j);
        const double* target = B.row(j);
        for (Index l = 0; l < p; ++l) {
            atom[l] += (target[l] - fit[l]) / own;
            if (positive) atom[l] = std::max(atom[l], 0.0);
        }
        const double norm = std::sqrt(dot(atom, atom, p));
        if (norm > 1.0)
            for (Index l = 0; l < p; ++l) atom[l] /= norm;
    }
    return k;
}

}  // namespace statlearn::decomposition
