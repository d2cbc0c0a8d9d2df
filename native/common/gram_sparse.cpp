#include "common/gram_sparse.hpp"

#include <algorithm>
#include <vector>

#include "common/parallel.hpp"

namespace statlearn {
namespace {

constexpr Index kMaxChunks = 8;
constexpr Index kChunkRows = 4096;
constexpr Index kPollRows = 1024;

}  // namespace

template <class T>
void gram_sparse_rows(std::span<const T> values, std::span<const int> columns, std::span<const int> indptr, Index p,
                      std::span<const double> weights, const Interrupt& interrupt, std::span<double> G) {
    const Index n = Index(indptr.size()) - 1;
    const Blocks chunks(n, std::max(kChunkRows, (n + kMaxChunks - 1) / kMaxChunks));
    std::vector<std::vector<double>> parts(static_cast<std::size_t>(chunks.count()));
    parallel_for(chunks.count(), [&](Index c) {
        auto& part = parts[std::size_t(c)];
        part.assign(std::size_t(p * p), 0.0);
        for (Index i = chunks.begin(c); i < chunks.end(c); ++i) {
            if (i % kPollRows == 0 && interrupt.requested()) return;
            const Index begin = indptr[std::size_t(i)], end = indptr[std::size_t(i) + 1];
            const double weight = weights.empty() ? 1.0 : weights[std::size_t(i)];
            if (weight == 0.0) continue;  // absent, whatever it holds
            for (Index a = begin; a < end; ++a) {
                const double left = weight * double(values[std::size_t(a)]);
                double* row = part.data() + Index(columns[std::size_t(a)]) * p;
                row[columns[std::size_t(a)]] += left * double(values[std::size_t(a)]);
                // Each pair once, on one side or the other; the sides are added up below.
                for (Index b = a + 1; b < end; ++b)
                    row[columns[std::size_t(b)]] += left * double(values[std::size_t(b)]);
            }
        }
    });
    std::fill(G.begin(), G.end(), 0.0);
    for (const auto& part : parts)
        for (std::size_t k = 0; k < part.size(); ++k) G[k] += part[k];
    for (Index i = 0; i < p; ++i)
        for (Index j = 0; j < i; ++j) {
            double &low = G[std::size_t(i * p + j)], &high = G[std::size_t(j * p + i)];
            low = high = low + high;
        }
}

template void gram_sparse_rows<double>(std::span<const double>, std::span<const int>, std::span<const int>, Index,
                                       std::span<const double>, const Interrupt&, std::span<double>);
template void gram_sparse_rows<float>(std::span<const float>, std::span<const int>, std::span<const int>, Index,
                                      std::span<const double>, const Interrupt&, std::span<double>);

}  // namespace statlearn
