#include "smooth/gam_design.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/chunks.hpp"
#include "common/gram.hpp"
#include "common/parallel.hpp"
#include "common/tile.hpp"

namespace statlearn::smooth {
namespace {

constexpr Index kBlockRows = 128;   // made at once: they stay in the second-level cache
constexpr Index kChunkRows = 2048;  // smallest share of rows with sums of its own
constexpr Index kMaxChunks = 32, kMinChunks = 4;
constexpr Index kSumsSize = 1 << 23;  // doubles in the sums of all chunks, about

Index padded(Index width, Index tile) { return std::max(tile, (width + tile - 1) / tile * tile); }

// The share of rows of a chunk depends on n and on the width only.
Blocks chunks_of(Index n, Index width) {
    const Index most = std::clamp(kSumsSize / (width * width), kMinChunks, kMaxChunks);
    return chunk_grid(n, kChunkRows, most);
}

// Rows begin to end of the matrix, each `stride` apart.
template <class Code>
void write_rows(const GamDesign<Code>& X, Index begin, Index end, Index stride, double* out) {
    for (Index i = begin; i < end; ++i, out += stride)
        for (const auto& term : X.terms) X.write_row(term, i, out + term.start);
}

// The rows without their hot terms: these are `hot`, and `places` says where the columns that are left came from.
template <class Code>
struct Split {
    using Term = typename GamDesign<Code>::Term;
    GamDesign<Code> dense;
    std::vector<Term> hot;
    std::vector<Index> places;

    explicit Split(const GamDesign<Code>& X) {
        dense.n = X.n;
        dense.parts = X.parts;
        for (auto term : X.terms) {
            if (term.hot >= 0) {
                hot.push_back(term);
                continue;
            }
            for (Index j = 0; j < term.width; ++j) places.push_back(term.start + j);
            term.start = dense.width;
            dense.width += term.width;
            dense.terms.push_back(term);
        }
    }
};

// The rows of a hot term in X' diag(w) X, for the columns of another term.
template <class Code>
void hot_gram(const GamDesign<Code>& X, const typename GamDesign<Code>::Term& hot,
              const typename GamDesign<Code>::Term& other, Span<const double> w, const Interrupt& interrupt,
              Matrix<double> G) {
    for (Index l = 0; l < hot.width; ++l) std::fill_n(G.row(hot.start + l) + other.start, other.width, 0.0);
    std::vector<double> row(other.width);
    for (Index i = 0; i < X.n; ++i) {
        if (i % kChunkRows == 0 && interrupt.requested()) return;
        const Index l = X.level(hot, i);
        if (l < 0) continue;
        const double factor = (w.empty() ? 1.0 : w[i]) * X.value(hot, i);
        double* sums = G.row(hot.start + l) + other.start;
        if (other.hot >= 0) {
            if (const Index m = X.level(other, i); m >= 0) sums[m] += factor * X.value(other, i);
            continue;
        }
        X.write_row(other, i, row.data());
        for (Index j = 0; j < other.width; ++j) sums[j] += factor * row[j];
    }
}

}  // namespace

template <class Code>
void GamDesign<Code>::write_row(const Term& term, Index i, double* out) const {
    if (term.hot >= 0) {
        std::fill_n(out, term.width, 0.0);
        if (const Index l = level(term, i); l >= 0) out[l] = value(term, i);
        return;
    }
    out[0] = value(term, i);
    Index length = 1;
    for (Index p = term.first; p < term.last; ++p) {
        const auto& part = parts[p];
        const double* row = part.table.row(Index(part.codes[i]));
        const Index q = part.table.cols;
        // From the back, so that what is multiplied has not been overwritten.
        for (Index a = length - 1; a >= 0; --a) {
            const double value = out[a];
            for (Index b = 0; b < q; ++b) out[a * q + b] = value * row[b];
        }
        length *= q;
    }
}

template <class Code>
void gam_gram(const GamDesign<Code>& all, Span<const double> w, const Interrupt& interrupt, Matrix<double> G) {
    const Split<Code> split(all);
    const auto& X = split.dense;
    // Every pair of a hot term and another is a task: its rows of G belong to nobody else.
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t h = 0; h < all.terms.size(); ++h)
        for (std::size_t t = 0; t < all.terms.size(); ++t)
            if (all.terms[h].hot >= 0 && (all.terms[t].hot < 0 || t >= h)) pairs.emplace_back(h, t);
    parallel_for(Index(pairs.size()), [&](Index p) {
        const auto [h, t] = pairs[p];
        hot_gram(all, all.terms[h], all.terms[t], w, interrupt, G);
    });
    const Index width = padded(X.width, kGramTile);
    const auto chunks = chunks_of(X.n, width);
    std::vector<std::vector<double>> parts(chunks.count());
    parallel_for(chunks.count(), [&](Index c) {
        auto& C = parts[c];
        C.assign(width * width, 0.0);
        std::vector<double> packed(2 * kBlockRows * width);
        double *B = packed.data(), *A = B + kBlockRows * width;
        for (Index i = chunks.begin(c); i < chunks.end(c); i += kBlockRows) {
            if (interrupt.requested()) return;
            const Index rows = std::min(kBlockRows, chunks.end(c) - i);
            write_rows(X, i, i + rows, width, B);
            if (w.empty()) {
                gram_update(B, B, rows, width, C.data());
                continue;
            }
            for (Index r = 0; r < rows; ++r)
                for (Index j = 0; j < width; ++j) A[r * width + j] = w[i + r] * B[r * width + j];
            gram_update(A, B, rows, width, C.data());
        }
    });
    if (interrupt.requested()) return;
    auto& sum = parts.front();
    for (std::size_t c = 1; c < parts.size(); ++c)
        for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += parts[c][k];
    const auto& places = split.places;
    for (Index i = 0; i < X.width; ++i)
        for (Index j = i; j < X.width; ++j) {
            const Index a = places[i], b = places[j];
            G(a, b) = G(b, a) = sum[i * width + j];
        }
    for (const auto& [h, t] : pairs) {
        if (h == t) continue;
        const auto &hot = all.terms[h], &other = all.terms[t];
        for (Index l = hot.start; l < hot.start + hot.width; ++l)
            for (Index j = other.start; j < other.start + other.width; ++j) G(j, l) = G(l, j);
    }
}

template <class Code>
void gam_products(const GamDesign<Code>& X, Span<const double> v, const Interrupt& interrupt, Span<double> out) {
    parallel_for(Index(X.terms.size()), Work(8 * X.n * Index(X.terms.size())), [&](Index t) {
        const auto& term = X.terms[t];
        double* sums = out.data() + term.start;
        std::fill(sums, sums + term.width, 0.0);
        if (term.hot >= 0) {
            for (Index i = 0; i < X.n; ++i)
                if (const Index l = X.level(term, i); l >= 0) sums[l] += v[i] * X.value(term, i);
            return;
        }
        if (term.last - term.first == 1) {
            const auto& part = X.parts[term.first];
            std::vector<double> bins(part.table.rows, 0.0);
            for (Index i = 0; i < X.n; ++i)
                bins[part.codes[i]] += term.multiplier ? v[i] * term.multiplier[i * term.step] : v[i];
            for (Index m = 0; m < part.table.rows; ++m)
                for (Index j = 0; j < term.width; ++j) sums[j] += bins[m] * part.table(m, j);
            return;
        }
        std::vector<double> row(term.width);
        for (Index i = 0; i < X.n; ++i) {
            if (i % kChunkRows == 0 && interrupt.requested()) return;
            X.write_row(term, i, row.data());
            for (Index j = 0; j < term.width; ++j) sums[j] += v[i] * row[j];
        }
    });
}

template <class Code>
void gam_values(const GamDesign<Code>& X, Span<const double> beta, const Interrupt& interrupt, Span<double> out) {
    // What a term of one table adds is looked up in a column of its own.
    std::vector<std::vector<double>> looked(X.terms.size());
    for (std::size_t t = 0; t < X.terms.size(); ++t) {
        const auto& term = X.terms[t];
        if (term.last - term.first != 1 || term.hot >= 0) continue;
        const auto& table = X.parts[term.first].table;
        looked[t].assign(table.rows, 0.0);
        for (Index m = 0; m < table.rows; ++m)
            for (Index j = 0; j < term.width; ++j) looked[t][m] += table(m, j) * beta[term.start + j];
    }
    const Blocks blocks(X.n);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        std::vector<double> row;
        const Index begin = blocks.begin(b), end = blocks.end(b);
        std::fill(out.begin() + begin, out.begin() + end, 0.0);
        for (std::size_t t = 0; t < X.terms.size(); ++t) {
            const auto& term = X.terms[t];
            if (term.hot >= 0) {
                for (Index i = begin; i < end; ++i)
                    if (const Index l = X.level(term, i); l >= 0) out[i] += X.value(term, i) * beta[term.start + l];
                continue;
            }
            if (!looked[t].empty()) {
                const Code* codes = X.parts[term.first].codes;
                for (Index i = begin; i < end; ++i) {
                    const double value = looked[t][codes[i]];
                    out[i] += term.multiplier ? value * term.multiplier[i * term.step] : value;
                }
                continue;
            }
            row.resize(term.width);
            for (Index i = begin; i < end; ++i) {
                X.write_row(term, i, row.data());
                double sum = 0.0;
                for (Index j = 0; j < term.width; ++j) sum += row[j] * beta[term.start + j];
                out[i] += sum;
            }
        }
    });
}

template <class Code>
void gam_quadratic(const GamDesign<Code>& all, Matrix<const double> A, const Interrupt& interrupt, Span<double> out) {
    const Split<Code> split(all);
    const auto& X = split.dense;
    const auto& places = split.places;
    const Index width = padded(X.width, kTileCols);
    // Row i of A for the columns that are not hot.
    const auto gather = [&](Index i, double* row) {
        for (Index j = 0; j < X.width; ++j) row[j] = A(i, places[j]);
    };
    std::vector<double> padded_A(X.width * width, 0.0);
    for (Index i = 0; i < X.width; ++i) gather(places[i], padded_A.data() + i * width);
    std::vector<std::vector<double>> across;
    for (const auto& hot : split.hot) {
        auto& rows = across.emplace_back(std::size_t(hot.width * X.width));
        for (Index l = 0; l < hot.width; ++l) gather(hot.start + l, rows.data() + l * X.width);
    }
    // What the hot terms of row i add, z the other columns.
    const auto hot_part = [&](Index i, const double* z) {
        double total = 0.0;
        for (std::size_t h = 0; h < split.hot.size(); ++h) {
            const auto& hot = split.hot[h];
            const Index l = all.level(hot, i);
            if (l < 0) continue;
            const double value = all.value(hot, i), *row = across[h].data() + l * X.width;
            double sum = 0.0;
            for (Index j = 0; j < X.width; ++j) sum += row[j] * z[j];
            total += value * (2.0 * sum + value * A(hot.start + l, hot.start + l));
            for (std::size_t k = 0; k < h; ++k) {
                const auto& other = split.hot[k];
                if (const Index m = all.level(other, i); m >= 0)
                    total += 2.0 * value * all.value(other, i) * A(hot.start + l, other.start + m);
            }
        }
        return total;
    };
    const Blocks blocks(X.n, 8 * kBlockRows);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        std::vector<double> Z(kBlockRows * width), T(X.width * kBlockRows), product(kBlockRows * width);
        for (Index i = blocks.begin(b); i < blocks.end(b); i += kBlockRows) {
            const Index rows = std::min(kBlockRows, blocks.end(b) - i);
            write_rows(X, i, i + rows, width, Z.data());
            for (Index j = 0; j < X.width; ++j)
                for (Index r = 0; r < rows; ++r) T[j * kBlockRows + r] = Z[r * width + j];
            std::fill(product.begin(), product.end(), 0.0);
            for (Index r = 0; r < rows; r += kTileRows)
                for (Index j = 0; j < width; j += kTileCols)
                    tile_update(T.data() + r, kBlockRows, padded_A.data() + j, width, X.width,
                                product.data() + r * width + j, width);
            for (Index r = 0; r < rows; ++r) {
                double sum = 0.0;
                for (Index j = 0; j < X.width; ++j) sum += product[r * width + j] * Z[r * width + j];
                out[i + r] = sum + hot_part(i + r, Z.data() + r * width);
            }
        }
    });
}

std::vector<double> distinct_values(const double* x, Index n, Index step, Index most) {
    // Open addressing in a table at most half full.
    const std::size_t size = std::bit_ceil(std::size_t(2 * most + 2));
    std::vector<double> slots(size);
    std::vector<char> used(size, 0);
    std::vector<double> found;
    for (Index i = 0; i < n; ++i) {
        const double value = x[i * step] + 0.0;  // -0 is 0
        auto place = std::size_t((std::bit_cast<std::uint64_t>(value) * 0x9E3779B97F4A7C15ull) >> 20) & (size - 1);
        while (used[place] && slots[place] != value) place = (place + 1) & (size - 1);
        if (used[place]) continue;
        if (Index(found.size()) == most) return {};
        used[place] = 1;
        slots[place] = value;
        found.push_back(value);
    }
    std::sort(found.begin(), found.end());
    return found;
}

template <class Code>
void nearest_codes(const double* x, Index n, Index step, Span<const double> values, const Interrupt& interrupt,
                   Span<Code> codes) {
    // A grid of equal cells narrows each search: cell c of the range holds the values below guide[c + 1].
    const Index m = Index(values.size()), cells = 2 * m;
    const double low = values.front(), range = values.back() - low;
    const double per_cell = range > 0 && std::isfinite(double(cells) / range) ? double(cells) / range : 0.0;
    const auto cell_of = [&](double value) {
        return std::clamp(Index(std::clamp((value - low) * per_cell, 0.0, double(cells - 1))), Index(0), cells - 1);
    };
    std::vector<Index> guide(cells + 1, 0);
    for (const double value : values) ++guide[cell_of(value) + 1];
    for (Index c = 0; c < cells; ++c) guide[c + 1] += guide[c];
    const Blocks blocks(n, 1 << 15);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            const double value = x[i * step];
            const Index cell = cell_of(value);
            const auto above = std::lower_bound(values.begin() + guide[cell], values.begin() + guide[cell + 1], value);
            Index k = above - values.begin();
            if (k == m || (k > 0 && value - values[k - 1] <= values[k] - value)) --k;
            codes[i] = Code(k);
        }
    });
}

#define STATLEARN_GAM_DESIGN(Code)                                                                                   \
    template struct GamDesign<Code>;                                                                                 \
    template void gam_gram<Code>(const GamDesign<Code>&, Span<const double>, const Interrupt&, Matrix<double>);      \
    template void gam_products<Code>(const GamDesign<Code>&, Span<const double>, const Interrupt&, Span<double>);    \
    template void gam_values<Code>(const GamDesign<Code>&, Span<const double>, const Interrupt&, Span<double>);      \
    template void gam_quadratic<Code>(const GamDesign<Code>&, Matrix<const double>, const Interrupt&, Span<double>); \
    template void nearest_codes<Code>(const double*, Index, Index, Span<const double>, const Interrupt&, Span<Code>);
STATLEARN_GAM_DESIGN(std::uint16_t)
STATLEARN_GAM_DESIGN(std::uint32_t)
#undef STATLEARN_GAM_DESIGN

}  // namespace statlearn::smooth
