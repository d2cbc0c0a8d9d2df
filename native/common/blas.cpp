#include "common/blas.hpp"

#include <cstring>
#include <vector>

namespace statlearn::blas {
namespace {

template <class T>
struct Entry {
    void (*gemm)(char*, char*, int*, int*, int*, T*, T*, int*, T*, int*, T*, T*, int*) = nullptr;
    void (*syrk)(char*, char*, int*, int*, T*, T*, int*, T*, T*, int*) = nullptr;
    void (*gemv)(char*, int*, int*, T*, T*, int*, T*, int*, T*, T*, int*) = nullptr;
};

template <class T>
Entry<T> entry;

void (*dpotrf)(char*, int*, double*, int*, int*) = nullptr;
void (*dpotrs)(char*, int*, int*, double*, int*, double*, int*, int*) = nullptr;
void (*dsyevd)(char*, char*, int*, double*, int*, double*, double*, int*, int*, int*, int*) = nullptr;

struct Slot {
    const char* name;
    void* place;
};

const Slot slots[] = {
    {"dgemm", &entry<double>.gemm},
    {"sgemm", &entry<float>.gemm},
    {"dsyrk", &entry<double>.syrk},
    {"ssyrk", &entry<float>.syrk},
    {"dgemv", &entry<double>.gemv},
    {"sgemv", &entry<float>.gemv},
    {"dpotrf", &dpotrf},
    {"dpotrs", &dpotrs},
    {"dsyevd", &dsyevd},
};

// The Fortran interface takes everything by pointer and promises no const.
template <class T>
T* loose(const T* pointer) {
    return const_cast<T*>(pointer);
}

template <class T>
void gemm_any(char op_a, char op_b, int m, int n, int k, T alpha, const T* A, int lda, const T* B, int ldb, T beta,
              T* C, int ldc) {
    entry<T>.gemm(&op_a, &op_b, &m, &n, &k, &alpha, loose(A), &lda, loose(B), &ldb, &beta, C, &ldc);
}

template <class T>
void syrk_any(char half, char op, int n, int k, T alpha, const T* A, int lda, T beta, T* C, int ldc) {
    entry<T>.syrk(&half, &op, &n, &k, &alpha, loose(A), &lda, &beta, C, &ldc);
}

template <class T>
void gemv_any(char op, int m, int n, T alpha, const T* A, int lda, const T* x, T beta, T* y) {
    int one = 1;
    entry<T>.gemv(&op, &m, &n, &alpha, loose(A), &lda, loose(x), &one, &beta, y, &one);
}

}  // namespace

void gemm(char op_a, char op_b, int m, int n, int k, double alpha, const double* A, int lda, const double* B, int ldb,
          double beta, double* C, int ldc) {
    gemm_any(op_a, op_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
void gemm(char op_a, char op_b, int m, int n, int k, float alpha, const float* A, int lda, const float* B, int ldb,
          float beta, float* C, int ldc) {
    gemm_any(op_a, op_b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
}
void syrk(char half, char op, int n, int k, double alpha, const double* A, int lda, double beta, double* C, int ldc) {
    syrk_any(half, op, n, k, alpha, A, lda, beta, C, ldc);
}
void syrk(char half, char op, int n, int k, float alpha, const float* A, int lda, float beta, float* C, int ldc) {
    syrk_any(half, op, n, k, alpha, A, lda, beta, C, ldc);
}
void gemv(char op, int m, int n, double alpha, const double* A, int lda, const double* x, double beta, double* y) {
    gemv_any(op, m, n, alpha, A, lda, x, beta, y);
}
void gemv(char op, int m, int n, float alpha, const float* A, int lda, const float* x, float beta, float* y) {
    gemv_any(op, m, n, alpha, A, lda, x, beta, y);
}

int potrf(char half, int n, double* A, int lda) {
    int info = 0;
    dpotrf(&half, &n, A, &lda, &info);
    return info;
}

void potrs(char half, int n, int n_rhs, const double* A, int lda, double* B, int ldb) {
    int info = 0;
    dpotrs(&half, &n, &n_rhs, loose(A), &lda, B, &ldb, &info);
}

int syevd(char half, int n, double* A, int lda, double* w) {
    char vectors = 'V';
    int info = 0, l_work = -1, l_iwork = -1, best_iwork = 0;
    double best_work = 0.0;
    dsyevd(&vectors, &half, &n, A, &lda, w, &best_work, &l_work, &best_iwork, &l_iwork, &info);
    l_work = static_cast<int>(best_work), l_iwork = best_iwork;
    std::vector<double> work(static_cast<std::size_t>(l_work));
    std::vector<int> iwork(static_cast<std::size_t>(l_iwork));
    dsyevd(&vectors, &half, &n, A, &lda, w, work.data(), &l_work, iwork.data(), &l_iwork, &info);
    return info;
}

void receive(const char* name, void* pointer) {
    for (const auto& slot : slots)
        if (std::strcmp(slot.name, name) == 0) std::memcpy(slot.place, &pointer, sizeof pointer);
}

bool ready() {
    for (const auto& slot : slots) {
        void* pointer = nullptr;
        std::memcpy(&pointer, slot.place, sizeof pointer);
        if (!pointer) return false;
    }
    return true;
}

}  // namespace statlearn::blas
