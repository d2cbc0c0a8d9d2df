// Working memory that a unit of work borrows from its thread.
//
// A vector of its own costs every unit an allocation and a pass of zeros over memory that it will overwrite. A Scratch
// takes a block of the thread's context instead, which keeps it for the next unit. The blocks of a worker are freed at
// the end of its loop, those of the calling thread at the end of the call.
#pragma once

#include <cassert>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

#include "common/view.hpp"

namespace statlearn {

// The blocks of one thread. Who takes the k-th while k are taken gets the same memory as the one before, larger if need
// be: units that do the same work in turn never allocate twice.
class ScratchStack {
public:
    void* take(std::size_t bytes) {
        if (taken_ == blocks_.size()) blocks_.emplace_back();
        Block& block = blocks_[taken_];
        if (block.bytes < bytes) {
            block = {};  // the old memory first: its contents mean nothing
            block = {Memory(static_cast<std::byte*>(::operator new(bytes, kAlignment))), bytes};
        }
        ++taken_;
        return block.memory.get();
    }

    void give_back() { --taken_; }

private:
    static constexpr std::align_val_t kAlignment{64};  // a cache line: no two threads write to the same one
    struct Free {
        void operator()(std::byte* memory) const { ::operator delete(memory, kAlignment); }
    };
    using Memory = std::unique_ptr<std::byte[], Free>;
    struct Block {
        Memory memory;
        std::size_t bytes = 0;
    };

    std::vector<Block> blocks_;
    std::size_t taken_ = 0;
};

// The blocks of the current thread: those of its context, or its own outside of calls.
ScratchStack& thread_scratch();

// `count` numbers of any content, until the end of the scope. For local variables only: blocks return in the reverse of
// the order in which they were taken.
template <class T>
class Scratch {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
    explicit Scratch(Index count)
        : stack_(thread_scratch()),
          data_(static_cast<T*>(stack_.take(static_cast<std::size_t>(count) * sizeof(T)))),
          size_(count) {}
    ~Scratch() { stack_.give_back(); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    T* data() { return data_; }
    T* begin() { return data_; }
    T* end() { return data_ + size_; }
    T& operator[](Index i) {
        assert(0 <= i && i < size_);
        return data_[i];
    }
    operator Span<T>() { return {data_, size_}; }

private:
    ScratchStack& stack_;
    T* const data_;
    const Index size_;
};

}  // namespace statlearn
