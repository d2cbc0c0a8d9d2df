// Parallel loops on a small thread pool of our own.
//
// A loop divides the threads of its call (call_context.hpp) among its units, so that loops inside it share what it
// leaves: five units on 32 threads have six or seven threads each. Loops of several callers divide the machine
// likewise. The pool starts at the first parallel loop and is rebuilt in a forked child. None of this can change a
// result: units of work are independent, and reductions are added in the order of the units.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "common/view.hpp"

namespace statlearn {

// The number of threads a loop of this thread may use: constant from the begin of a call to its end, and inside the
// body of a loop the share of its unit. Outside of calls it is default_threads().
int threads();

// What the process may use: STATLEARN_NUM_THREADS or OMP_NUM_THREADS, else CPU affinity and container quota.
int default_threads();

// How much a loop does in all, in simple operations (a sum, a product, a comparison), roughly. A thread is worth waking
// for some tens of microseconds of work: loops that do less run on fewer threads, or on the calling one alone.
struct Work {
    double operations;
    explicit Work(double count) : operations(count) {}
    explicit Work(Index count) : operations(static_cast<double>(count)) {}
};
constexpr double kOperationsPerThread = 50'000.0;  // empirical

inline int threads_for(Work work) {
    const double worth = work.operations / kOperationsPerThread;
    const int most = threads();
    return worth >= most ? most : std::max(1, static_cast<int>(worth));
}

namespace detail {
using Task = void (*)(void* context, Index unit);
// Runs task(context, u) for u = 0..units-1 on up to n_threads threads (at most those of the current context), the
// caller among them; units are handed out in increasing order. The first exception of a task is thrown again in the
// caller once all threads have stopped.
void run_units(Index units, int n_threads, Task task, void* context);
}  // namespace detail

template <class F>
void parallel_for(Index units, int n_threads, F&& body) {
    using Body = std::remove_reference_t<F>;
    detail::run_units(
        units, n_threads, [](void* context, Index unit) { (*static_cast<Body*>(context))(unit); },
        const_cast<void*>(static_cast<const void*>(&body)));
}

template <class F>
void parallel_for(Index units, F&& body) {
    parallel_for(units, threads(), static_cast<F&&>(body));
}

template <class F>
void parallel_for(Index units, Work work, F&& body) {
    parallel_for(units, threads_for(work), static_cast<F&&>(body));
}

// A grid over 0..n-1 that depends on n only, so that sums over its blocks are the same for any number of threads.
struct Blocks {
    Index n, size;
    explicit Blocks(Index total, Index block = 4096) : n(total), size(block) {}
    Index count() const { return (n + size - 1) / size; }
    Index begin(Index b) const { return b * size; }
    Index end(Index b) const { return std::min(n, (b + 1) * size); }
};

// Sum over blocks of body(begin, end), added in block order.
template <class F>
double parallel_sum(Blocks blocks, F&& body) {
    std::vector<double> part(blocks.count());
    parallel_for(blocks.count(), [&](Index b) { part[b] = body(blocks.begin(b), blocks.end(b)); });
    double sum = 0.0;
    for (const double value : part) sum += value;
    return sum;
}

}  // namespace statlearn
