#include "smooth/loess_operator.hpp"

#include <algorithm>
#include <atomic>

#include "common/parallel.hpp"
#include "smooth/loess_entries.hpp"

namespace statlearn::smooth {
namespace {

// Runs body(entries, i) for i = 0..count-1 in blocks; false if interrupted.
template <class Body>
bool for_each(const LoessData& data, const LoessRule& rule, const LoessFits& fits, Index count, Index block_size,
              const Interrupt& interrupt, Body&& body) {
    const Blocks blocks(count, block_size);
    std::atomic<bool> stopped{false};
    parallel_for(blocks.count(), [&](Index block) {
        if (stopped || interrupt.requested()) {
            stopped = true;
            return;
        }
        LoessEntries op(data, rule, fits);
        for (Index i = blocks.begin(block); i < blocks.end(block); ++i) body(op, i);
    });
    return !stopped;
}

}  // namespace

bool loess_rows(const LoessData& data, const LoessRule& rule, const LoessFits& fits, const LoessBlends& blends,
                const Interrupt& interrupt, Matrix<double> rows) {
    return for_each(data, rule, fits, rows.rows, 16, interrupt, [&](LoessEntries& op, Index i) {
        double* out = rows.row(i);
        std::fill(out, out + rows.cols, 0.0);
        for (Index t = 0; t < blends.index.cols && blends.index(i, t) >= 0; ++t)
            op.add_row(blends.index(i, t), blends.shares.data() + (i * blends.index.cols + t) * fits.parts, out);
    });
}

bool loess_diagonal(const LoessData& data, const LoessRule& rule, const LoessFits& fits, const LoessCellsView& cells,
                    const Interrupt& interrupt, Span<double> diagonal) {
    const Index d = data.X.cols;
    const Blender blender(cells);
    return for_each(data, rule, fits, data.X.rows, 1024, interrupt, [&](LoessEntries& op, Index i) {
        double z[kLoessColumns];
        for (Index j = 0; j < d; ++j) z[j] = data.X(i, j);
        Blend blend;
        blender.collect(z, blend);
        double sum = 0.0;
        for (Index t = 0; t < blend.size; ++t) sum += op.at(blend.index[t], i, blend.shares[t]);
        diagonal[i] = sum;
    });
}

void loess_norms(const LoessBlends& blends, Matrix<const double> S, Span<double> out) {
    const Index capacity = blends.index.cols,
                wide = Index(blends.shares.size()) / std::max<Index>(blends.index.rows, 1);
    const Index parts = wide / capacity;
    const Blocks blocks(blends.index.rows, 1024);
    parallel_for(blocks.count(), [&](Index block) {
        for (Index i = blocks.begin(block); i < blocks.end(block); ++i) {
            const double* shares = blends.shares.data() + i * wide;
            double sum = 0.0;
            for (Index s = 0; s < capacity && blends.index(i, s) >= 0; ++s)
                for (Index t = 0; t < capacity && blends.index(i, t) >= 0; ++t)
                    for (Index a = 0; a < parts; ++a) {
                        const double* row = S.row(blends.index(i, s) * parts + a) + blends.index(i, t) * parts;
                        for (Index b = 0; b < parts; ++b) sum += shares[s * parts + a] * shares[t * parts + b] * row[b];
                    }
            out[i] = sum;
        }
    });
}

}  // namespace statlearn::smooth
