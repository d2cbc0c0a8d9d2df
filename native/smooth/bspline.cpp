#include "smooth/bspline.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "common/parallel.hpp"

namespace statlearn::smooth {
namespace {

// The interval of x: the largest k in p..K-1 with knots[k] <= x, so that it is not empty where it can be.
Index interval_of(double x, Span<const double> knots, int degree) {
    const Index last = Index(knots.size()) - degree - 2;
    const auto begin = knots.begin() + degree, end = knots.begin() + last + 1;
    Index k = (std::upper_bound(begin, end, x) - knots.begin()) - 1;
    k = std::clamp<Index>(k, degree, last);
    while (k > degree && knots[k] == knots[k + 1]) --k;
    return k;
}

// The p + 1 functions that live on interval k, at x; b[0] belongs to function k - p.
void values_at(double x, Span<const double> t, Index k, int degree, int derivative, double* b) {
    const auto knot = [&](Index i) { return t[i]; };
    b[0] = 1.0;
    const int plain = degree - derivative;
    for (int m = 1; m <= degree; ++m) {
        double carried = 0.0;
        for (int j = 0; j < m; ++j) {  // function k - m + 1 + j of degree m - 1 feeds two of degree m
            const double left = knot(k - m + 1 + j), right = knot(k + 1 + j), width = right - left;
            const double share = width > 0.0 ? b[j] / width : 0.0;
            if (m <= plain) {
                b[j] = carried + (right - x) * share;
                carried = (x - left) * share;
            } else {
                b[j] = carried - m * share;
                carried = m * share;
            }
        }
        b[m] = carried;
    }
}

}  // namespace

bool bspline_values(Span<const double> x, Span<const double> knots, int degree, int derivative,
                    const Interrupt& interrupt, Matrix<double> values, Span<int> start) {
    const Blocks blocks(Index(x.size()));
    parallel_for(blocks.count(), [&](Index block) {
        if (interrupt.requested()) return;
        std::array<double, kMaxDegree + 1> b;
        for (Index i = blocks.begin(block); i < blocks.end(block); ++i) {
            const double xi = x[i];
            const Index k = interval_of(xi, knots, degree);
            values_at(xi, knots, k, degree, derivative, b.data());
            start[i] = int(k - degree);
            for (int j = 0; j <= degree; ++j) values(i, j) = b[j];
        }
    });
    return !interrupt.requested();
}

template <class T>
bool bspline_design(Span<const double> x, Span<const double> knots, int degree, int derivative, Index functions,
                    const Interrupt& interrupt, Matrix<T> out) {
    const Blocks blocks(Index(x.size()));
    parallel_for(blocks.count(), [&](Index block) {
        if (interrupt.requested()) return;
        std::array<double, kMaxDegree + 1> b;
        for (Index i = blocks.begin(block); i < blocks.end(block); ++i) {
            const double xi = x[i];
            const Index k = interval_of(xi, knots, degree);
            values_at(xi, knots, k, degree, derivative, b.data());
            for (int j = 0; j <= degree; ++j) {
                const Index column = (k - degree + j) % functions;
                if (column < out.cols) out(i, column) += T(b[j]);
            }
        }
    });
    return !interrupt.requested();
}

template bool bspline_design<float>(Span<const double>, Span<const double>, int, int, Index, const Interrupt&,
                                    Matrix<float>);
template bool bspline_design<double>(Span<const double>, Span<const double>, int, int, Index, const Interrupt&,
                                     Matrix<double>);

bool bspline_normal_equations(Matrix<const double> values, Span<const int> start, Span<const double> w,
                              Matrix<const double> Y, const Interrupt& interrupt, Matrix<double> band,
                              Matrix<double> products) {
    const Index width = values.cols, functions = band.cols, targets = Y.cols, size = functions * (width + targets);
    // Few large blocks, since each has sums of its own.
    const Blocks blocks(values.rows, std::max<Index>(16384, (values.rows + 15) / 16));
    std::vector<std::vector<double>> parts(blocks.count());
    parallel_for(blocks.count(), [&](Index block) {
        if (interrupt.requested()) return;
        auto& sums = parts[block];
        sums.assign(size, 0.0);
        for (Index i = blocks.begin(block); i < blocks.end(block); ++i) {
            const double weight = w.empty() ? 1.0 : w[i];
            double* row = sums.data() + start[i] * (width + targets);
            for (Index j = 0; j < width; ++j, row += width + targets) {
                const double b = weight * values(i, j);
                for (Index d = 0; d < width - j; ++d) row[d] += b * values(i, j + d);
                for (Index m = 0; m < targets; ++m) row[width + m] += b * Y(i, m);
            }
        }
    });
    if (interrupt.requested()) return false;
    for (Index k = 0; k < functions; ++k) {
        for (Index c = 0; c < width + targets; ++c) {
            double sum = 0.0;
            for (const auto& part : parts) sum += part[k * (width + targets) + c];
            if (c < width) {
                band(c, k) = sum;
            } else {
                products(k, c - width) = sum;
            }
        }
    }
    return true;
}

bool piecewise_add(const double* x, Index step, Span<const double> breaks, Matrix<const double> pieces,
                   const Interrupt& interrupt, Span<double> out) {
    const Blocks blocks(Index(out.size()));
    parallel_for(blocks.count(), [&](Index block) {
        if (interrupt.requested()) return;
        for (Index i = blocks.begin(block); i < blocks.end(block); ++i) {
            const double xi = x[i * step];
            const Index k = std::upper_bound(breaks.begin(), breaks.end(), xi) - breaks.begin();
            const double u = xi - breaks[std::max<Index>(k - 1, 0)];
            double value = 0.0;
            for (Index d = pieces.cols - 1; d >= 0; --d) value = value * u + pieces(k, d);
            out[i] += value;
        }
    });
    return !interrupt.requested();
}

}  // namespace statlearn::smooth
