// What a call from Python carries: how many threads it may use, fixed when the call begins, whom to ask for Ctrl-C, and
// working memory. Kernels reach it through threads() (parallel.hpp) and Scratch (scratch.hpp).
#pragma once

#include "common/scratch.hpp"

namespace statlearn {

class Interrupt;

// What a thread may use. Every thread that works for a call has one: its share of the call's.
struct CallContext {
    int threads;                           // of this thread and those that it may put to work
    const Interrupt* interrupt = nullptr;  // asked while this thread waits for others; only in the calling thread
    bool inner = false;                    // the share of a unit of a loop
};

// Makes a context the one of the current thread, until the end of the scope, and lends it working memory for as long.
class CallScope {
public:
    explicit CallScope(const CallContext& context);
    ~CallScope();
    CallScope(const CallScope&) = delete;
    CallScope& operator=(const CallScope&) = delete;

    const CallContext context;
    ScratchStack scratch;

private:
    CallScope* const outer_;
};

}  // namespace statlearn
