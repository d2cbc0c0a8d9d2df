#include "common/blas.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace statlearn::blas {
namespace {

template <class T>
struct Entry {
    void (*gemm)(char*, char*, int*, int*, int*, T*, T*, int*, T*, int*, T*, T*, int*) = nullptr;
    void (*syrk)(char*, char*, int*, int*, T*, T*, int*, T*, T*, int*) = nullptr;
    void (*gemv)(char*, int*, int*, T*, T*, int*, T*, int*, T*, T*, int*) = nullptr;
    void (*trsm)(char*, char*, char*, char*, int*, int*, T*, T*, int*, T*, int*) = nullptr;
    void (*trmm)(char*, char*, char*, char*, int*, int*, T*, T*, int*, T*, int*) = nullptr;
    void (*potrf)(char*, int*, T*, int*, int*) = nullptr;
    void (*potrs)(char*, int*, int*, T*, int*, T*, int*, int*) = nullptr;
    void (*potri)(char*, int*, T*, int*, int*) = nullptr;
    void (*syevd)(char*, char*, int*, T*, int*, T*, T*, int*, int*, int*, int*) = nullptr;
};

template <class T>
Entry<T> entry;

template <class T>
std::string type_name() {
    if constexpr (std::is_same_v<T, char>) return "char";
    if constexpr (std::is_same_v<T, int>) return "int";
    if constexpr (std::is_same_v<T, float>) return "float";
    if constexpr (std::is_same_v<T, double>) return "double";
}

// "void (char *, int *)", as scipy writes it.
template <class... A>
std::string signature_of(void (*)(A*...)) {
    std::string text;
    ((text += (text.empty() ? "" : ", ") + type_name<A>() + " *"), ...);
    return "void (" + text + ")";
}

struct Slot {
    std::string name, signature;
    void* place;
};

template <class T>
void add_slots(std::vector<Slot>& slots) {
    const std::string letter = std::is_same_v<T, double> ? "d" : "s";
    const auto add = [&](const char* name, auto& place) {
        slots.push_back({letter + name, signature_of(place), &place});
    };
    auto& e = entry<T>;
    add("gemm", e.gemm), add("syrk", e.syrk), add("gemv", e.gemv), add("trsm", e.trsm), add("trmm", e.trmm);
    add("potrf", e.potrf), add("potrs", e.potrs), add("potri", e.potri), add("syevd", e.syevd);
}

const std::vector<Slot>& slots() {
    static const std::vector<Slot> all = [] {
        std::vector<Slot> found;
        add_slots<double>(found);
        add_slots<float>(found);
        return found;
    }();
    return all;
}

// The Fortran interface takes everything by pointer and promises no const.
template <class T>
T* loose(const T* pointer) {
    return const_cast<T*>(pointer);
}

// With Cython's names of the two real types (__pyx_t_5scipy_6linalg_11cython_blas_d) replaced by C's.
std::string plain_types(const std::string& signature) {
    std::string plain;
    for (std::size_t at = 0; at < signature.size();) {
        std::size_t end = at;
        while (end < signature.size() &&
               (std::isalnum(static_cast<unsigned char>(signature[end])) || signature[end] == '_'))
            ++end;
        const std::string word = signature.substr(at, std::max<std::size_t>(end - at, 1));
        if (word.starts_with("__pyx_t_") && word.ends_with("_d"))
            plain += "double";
        else if (word.starts_with("__pyx_t_") && word.ends_with("_s"))
            plain += "float";
        else
            plain += word;
        at += word.size();
    }
    return plain;
}

int checked(int info, const char* name) {
    if (info < 0)
        throw std::logic_error(std::string("LAPACK's ") + name + ": argument " + std::to_string(-info) +
                               " is out of range");
    return info;
}

template <class T>
int work_size(T asked) {
    return blas::work_size(asked, std::is_same_v<T, float>);
}

}  // namespace

int work_size(double asked, bool rough) {
    const double size = std::floor(asked * (rough ? 1.0001 : 1.0)) + 1.0;
    if (!(asked >= 0.0 && size <= std::numeric_limits<int>::max()))
        throw std::length_error("LAPACK's work space would have more than 2^31 - 1 elements: the matrix is too large");
    return static_cast<int>(size);
}

template <class T>
void gemm(char op_a, char op_b, int m, int n, int k, Scalar<T> alpha, const T* A, int lda, const T* B, int ldb,
          Scalar<T> beta, T* C, int ldc) {
    entry<T>.gemm(&op_a, &op_b, &m, &n, &k, &alpha, loose(A), &lda, loose(B), &ldb, &beta, C, &ldc);
}

template <class T>
void syrk(char half, char op, int n, int k, Scalar<T> alpha, const T* A, int lda, Scalar<T> beta, T* C, int ldc) {
    entry<T>.syrk(&half, &op, &n, &k, &alpha, loose(A), &lda, &beta, C, &ldc);
}

template <class T>
void gemv(char op, int m, int n, Scalar<T> alpha, const T* A, int lda, const T* x, Scalar<T> beta, T* y) {
    int one = 1;
    entry<T>.gemv(&op, &m, &n, &alpha, loose(A), &lda, loose(x), &one, &beta, y, &one);
}

template <class T>
void trsm(char side, char half, char op, bool unit_diagonal, int m, int n, Scalar<T> alpha, const T* A, int lda, T* B,
          int ldb) {
    char diagonal = unit_diagonal ? 'U' : 'N';
    entry<T>.trsm(&side, &half, &op, &diagonal, &m, &n, &alpha, loose(A), &lda, B, &ldb);
}

template <class T>
void trmm(char side, char half, char op, bool unit_diagonal, int m, int n, Scalar<T> alpha, const T* A, int lda, T* B,
          int ldb) {
    char diagonal = unit_diagonal ? 'U' : 'N';
    entry<T>.trmm(&side, &half, &op, &diagonal, &m, &n, &alpha, loose(A), &lda, B, &ldb);
}

template <class T>
int potrf(char half, int n, T* A, int lda) {
    int info = 0;
    entry<T>.potrf(&half, &n, A, &lda, &info);
    if (checked(info, "potrf") != 0) return info;
    // OpenBLAS takes a pivot that is NaN or infinite for a positive one.
    for (int j = 0; j < n; ++j)
        if (!std::isfinite(A[static_cast<std::ptrdiff_t>(j) * lda + j])) return j + 1;
    return 0;
}

template <class T>
void potrs(char half, int n, int n_rhs, const T* A, int lda, T* B, int ldb) {
    int info = 0;
    entry<T>.potrs(&half, &n, &n_rhs, loose(A), &lda, B, &ldb, &info);
    checked(info, "potrs");
}

template <class T>
int potri(char half, int n, T* A, int lda) {
    int info = 0;
    entry<T>.potri(&half, &n, A, &lda, &info);
    return checked(info, "potri");
}

template <class T>
int syevd(char half, int n, T* A, int lda, T* w) {
    char vectors = 'V';
    int info = 0, l_work = -1, l_iwork = -1, best_iwork = 0;
    T best_work = 0;
    entry<T>.syevd(&vectors, &half, &n, A, &lda, w, &best_work, &l_work, &best_iwork, &l_iwork, &info);
    checked(info, "syevd");
    l_work = work_size(best_work), l_iwork = best_iwork;
    std::vector<T> work(l_work);
    std::vector<int> iwork(l_iwork);
    entry<T>.syevd(&vectors, &half, &n, A, &lda, w, work.data(), &l_work, iwork.data(), &l_iwork, &info);
    return checked(info, "syevd");
}

void receive(const char* name, const char* signature, void* pointer) {
    const std::string plain = plain_types(signature);
    for (const auto& slot : slots()) {
        if (slot.name != name) continue;
        if (plain != slot.signature)
            throw std::invalid_argument(slot.name + ": scipy exports " + plain + ", expected " + slot.signature);
        std::memcpy(slot.place, &pointer, sizeof pointer);
        return;
    }
    throw std::invalid_argument(std::string(name) + ": no kernel calls it");
}

bool ready() {
    for (const auto& slot : slots()) {
        void* pointer = nullptr;
        std::memcpy(&pointer, slot.place, sizeof pointer);
        if (!pointer) return false;
    }
    return true;
}

#define STATLEARN_BLAS(T)                                                                                       \
    template void gemm(char, char, int, int, int, Scalar<T>, const T*, int, const T*, int, Scalar<T>, T*, int); \
    template void syrk(char, char, int, int, Scalar<T>, const T*, int, Scalar<T>, T*, int);                     \
    template void gemv(char, int, int, Scalar<T>, const T*, int, const T*, Scalar<T>, T*);                      \
    template void trsm(char, char, char, bool, int, int, Scalar<T>, const T*, int, T*, int);                    \
    template void trmm(char, char, char, bool, int, int, Scalar<T>, const T*, int, T*, int);                    \
    template int potrf(char, int, T*, int);                                                                     \
    template void potrs(char, int, int, const T*, int, T*, int);                                                \
    template int potri(char, int, T*, int);                                                                     \
    template int syevd(char, int, T*, int, T*);
STATLEARN_BLAS(double)
STATLEARN_BLAS(float)
#undef STATLEARN_BLAS

}  // namespace statlearn::blas
