// Kernel functions of pairs of rows, a block at a time: Gram matrices, rows of a Gram matrix on demand, cross kernels.
//
// Rows are packed into panels once; a register tile adds up the inner products (or distances) of a block, and the
// function of them (exp, tanh, a power) is applied while the block is in the cache. A value depends on its two rows and
// on the stored rows as a whole, never on its neighbours in a block or on the number of threads: K(i, j) and K(j, i)
// are the same bits.
#pragma once

#include <memory>

#include "common/interrupt.hpp"
#include "common/view.hpp"

namespace statlearn {

enum class KernelKind : int {
    linear = 0,         // <x, z>
    polynomial = 1,     // (gamma <x, z> + coef0)^degree
    rbf = 2,            // exp(-gamma |x - z|^2)
    laplacian = 3,      // exp(-gamma sum |x_k - z_k|)
    sigmoid = 4,        // tanh(gamma <x, z> + coef0)
    cosine = 5,         // <x, z> / (|x| |z|), 0 for rows of zeros
    chi2 = 6,           // exp(-gamma sum (x_k - z_k)^2 / (x_k + z_k)), terms 0 / 0 count as 0
    additive_chi2 = 7,  // -sum (x_k - z_k)^2 / (x_k + z_k)
    minimum = 8,        // sum min(x_k, z_k)
    laplacian_l2 = 9,   // exp(-gamma |x - z|)
    logistic = 10,      // 1 / (1 + exp(-(gamma <x, z> + coef0)))
};
constexpr int kKernelKinds = 11;

struct KernelSpec {
    KernelKind kind = KernelKind::linear;
    double gamma = 1.0, coef0 = 0.0, degree = 3.0;
};

// K(i, j) = k(x_i, x_j) of stored rows x_0 .. x_{n-1}, computed when asked for: what a solver with a cache needs. The
// data are dense, sparse or the matrix itself; results come in either precision.
class KernelSource {
public:
    virtual ~KernelSource() = default;
    virtual Index size() const = 0;

    // out[r][j - first] = K(which[r], j) for first <= j < last. Divides the threads of the current context among
    // columns; a few rows at a time (at least four) cost much less than one by one. Allocates O(p) per row asked for.
    virtual void rows(Span<const Index> which, Index first, Index last, Span<double* const> out) const = 0;
    virtual void rows(Span<const Index> which, Index first, Index last, Span<float* const> out) const = 0;

    // out[i] = K(i, i).
    virtual void diagonal(Span<double> out) const = 0;
};

// Sources that keep a packed copy of the rows (n p numbers), a view of a sparse matrix, or a view of the kernel matrix
// (n x n, any strides); views must outlive the source. Sparse rows are given as the columns of X', row numbers
// ascending and none twice.
template <class T>
std::unique_ptr<KernelSource> dense_kernel(const KernelSpec& spec, Matrix<const T> X);
template <class T>
std::unique_ptr<KernelSource> sparse_kernel(const KernelSpec& spec, const CscView<T>& X);
template <class T>
std::unique_ptr<KernelSource> precomputed_kernel(Matrix<const T> K);

// out(i, j) = k(x_i, y_j), row-major. Cost O(n m p); stops early, with out incomplete, when interrupted.
template <class T>
void kernel_cross(const KernelSpec& spec, Matrix<const T> X, Matrix<const T> Y, const Interrupt& interrupt,
                  Matrix<T> out);
template <class T>
void kernel_cross(const KernelSpec& spec, const CscView<T>& X, const CscView<T>& Y, const Interrupt& interrupt,
                  Matrix<T> out);

// out(i, j) = k(x_i, x_j), row-major; each pair is computed once.
template <class T>
void kernel_gram(const KernelSpec& spec, Matrix<const T> X, const Interrupt& interrupt, Matrix<T> out);
template <class T>
void kernel_gram(const KernelSpec& spec, const CscView<T>& X, const Interrupt& interrupt, Matrix<T> out);

}  // namespace statlearn
