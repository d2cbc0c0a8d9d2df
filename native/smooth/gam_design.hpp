// Design matrices of additive models with discrete covariates (Wood, Li, Shaddick & Augustin, 2017; Li & Wood, 2020): a
// covariate with few distinct values has few distinct rows of basis functions, and a code per row says which. The
// matrix itself is never held: blocks of it are made when needed.
#pragma once

#include <cstdint>
#include <vector>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn::smooth {

// n rows of `width` columns. The columns of a term are the products of one row of each of its tables (the last runs
// fastest), times a numeric variable if it has one; a term without tables is that variable, or the constant 1.
template <class Code>
struct GamDesign {
    struct Part {
        const Code* codes;           // n of them, below the rows of the table
        Matrix<const double> table;  // row-major
    };
    struct Term {
        Index first, last;         // its parts
        const double* multiplier;  // or null
        Index step;                // from row to row of the multiplier
        Index start, width;        // its columns
        Index hot;                 // not below 0: of the columns only number code - hot is not 0 (all, if negative)
    };
    Index n = 0, width = 0;
    std::vector<Part> parts;
    std::vector<Term> terms;

    void write_row(const Term& term, Index i, double* out) const;  // the columns of the term in row i

    // For a term with one column that is not 0: its number in row i (below 0 where all are 0), and what it holds.
    Index level(const Term& term, Index i) const { return Index(parts[term.first].codes[i]) - term.hot; }
    static double value(const Term& term, Index i) { return term.multiplier ? term.multiplier[i * term.step] : 1.0; }
};

// G = X' diag(w) X (width x width, both halves); no weights at all are ones. Cost n q^2 / 2 for q columns of terms that
// are not hot, and n q for each that is; the same bits for any number of threads.
template <class Code>
void gam_gram(const GamDesign<Code>& X, Span<const double> w, const Interrupt& interrupt, Matrix<double> G);

// out = X' v. A term of one table costs n additions.
template <class Code>
void gam_products(const GamDesign<Code>& X, Span<const double> v, const Interrupt& interrupt, Span<double> out);

// out = X beta. A term of one table costs n additions.
template <class Code>
void gam_values(const GamDesign<Code>& X, Span<const double> beta, const Interrupt& interrupt, Span<double> out);

// out_i = x_i' A x_i for a symmetric A (width x width, row-major). Cost n q^2, q as above.
template <class Code>
void gam_quadratic(const GamDesign<Code>& X, Matrix<const double> A, const Interrupt& interrupt, Span<double> out);

// The distinct values of x in increasing order, or nothing if there are more than `most`.
std::vector<double> distinct_values(const double* x, Index n, Index step, Index most);

// The number of the nearest of the increasing `values` for each x (the lower one of two equally near).
template <class Code>
void nearest_codes(const double* x, Index n, Index step, Span<const double> values, const Interrupt& interrupt,
                   Span<Code> codes);

}  // namespace statlearn::smooth
