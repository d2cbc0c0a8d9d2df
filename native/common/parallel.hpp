// Parallel loops on a small thread pool of our own.
//
// The pool starts at the first parallel loop, never nests (an inner loop runs serially in its thread), is rebuilt in a
// forked child, and serves one loop at a time (a second caller meanwhile runs its loop serially). None of this can
// change a result: units of work are independent, and reductions are added in the order of the units.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "common/view.hpp"

namespace statlearn {

// The number of threads a loop uses: the value set by set_threads, by default what the process may use
// (STATLEARN_NUM_THREADS or OMP_NUM_THREADS, CPU affinity, container quota).
int threads();
void set_threads(int n);  // n < 1 returns to the default
int default_threads();

namespace detail {
using Task = void (*)(void* context, Index unit);
// Runs task(context, u) for u = 0..units-1 on up to n_threads threads, the caller among them; units are handed out in
// increasing order. The first exception of a task is thrown again in the caller once all threads have stopped.
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
    std::vector<double> part(static_cast<std::size_t>(blocks.count()));
    parallel_for(blocks.count(),
                 [&](Index b) { part[static_cast<std::size_t>(b)] = body(blocks.begin(b), blocks.end(b)); });
    double sum = 0.0;
    for (const double value : part) sum += value;
    return sum;
}

}  // namespace statlearn
