#include "common/gate.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace statlearn {
namespace {

PyObject* limit_variable = nullptr;  // lives as long as the process

// Who is beyond the gate, and whether it is closed.
struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    int calls = 0;   // threads in scopes without the GIL
    int taking = 0;  // threads that are about to take the GIL
    std::atomic<bool> closing{false};
    bool closed = false;
    std::thread::id closer;

    bool bars_this_thread() const { return closing.load() && std::this_thread::get_id() != closer; }

    void count(int& what, int change) {
        std::lock_guard<std::mutex> guard(mutex);
        what += change;
        if (closing.load()) changed.notify_all();
    }

    // The end of a call, in front of taking the GIL.
    void leave() {
        std::unique_lock<std::mutex> guard(mutex);
        while (closed && bars_this_thread()) changed.wait(guard);  // for ever
        --calls;
        ++taking;
        if (closing.load()) changed.notify_all();
    }
};

// Never deleted: threads may come to it while the process ends. A forked child has no other threads, but may have a
// copy of a locked mutex: it gets a new one.
Gate* gate = new Gate;

// Called at exit, before Python ends its threads, in the thread that does it: from now on, calls of other threads are
// interrupted, and raise SystemExit.
void begin_exit() {
    std::lock_guard<std::mutex> guard(gate->mutex);
    gate->closer = std::this_thread::get_id();
    gate->closing.store(true);
}

// Waits for calls at work, and then closes the gate for those that did not return in time.
void close_gate(double seconds) {
    nb::gil_scoped_release release;
    std::unique_lock<std::mutex> guard(gate->mutex);
    const std::chrono::duration<double> longest(seconds);
    gate->changed.wait_for(guard, longest, [] { return gate->calls <= 0; });
    gate->closed = true;
    gate->changed.wait_for(guard, std::chrono::seconds(5), [] { return gate->taking <= 0; });
}

}  // namespace

WithoutGil::WithoutGil() {
    raise_at_exit();
    gate->count(gate->calls, 1);
    state_ = PyEval_SaveThread();
}

WithoutGil::~WithoutGil() {
    gate->leave();
    PyEval_RestoreThread(state_);
    gate->count(gate->taking, -1);
}

WithGil::WithGil()
    : open([] {
          std::lock_guard<std::mutex> guard(gate->mutex);
          if (gate->bars_this_thread()) return false;
          ++gate->taking;
          return true;
      }()) {
    if (open) state_ = PyGILState_Ensure();
}

WithGil::~WithGil() {
    if (!open) return;
    PyGILState_Release(state_);
    gate->count(gate->taking, -1);
}

bool poll_signals() {
    const WithGil gil;
    return !gil.open || PyErr_CheckSignals() != 0;
}

void raise_at_exit() {
    if (!gate->bars_this_thread()) return;
    PyErr_SetNone(PyExc_SystemExit);
    throw nb::python_error();
}

void def_exit(nb::module_& m) {
#if defined(__unix__) || defined(__APPLE__)
    pthread_atfork(nullptr, nullptr, [] { gate = new Gate; });
#endif
    m.def("begin_exit", &begin_exit);
    m.def("close", &close_gate, "seconds"_a);
    m.def("end_thread", [](unsigned long thread) { PyThreadState_SetAsyncExc(thread, PyExc_SystemExit); }, "thread"_a);
}

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
