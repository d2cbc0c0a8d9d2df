#include "trees/histogram.hpp"

#include <array>
#include <atomic>
#include <cmath>
#include <limits>

namespace statlearn::trees {

namespace {

constexpr double kSteps = 31.0;  // rounded gradients lie in -31..31, hessians in 0..62

// A uniform number for random rounding: a hash in place of a generator, one row, one number.
inline float dither(std::uint32_t salt, std::uint32_t key) {
    std::uint32_t x = key * 0x9E3779B1u ^ salt;
    x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
    x = (x ^ (x >> 13)) * 0xC2B2AE35u;
    return float((x ^ (x >> 16)) >> 8) * 0x1.0p-24f;
}

inline void add_row(const Bin* bin, PackedRow value, Index columns, std::int32_t* sums) {
    Index j = 0;
    for (; j + 4 <= columns; j += 4) {
        sums[bin[j]] += value;
        sums[kBins + bin[j + 1]] += value;
        sums[2 * kBins + bin[j + 2]] += value;
        sums[3 * kBins + bin[j + 3]] += value;
        sums += 4 * kBins;
    }
    for (; j < columns; ++j, sums += kBins) sums[bin[j]] += value;
}

}  // namespace

template <class T>
PackedRows pack_rows(Span<const T> g, Span<const T> h, Span<const std::uint32_t> order, std::uint64_t seed,
                     Span<PackedRow> value) {
    const Blocks blocks(Index(order.size()), 1 << 14);
    std::vector<T> most_g(blocks.count()), most_h(most_g), least_h(most_g);
    parallel_for(blocks.count(), [&](Index b) {
        T big = 0, high = 0, low = std::numeric_limits<T>::infinity();
        for (Index k = blocks.begin(b); k < blocks.end(b); ++k) {
            const auto i = order[k];
            big = std::max(big, std::abs(g[i]));
            high = std::max(high, h[i]);
            low = std::min(low, h[i]);
        }
        most_g[b] = big, most_h[b] = high, least_h[b] = low;
    });
    const double g_most = *std::max_element(most_g.begin(), most_g.end());
    const double h_most = *std::max_element(most_h.begin(), most_h.end());
    const bool constant_h = *std::min_element(least_h.begin(), least_h.end()) == T(h_most);
    // Sums over all rows must stay below 2^31.
    const double steps = std::max(1.0, std::min(kSteps, std::floor(0x1.0p31 / double(order.size())) - 1.0));
    PackedRows rows;
    rows.value = value;
    const double least = 8.0 * steps * double(std::numeric_limits<T>::min());  // below it 1 / unit would overflow
    rows.g_unit = g_most > least ? g_most / steps : 1.0;
    rows.h_unit = h_most > least ? h_most / (constant_h ? 1.0 : 2.0 * steps) : 1.0;
    rows.block = Index(32767.0 / steps);
    const T g_scale = T(1.0 / rows.g_unit), h_scale = T(1.0 / rows.h_unit);
    const auto salt = std::uint32_t(seed ^ (seed >> 32));
    const auto limit = T(steps);
    parallel_for(blocks.count(), [&](Index b) {
        for (Index k = blocks.begin(b); k < blocks.end(b); ++k) {
            const auto i = order[k];
            const T u = T(dither(salt, 2 * i)), v = constant_h ? T(0.5) : T(dither(salt, 2 * i + 1));
            // In this order, NaN becomes the lower limit: a model that diverges is the caller's to notice.
            const T gq = std::min(limit, std::max(-limit, std::floor(g[i] * g_scale + u)));
            const T hq = std::min(2 * limit, std::max(T(0), h[i] * h_scale + v));
            value[i] = std::int32_t(gq) * 65536 + std::int32_t(hq);
        }
    });
    return rows;
}

void PackedTile::add(const Matrix<const Bin>& bins, const PackedRows& rows, Span<const std::uint32_t> order,
                     Index first_column, Index columns, PackedCell* cells) {
    std::int32_t* sums = sums_.data();
    for (Index begin = 0; begin < order.size(); begin += rows.block) {
        const Index end = std::min(order.size(), begin + rows.block);
        std::fill_n(sums, columns * kBins, 0);
        constexpr Index kAhead = 16;
        const Index prefetched = end > kAhead ? end - kAhead : begin;
        Index i = begin;
        for (; i < prefetched; ++i) {
            __builtin_prefetch(&bins(order[i + kAhead], first_column));
            __builtin_prefetch(&rows.value[order[i + kAhead]]);
            add_row(&bins(order[i], first_column), rows.value[order[i]], columns, sums);
        }
        for (; i < end; ++i) add_row(&bins(order[i], first_column), rows.value[order[i]], columns, sums);
        for (Index c = 0; c < columns * kBins; ++c) {
            const std::int32_t sum = sums[c];
            cells[c] += PackedCell(sum >> 16) * (PackedCell{1} << 32) + (sum & 0xFFFF);
        }
    }
}

PackedMode::PackedMode(const BinnedRows& binned, PackedRows packed, int workers)
    : data(binned), rows(std::move(packed)), tiles(workers), parts(workers) {}

void PackedMode::running_sums(const Cell* cells, int bins, double per_h, Prefix& prefix) const {
    std::array<Cell, kBins> run;
    Cell sum = 0;
    for (int b = 0; b < bins; ++b) run[b] = sum += cells[b];
    for (int b = 0; b < bins; ++b) prefix.set(b, sums(run[b], per_h));
}

void PackedMode::build(Span<const std::uint32_t> order, bool shared, Index worker, Cell* cells) {
    if (!shared) {
        std::fill_n(cells, data.cells(), Cell{0});
        add_rows(order, tiles[worker], cells);
        return;
    }
    // Workers take pieces as they come: sums of integers do not depend on who adds what.
    const Blocks pieces(Index(order.size()), 2 * rows.block);
    std::atomic<Index> next{0};
    // What a part saves of the rows it costs in sums: more of them would make the whole slower.
    const double columns = double(data.columns() + data.wide.cols), width = double(data.cells());
    const auto worth = Index(std::sqrt(double(order.size()) * columns / width)) + 1;
    const Index used = std::min({Index(parts.size()), pieces.count(), worth});
    parallel_for(Index(used), [&](Index u) {
        auto& part = parts[u];
        part.assign(data.cells(), Cell{0});  // trees whose nodes are not shared out never take it
        for (Index b = next++; b < pieces.count(); b = next++)
            add_rows(order.subspan(pieces.begin(b), pieces.end(b) - pieces.begin(b)), tiles[u], part.data());
    });
    std::copy_n(parts[0].data(), data.cells(), cells);
    for (Index u = 1; u < used; ++u)
        for (Index c = 0; c < data.cells(); ++c) cells[c] += parts[u][c];
}

void PackedMode::add_rows(Span<const std::uint32_t> order, PackedTile& tile, Cell* cells) const {
    const Index p = data.columns();
    const Index n_tiles = (p + PackedTile::kColumns - 1) / PackedTile::kColumns;
    const Index width = (p + n_tiles - 1) / n_tiles;
    for (Index first = 0; first < p; first += width)
        tile.add(data.by_row, rows, order, first, std::min(width, p - first), cells + first * kBins);
    for (Index w = 0; w < data.wide.cols; w += 3) {
        if (data.wide.cols - w >= 3)
            add_wide<3>(order, w, cells);
        else if (data.wide.cols - w == 2)
            add_wide<2>(order, w, cells);
        else
            add_wide<1>(order, w, cells);
    }
}

// Columns with more cells than a tile has room for: their sums have 64 bits from the start.
template <int kColumns>
void PackedMode::add_wide(Span<const std::uint32_t> order, Index first, Cell* cells) const {
    std::array<Cell*, kColumns> column;
    for (std::size_t w = 0; w < kColumns; ++w) column[w] = cells + data.wide_cells[std::size_t(first) + w];
    const auto add = [&](std::uint32_t i) {
        const PackedRow value = rows.value[i];
        const Cell cell = PackedCell(value >> 16) * (PackedCell{1} << 32) + (value & 0xFFFF);
        const std::uint16_t* code = &data.wide(i, first);
        for (std::size_t w = 0; w < kColumns; ++w) column[w][code[w]] += cell;
    };
    constexpr Index kAhead = 16;
    const Index prefetched = std::max<Index>(order.size() - kAhead, 0);
    for (Index k = 0; k < prefetched; ++k) {
        __builtin_prefetch(&data.wide(order[k + kAhead], first));
        __builtin_prefetch(&rows.value[order[k + kAhead]]);
        add(order[k]);
    }
    for (Index k = prefetched; k < order.size(); ++k) add(order[k]);
}

template PackedRows pack_rows(Span<const float>, Span<const float>, Span<const std::uint32_t>, std::uint64_t,
                              Span<PackedRow>);
template PackedRows pack_rows(Span<const double>, Span<const double>, Span<const std::uint32_t>, std::uint64_t,
                              Span<PackedRow>);

}  // namespace statlearn::trees
