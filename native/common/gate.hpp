// The gate between Python and the kernels: array types, views, memory checks, the GIL and Ctrl-C.
// Only the bindings.cpp files include this.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/call_context.hpp"
#include "common/interrupt.hpp"
#include "common/parallel.hpp"
#include "common/rows.hpp"
#include "common/view.hpp"

namespace statlearn {

namespace nb = nanobind;
using namespace nb::literals;

// Arguments: In* are read only (a read-only memmap is fine), Out* are written. 1-d arrays are contiguous; a matrix
// comes in C order (In2), Fortran order (InF) or with any strides (InAny).
template <class T, int D = 1>
using In = nb::ndarray<const T, nb::ndim<D>, nb::c_contig, nb::device::cpu>;
template <class T, int D = 1>
using Out = nb::ndarray<T, nb::ndim<D>, nb::c_contig, nb::device::cpu>;
template <class T>
using InF = nb::ndarray<const T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
template <class T>
using OutF = nb::ndarray<T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
template <class T>
using InAny = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;

// The name of an array among the arguments of a binding. It is never converted: a kernel would read, or fill, a copy.
inline auto operator""_array(const char* name, std::size_t) { return nb::arg(name).noconvert(); }

template <class T, class... Args>
auto view(const nb::ndarray<T, Args...>& a) {
    using Array = nb::ndarray<T, Args...>;
    using Element = typename Array::Scalar;
    auto* data = static_cast<Element*>(a.data());
    if constexpr (Array::Config::N == 1) {
        return Span<Element>(data, a.shape(0));
    } else {
        return Matrix<Element>{data, Index(a.shape(0)), Index(a.shape(1)), Index(a.stride(0)), Index(a.stride(1))};
    }
}

inline void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

// Column starts and row numbers of a sparse matrix must stay inside the arrays: a wrong one would read foreign memory.
template <class T>
CscView<T> csc_view(const In<T>& values, const In<int>& rows_of, const In<int>& indptr, Index rows) {
    const Index cols = Index(indptr.shape(0)) - 1;
    require(cols >= 0 && values.shape(0) == rows_of.shape(0), "sparse matrix: the arrays have different lengths");
    const auto starts = view(indptr);
    require(starts[0] == 0 && std::size_t(starts[cols]) <= values.shape(0),
            "sparse matrix: `indptr` does not match the data");
    for (Index j = 0; j < cols; ++j) require(starts[j] <= starts[j + 1], "sparse matrix: `indptr` must not decrease");
    for (const int row : view(rows_of)) require(0 <= row && row < rows, "sparse matrix: a row index is out of range");
    return {view(values), view(rows_of), starts, rows, cols};
}

// Compressed rows, checked in the same way: they are the compressed columns of the transpose.
template <class T>
RowsView<T> csr_view(const In<T>& values, const In<int>& cols_of, const In<int>& indptr, Index cols) {
    const auto X = csc_view(values, cols_of, indptr, cols);
    return {X.values, X.rows_of, X.indptr, X.cols, X.rows};
}

template <class T>
RowsView<T> rows_view(const In<T, 2>& X) {
    return {{X.data(), X.shape(0) * X.shape(1)}, {}, {}, Index(X.shape(0)), Index(X.shape(1))};
}

// Either of them: all values row by row and `indptr` empty, or the three arrays of compressed rows.
template <class T>
RowsView<T> rows_view(const In<T>& values, const In<int>& cols_of, const In<int>& indptr, int cols) {
    require(cols >= 1, "cols must be at least 1");
    if (indptr.shape(0) > 0) return csr_view(values, cols_of, indptr, cols);
    require(values.shape(0) % std::size_t(cols) == 0, "values must hold whole rows of `cols` numbers");
    return {view(values), {}, {}, Index(values.shape(0)) / cols, cols};
}

// A numpy array that takes over the vector's memory: for results whose size only the kernel knows.
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* data) noexcept { delete static_cast<std::vector<T>*>(data); });
    return nb::ndarray<nb::numpy, T>(kept->data(), shape, owner);
}

// True once Ctrl-C was pressed, which leaves KeyboardInterrupt set for run_native to raise, or once the interpreter
// shuts down.
bool poll_signals();

// A scope without the GIL. Python ends threads that ask for the GIL while the interpreter shuts down: up to 3.13 by
// unwinding their stack, which aborts the process at the first destructor, from 3.14 on by blocking them. So the gate
// closes before that (see _core/exit.py): the constructor then raises SystemExit, and a destructor whose
// thread returns too late never does. The thread that shuts the interpreter down passes at any time.
class WithoutGil {
public:
    WithoutGil();
    ~WithoutGil();
    WithoutGil(const WithoutGil&) = delete;
    WithoutGil& operator=(const WithoutGil&) = delete;

private:
    PyThreadState* state_;
};

// A scope with the GIL inside of a kernel, for reports to Python; `open` is false, and the GIL not held, once the
// interpreter shuts down.
class WithGil {
public:
    WithGil();
    ~WithGil();
    WithGil(const WithGil&) = delete;
    WithGil& operator=(const WithGil&) = delete;

    const bool open;

private:
    PyGILState_STATE state_{};
};

// Raises SystemExit if the interpreter shuts down and this is another thread than the one that does it.
void raise_at_exit();

// What _core/exit.py calls.
void def_exit(nb::module_& m);

// The number of threads that the Python setting allows here and now (the context variable `thread_limit` of the
// module `common`, by default default_threads()). Needs the GIL.
int thread_limit();
void def_thread_limit(nb::module_& m);

// Runs body(interrupt) without the GIL, with the thread count that holds at its begin. Ctrl-C seen meanwhile is raised
// here, whatever the kernel returns, and so is SystemExit if the interpreter shuts down meanwhile.
template <class F>
auto run_native(F&& body) {
    const Interrupt interrupt(&poll_signals);
    CallScope scope({thread_limit(), &interrupt});
    const auto after = [] {
        if (PyErr_Occurred()) throw nb::python_error();
        raise_at_exit();
    };
    if constexpr (std::is_void_v<std::invoke_result_t<F, const Interrupt&>>) {
        {
            const WithoutGil released;
            body(interrupt);
        }
        after();
    } else {
        auto result = [&] {
            const WithoutGil released;
            return body(interrupt);
        }();
        after();
        return result;
    }
}

}  // namespace statlearn
