#include "smooth/supersmoother.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "common/parallel.hpp"

namespace statlearn::smooth {
namespace {

constexpr std::array<double, 3> kSpans = {0.05, 0.2, 0.5};  // tweeter, midrange, woofer
constexpr double kFlat = 1e-3;   // lines need this share of the quartile distance, as a standard deviation, for a slope
constexpr Index kRefills = 16;   // windows that may be filled anew at once, beyond two rows for each that moves
constexpr Index kRowSteps = 24;  // operations for each row at all three spans, roughly
constexpr double kExact = 1e-10;  // a row that is left less of itself decides its line alone: see `left`
constexpr double kRatio = 1e-7;   // least ratio of residuals that bass control looks at

constexpr double kFaded = 1e-8;  // a sum of squares below this share of its peak has lost half of its digits

// Weighted moments of the rows in a window, by updates for rows that come and go.
struct Moments {
    double weight = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;
    double peak_xx = 0.0, peak_yy = 0.0;  // the largest since the window was filled

    // One division each, of weights alone: it does not wait for the other sums.
    void add(double xi, double yi, double w) {
        const double before = weight;
        weight += w;
        const double share = weight > 0.0 ? w / weight : 0.0, dx = xi - x, dy = yi - y, t = before * share * dx;
        xx += t * dx;
        xy += t * dy;
        yy += before * share * dy * dy;
        peak_xx = std::max(peak_xx, xx);
        peak_yy = std::max(peak_yy, yy);
        x += share * dx;
        y += share * dy;
    }
    void remove(double xi, double yi, double w) {
        const double before = weight;
        weight -= w;
        const double share = weight > 0.0 ? w / weight : 0.0, dx = xi - x, dy = yi - y, t = before * share * dx;
        xx -= t * dx;
        xy -= t * dy;
        yy -= before * share * dy * dy;
        x -= share * dx;
        y -= share * dy;
    }

    // Whether rows that are gone have left rounding errors that matter.
    bool faded() const { return xx < kFaded * peak_xx || yy < kFaded * peak_yy; }
};

class Runner {
public:
    Runner(Span<const double> x, Span<const double> w, bool periodic)
        : x_(x), w_(w), n_(Index(x.size())), periodic_(periodic), flat_(flat_variance()) {}

    // Lines through `span` of the rows around each; absolute cross-validated residuals and slopes where wanted.
    void run(Span<const double> y, double span, Span<double> value, Span<double> residual, Span<double> slope) const {
        const Index half = std::max<Index>(2, Index(0.5 * span * double(n_) + 0.5));
        const Index width = std::min(2 * half + 1, n_);
        const auto fill = [&](Index first) {
            Moments window;
            for (Index i = first; i < first + width; ++i) window.add(place(i), y[row(i)], w_[row(i)]);
            return window;
        };
        // A window on a circle starts around the row before the first.
        Moments window = fill(periodic_ ? -half - 1 : 0);
        Index refills = kRefills * width;  // rows that may be added again: the work remains proportional to n
        for (Index j = 0; j < n_; ++j) {
            const Index out = j - half - 1, in = j + half;
            if (periodic_ || (out >= 0 && in < n_)) {
                window.remove(place(out), y[row(out)], w_[row(out)]);
                window.add(place(in), y[row(in)], w_[row(in)]);
                refills += 2;
                if (window.faded() && refills >= width && width == 2 * half + 1) {
                    window = fill(in - width + 1);
                    refills -= width;
                }
            }
            const bool sloped = window.xx > flat_;
            const double curvature = sloped ? 1.0 / window.xx : 0.0;
            const double gap = x_[j] - window.x, a = window.xy * curvature;
            value[j] = a * gap + window.y;
            if (!slope.empty()) slope[j] = a;
            if (residual.empty()) continue;
            const double share = (window.weight > 0.0 ? 1.0 / window.weight : 0.0) + gap * gap * curvature;
            const double left = 1.0 - w_[j] * share;
            // A line through its own row says nothing about the span there: the residual before stands in, as in
            // supsmu.
            residual[j] = left > kExact ? std::abs(y[j] - value[j]) / left : (j > 0 ? residual[j - 1] : 0.0);
        }
        average_ties(value);
        if (!slope.empty()) average_ties(slope);
    }

private:
    std::size_t row(Index i) const { return std::size_t(i < 0 ? i + n_ : (i >= n_ ? i - n_ : i)); }
    double place(Index i) const { return i < 0 ? x_[row(i)] - 1.0 : (i >= n_ ? x_[row(i)] + 1.0 : x_[i]); }

    double flat_variance() const {
        Index low = std::max<Index>(n_ / 4, 1), high = std::max<Index>(3 * (n_ / 4), low);
        while (x_[high - 1] <= x_[low - 1]) {
            if (high == n_ && low == 1) break;
            high = std::min(high + 1, n_);
            low = std::max<Index>(low - 1, 1);
        }
        const double scale = kFlat * (x_[high - 1] - x_[low - 1]);
        return scale * scale;
    }

    void average_ties(Span<double> value) const {
        for (Index j = 0; j < n_;) {
            Index end = j + 1;
            double sum = value[j] * w_[j], weight = w_[j];
            for (; end < n_ && x_[end] <= x_[j]; ++end) {
                sum += value[end] * w_[end];
                weight += w_[end];
            }
            if (end > j + 1) std::fill(value.begin() + j, value.begin() + end, weight > 0.0 ? sum / weight : 0.0);
            j = end;
        }
    }

    Span<const double> x_, w_;
    Index n_;
    bool periodic_;
    double flat_;
};

void constant_fit(SuperData data, SuperFit fit) {
    double sum = 0.0, weight = 0.0;
    for (Index i = 0; i < data.x.size(); ++i) {
        sum += data.w[i] * data.y[i];
        weight += data.w[i];
    }
    std::fill(fit.value.begin(), fit.value.end(), weight > 0.0 ? sum / weight : 0.0);
    std::fill(fit.slope.begin(), fit.slope.end(), 0.0);
    std::fill(fit.spans.begin(), fit.spans.end(), 1.0);
}

// The span with the smallest residual, drawn towards the widest by `bass`.
double best_span(const std::array<std::vector<double>, 3>& residual, std::size_t j, double bass) {
    double least = std::numeric_limits<double>::infinity(), span = kSpans[0];
    for (std::size_t k = 0; k < 3; ++k) {
        if (residual[k][j] < least) {
            least = residual[k][j];
            span = kSpans[k];
        }
    }
    const double widest = residual[2][j];
    if (bass > 0.0 && least < widest && least > 0.0)
        span += (kSpans[2] - span) * std::pow(std::max(kRatio, least / widest), 10.0 - bass);
    return span;
}

}  // namespace

bool supersmoother_fit(SuperData data, SuperRule rule, const Interrupt& interrupt, SuperFit fit) {
    const std::size_t n = data.x.size();
    if (!(data.x[n - 1] > data.x[0])) {
        constant_fit(data, fit);
        return true;
    }
    const Runner runner(data.x, data.w, rule.periodic);
    if (rule.span > 0.0) {
        runner.run(data.y, rule.span, fit.value, {}, fit.slope);
        std::fill(fit.spans.begin(), fit.spans.end(), rule.span);
        return true;
    }
    std::array<std::vector<double>, 3> smooth, residual;
    parallel_for(3, Work(kRowSteps * Index(n)), [&](Index unit) {
        std::vector<double> left(n);
        smooth[unit].resize(n);
        residual[unit].resize(n);
        runner.run(data.y, kSpans[unit], smooth[unit], left, {});
        runner.run(left, kSpans[1], residual[unit], {}, {});
    });
    if (interrupt.requested()) return false;
    std::vector<double> raw(n);
    for (std::size_t j = 0; j < n; ++j) raw[j] = best_span(residual, j, rule.bass);
    runner.run(raw, kSpans[1], fit.spans, {}, {});
    for (std::size_t j = 0; j < n; ++j) {
        const double span = fit.spans[j] = std::clamp(fit.spans[j], kSpans[0], kSpans[2]);
        const std::size_t other = span < kSpans[1] ? 0 : 2;
        const double share = (span - kSpans[1]) / (kSpans[other] - kSpans[1]);
        raw[j] = (1.0 - share) * smooth[1][j] + share * smooth[other][j];
    }
    runner.run(raw, kSpans[0], fit.value, {}, fit.slope);
    return true;
}

}  // namespace statlearn::smooth
