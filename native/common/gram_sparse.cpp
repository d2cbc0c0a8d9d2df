#include "common/gram_sparse.hpp"

#include <algorithm>
#include <vector>

#include "common/chunks.hpp"
#include "common/parallel.hpp"

namespace statlearn {
namespace {

constexpr Index kMaxChunks = 8;
constexpr Index kChunkRows = 4096;
constexpr Index kPollRows = 1024;

}  // namespace

template <class T>
void gram_sparse_rows(Span<const T> values, Span<const int> columns, Span<const int> indptr, Index p,
                      Span<const double> weights, const Interrupt& interrupt, Span<double> G) {
    const Index n = Index(indptr.size()) - 1;
    const Blocks chunks = chunk_grid(n, kChunkRows, kMaxChunks);
    std::vector<std::vector<double>> parts(chunks.count());
    parallel_for(chunks.count(), [&](Index c) {
        auto& part = parts[c];
        part.assign(p * p, 0.0);
        for (Index i = chunks.begin(c); i < chunks.end(c); ++i) {
            if (i % kPollRows == 0 && interrupt.requested()) return;
            const Index begin = indptr[i], end = indptr[i + 1];
            const double weight = weights.empty() ? 1.0 : weights[i];
            if (weight == 0.0) continue;  // absent, whatever it holds
            for (Index a = begin; a < end; ++a) {
                const double left = weight * double(values[a]);
                double* row = part.data() + Index(columns[a]) * p;
                row[columns[a]] += left * double(values[a]);
                // Each pair once, on one side or the other; the sides are added up below.
                for (Index b = a + 1; b < end; ++b) row[columns[b]] += left * double(values[b]);
            }
        }
    });
    std::fill(G.begin(), G.end(), 0.0);
    for (const auto& part : parts)
        for (std::size_t k = 0; k < part.size(); ++k) G[k] += part[k];
    for (Index i = 0; i < p; ++i)
        for (Index j = 0; j < i; ++j) {
            double &low = G[i * p + j], &high = G[j * p + i];
            low = high = low + high;
        }
}

template void gram_sparse_rows<double>(Span<const double>, Span<const int>, Span<const int>, Index, Span<const double>,
                                       const Interrupt&, Span<double>);
template void gram_sparse_rows<float>(Span<const float>, Span<const int>, Span<const int>, Index, Span<const double>,
                                      const Interrupt&, Span<double>);

}  // namespace statlearn
