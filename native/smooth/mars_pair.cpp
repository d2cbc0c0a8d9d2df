#include "smooth/mars_pair.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/parallel.hpp"

namespace statlearn::smooth {
namespace {

constexpr double kLinearShare = 1e-9;  // of its squares that b x must keep outside the model to be new
// Share of its (centred) squares that a hinge must keep outside the model: large at first, which keeps the knots of
// small models apart.
constexpr Index kSmallModel = 15;
constexpr double kSmallShare = 0.01, kLargeShare = 1e-5, kStepShare = 1e-12;

}  // namespace

MarsData::MarsData(Matrix<const double> X, Matrix<const double> Y, Span<const double> weights, Index columns)
    : n(X.rows),
      p(X.cols),
      m(Y.cols),
      X_(X),
      weights_(weights),
      middle_(X.cols),
      q_(X.rows * columns),
      shares_(columns * Y.cols),
      residual_(X.rows * Y.cols),
      order_(X.rows * X.cols),
      stride_(columns) {
    total_weight = weights.empty() ? double(n) : std::accumulate(weights.begin(), weights.end(), 0.0);
    for (const double w : weights) roots_.push_back(std::sqrt(w));
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < m; ++j) residual_[i * m + j] = root(i) * Y(i, j);
    parallel_for(p, [&](Index j) {
        const double* x = X.col(j);
        std::uint32_t* rows = order_.data() + j * n;
        std::iota(rows, rows + n, 0u);
        std::sort(rows, rows + n,
                  [x](std::uint32_t a, std::uint32_t b) { return x[a] < x[b] || (x[a] == x[b] && a < b); });
        double sum = 0.0;
        for (Index i = 0; i < n; ++i) sum += x[i];
        middle_[j] = sum / double(n);
    });
}

bool MarsData::enter(const std::vector<double>& values, double least) {
    std::vector<double> column(values);
    for (Index i = 0; i < n; ++i) column[i] *= root(i);
    std::vector<double> part(columns_, 0.0);
    for (int round = 0; round < 2; ++round) {  // twice is enough for orthogonality to working precision
        std::fill(part.begin(), part.end(), 0.0);
        for (Index i = 0; i < n; ++i)
            for (Index c = 0; c < columns_; ++c) part[c] += q_[i * stride_ + c] * column[i];
        for (Index i = 0; i < n; ++i)
            for (Index c = 0; c < columns_; ++c) column[i] -= q_[i * stride_ + c] * part[c];
    }
    double squares = 0.0;
    for (const double v : column) squares += v * v;
    if (!(squares > least)) return false;
    const double scale = 1.0 / std::sqrt(squares);
    double* share = shares_.data() + columns_ * m;
    std::fill(share, share + m, 0.0);
    for (Index i = 0; i < n; ++i) {
        const double v = q_[i * stride_ + columns_] = scale * column[i];
        for (Index j = 0; j < m; ++j) share[j] += v * residual_[i * m + j];
    }
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < m; ++j) residual_[i * m + j] -= q_[i * stride_ + columns_] * share[j];
    ++columns_;
    return true;
}

double MarsData::rss() const {
    double sum = 0.0;
    for (const double r : residual_) sum += r * r;
    return sum;
}

Spans spans_of(const MarsData& data, const std::vector<double>& parent, Index degree, const MarsOptions& options) {
    // Friedman (1991), equations 43 and 45, with a probability of 0.05 for a run of noise.
    const double n = std::floor(data.total_weight + 0.5), p = double(data.p);
    double end = options.end_span > 0 ? double(options.end_span) : std::floor(3.0 + std::log2(20.0) + std::log2(p));
    if (degree >= 2 && !options.remove_parent) end += std::floor(options.end_span_adjust * end + 0.5);
    end = std::max(1.0, std::min(end, std::floor(n / 2) - 1));
    if (options.min_span < 0) {
        const double between = std::ceil(n / (1.0 - double(options.min_span)));
        const double start = std::max(1.0, std::ceil(std::max(end, between) / between) * between - 1);
        return {start, between, end};
    }
    double between = double(options.min_span);
    if (options.min_span == 0) {
        double active = 0.0;
        for (Index i = 0; i < data.n; ++i) active += parent[i] > 0 ? data.weight(i) : 0.0;
        between = std::floor((-std::log(-std::log(0.95)) + std::log(p * active)) / (2.5 * std::log(2.0)));
    }
    between = std::max(1.0, between);
    // The knots are centred in the room that the ends leave.
    const double room = std::max(0.0, n - 2 * end);
    double start = std::floor(room / 2);
    if (room > between) {
        const double rest = room - std::floor(room / between) * between;
        start = rest == 0 ? std::floor(between / 2) : std::floor(rest / 2);
    }
    return {std::max(1.0, end + start), between, end};
}

void Pair::place_knots(const MarsData& data, const std::vector<double>& b, Span<const std::uint32_t> rows, bool step) {
    if (rows.empty()) return;
    const double* x = data.column(feature);
    const auto order = data.order(feature);
    const double highest = x[rows[0]];
    double below = data.total_weight, left = spans_.start;  // weight below the row; until the next knot
    const double beyond = step ? 0.0 : 1.0;                 // a hinge is zero at its knot: that row does not count
    Index above = 0;
    for (Index i = data.n - 1; i >= 1; --i) {
        const std::uint32_t row = order[i], next = order[i - 1];
        const double w = data.weight(Index(row));
        below -= w;
        if (!(b[row] > 0)) {
            if (b[row] != 0) ++above;
            continue;
        }
        ++above;
        // A row of weight w is w rows: the hinge at its own value stands after each but the last of them.
        double copies = x[row] < highest ? w : x[next] < highest ? 1.0 : 0.0, done = 0.0;
        while (copies - done >= left) {
            done += left;
            left = spans_.between;
            const bool own = done < copies;
            if (below + (copies - done) - beyond < spans_.end) return;
            const double value = own ? x[row] : x[next];
            const bool apart = !step || (!own && x[next] != x[row]);
            if (apart && (knots_.empty() || knots_.back().value > value)) knots_.push_back({value, above});
            // All places between the first and the last one inside a row are at its own value: they are passed over.
            const double places = std::floor((copies - done) / left);
            if (places > 1.0) done = std::min(copies, done + (places - 1.0) * left);
        }
        left -= copies - done;
        if (below - beyond < spans_.end) return;
    }
}

// Products of W columns with the hinges of all knots, and with b x: one pass over the rows from the largest x down.
template <int W>
void Pair::sweep(const MarsData& data, const std::vector<double>& b, Span<const std::uint32_t> rows,
                 const double* columns, Index stride, bool step, double* products, double* with_linear) const {
    const double* x = data.column(feature);
    const double middle = data.middle(feature);
    double sum[W] = {}, hinge[W] = {};  // of b q, and of b (x - t) q for the rows above t
    double t = rows.empty() ? 0.0 : x[rows[0]] - middle;
    std::size_t k = 0;
    const auto walk = [&](std::size_t end) {
        for (; k < end; ++k) {
            const std::uint32_t row = rows[k];
            const double* q = columns + Index(row) * stride;
            const double here = x[row] - middle, down = t - here, bw = b[row] * data.root(Index(row));
            t = here;
            for (int w = 0; w < W; ++w) {
                hinge[w] += down * sum[w];
                sum[w] += bw * q[w];
            }
        }
    };
    for (const Knot& knot : knots_) {
        walk(std::size_t(knot.above));
        const double down = t - (knot.value - middle);
        for (int w = 0; w < W; ++w) *products++ = step ? sum[w] : hinge[w] + down * sum[w];
    }
    walk(rows.size());
    for (int w = 0; w < W; ++w) with_linear[w] = hinge[w] + t * sum[w];
}

void Pair::first_products(const MarsData& data, const std::vector<double>& b, Span<const std::uint32_t> rows,
                          bool step) {
    const double* x = data.column(feature);
    const double middle = data.middle(feature);
    const std::size_t K = knots_.size();
    hh_.resize(K), hz_.resize(K), centred_.resize(K);
    // Sums of b^2 (x - t)^j for the rows above t; all grow as t falls, so nothing cancels.
    double s0 = 0.0, s1 = 0.0, s2 = 0.0, t = rows.empty() ? 0.0 : x[rows[0]] - middle;
    const auto fall_to = [&](double value) {
        const double down = t - value;
        s2 += down * (2 * s1 + down * s0);
        s1 += down * s0;
        t = value;
    };
    std::size_t k = 0;
    const auto walk = [&](std::size_t end) {
        for (; k < end; ++k) {
            const std::uint32_t row = rows[k];
            fall_to(x[row] - middle);
            s0 += b[row] * b[row] * data.weight(Index(row));
        }
    };
    for (std::size_t j = 0; j < K; ++j) {
        walk(std::size_t(knots_[j].above));
        const double value = knots_[j].value - middle, down = t - value;
        const double first = s1 + down * s0, second = s2 + down * (2 * s1 + down * s0);
        hh_[j] = step ? s0 : second;
        hz_[j] = second + value * first;
    }
    walk(rows.size());
    zz_ = zz_first_ = step ? 0.0 : s2 + t * (2 * s1 + t * s0);  // steps have no linear companion
}

void Pair::bring_up(const MarsData& data, const std::vector<double>& b, bool step, bool only_linear) {
    const Index now = data.columns(), m = data.m;
    if (placed_ && columns_ == now) return;
    // The rows where the parent is not zero, from the largest x down.
    std::vector<std::uint32_t> kept(data.n);
    const auto order = data.order(feature);
    std::size_t count = 0;
    for (std::size_t i = order.size(); i-- > 0;) {
        kept[count] = order[i];
        count += b[order[i]] != 0 ? 1 : 0;
    }
    const Span<const std::uint32_t> rows(kept.data(), count);

    const bool first = !placed_;
    std::vector<double> products;
    const auto all_knots = [&](const double* columns, Index stride, Index width, double* with_linear) {
        products.resize(knots_.size() * std::size_t(width));
        switch (width) {
            case 1:
                sweep<1>(data, b, rows, columns, stride, step, products.data(), with_linear);
                break;
            case 2:
                sweep<2>(data, b, rows, columns, stride, step, products.data(), with_linear);
                break;
            case 4:
                sweep<4>(data, b, rows, columns, stride, step, products.data(), with_linear);
                break;
            default:
                sweep<8>(data, b, rows, columns, stride, step, products.data(), with_linear);
                break;
        }
    };
    const auto width_for = [](Index left) {
        return left >= 8 ? Index(8) : left >= 4 ? Index(4) : std::min(left, Index(2));
    };
    double linear[8];

    if (first) {
        placed_ = true;
        step_ = step;
        if (!only_linear) place_knots(data, b, rows, step);
        first_products(data, b, rows, step);
        hr_.resize(knots_.size() * std::size_t(m));
        zr_.resize(m);
        for (Index j = 0; j < m;) {
            const Index width = width_for(m - j);
            all_knots(data.residual().data() + j, m, width, linear);
            for (Index w = 0; w < width; ++w) {
                zr_[j + w] = linear[w];
                for (std::size_t k = 0; k < knots_.size(); ++k)
                    hr_[k * std::size_t(m) + std::size_t(j + w)] = products[k * std::size_t(width) + std::size_t(w)];
            }
            j += width;
        }
    }
    for (Index c = columns_; c < now;) {
        const Index width = width_for(now - c);
        all_knots(data.q(c), data.stride(), width, linear);
        for (Index w = 0; w < width; ++w) {
            const double zq = linear[w];
            const double* share = data.share(c + w);
            zz_ -= zq * zq;
            if (c + w == 0) zz_first_ = zz_;
            for (std::size_t k = 0; k < knots_.size(); ++k) {
                const double hq = products[k * std::size_t(width) + std::size_t(w)];
                hh_[k] -= hq * hq;
                hz_[k] -= hq * zq;
                if (c + w == 0) centred_[k] = hh_[k];  // the first column is the constant
                // At the first call the residual is already without its part in these columns.
                if (!first)
                    for (Index j = 0; j < m; ++j) hr_[k * std::size_t(m) + std::size_t(j)] -= hq * share[j];
            }
            if (!first)
                for (Index j = 0; j < m; ++j) zr_[j] -= zq * share[j];
        }
        c += width;
    }
    columns_ = now;
}

bool Pair::has_linear() const { return zz_ > kLinearShare * zz_first_; }

Pair::Best Pair::best(Index slots, double discount, double largest_gain, Index responses) const {
    Best best;
    const bool linear = has_linear();
    double base = 0.0;
    if (linear) {
        for (const double zr : zr_) base += zr * zr / zz_;
        best.gain = discount * base;
    }
    const double share = step_ ? kStepShare : slots + (linear ? 1 : 0) < kSmallModel ? kSmallShare : kLargeShare;
    for (std::size_t k = 0; k < knots_.size(); ++k) {
        const double slope = linear ? hz_[k] / zz_ : 0.0;
        const double left = hh_[k] - slope * hz_[k];
        if (!(left > share * centred_[k]) || !(centred_[k] > 0)) continue;
        double gain = base;
        for (Index j = 0; j < responses; ++j) {
            const double hr = hr_[k * std::size_t(responses) + std::size_t(j)] - slope * zr_[j];
            gain += hr * hr / left;
        }
        gain *= discount;
        if (gain > best.gain && gain < largest_gain) best = {gain, Index(k)};
    }
    return best;
}

}  // namespace statlearn::smooth
