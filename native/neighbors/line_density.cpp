#include "neighbors/line_density.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/parallel.hpp"
#include "common/vmath.hpp"

namespace statlearn::neighbors {
namespace {

constexpr Index kWide = 8;           // cells or points that are worked on side by side
constexpr Index kMostTerms = 20;     // of the Gaussian series: enough for rounding within kReach
constexpr double kReach = 10.0;      // bandwidths within which the series serves
constexpr double kHalfCell = 0.125;  // of the Gaussian, in bandwidths
constexpr Index kNodes = 16;         // of a cell's Chebyshev series
constexpr double kHalfPi = 1.57079632679489661923;

// Sum of body(i) over a <= i < b in kWide interleaved parts.
template <class Body>
double wide_sum(Index a, Index b, Body&& body) {
    double part[kWide] = {};
    Index i = a;
    for (; i + kWide <= b; i += kWide)
        for (Index l = 0; l < kWide; ++l) part[l] += body(i + l);
    for (Index l = 0; i < b; ++i, ++l) part[l] += body(i);
    double sum = 0.0;
    for (Index l = 0; l < kWide; ++l) sum += part[l];
    return sum;
}

// A kernel of bounded support at u >= 0.
template <Kernel K>
double bounded_value(double u) {
    if constexpr (K == Kernel::tophat) return u < 1.0 ? 1.0 : 0.0;
    if constexpr (K == Kernel::epanechnikov) return u < 1.0 ? 1.0 - u * u : 0.0;
    if constexpr (K == Kernel::linear) return u < 1.0 ? 1.0 - u : 0.0;
    return u < 1.0 ? std::cos(kHalfPi * u) : 0.0;
}

class Line {
public:
    Line(LinePoints points, LineRule rule, Index queries)
        : x_(points.x),
          w_(points.w),
          n_(Index(points.x.size())),
          rule_(rule),
          inverse_(1.0 / rule.bandwidth),
          rtol_(std::max(rule.rtol, 1e-15)) {
        total_ = w_.empty() ? double(n_) : wide_sum(0, n_, [&](Index i) { return w_[i]; });
        const double extent = (x_.back() - x_.front()) * inverse_;
        const double window = rule.kernel == Kernel::gaussian ? 18.0 : rule.kernel == Kernel::exponential ? 80.0 : 2.0;
        // Points in all windows together, were they spread evenly: below a few times n cells do not pay.
        const double work = double(queries) * double(n_) * std::min(1.0, window / std::max(extent, window));
        if (work > 4.0 * double(n_) && n_ >= 64) prepare(extent);
        if (rule.kernel == Kernel::gaussian && !first_.empty() && queries > 3 * kNodes * cells()) tabulate();
    }

    double log_sum(double q) const {
        if (!table_.empty()) {
            double value;
            if (look_up(q, value)) return value;
        }
        switch (rule_.kernel) {
            case Kernel::gaussian:
                return gaussian(q);
            case Kernel::exponential:
                return exponential(q);
            case Kernel::tophat:
                return bounded<Kernel::tophat>(q);
            case Kernel::epanechnikov:
                return bounded<Kernel::epanechnikov>(q);
            case Kernel::linear:
                return bounded<Kernel::linear>(q);
            default:
                return bounded<Kernel::cosine>(q);
        }
    }

private:
    double weight(Index i) const { return w_.empty() ? 1.0 : w_[i]; }
    double distance(double q, Index i) const { return std::abs(q - x_[i]) * inverse_; }
    Index from(double value) const { return std::lower_bound(x_.begin(), x_.end(), value) - x_.begin(); }
    Index past(double value) const { return std::upper_bound(x_.begin(), x_.end(), value) - x_.begin(); }

    Index nearest(double q) const {
        const Index right = from(q);
        if (right == n_) return n_ - 1;
        if (right == 0) return 0;
        return q - x_[right - 1] <= x_[right] - q ? right - 1 : right;
    }

    // Cells -----------------------------------------------------------------------------------------------------------

    Index cells() const { return Index(first_.size()) - 1; }

    void prepare(double extent) {
        if (rule_.kernel == Kernel::exponential) return prepare_exponential();
        if (rule_.kernel == Kernel::cosine && extent > 1e5) return;  // phases would lose digits
        double width = 2.0 * kHalfCell;
        if (rule_.kernel != Kernel::gaussian) {
            // A query meets 2 / width cells, and the points of two cells at the edges.
            const double in_bandwidth = double(n_) / std::max(extent, 1.0);
            width = 1.0 / std::clamp(std::sqrt(in_bandwidth), 4.0, 512.0);
        }
        cut(width * rule_.bandwidth);
        if (first_.empty()) return;
        const Index count = cells();
        terms_ = rule_.kernel == Kernel::gaussian ? series_length() : 3;
        stride_ = count + kWide;
        moments_.assign(terms_ * stride_, 0.0);
        centre_.resize(stride_, 0.0);
        const Blocks blocks(count, 16);
        parallel_for(blocks.count(), [&](Index b) {
            for (Index c = blocks.begin(b); c < blocks.end(b); ++c) measure(c);
        });
    }

    // Cells of at most this width, empty space left out; none where they would hold too few points to pay.
    void cut(double width) {
        double limit = -std::numeric_limits<double>::infinity();
        const std::size_t most = n_ / 8;
        for (Index i = 0; i < n_; ++i) {
            const double x = x_[i];
            if (x <= limit) continue;
            if (first_.size() == most) {
                first_.clear();
                centre_.clear();
                return;
            }
            limit = x + width;
            first_.push_back(i);
            centre_.push_back(x + 0.5 * width);
        }
        first_.push_back(n_);
    }

    // Terms of exp(t d), |t d| <= z, whose remainder is within the allowed error of the value.
    Index series_length() const {
        const double z = std::min(kReach, std::sqrt(2.0 * std::log(total_ / rtol_))) * kHalfCell;
        double term = std::exp(2.0 * z);
        Index k = 0;
        while (k < kMostTerms && term > 0.5 * rtol_) term *= z / double(++k);
        return std::max<Index>(k, 2);
    }

    void measure(Index c) {
        const double centre = centre_[c];
        double part[kMostTerms][kWide] = {};
        for (Index i = first_[c]; i < first_[c + 1]; i += kWide) {
            const Index count = std::min(kWide, first_[c + 1] - i);
            double d[kWide] = {}, v[kWide] = {};
            for (Index l = 0; l < count; ++l) {
                d[l] = (x_[i + l] - centre) * inverse_;
                v[l] = weight(i + l);
            }
            if (rule_.kernel == Kernel::cosine) {
                for (Index l = 0; l < count; ++l) {
                    const double angle = phase(x_[i + l]);
                    part[0][l] += v[l] * std::cos(angle);
                    part[1][l] += v[l] * std::sin(angle);
                }
                continue;
            }
            if (rule_.kernel == Kernel::gaussian)
                for (Index l = 0; l < kWide; ++l) v[l] *= exp_fast(-0.5 * d[l] * d[l]);
            for (Index k = 0; k < terms_; ++k)
                for (Index l = 0; l < kWide; ++l) {
                    part[k][l] += v[l];
                    v[l] *= d[l];
                }
        }
        double factorial = 1.0;
        for (Index k = 0; k < terms_; ++k) {
            if (k > 0 && rule_.kernel == Kernel::gaussian) factorial *= double(k);
            double sum = 0.0;
            for (Index l = 0; l < kWide; ++l) sum += part[k][l];
            moments_[k * stride_ + c] = sum / factorial;
        }
    }

    // Gaussian --------------------------------------------------------------------------------------------------------

    double gaussian(double q) const {
        const Index nearest_point = nearest(q);
        const double least = distance(q, nearest_point);
        // Beyond, all points together are below rtol of the nearest one.
        const double reach = std::sqrt(least * least + 2.0 * std::log(total_ / (weight(nearest_point) * rtol_)));
        const Index low = from(q - reach * rule_.bandwidth), high = past(q + reach * rule_.bandwidth);
        double sum = 0.0;
        if (first_.empty() || least > kReach - 1.0) {
            sum = gaussian_points(q, least, low, high);
        } else {
            const double within = std::min(reach + kHalfCell, kReach) * rule_.bandwidth;
            const auto end = centre_.end() - kWide;
            const Index a = std::lower_bound(centre_.begin(), end, q - within) - centre_.begin();
            const Index b = std::upper_bound(centre_.begin() + a, end, q + within) - centre_.begin();
            sum = gaussian_cells(q, least, a, b) + gaussian_points(q, least, low, first_[a]) +
                  gaussian_points(q, least, first_[b], high);
        }
        return std::log(sum) - 0.5 * least * least;
    }

    double gaussian_points(double q, double least, Index a, Index b) const {
        return wide_sum(a, b, [&](Index i) {
            const double u = distance(q, i);
            return weight(i) * exp_fast(-0.5 * (u - least) * (u + least));
        });
    }

    double gaussian_cells(double q, double least, Index a, Index b) const {
        double sum[kWide] = {};
        for (Index c = a; c < b; c += kWide) {
            double t[kWide], value[kWide] = {};
            for (Index l = 0; l < kWide; ++l) t[l] = c + l < b ? (q - centre_[c + l]) * inverse_ : 0.0;
            for (Index k = terms_ - 1; k >= 0; --k) {
                const double* m = &moments_[k * stride_ + c];
                for (Index l = 0; l < kWide; ++l) value[l] = value[l] * t[l] + m[l];
            }
            for (Index l = 0; l < kWide; ++l) {
                const double scale = exp_fast(-0.5 * (t[l] - least) * (t[l] + least));
                sum[l] += c + l < b ? value[l] * scale : 0.0;
            }
        }
        double whole = 0.0;
        for (Index l = 0; l < kWide; ++l) whole += sum[l];
        return whole;
    }

    // Where queries outnumber cells by far, each cell gets a Chebyshev series of the sum, whose error is rounding: the
    // cell's own points are near, so that over a quarter of a bandwidth the sum changes by a small factor only.
    void tabulate() {
        const Index count = cells();
        double cosine[kNodes][kNodes];
        for (Index k = 0; k < kNodes; ++k)
            for (Index j = 0; j < kNodes; ++j)
                cosine[k][j] = std::cos(2.0 * kHalfPi * double(k) * (double(j) + 0.5) / double(kNodes));
        std::vector<double> table(count * kNodes);
        const Blocks blocks(count, 8);
        parallel_for(blocks.count(), [&](Index b) {
            for (Index c = blocks.begin(b); c < blocks.end(b); ++c) {
                double value[kNodes];
                for (Index j = 0; j < kNodes; ++j)
                    value[j] = std::exp(gaussian(centre_[c] + cosine[1][j] * kHalfCell * rule_.bandwidth));
                for (Index k = 0; k < kNodes; ++k) {
                    double sum = 0.0;
                    for (Index j = 0; j < kNodes; ++j) sum += value[j] * cosine[k][j];
                    table[c * kNodes + k] = (k == 0 ? 1.0 : 2.0) * sum / double(kNodes);
                }
            }
        });
        table_ = std::move(table);
    }

    // log of the sum by Clenshaw's recurrence; false between the cells.
    bool look_up(double q, double& value) const {
        const double half = kHalfCell * rule_.bandwidth;
        const auto end = centre_.end() - kWide;
        const auto found = std::lower_bound(centre_.begin(), end, q - half);
        if (found == end || *found - half > q) return false;
        const double t = (q - *found) / half;
        const double* series = &table_[(found - centre_.begin()) * kNodes];
        double one = 0.0, two = 0.0;
        for (Index k = kNodes - 1; k > 0; --k) {
            const double next = 2.0 * t * one - two + series[k];
            two = one;
            one = next;
        }
        value = std::log(t * one - two + series[0]);
        return true;
    }

    // Exponential -----------------------------------------------------------------------------------------------------

    void prepare_exponential() {
        const Index n = n_;
        from_left_.resize(n);
        from_right_.resize(n);
        std::vector<double> fall(n, 0.0);
        for (Index i = 1; i < n; ++i) fall[i] = std::min((x_[i] - x_[i - 1]) * inverse_, 700.0);
        for (Index i = 1; i < n; ++i) fall[i] = exp_fast(-fall[i]);
        for (Index i = 0; i < n_; ++i) from_left_[i] = weight(i) + (i > 0 ? from_left_[i - 1] * fall[i] : 0.0);
        for (Index i = n_ - 1; i >= 0; --i)
            from_right_[i] = weight(i) + (i + 1 < n_ ? from_right_[i + 1] * fall[i + 1] : 0.0);
    }

    double exponential(double q) const {
        const Index nearest_point = nearest(q);
        const double least = distance(q, nearest_point);
        const Index right = past(q);
        if (!from_left_.empty()) {
            double sum = 0.0;
            if (right > 0) sum += from_left_[right - 1] * std::exp(least - distance(q, right - 1));
            if (right < n_) sum += from_right_[right] * std::exp(least - distance(q, right));
            return std::log(sum) - least;
        }
        const double reach = least + std::log(total_ / (weight(nearest_point) * rtol_));
        const double sum = wide_sum(from(q - reach * rule_.bandwidth), past(q + reach * rule_.bandwidth),
                                    [&](Index i) { return weight(i) * exp_fast(least - distance(q, i)); });
        return std::log(sum) - least;
    }

    // Bounded support -------------------------------------------------------------------------------------------------

    template <Kernel K>
    double bounded(double q) const {
        const double h = rule_.bandwidth * (1.0 + 1e-15);  // the kernel itself decides on points at the edge
        const Index low = from(q - h), high = past(q + h);
        if (low >= high) return -std::numeric_limits<double>::infinity();
        if (first_.empty()) return std::log(points<K>(q, low, high));
        const Index a = cell_of(low), b = cell_of(high - 1);  // both are cut by the window
        if (b - a < 2) return std::log(points<K>(q, low, high));
        double sum = points<K>(q, low, first_[a + 1]) + points<K>(q, first_[b], high);
        if constexpr (K == Kernel::linear) {
            const Index middle = std::clamp(cell_of(std::clamp<Index>(from(q), 0, n_ - 1)), a + 1, b);
            const Index inside_end = std::min(middle + 1, b);
            // Cells are on one side of q, but for this one and, where q lies between two, the one before it.
            const Index inside = std::max(a + 1, middle - 1);
            sum += whole_cells<K>(q, a + 1, inside) + points<K>(q, first_[inside], first_[inside_end]) +
                   whole_cells<K>(q, inside_end, b);
        } else {
            sum += whole_cells<K>(q, a + 1, b);
        }
        return std::log(sum);
    }

    Index cell_of(Index i) const { return std::upper_bound(first_.begin(), first_.end(), i) - first_.begin() - 1; }

    // Of the cosine, from the first point on.
    double phase(double x) const { return kHalfPi * ((x - x_.front()) * inverse_); }

    template <Kernel K>
    double points(double q, Index a, Index b) const {
        return wide_sum(a, b, [&](Index i) { return weight(i) * bounded_value<K>(distance(q, i)); });
    }

    template <Kernel K>
    double whole_cells(double q, Index a, Index b) const {
        const double* m0 = moments_.data();
        const double *m1 = m0 + stride_, *m2 = m1 + stride_;
        const bool turn = K == Kernel::cosine;
        const double cosine = turn ? std::cos(phase(q)) : 0.0, sine = turn ? std::sin(phase(q)) : 0.0;
        return wide_sum(a, b, [&](Index c) {
            const double t = (q - centre_[c]) * inverse_;
            if constexpr (K == Kernel::tophat) return m0[c];
            if constexpr (K == Kernel::epanechnikov) return (1.0 - t * t) * m0[c] + 2.0 * t * m1[c] - m2[c];
            if constexpr (K == Kernel::linear) return (1.0 - std::abs(t)) * m0[c] + (t > 0.0 ? m1[c] : -m1[c]);
            return cosine * m0[c] + sine * m1[c];
        });
    }

    Span<const double> x_, w_;
    Index n_;
    LineRule rule_;
    double inverse_, rtol_, total_ = 0.0;
    std::vector<Index> first_;   // first point of each cell, and n at the end; empty without cells
    std::vector<double> table_;  // Chebyshev series of each cell; empty if there are none
    std::vector<double> centre_, moments_, from_left_, from_right_;  // centres, padded; sums by term, stride_ apart
    Index terms_ = 0, stride_ = 0;
};

}  // namespace

void line_density(LinePoints points, Span<const double> queries, LineRule rule, const Interrupt& interrupt,
                  Span<double> log_sums) {
    const Line line(points, rule, Index(queries.size()));
    const Blocks blocks(Index(queries.size()), 64);
    parallel_for(blocks.count(), [&](Index b) {
        if (interrupt.requested()) return;
        for (Index i = blocks.begin(b); i < blocks.end(b); ++i) log_sums[i] = line.log_sum(queries[i]);
    });
}

}  // namespace statlearn::neighbors
