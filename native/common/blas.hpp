// BLAS and LAPACK through the entry points that scipy exports (scipy.linalg.cython_blas and cython_lapack): nothing is
// linked, and the process keeps one BLAS. _core/native.py hands the pointers over once, at import.
//
// Matrices are column-major with a leading dimension, as in the Fortran originals; T is float or double. scipy's BLAS
// has threads of its own: call it from a parallel_for body only on blocks that are too small for it to start them.
//
// LAPACK's `info` is returned where the data decide it, and must be looked at; an argument out of range (a negative
// `info`) is an error of the program and thrown as std::logic_error.
#pragma once

#include <type_traits>

namespace statlearn::blas {

// A scalar that does not take part in the deduction of T.
template <class T>
using Scalar = std::type_identity_t<T>;

// C = alpha op(A) op(B) + beta C, with op given by 'N' or 'T'; op(A) is m x k, op(B) is k x n.
template <class T>
void gemm(char op_a, char op_b, int m, int n, int k, Scalar<T> alpha, const T* A, int lda, const T* B, int ldb,
          Scalar<T> beta, T* C, int ldc);

// C = alpha A A' + beta C ('N', A is n x k) or alpha A' A + beta C ('T', A is k x n); only the `half` ('U', 'L') is
// set.
template <class T>
void syrk(char half, char op, int n, int k, Scalar<T> alpha, const T* A, int lda, Scalar<T> beta, T* C, int ldc);

// y = alpha op(A) x + beta y, A is m x n.
template <class T>
void gemv(char op, int m, int n, Scalar<T> alpha, const T* A, int lda, const T* x, Scalar<T> beta, T* y);

// Solves op(A) X = alpha B (side 'L') or X op(A) = alpha B ('R') in place of B, which is m x n, with a triangle A.
template <class T>
void trsm(char side, char half, char op, bool unit_diagonal, int m, int n, Scalar<T> alpha, const T* A, int lda, T* B,
          int ldb);

// B = alpha op(A) B (side 'L') or alpha B op(A) ('R') in place of B, which is m x n, with a triangle A.
template <class T>
void trmm(char side, char half, char op, bool unit_diagonal, int m, int n, Scalar<T> alpha, const T* A, int lda, T* B,
          int ldb);

// Cholesky factor in place; 0, or the order of the leading minor that is not positive definite, or not finite: the
// factor is then incomplete and must not be used.
template <class T>
[[nodiscard]] int potrf(char half, int n, T* A, int lda);
// Solves A X = B in place of B, given the Cholesky factor.
template <class T>
void potrs(char half, int n, int n_rhs, const T* A, int lda, T* B, int ldb);
// The inverse (its `half`) in place of the Cholesky factor; 0, or the number of a pivot that is zero.
template <class T>
[[nodiscard]] int potri(char half, int n, T* A, int lda);

// Eigen-decomposition of a symmetric matrix in place: A becomes the eigenvectors, w the values, ascending; 0 if
// converged.
template <class T>
[[nodiscard]] int syevd(char half, int n, T* A, int lda, T* w);

// Takes an entry point by its Fortran name; `signature` is what scipy says of it ("void (char *, int *, ...)").
// Throws std::invalid_argument if the name is not known or the signature is not the one that is called here.
void receive(const char* name, const char* signature, void* pointer);
bool ready();

// The size of a work space that LAPACK asks for as a number, roughly if it is a float's. std::length_error if it would
// not fit into an int.
int work_size(double asked, bool rough = false);

}  // namespace statlearn::blas
