// Vectors whose new elements are not set: the memory of large results is first touched by the threads that fill it.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace statlearn {

template <class T>
struct UnsetAllocator : std::allocator<T> {
    static_assert(std::is_trivial_v<T>);
    template <class U>
    struct rebind {
        using other = UnsetAllocator<U>;
    };

    // Large memory in huge pages where the system has them, as numpy asks for: a fault for each small page costs more
    // than many a pass over its content.
    T* allocate(std::size_t n) {
        if (!large(n)) return std::allocator<T>::allocate(n);
        void* const memory = ::operator new(n * sizeof(T), kHugePage);
#if defined(__linux__)
        (void)madvise(memory, n * sizeof(T), MADV_HUGEPAGE);
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t n) {
        if (!large(n)) return std::allocator<T>::deallocate(memory, n);
        ::operator delete(memory, kHugePage);
    }

    template <class U>
    void construct(U*) noexcept {}  // resize(n)
    template <class U, class... Args>
    void construct(U* at, Args&&... args) {
        std::construct_at(at, std::forward<Args>(args)...);
    }

private:
    static constexpr std::align_val_t kHugePage{std::size_t(2) << 20};
    static bool large(std::size_t n) { return n > (std::size_t(2) << 20) / sizeof(T); }
};

template <class T>
using UnsetVector = std::vector<T, UnsetAllocator<T>>;

}  // namespace statlearn
