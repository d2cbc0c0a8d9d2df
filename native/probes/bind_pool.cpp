// The thread pool, the random numbers, the working memory and the interrupts of a call, as their tests call them.
#include <nanobind/stl/pair.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "common/gate.hpp"
#include "common/parallel.hpp"
#include "common/quota.hpp"
#include "common/rng.hpp"
#include "common/scratch.hpp"

namespace statlearn {

void bind_pool(nb::module_& m) {
    m.def("philox", [](std::uint64_t seed, std::uint64_t item, Out<std::uint32_t> out) {
        Rng rng(seed, item);
        for (auto& value : view(out)) value = rng.bits32();
    });
    m.def("random_normal", [](std::uint64_t seed, Out<double> out) {
        // One stream per block of rows: the same numbers for any number of threads.
        const auto values = view(out);
        const Blocks blocks(Index(values.size()), 1024);
        run_native([&](const Interrupt&) {
            parallel_for(blocks.count(), [&](Index b) {
                Rng rng(seed, std::uint64_t(b));
                for (Index i = blocks.begin(b); i < blocks.end(b); ++i) values[i] = rng.normal();
            });
        });
    });
    m.def("random_below", [](std::uint64_t seed, std::uint32_t n, Out<std::uint32_t> out) {
        require(n > 0, "random_below: n must be positive");
        Rng rng(seed, 0);
        for (auto& value : view(out)) value = rng.below(n);
    });
    m.def("parallel_probe", [](int units, bool nested) {
        // How many units ran, counted without atomics: each unit owns a slot.
        std::vector<int> slots(units, 0);
        run_native([&](const Interrupt&) {
            parallel_for(units, [&](Index u) {
                if (nested) {
                    std::vector<int> inner(7, 0);
                    parallel_for(7, [&](Index v) { inner[v] = 1; });
                    for (const int one : inner) slots[u] += one;
                } else {
                    slots[u] = 1;
                }
            });
        });
        int sum = 0;
        for (const int slot : slots) sum += slot;
        return sum;
    });
    m.def("thread_shares", [](Out<int> shares) {
        // The threads that each unit of a loop may use. As many units as there are threads wait for one another, so
        // that no thread has two of them.
        const auto own = view(shares);
        run_native([&](const Interrupt& stop) {
            const auto together = std::min<Index>(own.size(), threads());
            std::atomic<Index> there{0};
            parallel_for(Index(own.size()), [&](Index u) {
                own[u] = threads();
                ++there;
                while (there < together && !stop.requested()) std::this_thread::yield();
            });
        });
    });
    m.def("scratch_probe", [](int units) {
        // How many blocks of working memory the units took in all, and how many units found another's numbers in
        // theirs. Each takes two, as does a loop inside it.
        std::vector<double*> blocks(4 * units);
        std::vector<int> wrong(units, 0);
        run_native([&](const Interrupt&) {
            parallel_for(units, [&](Index u) {
                constexpr Index size = 100;
                Scratch<double> mine(size);
                std::fill(mine.begin(), mine.end(), double(u));
                double** const place = blocks.data() + 4 * u;
                {
                    Scratch<double> second(size);
                    std::fill(second.begin(), second.end(), -1.0);
                    place[0] = mine.data();
                    place[1] = second.data();
                }
                parallel_for(2, [&](Index v) {
                    Scratch<double> inner(2 * size);
                    std::fill(inner.begin(), inner.end(), -2.0);
                    place[2 + v] = inner.data();
                });
                wrong[u] = std::count(mine.begin(), mine.end(), double(u)) != size;
            });
        });
        std::sort(blocks.begin(), blocks.end());
        const auto distinct = std::unique(blocks.begin(), blocks.end()) - blocks.begin();
        return std::pair(int(distinct), std::accumulate(wrong.begin(), wrong.end(), 0));
    });
    m.def("thread_counts_seen", [](double seconds) {
        // The least and the largest number of threads that a call sees while it lasts.
        const auto start = std::chrono::steady_clock::now();
        return run_native([&](const Interrupt& stop) {
            std::pair<int, int> seen{threads(), threads()};
            while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds &&
                   !stop.requested()) {
                seen = {std::min(seen.first, threads()), std::max(seen.second, threads())};
                std::this_thread::yield();
            }
            return seen;
        });
    });
    m.def("await_answer", [](Out<std::uint8_t> flags, double seconds) {
        // Raises flags[0] and waits until another thread raises flags[1]; whether it did within the time.
        require(flags.shape(0) == 2, "await_answer: flags must have length 2");
        return run_native([&](const Interrupt& stop) {
            std::atomic_ref(flags.data()[0]) = 1;
            const std::atomic_ref answer(flags.data()[1]);
            const auto start = std::chrono::steady_clock::now();
            while (!answer && !stop.requested() &&
                   std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds)
                std::this_thread::yield();
            return answer != 0;
        });
    });
    m.def("throw_in_loop", [](int units, int culprit) {
        run_native([&](const Interrupt&) {
            parallel_for(units, [&](Index u) {
                if (u == culprit) throw std::runtime_error("unit failed");
            });
        });
    });
    m.def("spin_inside", [](double seconds) {
        // Waits likewise in a loop inside of a unit of the calling thread, in a unit of another one.
        const auto start = std::chrono::steady_clock::now();
        run_native([&](const Interrupt& stop) {
            const auto over = [&] {
                return stop.requested() ||
                       std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds;
            };
            const auto caller = std::this_thread::get_id();
            std::atomic<bool> begun{false};
            const auto wait = [&] {
                while (!begun && !over()) std::this_thread::yield();
            };
            parallel_for(2, 4, [&](Index) {
                if (std::this_thread::get_id() != caller) return wait();
                parallel_for(2, 2, [&](Index) {
                    if (std::this_thread::get_id() == caller) return wait();
                    begun = true;
                    while (!over()) std::this_thread::yield();
                });
            });
            return 0;
        });
    });
    m.def("sleep", [](double seconds) {
        // In native code, deaf to Ctrl-C: a long call of LAPACK.
        run_native([&](const Interrupt&) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); });
    });
    m.def("quota_threads", &quota_threads, "root"_a);
    m.def(
        "spin",
        [](double seconds, bool in_worker) {
            // Waits in native code until the time is over or Ctrl-C, in the calling thread or in another one; the
            // seconds waited.
            const auto start = std::chrono::steady_clock::now();
            const auto waited = [&] {
                return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            };
            return run_native([&](const Interrupt& stop) {
                const auto spin = [&] {
                    while (waited() < seconds && !stop.requested()) std::this_thread::yield();
                };
                if (!in_worker) {
                    spin();
                    return waited();
                }
                const auto caller = std::this_thread::get_id();
                std::atomic<bool> begun{false};
                parallel_for(2, 2, [&](Index) {
                    if (std::this_thread::get_id() != caller) {
                        begun = true;
                        spin();
                    } else {  // leaves once the other thread has its unit
                        while (!begun && waited() < seconds && !stop.requested()) std::this_thread::yield();
                    }
                });
                return waited();
            });
        },
        "seconds"_a, "in_worker"_a = false);
}

}  // namespace statlearn
