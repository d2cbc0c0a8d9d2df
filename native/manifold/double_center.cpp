#include "manifold/double_center.hpp"

#include <vector>

#include "common/pack.hpp"
#include "common/parallel.hpp"
#include "common/vector.hpp"

namespace statlearn::manifold {
namespace {

double sum(const double* x, Index n) {
    Pack4 part[4] = {};
    Index j = 0;
    for (; j + 16 <= n; j += 16)
        for (Index v = 0; v < 4; ++v) part[v] += packs(x + j)[v];
    double rest = 0.0;
    for (; j < n; ++j) rest += x[j];
    return total((part[0] + part[1]) + (part[2] + part[3])) + rest;
}

}  // namespace

double double_center(Matrix<const double> A, bool distances, const Interrupt& interrupt, Span<double> means,
                     Matrix<double> out) {
    const Index n = A.rows;
    const Blocks blocks(n, 16);
    const Work work(double(n) * double(n));
    parallel_for(blocks.count(), work, [&](Index b) {
        if (interrupt.requested()) return;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            const double* row = A.row(i);
            means[i] = (distances ? -0.5 * dot(row, row, n) : sum(row, n)) / double(n);
        }
    });
    const double mean = sum(means.data(), n) / double(n);
    std::vector<double> part(blocks.count());
    parallel_for(blocks.count(), work, [&](Index b) {
        if (interrupt.requested()) return;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            const double *row = A.row(i), *of_columns = means.data();
            const double shift = mean - means[i];
            double* to = out.row(i);
            if (distances)
                for (Index j = 0; j < n; ++j) to[j] = (-0.5 * row[j] * row[j] - of_columns[j]) + shift;
            else
                for (Index j = 0; j < n; ++j) to[j] = (row[j] - of_columns[j]) + shift;
            part[b] += dot(to, to, n);
        }
    });
    double squares = 0.0;
    for (const double value : part) squares += value;
    return squares;
}

}  // namespace statlearn::manifold
