// Asks the user, a few times a second, whether to go on.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace statlearn {

// Kernels call `requested()` once per outer iteration, from any thread. Only the thread that made the object looks at
// the outside world (through `poll`), and at most every 50 ms; the others read the flag it leaves.
class Interrupt {
public:
    using Poll = bool (*)();

    explicit Interrupt(Poll poll = nullptr) : poll_(poll), owner_(std::this_thread::get_id()), last_(Clock::now()) {}

    bool requested() const {
        if (flag_.load(std::memory_order_relaxed)) return true;
        if (!poll_ || std::this_thread::get_id() != owner_) return false;
        const auto now = Clock::now();
        if (now - last_ < std::chrono::milliseconds(50)) return false;
        last_ = now;
        if (poll_()) flag_.store(true, std::memory_order_relaxed);
        return flag_.load(std::memory_order_relaxed);
    }

private:
    using Clock = std::chrono::steady_clock;
    Poll poll_;
    std::thread::id owner_;
    mutable Clock::time_point last_;
    mutable std::atomic<bool> flag_{false};
};

}  // namespace statlearn
