#include "common/blas.hpp"
#include "common/gate.hpp"

namespace statlearn {
namespace {

// LAPACK as kernels call it, for the tests; matrices are column-major.
template <class T>
void def_lapack(nb::module_& m) {
    m.def(
        "cholesky_probe",
        [](OutF<T> A, OutF<T> B) {
            // A becomes its inverse (lower half), B becomes A^-1 B; the order of the minor that is not positive.
            const int n = int(A.shape(0)), r = int(B.shape(1));
            require(A.shape(1) == A.shape(0) && B.shape(0) == A.shape(0) && n > 0,
                    "cholesky_probe: the shapes of the arrays do not match");
            if (const int info = blas::potrf('L', n, A.data(), n)) return info;
            blas::potrs('L', n, r, A.data(), n, B.data(), n);
            return blas::potri('L', n, A.data(), n);
        },
        "A"_array, "B"_array);
    m.def(
        "triangle_probe",
        [](InF<T> A, T alpha, OutF<T> B) {
            const int n = int(A.shape(0)), r = int(B.shape(1));
            require(A.shape(1) == A.shape(0) && B.shape(0) == A.shape(0) && n > 0,
                    "triangle_probe: the shapes of the arrays do not match");
            blas::trsm('L', 'L', 'N', false, n, r, alpha, A.data(), n, B.data(), n);
        },
        "A"_array, "alpha"_a, "B"_array);
    m.def(
        "eigen_probe",
        [](OutF<T> A, Out<T> w) {
            const int n = int(A.shape(0));
            require(A.shape(1) == A.shape(0) && w.shape(0) == A.shape(0) && n > 0,
                    "eigen_probe: the shapes of the arrays do not match");
            return blas::syevd('L', n, A.data(), n, w.data());
        },
        "A"_array, "w"_array);
}

}  // namespace

void bind_lapack(nb::module_& m) {
    def_lapack<double>(m);
    def_lapack<float>(m);
    m.def("work_size", &blas::work_size, "asked"_a, "rough"_a = false);
}

}  // namespace statlearn
