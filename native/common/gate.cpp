#include "common/gate.hpp"

#include <algorithm>
#include <limits>

namespace statlearn {
namespace {

PyObject* limit_variable = nullptr;  // lives as long as the process

}  // namespace

int thread_limit() {
    PyObject* value = nullptr;
    if (PyContextVar_Get(limit_variable, nullptr, &value) != 0) throw nb::python_error();
    const long limit = value && value != Py_None ? PyLong_AsLong(value) : 0;
    Py_XDECREF(value);
    if (limit == -1 && PyErr_Occurred()) throw nb::python_error();
    return limit > 0 ? static_cast<int>(std::min<long>(limit, std::numeric_limits<int>::max())) : threads();
}

void def_thread_limit(nb::module_& m) {
    limit_variable = PyContextVar_New("statlearn_thread_limit", nullptr);
    if (!limit_variable) throw nb::python_error();
    m.attr("thread_limit") = nb::handle(limit_variable);
    m.def("threads", &thread_limit);
    m.def("default_threads", &default_threads);
}

}  // namespace statlearn
