#include "common/parallel.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif

namespace statlearn {
namespace {

int environment_threads() {
    for (const char* name : {"STATLEARN_NUM_THREADS", "OMP_NUM_THREADS"}) {
        if (const char* text = std::getenv(name)) {
            const int n = std::atoi(text);  // "4,2" (OpenMP's nested form) gives the outer level
            if (n > 0) return n;
        }
    }
    return 0;
}

int affinity_threads() {
#if defined(__linux__)
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
#endif
    return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

// Whole CPUs granted by a Linux container, 0 if there is no quota.
int quota_threads() {
#if defined(__linux__)
    double quota = -1.0, period = -1.0;
    if (std::FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "r")) {  // cgroup v2: "max 100000" or "200000 100000"
        if (std::fscanf(file, "%lf %lf", &quota, &period) != 2) quota = -1.0;
        std::fclose(file);
    }
    if (quota > 0 && period > 0) return std::max(1, static_cast<int>(quota / period + 0.5));
#endif
    return 0;
}

thread_local bool inside_loop = false;

class Pool {
public:
    ~Pool() = delete;  // lives until the process ends: joining threads during exit or after fork can hang

    void run(Index units, int n_threads, detail::Task task, void* context) {
        std::unique_lock<std::mutex> turn(turn_, std::try_to_lock);
        if (!turn.owns_lock()) return serial(units, task, context);
        {
            std::lock_guard<std::mutex> guard(mutex_);
            task_ = task, context_ = context, units_ = units;
            next_.store(0, std::memory_order_relaxed);
            error_ = nullptr;
            grow(n_threads - 1);
            wanted_ = std::min<int>(n_threads - 1, static_cast<int>(workers_));
            joined_ = left_ = 0;
            ++round_;
        }
        wake_.notify_all();
        work();
        {
            std::unique_lock<std::mutex> guard(mutex_);
            wanted_ = joined_;  // latecomers find nothing to do
            done_.wait(guard, [&] { return left_ == joined_; });
        }
        if (error_) std::rethrow_exception(error_);
    }

    static void serial(Index units, detail::Task task, void* context) {
        for (Index u = 0; u < units; ++u) task(context, u);
    }

private:
    void grow(int n) {
        while (workers_ < n) {
            try {
                std::thread([this] { loop(); }).detach();
            } catch (const std::system_error&) {
                return;  // fewer threads, same result
            }
            ++workers_;
        }
    }

    void loop() {
        inside_loop = true;
        std::uint64_t seen = 0;
        std::unique_lock<std::mutex> guard(mutex_);
        for (;;) {
            wake_.wait(guard, [&] { return round_ != seen && joined_ < wanted_; });
            seen = round_;
            ++joined_;
            guard.unlock();
            work();
            guard.lock();
            ++left_;
            done_.notify_one();
        }
    }

    void work() {
        const bool outer = inside_loop;
        inside_loop = true;
        for (Index u; (u = next_.fetch_add(1, std::memory_order_relaxed)) < units_;) {
            try {
                task_(context_, u);
            } catch (...) {
                std::lock_guard<std::mutex> guard(error_mutex_);
                if (!error_) error_ = std::current_exception();
                next_.store(units_, std::memory_order_relaxed);
            }
        }
        inside_loop = outer;
    }

    std::mutex turn_, mutex_, error_mutex_;
    std::condition_variable wake_, done_;
    detail::Task task_ = nullptr;
    void* context_ = nullptr;
    Index units_ = 0;
    std::atomic<Index> next_{0};
    std::exception_ptr error_;
    std::uint64_t round_ = 0;
    int workers_ = 0, wanted_ = 0, joined_ = 0, left_ = 0;
};

std::atomic<Pool*> pool{nullptr};
std::atomic<int> chosen{0};

Pool& the_pool() {
    Pool* current = pool.load(std::memory_order_acquire);
    if (current) return *current;
    auto* fresh = new Pool;
    if (pool.compare_exchange_strong(current, fresh)) {
#if defined(__unix__) || defined(__APPLE__)
        // The child of a fork has none of the threads: forget the old pool (its locks may be held) and start anew.
        static const int registered = pthread_atfork(nullptr, nullptr, [] {
            pool.store(nullptr);
            inside_loop = false;
        });
        (void)registered;
#endif
        return *fresh;
    }
    return *current;  // another thread was first; `fresh` has no threads and is left alone
}

}  // namespace

int default_threads() {
    int n = affinity_threads();
    if (const int quota = quota_threads()) n = std::min(n, quota);
    if (const int wished = environment_threads()) n = wished;
    return n;
}

int threads() {
    const int n = chosen.load(std::memory_order_relaxed);
    if (n > 0) return n;
    static const int standard = default_threads();
    return standard;
}

void set_threads(int n) { chosen.store(n, std::memory_order_relaxed); }

void detail::run_units(Index units, int n_threads, Task task, void* context) {
    if (units <= 1 || n_threads <= 1 || inside_loop) return Pool::serial(units, task, context);
    the_pool().run(units, static_cast<int>(std::min<Index>(n_threads, units)), task, context);
}

}  // namespace statlearn
