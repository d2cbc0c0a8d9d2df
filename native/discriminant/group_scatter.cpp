#include "discriminant/group_scatter.hpp"

#include <algorithm>
#include <vector>

#include "common/chunks.hpp"
#include "common/packed_gram.hpp"
#include "common/parallel.hpp"

namespace statlearn::discriminant {
namespace {

constexpr Index kChunkRows = 2048;  // smallest share of rows with a matrix of its own
constexpr Index kMaxChunks = 32;    // beyond those that the borders of the groups require

// Places first .. last of the order; the groups that they meet begin with `group`.
struct Chunk {
    Index first, last, group;
};

// Chunks of nearly equal size; no chunk crosses the border of a group unless the groups are pooled.
std::vector<Chunk> chunks_of(Span<const Index> starts, bool pool) {
    const Index n = starts.back(), groups = Index(starts.size()) - 1;
    const Index size = chunk_grid(n, kChunkRows, kMaxChunks).size;
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
        for (Index g = 0; g < groups; ++g) cut(starts[g], starts[g + 1]);
    return chunks;
}

template <class T>
struct Part {
    std::vector<double> scatter;  // in tiles
    std::vector<double> sums;     // of the groups that the chunk meets, one after the other
};

template <class T>
class Packer {
public:
    Packer(const Matrix<const T>& X, Span<const T> weights, const Matrix<const double>& shift)
        : X_(X), weights_(weights), shift_(shift), panels_((X.cols + kGramPanel<T> - 1) / kGramPanel<T>) {
        const Index size = panels_ * kGramPanel<T> * kGramRows;
        plain_.assign(size, T(0));
        if (!weights.empty()) weighted_.assign(size, T(0));
    }
    const T* plain() const { return plain_.data(); }
    const T* weighted() const { return weights_.empty() ? plain_.data() : weighted_.data(); }
    Index panels() const { return panels_; }

    // Puts x - shift of one row at place r of the panels, and adds its weighted values to `sum`.
    void put(Index row, Index group, Index r, double* sum) {
        constexpr Index step = kGramPanel<T>;
        const double* centre = shift_.row(group);
        const T w = weights_.empty() ? T(1) : weights_[row];
        for (Index j = 0; j < X_.cols; j += step) {
            const T* from = X_.row(row) + j * X_.col_stride;
            const Index place = (j / step * kGramRows + r) * step;
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
    const Matrix<const T>& X_;
    Span<const T> weights_;
    const Matrix<const double>& shift_;
    Index panels_;
    std::vector<T> plain_, weighted_;
};

}  // namespace

template <class T>
void group_scatter(Matrix<const T> X, Span<const Index> order, Span<const Index> starts, Span<const T> weights,
                   Matrix<const double> shift, bool pool, const Interrupt& interrupt, Matrix<double> sums,
                   Span<double> scatter) {
    const Index p = X.cols, groups = Index(starts.size()) - 1;
    const Index width = (p + kGramPanel<T> - 1) / kGramPanel<T> * kGramPanel<T>;
    const auto chunks = chunks_of(starts, pool);
    std::vector<Part<T>> parts(chunks.size());
    parallel_for(Index(chunks.size()), [&](Index c) {
        const Chunk& chunk = chunks[c];
        auto& part = parts[c];
        part.scatter.assign(packed_size<T>(width), 0.0);
        part.sums.assign(p, 0.0);
        Packer<T> packer(X, weights, shift);
        Index g = chunk.group;
        for (Index i = chunk.first; i < chunk.last; i += kGramRows) {
            if (interrupt.requested()) return;
            const Index end = std::min(i + kGramRows, chunk.last);
            for (Index at = i; at < end; ++at) {
                while (at >= starts[g + 1]) {
                    ++g;
                    part.sums.resize(part.sums.size() + std::size_t(p), 0.0);
                }
                packer.put(order[at], g, at - i, part.sums.data() + (g - chunk.group) * p);
            }
            add_packed_gram(packer.weighted(), packer.plain(), end - i, packer.panels(), part.scatter.data());
        }
    });
    for (Index g = 0; g < groups; ++g) std::fill(sums.row(g), sums.row(g) + p, 0.0);
    std::fill(scatter.begin(), scatter.end(), 0.0);
    for (std::size_t c = 0; c < chunks.size(); ++c) {
        const auto& part = parts[c];
        const Index first = chunks[c].group;
        for (Index k = 0; k < Index(part.sums.size()); ++k) sums(first + k / p, k % p) += part.sums[k];
        double* S = scatter.data() + (pool ? 0 : first * p * p);
        if (!part.scatter.empty())
            for (Index i = 0; i < p; ++i)
                for (Index j = i; j < p; ++j) S[i * p + j] += part.scatter[packed_place<T>(i, j)];
    }
    for (Index m = 0; m < (pool ? 1 : groups); ++m) {
        double* S = scatter.data() + m * p * p;
        for (Index i = 0; i < p; ++i)
            for (Index j = 0; j < i; ++j) S[i * p + j] = S[j * p + i];
    }
}

template void group_scatter<double>(Matrix<const double>, Span<const Index>, Span<const Index>, Span<const double>,
                                    Matrix<const double>, bool, const Interrupt&, Matrix<double>, Span<double>);
template void group_scatter<float>(Matrix<const float>, Span<const Index>, Span<const Index>, Span<const float>,
                                   Matrix<const double>, bool, const Interrupt&, Matrix<double>, Span<double>);

}  // namespace statlearn::discriminant
