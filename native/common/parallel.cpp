#include "common/parallel.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif
#if defined(__linux__)
#include <sched.h>
#endif
#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#endif

#include "common/call_context.hpp"
#include "common/interrupt.hpp"
#include "common/quota.hpp"

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

thread_local CallScope* current = nullptr;

using Clock = std::chrono::steady_clock;

inline void pause() {
#if defined(__x86_64__) || defined(_M_X64)
    _mm_pause();
#elif defined(__aarch64__) && defined(__GNUC__)
    asm volatile("yield");
#endif
}

// Where a worker may wake. Some kernels wake a thread on the processor of the thread that wakes it, although others are
// idle; both then share it for milliseconds, in which many a loop ends. So a worker sleeps with the processor of its
// last caller taken out of its affinity, and has it back when it is awake, where balancing the load is the kernel's.
class Affinity {
#if defined(__linux__)
public:
    static int here() { return sched_getcpu(); }

    void avoid(int processor) {
        if (processor < 0 || processor >= CPU_SETSIZE || sched_getaffinity(0, sizeof all_, &all_)) return;
        without_ = all_;
        CPU_CLR(static_cast<unsigned>(processor), &without_);
        left_out_ = CPU_COUNT(&without_) > 0 && sched_setaffinity(0, sizeof without_, &without_) == 0;
    }

    void restore() {
        cpu_set_t now;
        // Unless someone else has changed it meanwhile
        if (left_out_ && sched_getaffinity(0, sizeof now, &now) == 0 && CPU_EQUAL(&now, &without_))
            sched_setaffinity(0, sizeof all_, &all_);
        left_out_ = false;
    }

private:
    cpu_set_t all_, without_;
    bool left_out_ = false;
#else
public:
    static int here() { return -1; }
    void avoid(int) {}
    void restore() {}
#endif
};

// Where a thread waits for a condition that another thread makes true and then announces. It looks for a while before
// it sleeps, since waking a thread costs more than many a loop; for how long, it learns: looking must have paid off
// lately, and a thread that loses its processor while it looks (a busy machine) stops looking for some waits.
class WaitSlot {
public:
    // Returns once ready() is true; asks `interrupt` meanwhile, if given. `retire` is called before it sleeps.
    template <class Ready, class Retire>
    void wait(Ready ready, const Interrupt* interrupt, Retire retire) {
        if (ready()) return;
        const auto start = Clock::now();
        if (look(ready, start)) return;
        retire();
        {
            std::unique_lock<std::mutex> guard(mutex_);
            for (;;) {
                asleep_.store(true);
                if (ready()) break;
                if (interrupt) {
                    wake_.wait_for(guard, std::chrono::milliseconds(50));
                    guard.unlock();  // the question takes the GIL
                    (void)interrupt->requested();
                    guard.lock();
                } else {
                    wake_.wait(guard);
                }
            }
            asleep_.store(false, std::memory_order_relaxed);
        }
        learn(Clock::now() - start);
    }

    // To be called after the condition was made true, with a sequentially consistent store.
    void announce() {
        // It looks, or will look before it sleeps; or it was woken and has no processor yet: once is enough.
        if (!asleep_.load() || !asleep_.exchange(false)) return;
        {
            std::lock_guard<std::mutex> guard(mutex_);
        }
        wake_.notify_one();
    }

private:
    static constexpr std::chrono::nanoseconds kLongest{20'000}, kShortest{1'000}, kLostProcessor{10'000};
    static constexpr int kBusyWaits = 64;

    template <class Ready>
    bool look(Ready ready, Clock::time_point start) {
        if (busy_ > 0) {
            --busy_;
            return false;
        }
        if (patience_ < kShortest) return false;
        for (auto last = start;;) {
            for (int k = 0; k < 16; ++k) {
                if (ready()) {
                    patience_ = std::min(2 * patience_, kLongest);
                    return true;
                }
                pause();
            }
            const auto now = Clock::now();
            if (now - last > kLostProcessor) {
                busy_ = kBusyWaits;
                return false;
            }
            if (now - start > patience_) return false;
            last = now;
        }
    }

    // After a sleep: whether looking longer would have spared it.
    void learn(std::chrono::nanoseconds waited) {
        patience_ = waited < kLongest ? std::min(std::max(2 * patience_, kShortest), kLongest) : patience_ / 2;
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::atomic<bool> asleep_{false};
    // Of the waiting thread alone.
    std::chrono::nanoseconds patience_ = kLongest;
    int busy_ = 0;
};

// A loop at work; it lives on the stack of the thread that called it.
struct Loop {
    const detail::Task task;
    void* const body;
    const Index units;
    WaitSlot* const slot;      // where the caller waits for the workers
    std::atomic<int> running;  // workers that have not yet finished
    std::atomic<Index> next{0};
    std::mutex error_mutex{};
    std::exception_ptr error{};

    void work(int share, const Interrupt* interrupt = nullptr) {
        CallScope scope({share, interrupt, true});
        for (Index u; (u = next.fetch_add(1, std::memory_order_relaxed)) < units;) {
            try {
                task(body, u);
            } catch (...) {
                std::lock_guard<std::mutex> guard(error_mutex);
                if (!error) error = std::current_exception();
                next.store(units, std::memory_order_relaxed);
            }
        }
    }

    static void serial(Index units, detail::Task task, void* body) {
        for (Index u = 0; u < units; ++u) task(body, u);
    }
};

struct Worker {
    std::atomic<Loop*> loop{nullptr};  // what to work on next
    int share = 1;                     // the threads that it may use there, itself included
    std::atomic<int> taken{-1};        // the processor of the caller who gave it work last
    WaitSlot slot;
    Affinity affinity;
    Worker* next = nullptr;  // in the list of idle ones, or in a team

    [[noreturn]] void live() {
        for (;;) {
            slot.wait([&] { return loop.load() != nullptr; }, nullptr,
                      [&] { affinity.avoid(taken.load(std::memory_order_relaxed)); });
            affinity.restore();
            if (const int processor = taken.load(std::memory_order_relaxed); processor == Affinity::here()) {
                affinity.avoid(processor);  // the caller has moved: step aside
                affinity.restore();
            }
            Loop* const mine = loop.exchange(nullptr);
            if (!mine) continue;  // taken back: the others were faster
            WaitSlot* const caller = mine->slot;
            mine->work(share);
            // The loop may be gone as soon as its caller sees zero; the slot stays.
            if (mine->running.fetch_sub(1) == 1) caller->announce();
        }
    }
};

struct Caller {
    WaitSlot slot;
    Caller* next = nullptr;  // in the list of idle ones
};

class Pool {
public:
    ~Pool() = delete;  // lives until the process ends: joining threads during exit or after fork can hang

    void run(Index units, int n_threads, detail::Task task, void* body) {
        const bool inner = current && current->context.inner;
        const Interrupt* const interrupt = current ? current->context.interrupt : nullptr;
        Team team = acquire(units, n_threads, inner);
        Loop loop{task, body, units, &team.caller->slot, team.size};
        const int hands = team.size + 1, each = team.threads / hands, more = team.threads % hands;
        const int here = Affinity::here();
        int k = 0;
        for (Worker* worker = team.first; worker; worker = worker->next) {
            worker->share = each + (++k < more);
            worker->taken.store(here, std::memory_order_relaxed);
            worker->loop.store(&loop);
            worker->slot.announce();
        }
        loop.work(each + (more > 0), interrupt);
        for (Worker* worker = team.first; worker; worker = worker->next)  // who has not begun by now is not needed
            if (worker->loop.exchange(nullptr)) loop.running.fetch_sub(1);
        team.caller->slot.wait([&] { return loop.running.load() == 0; }, interrupt, [] {});
        release(team, inner);
        if (loop.error) std::rethrow_exception(loop.error);
    }

private:
    struct Team {
        Worker *first = nullptr, *last = nullptr;
        int size = 0;
        int threads = 1;  // of the loop and of those inside it
        Caller* caller = nullptr;
    };

    // The workers of a loop, without the caller. The loops of several calls divide the threads: each begins with its
    // part of them, and has more or less at its next loop.
    Team acquire(Index units, int n_threads, bool inner) {
        std::lock_guard<std::mutex> guard(mutex_);
        Team team;
        team.threads = inner ? n_threads : std::max(1, n_threads / ++calls_);
        const int wanted = static_cast<int>(std::min<Index>(team.threads, units)) - 1;
        while (team.size < wanted) {
            Worker* worker = idle_;
            if (worker)
                idle_ = worker->next;
            else if (!(worker = start()))
                break;  // fewer threads, same result
            worker->next = nullptr;
            (team.last ? team.last->next : team.first) = worker;
            team.last = worker;
            ++team.size;
        }
        if (!callers_) callers_ = new Caller;
        team.caller = callers_;
        callers_ = callers_->next;
        return team;
    }

    // The first of the team is the first of the next: its cache is warm, and it may still be awake.
    void release(const Team& team, bool inner) {
        std::lock_guard<std::mutex> guard(mutex_);
        if (team.last) {
            team.last->next = idle_;
            idle_ = team.first;
        }
        team.caller->next = callers_;
        callers_ = team.caller;
        calls_ -= !inner;
    }

    static Worker* start() {
        auto worker = std::make_unique<Worker>();
        try {
            std::thread([raw = worker.get()] { raw->live(); }).detach();
        } catch (const std::system_error&) {
            return nullptr;
        }
        return worker.release();
    }

    std::mutex mutex_;
    Worker* idle_ = nullptr;
    Caller* callers_ = nullptr;
    int calls_ = 0;  // at work in a loop
};

std::atomic<Pool*> pool{nullptr};

Pool& the_pool() {
    Pool* known = pool.load(std::memory_order_acquire);
    if (known) return *known;
    auto* fresh = new Pool;
    if (pool.compare_exchange_strong(known, fresh)) {
#if defined(__unix__) || defined(__APPLE__)
        // The child of a fork has none of the threads: forget the old pool (its locks may be held) and start anew.
        static const int registered = pthread_atfork(nullptr, nullptr, [] {
            pool.store(nullptr);
            current = nullptr;
        });
        (void)registered;
#endif
        return *fresh;
    }
    return *known;  // another thread was first; `fresh` has no threads and is left alone
}

}  // namespace

CallScope::CallScope(const CallContext& its_context) : context(its_context), outer_(current) { current = this; }
CallScope::~CallScope() { current = outer_; }

ScratchStack& thread_scratch() {
    thread_local ScratchStack outside;
    return current ? current->scratch : outside;
}

int default_threads() {
    if (const int wished = environment_threads()) return wished;
    const int n = affinity_threads(), quota = quota_threads();
    return quota > 0 ? std::min(n, quota) : n;
}

int threads() {
    if (current) return current->context.threads;
    static const int standard = default_threads();
    return standard;
}

void detail::run_units(Index units, int n_threads, Task task, void* body) {
    n_threads = std::min(n_threads, threads());
    if (units <= 1 || n_threads <= 1) return Loop::serial(units, task, body);
    the_pool().run(units, n_threads, task, body);
}

}  // namespace statlearn
