// BLAS and LAPACK through the entry points that scipy exports (scipy.linalg.cython_blas and cython_lapack): nothing is
// linked, and the process keeps one BLAS. _core/native.py hands the pointers over once, at import.
//
// Matrices are column-major with a leading dimension, as in the Fortran originals. scipy's BLAS has threads of its own:
// call it from a parallel_for body only on blocks that are too small for it to start them.
#pragma once

namespace statlearn::blas {

// C = alpha op(A) op(B) + beta C, with op given by 'N' or 'T'; op(A) is m x k, op(B) is k x n.
void gemm(char op_a, char op_b, int m, int n, int k, double alpha, const double* A, int lda, const double* B, int ldb,
          double beta, double* C, int ldc);
void gemm(char op_a, char op_b, int m, int n, int k, float alpha, const float* A, int lda, const float* B, int ldb,
          float beta, float* C, int ldc);

// C = alpha A A' + beta C ('N', A is n x k) or alpha A' A + beta C ('T', A is k x n); only the `half` ('U', 'L') is
// set.
void syrk(char half, char op, int n, int k, double alpha, const double* A, int lda, double beta, double* C, int ldc);
void syrk(char half, char op, int n, int k, float alpha, const float* A, int lda, float beta, float* C, int ldc);

// y = alpha op(A) x + beta y, A is m x n.
void gemv(char op, int m, int n, double alpha, const double* A, int lda, const double* x, double beta, double* y);
void gemv(char op, int m, int n, float alpha, const float* A, int lda, const float* x, float beta, float* y);

// Cholesky factor in place; 0, or the order of the leading minor that is not positive definite.
int potrf(char half, int n, double* A, int lda);
// Solves A X = B in place of B, given the Cholesky factor.
void potrs(char half, int n, int n_rhs, const double* A, int lda, double* B, int ldb);
// Eigen-decomposition of a symmetric matrix in place: A becomes the eigenvectors, w the values, ascending; 0 if
// converged.
int syevd(char half, int n, double* A, int lda, double* w);

// The pointers, by their Fortran names; `receive` ignores a name it does not know.
void receive(const char* name, void* pointer);
bool ready();

}  // namespace statlearn::blas
