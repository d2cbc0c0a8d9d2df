// Writing arrays that are larger than the caches: fresh pages, streaming stores, mirror images of blocks.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/pack.hpp"
#include "common/parallel.hpp"
#include "common/view.hpp"

namespace statlearn {

// Empirical. From here on an output is written past the caches: it would not stay in them, and a line that is written
// as a whole need not be read first.
constexpr std::size_t kStreamedBytes = std::size_t(32) << 20;
// From here on numpy asks for huge pages.
constexpr std::size_t kHugeBytes = std::size_t(4) << 20;
constexpr std::size_t kHugePage = std::size_t(2) << 20, kPage = 4096;

// Has the system provide the pages of an output that will be overwritten, each asked for by one thread. Threads that
// first write to the same huge page at the same time all clear one, and all but one of these are thrown away.
inline void touch_pages(void* data, std::size_t bytes) {
    if (bytes < kHugeBytes || threads() == 1) return;
    const auto begin = reinterpret_cast<std::uintptr_t>(data), end = begin + bytes;
    const std::uintptr_t first = begin / kHugePage;
    parallel_for(Index((end - 1) / kHugePage - first + 1), [&](Index unit) {
        const std::uintptr_t page = (first + std::uintptr_t(unit)) * kHugePage;
        for (auto at = std::max(page, begin); at < std::min(page + kHugePage, end); at = (at / kPage + 1) * kPage)
            *reinterpret_cast<volatile char*>(at) = 0;
    });
}

// Copies m numbers; whole cache lines of the target bypass the caches. Once a unit of work has copied all that it
// copies, it calls finish_streaming(), without which other threads need not see these lines.
template <class T>
inline void stream_copy(const T* from, Index m, T* to) {
    Index j = 0;
#if defined(__AVX2__)
    constexpr Index kLine = 64 / Index(sizeof(T)), kHalf = kLine / 2;
    const Index past = Index(reinterpret_cast<std::uintptr_t>(to) % 64 / sizeof(T));  // of the first line
    const Index head = std::min(m, (kLine - past) % kLine);
    for (; j < head; ++j) to[j] = from[j];
    for (; j + kLine <= m; j += kLine)
        for (Index h = j; h < j + kLine; h += kHalf)
            _mm256_stream_si256(reinterpret_cast<__m256i*>(to + h),
                                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + h)));
#endif
    for (; j < m; ++j) to[j] = from[j];
}

inline void finish_streaming() {
#if defined(__AVX2__)
    _mm_sfence();
#endif
}

// to[l][i] = from[i][l] of a square as wide as a pack; rows are from_step and to_step apart.
inline void transpose_square(const float* from, Index from_step, float* to, Index to_step) {
#if defined(__AVX2__)
    __m256 r[8], t[8];
    for (int i = 0; i < 8; ++i) r[i] = _mm256_loadu_ps(from + i * from_step);
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        r[i] = _mm256_shuffle_ps(t[i], t[i + 2], 0x44);
        r[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], 0xee);
        r[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0x44);
        r[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], 0xee);
    }
    for (int i = 0; i < 4; ++i) {
        _mm256_storeu_ps(to + i * to_step, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
        _mm256_storeu_ps(to + (i + 4) * to_step, _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
    }
#else
    for (Index l = 0; l < 8; ++l)
        for (Index i = 0; i < 8; ++i) to[l * to_step + i] = from[i * from_step + l];
#endif
}

inline void transpose_square(const double* from, Index from_step, double* to, Index to_step) {
#if defined(__AVX2__)
    __m256d r[4], t[4];
    for (int i = 0; i < 4; ++i) r[i] = _mm256_loadu_pd(from + i * from_step);
    for (int i = 0; i < 4; i += 2) {
        t[i] = _mm256_unpacklo_pd(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_pd(r[i], r[i + 1]);
    }
    for (int i = 0; i < 2; ++i) {
        _mm256_storeu_pd(to + i * to_step, _mm256_permute2f128_pd(t[i], t[i + 2], 0x20));
        _mm256_storeu_pd(to + (i + 2) * to_step, _mm256_permute2f128_pd(t[i], t[i + 2], 0x31));
    }
#else
    for (Index l = 0; l < 4; ++l)
        for (Index i = 0; i < 4; ++i) to[l * to_step + i] = from[i * from_step + l];
#endif
}

}  // namespace statlearn
