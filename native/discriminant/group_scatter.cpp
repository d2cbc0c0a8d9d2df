#include "discriminant/group_scatter.hpp"

#include <algorithm>
#include <vector>

#include "common/parallel.hpp"
#include "common/tile.hpp"

namespace statlearn::discriminant {
namespace {

constexpr Index kPackRows = 128;    // rows packed at once: the panels stay in the second-level cache
constexpr Index kChunkRows = 2048;  // smallest share of rows with a matrix of its own
constexpr Index kMaxChunks = 32;    // beyond those that the borders of the groups require

template <class T>
constexpr Index kPanel = kTileCols;
template <>
constexpr Index kPanel<float> = kTileFloats;

// Places first .. last of the order; the groups that they meet begin with `group`.
struct Chunk {
    Index first, last, group;
};

// Chunks of nearly equal size; no chunk crosses the border of a group unless the groups are pooled.
std::vector<Chunk> chunks_of(std::span<const Index> starts, bool pool) {
    const Index n = starts.back(), groups = Index(starts.size()) - 1;
    const Index size = std::max(kChunkRows, (n + kMaxChunks - 1) / kMaxChunks);
    std::vector<Chunk> chunks;
    const auto cut = [&](Index from, Index to) {
        for (Index i = from; i < to; i += size) {
            const Index g = Index(std::upper_bound(starts.begin(), starts.end(), i) - starts.begin()) - 1;
            chunks.push_back({i, std::min(i + size, to), g});
        }
    };
    if (pool)
        cut(0, n);
    else
        for (Index g = 0; g < groups; ++g) cut(starts[std::size_t(g)], starts[std::size_t(g) + 1]);
    return chunks;
}

inline void add_tile(const double* a, const double* b, Index rows, double* C) {
    tile_update(a, kTileCols, b, kTileCols, rows, C, kTileCols);
}
inline void add_tile(const float* a, const float* b, Index rows, double* C) {
    tile_update(a, kTileFloats, b, kTileFloats, rows, C);
}

// Adds A'B of packed panels to the upper triangle, panels on the diagonal in full, tile after tile.
template <class T>
void add_panels(const T* A, const T* B, Index rows, Index panels, double* C) {
    constexpr Index size = kPackRows * kPanel<T>;
    for (Index j = 0; j < panels; ++j)
        for (Index i = 0; i <= j; ++i)
            for (Index s = 0; s < kPanel<T>; s += kTileRows, C += kTileRows * kPanel<T>)
                add_tile(A + i * size + s, B + j * size, rows, C);
}

// Where `add_panels` keeps the entry i <= j.
template <class T>
Index tile_of(Index i, Index j) {
    const Index a = i / kPanel<T>, b = j / kPanel<T>;
    return ((b * (b + 1) / 2 + a) * kPanel<T> + i % kPanel<T>)*kPanel<T> + j % kPanel<T>;
}

template <class T>
struct Part {
    std::vector<double> scatter;  // in tiles
    std::vector<double> sums;     // of the groups that the chunk meets, one after the other
};

template <class T>
class Packer {
public:
    Packer(const MatrixView<const T>& X, std::span<const T> weights, const MatrixView<const double>& shift)
        : X_(X), weights_(weights), shift_(shift), panels_((X.cols + kPanel<T> - 1) / kPanel<T>) {
        const auto size = std::size_t(panels_ * kPanel<T> * kPackRows);
        plain_.assign(size, T(0));
        if (!weights.empty()) weighted_.assign(size, T(0));
    }
    const T* plain() const { return plain_.data(); }
    const T* weighted() const { return weights_.empty() ? plain_.data() : weighted_.data(); }
    Index panels() const { return panels_; }

    // Puts x - shift of one row at place r of the panels, and adds its weighted values to `sum`.
    void put(Index row, Index group, Index r, double* sum) {
        constexpr Index step = kPanel<T>;
        const double* centre = shift_.row(group);
        const T w = weights_.empty() ? T(1) : weights_[std::size_t(row)];
        for (Index j = 0; j < X_.cols; j += step) {
            const T* from = X_.row(row) + j * X_.col_stride;
            const Index place = (j / step * kPackRows + r) * step;
            T* to = plain_.data() + place;
            const Index count = std::min(step, X_.cols - j);
            if (w == T(0))  // absent, whatever it holds
                std::fill_n(to, count, T(0));
            else if (count == step && X_.col_stride == 1)
                for (Index l = 0; l < step; ++l) to[l] = T(double(from[l]) - centre[j + l]);
            else
                for (Index l = 0; l < count; ++l) to[l] = T(double(from[l * X_.col_stride]) - centre[j + l]);
            if (!weights_.empty()) {
                T* scaled = weighted_.data() + place;
                for (Index l = 0; l < step; ++l) scaled[l] = w * to[l];
                to = scaled;
            }
            for (Index l = 0; l < count; ++l) sum[j + l] += double(to[l]);
        }
    }

private:
    const MatrixView<const T>& X_;
    std::span<const T> weights_;
    const MatrixView<const double>& shift_;
    Index panels_;
    std::vector<T> plain_, weighted_;
};

}  // namespace

template <class T>
void group_scatter(MatrixView<const T> X, std::span<const Index> order, std::span<const Index> starts,
                   std::span<const T> weights, MatrixView<const double> shift, bool pool, const Interrupt& interrupt,
                   MatrixView<double> sums, std::span<double> scatter) {
    const Index p = X.cols, groups = Index(starts.size()) - 1;
    const Index width = (p + kPanel<T> - 1) / kPanel<T> * kPanel<T>;
    const auto chunks = chunks_of(starts, pool);
    std::vector<Part<T>> parts(chunks.size());
    parallel_for(Index(chunks.size()), [&](Index c) {
        const Chunk& chunk = chunks[std::size_t(c)];
        auto& part = parts[std::size_t(c)];
        part.scatter.assign(std::size_t(tile_of<T>(0, width)), 0.0);
        part.sums.assign(std::size_t(p), 0.0);
        Packer<T> packer(X, weights, shift);
        Index g = chunk.group;
        for (Index i = chunk.first; i < chunk.last; i += kPackRows) {
            if (interrupt.requested()) return;
            const Index end = std::min(i + kPackRows, chunk.last);
            for (Index at = i; at < end; ++at) {
                while (at >= starts[std::size_t(g) + 1]) {
                    ++g;
                    part.sums.resize(part.sums.size() + std::size_t(p), 0.0);
                }
                packer.put(order[std::size_t(at)], g, at - i, part.sums.data() + (g - chunk.group) * p);
            }
            add_panels(packer.weighted(), packer.plain(), end - i, packer.panels(), part.scatter.data());
        }
    });
    for (Index g = 0; g < groups; ++g) std::fill(sums.row(g), sums.row(g) + p, 0.0);
    std::fill(scatter.begin(), scatter.end(), 0.0);
    for (std::size_t c = 0; c < chunks.size(); ++c) {
        const auto& part = parts[c];
        const Index first = chunks[c].group;
        for (Index k = 0; k < Index(part.sums.size()); ++k) sums(first + k / p, k % p) += part.sums[std::size_t(k)];
        double* S = scatter.data() + (pool ? 0 : first * p * p);
        if (!part.scatter.empty())
            for (Index i = 0; i < p; ++i)
                for (Index j = i; j < p; ++j) S[i * p + j] += part.scatter[std::size_t(tile_of<T>(i, j))];
    }
    for (Index m = 0; m < (pool ? 1 : groups); ++m) {
        double* S = scatter.data() + m * p * p;
        for (Index i = 0; i < p; ++i)
            for (Index j = 0; j < i; ++j) S[i * p + j] = S[j * p + i];
    }
}

template void group_scatter<double>(MatrixView<const double>, std::span<const Index>, std::span<const Index>,
                                    std::span<const double>, MatrixView<const double>, bool, const Interrupt&,
                                    MatrixView<double>, std::span<double>);
template void group_scatter<float>(MatrixView<const float>, std::span<const Index>, std::span<const Index>,
                                   std::span<const float>, MatrixView<const double>, bool, const Interrupt&,
                                   MatrixView<double>, std::span<double>);

}  // namespace statlearn::discriminant
