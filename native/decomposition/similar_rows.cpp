#include "decomposition/similar_rows.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "common/parallel.hpp"

namespace statlearn::decomposition {

namespace {

struct Sums {
    double n, x, y, xx, yy, xy;
};

double similarity(const SimilarPlan& plan, const Sums& s, double entries) {
    if (s.n < plan.min_common) return 0.0;
    double value = 0.0;
    if (plan.kind == Similarity::cosine) {
        const double scale = std::sqrt(s.xx * s.yy);
        value = scale > 0.0 ? s.xy / scale : 0.0;
    } else if (plan.kind == Similarity::pearson) {
        const double xx = s.n * s.xx - s.x * s.x, yy = s.n * s.yy - s.y * s.y;
        const double tiny = 1e-12;
        // A row that is constant over the common columns has no correlation.
        if (xx > tiny * s.n * s.xx && yy > tiny * s.n * s.yy) value = (s.n * s.xy - s.x * s.y) / std::sqrt(xx * yy);
    } else if (plan.kind == Similarity::jaccard) {
        value = s.n / (entries - s.n);
    } else {
        value = s.xy;
    }
    return value * (s.n / (s.n + plan.shrinkage));
}

// The K best of what was met, in order.
void keep_best(std::vector<std::pair<double, int>>& met, Index most, int* to, double* size) {
    const auto better = [](const auto& a, const auto& b) {
        return a.first > b.first || (a.first == b.first && a.second < b.second);
    };
    const Index m = std::min<Index>(most, Index(met.size()));
    if (m < Index(met.size())) std::nth_element(met.begin(), met.begin() + m, met.end(), better);
    std::sort(met.begin(), met.begin() + m, better);
    for (Index r = 0; r < most; ++r) {
        to[r] = r < m ? met[std::size_t(r)].second : -1;
        size[r] = r < m ? met[std::size_t(r)].first : 0.0;
    }
}

}  // namespace

void similar_rows(const RowsView<double>& table, const RowsView<double>& turned, const SimilarPlan& plan,
                  const Interrupt& interrupt, MatrixView<int> neighbors, MatrixView<double> similarities) {
    const Index n = table.rows, most = neighbors.cols;
    const Blocks blocks(n, 64);
    double pairs = 0.0;
    for (Index c = 0; c < turned.rows; ++c) {
        const double count = turned.indptr[std::size_t(c) + 1] - turned.indptr[std::size_t(c)];
        pairs += count * count;
    }
    const auto entries = [&](Index i) {
        return double(table.indptr[std::size_t(i) + 1] - table.indptr[std::size_t(i)]);
    };
    // Inner products alone need one number per row instead of six.
    const bool plain = plan.kind == Similarity::dot && plan.shrinkage == 0.0 && plan.min_common <= 1;
    parallel_for(blocks.count(), Work(2.0 * pairs), [&](Index b) {
        std::vector<double> product(plain ? std::size_t(n) : std::size_t(0));
        std::vector<Sums> sums(plain ? std::size_t(0) : std::size_t(n));
        std::vector<char> seen(static_cast<std::size_t>(n));
        std::vector<int> touched;
        std::vector<std::pair<double, int>> met;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            if (interrupt.requested()) return;
            touched.clear();
            met.clear();
            table.each(i, [&](std::size_t c, double x) {
                const int end = turned.indptr[c + 1];
                for (int e = turned.indptr[c]; e < end; ++e) {
                    const auto j = std::size_t(turned.cols_of[std::size_t(e)]);
                    const double y = turned.values[std::size_t(e)];
                    if (!seen[j]) seen[j] = 1, touched.push_back(int(j));
                    if (plain) {
                        product[j] += x * y;
                    } else {
                        Sums& s = sums[j];
                        s.n += 1.0, s.x += x, s.y += y, s.xx += x * x, s.yy += y * y, s.xy += x * y;
                    }
                }
            });
            for (const int j : touched) {
                const auto at = std::size_t(j);
                seen[at] = 0;
                const double value = plain ? product[at] : similarity(plan, sums[at], entries(i) + entries(j));
                if (plain)
                    product[at] = 0.0;
                else
                    sums[at] = {};
                if (j != i && value > 0.0) met.emplace_back(value, j);
            }
            keep_best(met, most, neighbors.row(i), similarities.row(i));
        }
    });
}

}  // namespace statlearn::decomposition
