// Vectors whose new elements are not set: the memory of large results is first touched by the threads that fill it.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace statlearn {

template <class T>
struct UnsetAllocator : std::allocator<T> {
    static_assert(std::is_trivial_v<T>);
    template <class U>
    struct rebind {
        using other = UnsetAllocator<U>;
    };
    template <class U>
    void construct(U*) noexcept {}  // resize(n)
    template <class U, class... Args>
    void construct(U* at, Args&&... args) {
        std::construct_at(at, std::forward<Args>(args)...);
    }
};

template <class T>
using UnsetVector = std::vector<T, UnsetAllocator<T>>;

}  // namespace statlearn
