// Sparse matrices that a kernel has made, for the bindings.
#pragma once

#include "common/gate.hpp"
#include "common/sparse_rows.hpp"

namespace statlearn {

// A numpy array that takes over the vector's memory.
template <class T>
nb::ndarray<nb::numpy, T> to_numpy(UnsetVector<T>&& values) {
    const auto size = values.size();
    auto* kept = new UnsetVector<T>(std::move(values));
    nb::capsule owner(kept, [](void* data) noexcept { delete static_cast<UnsetVector<T>*>(data); });
    return nb::ndarray<nb::numpy, T>(kept->data(), {size}, owner);
}

// Values, columns and starts.
inline nb::tuple to_tuple(SparseRows&& A) {
    return nb::make_tuple(to_numpy(std::move(A.values)), to_numpy(std::move(A.cols_of)), to_numpy(std::move(A.indptr)));
}

}  // namespace statlearn
