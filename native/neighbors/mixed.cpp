#include "neighbors/mixed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/parallel.hpp"

namespace statlearn::neighbors {
namespace {

// One column's part of the distances of x to all m rows, whose cells of this column lie side by side in y.
template <class Dissimilarity>
void add_column(double x, const double* y, Index m, double weight, const Dissimilarity& d, double* sum, double* mass) {
    for (Index j = 0; j < m; ++j) {
        const auto [value, counts] = d(x, y[j]);
        sum[j] += counts ? weight * value : 0.0;
        mass[j] += counts ? weight : 0.0;
    }
}

struct Part {
    double value;
    bool counts;
};

}  // namespace

void mixed_distances(Matrix<const double> X, Matrix<const double> Y, Span<const int> kinds, Span<const double> scale,
                     Span<const double> weight, const Interrupt& interrupt, Matrix<double> D) {
    const Index p = X.cols, m = Y.rows;
    std::vector<double> columns(p * m);  // Y by columns: the inner loop runs along one
    for (Index j = 0; j < m; ++j)
        for (Index c = 0; c < p; ++c) columns[c * m + j] = Y(j, c);
    const Blocks blocks(X.rows, 16);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        std::vector<double> mass(m);
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) {
            double* sum = D.row(i);
            std::fill(sum, sum + m, 0.0);
            std::fill(mass.begin(), mass.end(), 0.0);
            for (Index c = 0; c < p; ++c) {
                const double x = X(i, c), w = weight[c], s = scale[c];
                const double* y = columns.data() + c * m;
                if (std::isnan(x)) continue;
                switch (ColumnKind(kinds[c])) {
                    case ColumnKind::absolute:
                        add_column(
                            x, y, m, w, [s](double u, double v) { return Part{s * std::abs(u - v), v == v}; }, sum,
                            mass.data());
                        break;
                    case ColumnKind::squared:
                        add_column(
                            x, y, m, w, [s](double u, double v) { return Part{s * (u - v) * (u - v), v == v}; }, sum,
                            mass.data());
                        break;
                    case ColumnKind::nominal:
                        add_column(
                            x, y, m, w, [s](double u, double v) { return Part{u == v ? 0.0 : s, v == v}; }, sum,
                            mass.data());
                        break;
                    case ColumnKind::asymmetric:
                        add_column(
                            x, y, m, w,
                            [s](double u, double v) {
                                return Part{u == v ? 0.0 : s, v == v && (u != 0.0 || v != 0.0)};
                            },
                            sum, mass.data());
                        break;
                }
            }
            for (Index j = 0; j < m; ++j)
                sum[j] = mass[j] > 0.0 ? sum[j] / mass[j] : std::numeric_limits<double>::quiet_NaN();
        }
    });
}

}  // namespace statlearn::neighbors
