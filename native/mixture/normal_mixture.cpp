#include "mixture/normal_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/chunks.hpp"
#include "common/pack.hpp"
#include "common/parallel.hpp"
#include "common/vector.hpp"
#include "common/vmath.hpp"

namespace statlearn::mixture {
namespace {

constexpr Index kGroup = 16;        // rows whose densities are computed together: four registers
constexpr Index kSlab = 128;        // rows copied, column by column, to memory near the processor
constexpr Index kTile = 3;          // side of a tile of second moments: nine registers
constexpr Index kChunkRows = 2048;  // smallest share of rows with sums of its own
constexpr Index kMaxChunks = 32;
constexpr double kSumsMemory = 32'000'000;  // numbers in the sums of all chunks
constexpr double kNegligible = -100.0;      // log of a responsibility that counts as 0

using Vec = std::vector<double>;

Index padded(Index m) { return (m + kTile - 1) / kTile * kTile; }

// The factor of each component, column by column without its zeros, so that a density reads it in order.
Vec pack_factor(const Components& c) {
    if (c.shape == Shape::diag) return Vec(c.factor.begin(), c.factor.end());
    const Index count = c.shape == Shape::full ? c.k : 1;
    Vec packed;
    packed.reserve(count * c.p * (c.p + 1) / 2);
    for (Index k = 0; k < count; ++k)
        for (Index j = 0; j < c.p; ++j)
            for (Index i = 0; i <= j; ++i) packed.push_back(c.factor[(k * c.p + i) * c.p + j]);
    return packed;
}

// q[row] = |U'd|^2 for the 16 columns of d (p x 16), U packed by columns. Two columns of U at a time: eight sums are
// under way, which hides the latency of a multiply-add.
void quadratic_form(const double* U, const double* d, Index p, double* q) {
    Pack4 sum[4] = {};
    Index j = 0;
    for (; j + 1 < p; j += 2) {
        const double *a = U, *b = U + j + 1;
        U += 2 * j + 3;
        Pack4 y[4] = {}, z[4] = {};
        for (Index i = 0; i <= j; ++i) {
            const Pack4* row = packs(d + i * kGroup);
            for (int v = 0; v < 4; ++v) {
                y[v] += a[i] * row[v];
                z[v] += b[i] * row[v];
            }
        }
        const Pack4* last = packs(d + (j + 1) * kGroup);
        for (int v = 0; v < 4; ++v) {
            z[v] += b[j + 1] * last[v];
            sum[v] += y[v] * y[v];
            sum[v] += z[v] * z[v];
        }
    }
    if (j < p) {
        Pack4 y[4] = {};
        for (Index i = 0; i <= j; ++i) {
            const Pack4* row = packs(d + i * kGroup);
            for (int v = 0; v < 4; ++v) y[v] += U[i] * row[v];
        }
        for (int v = 0; v < 4; ++v) sum[v] += y[v] * y[v];
    }
    for (int v = 0; v < 4; ++v) packs(q)[v] = sum[v];
}

// z = U'(x - origin) for 16 rows: distances between such z are those of the tied precision.
void whiten(const double* U, const double* d, Index p, double* z) {
    for (Index j = 0; j < p; ++j) {
        Pack4 y[4] = {};
        for (Index i = 0; i <= j; ++i) {
            const Pack4* row = packs(d + i * kGroup);
            for (int v = 0; v < 4; ++v) y[v] += U[i] * row[v];
        }
        U += j + 1;
        for (int v = 0; v < 4; ++v) packs(z + j * kGroup)[v] = y[v];
    }
}

// The rows of one slab and what is computed from them. One of these per chunk; no allocation inside the loops.
class Slab {
public:
    explicit Slab(const Components& c)
        : c_(c),
          factor_(pack_factor(c)),
          x_(c.p * kSlab),
          d_(c.p * kGroup),
          z_(c.shape == Shape::tied ? c.p * kGroup : 0),
          scaled_(padded(c.p + 1) * kSlab, 0.0),
          log_p_(c.k * kSlab),
          r_(c.k * kSlab),
          u_(c.dof.empty() ? 0 : c.k * kSlab) {
        if (c.shape == Shape::tied && c.factor.size()) whiten_means();
    }

    // Copies rows begin..end; the lanes after the last row repeat it.
    template <class T>
    void load(const Matrix<const T>& X, Index begin, Index end) {
        rows_ = end - begin;
        width_ = (rows_ + kGroup - 1) / kGroup * kGroup;
        if (X.col_stride <= X.row_stride) {
            for (Index i = 0; i < rows_; ++i) {
                const T* row = X.row(begin + i);
                for (Index j = 0; j < c_.p; ++j) x_[j * kSlab + i] = double(row[j * X.col_stride]);
            }
        } else {
            for (Index j = 0; j < c_.p; ++j) {
                const T* column = X.col(j) + begin * X.row_stride;
                for (Index i = 0; i < rows_; ++i) x_[j * kSlab + i] = double(column[i * X.row_stride]);
            }
        }
        for (Index j = 0; j < c_.p; ++j) {
            double* column = x_.data() + j * kSlab;
            std::fill(column + rows_, column + width_, column[rows_ - 1]);
        }
    }

    // log p_k(x) of every loaded row, and u of Student components.
    void densities() {
        for (Index g = 0; g < width_; g += kGroup) {
            if (c_.shape == Shape::tied) {
                minus(g, c_.means.data());
                whiten(factor_.data(), d_.data(), c_.p, z_.data());
            }
            for (Index k = 0; k < c_.k; ++k) density(g, k);
        }
    }

    // Responsibilities from the densities; their contribution to the log-likelihood and the entropy.
    void posterior(const double* weights, PassInfo& info) {
        for (Index g = 0; g < width_; g += kGroup) {
            alignas(32) double top[kGroup], sum[kGroup] = {}, cross[kGroup] = {};
            std::fill(top, top + kGroup, -std::numeric_limits<double>::infinity());
            for (Index k = 0; k < c_.k; ++k) {
                const double* l = log_p_.data() + k * kSlab + g;
                for (Index i = 0; i < kGroup; ++i) top[i] = l[i] > top[i] ? l[i] : top[i];
            }
            for (Index k = 0; k < c_.k; ++k) {
                const double* l = log_p_.data() + k * kSlab + g;
                double* r = r_.data() + k * kSlab + g;
                for (Index i = 0; i < kGroup; ++i) {
                    const double gap = l[i] - top[i];
                    const bool counts = gap > kNegligible;
                    const double e = counts ? exp_fast(gap) : 0.0;
                    r[i] = e;
                    sum[i] += e;
                    cross[i] += counts ? e * gap : 0.0;
                }
            }
            alignas(32) double factor[kGroup];
            for (Index i = 0; i < kGroup; ++i) {
                const bool real = g + i < rows_;
                const double w = real ? (weights ? weights[g + i] : 1.0) : 0.0;
                factor[i] = w / sum[i];
                if (!real || w == 0.0) {
                    factor[i] = 0.0;
                    continue;
                }
                const double log_sum = std::log(sum[i]);
                info.log_likelihood += w * (top[i] + log_sum);
                info.entropy += w * (log_sum - cross[i] / sum[i]);
            }
            for (Index k = 0; k < c_.k; ++k) {
                double* r = r_.data() + k * kSlab + g;
                for (Index i = 0; i < kGroup; ++i) r[i] *= factor[i];
            }
        }
    }

    // Responsibilities as given.
    void given(const Matrix<const double>& R, Index begin, const double* weights) {
        for (Index k = 0; k < c_.k; ++k) {
            double* r = r_.data() + k * kSlab;
            for (Index i = 0; i < rows_; ++i) r[i] = R(begin + i, k) * (weights ? weights[i] : 1.0);
            std::fill(r + rows_, r + width_, 0.0);
        }
    }

    // Adds the sums of these rows.
    void add_to(const Moments& out) {
        for (Index k = 0; k < c_.k; ++k) {
            const double* r = r_.data() + k * kSlab;
            double total = 0.0;
            for (Index i = 0; i < rows_; ++i) total += r[i];
            if (total == 0.0) continue;
            out.total[k] += total;
            if (out.order == Order::full)
                full_moments(k, out);
            else
                simple_moments(k, out);
        }
    }

    void write_log_density(const Matrix<double>& out, Index begin) const {
        for (Index i = 0; i < rows_; ++i)
            for (Index k = 0; k < c_.k; ++k) out(begin + i, k) = log_p_[k * kSlab + i];
    }

private:
    const Components& c_;
    Vec factor_;         // packed
    Vec x_;              // p x kSlab
    Vec d_;              // p x kGroup
    Vec z_;              // p x kGroup, tied only
    Vec centres_;        // k x p: whitened means, tied only
    Vec scaled_;         // padded(p + 1) x kSlab: sqrt(r u) d, sqrt(r u), zeros
    Vec log_p_, r_, u_;  // k x kSlab
    Index rows_ = 0, width_ = 0;
    Index kept_[kSlab];

    // d = x - mean for the 16 rows from g on.
    void minus(Index g, const double* mean) {
        for (Index j = 0; j < c_.p; ++j) {
            const double* x = x_.data() + j * kSlab + g;
            double* d = d_.data() + j * kGroup;
            for (Index i = 0; i < kGroup; ++i) d[i] = x[i] - mean[j];
        }
    }

    // Means relative to the first one, which is the origin of z.
    void whiten_means() {
        centres_.assign(c_.k * c_.p, 0.0);
        for (Index k = 1; k < c_.k; ++k)
            for (Index j = 0, at = 0; j < c_.p; at += ++j)
                for (Index i = 0; i <= j; ++i)
                    centres_[k * c_.p + j] += factor_[at + i] * (c_.means[k * c_.p + i] - c_.means[i]);
    }

    void density(Index g, Index k) {
        const Index p = c_.p;
        alignas(32) double q[kGroup] = {};
        if (c_.shape == Shape::full) {
            minus(g, c_.means.data() + k * p);
            quadratic_form(factor_.data() + k * (p * (p + 1) / 2), d_.data(), p, q);
        } else if (c_.shape == Shape::tied) {
            for (Index j = 0; j < p; ++j) {
                const double centre = centres_[k * p + j];
                const double* z = z_.data() + j * kGroup;
                for (Index i = 0; i < kGroup; ++i) q[i] += (z[i] - centre) * (z[i] - centre);
            }
        } else {
            for (Index j = 0; j < p; ++j) {
                const double mean = c_.means[k * p + j], root = factor_[k * p + j];
                const double* x = x_.data() + j * kSlab + g;
                for (Index i = 0; i < kGroup; ++i) {
                    const double y = (x[i] - mean) * root;
                    q[i] += y * y;
                }
            }
        }
        const double scale = c_.scale[k];
        double* l = log_p_.data() + k * kSlab + g;
        if (c_.dof.empty()) {
            for (Index i = 0; i < kGroup; ++i) l[i] = scale - 0.5 * q[i];
            return;
        }
        const double nu = c_.dof[k], power = 0.5 * (nu + double(p));
        double* u = u_.data() + k * kSlab + g;
        for (Index i = 0; i < kGroup; ++i) {
            l[i] = scale - power * std::log1p(q[i] / nu);
            u[i] = (nu + double(p)) / (nu + q[i]);
        }
    }

    // The weight r u of the rows that count, their number in kept_, and the sums of Student components.
    Index rows_that_count(Index k, const Moments& out, double* weight) {
        const double* r = r_.data() + k * kSlab;
        Index count = 0;
        if (c_.dof.empty()) {
            for (Index i = 0; i < rows_; ++i) {
                kept_[count] = i;
                weight[count] = r[i];
                count += r[i] > 0.0;
            }
            return count;
        }
        const double* u = u_.data() + k * kSlab;
        double gap = 0.0;
        for (Index i = 0; i < rows_; ++i) {
            if (!(r[i] > 0.0)) continue;
            kept_[count] = i;
            weight[count++] = r[i] * u[i];
            gap += r[i] * (std::log(u[i]) - u[i]);
        }
        out.log_gap[k] += gap;
        return count;
    }

    // sqrt(r u) d of the rows that count, in the rows of scaled_, and sqrt(r u) itself as row p.
    Index scale_rows(Index k, const Moments& out) {
        alignas(32) double root[kSlab];
        const Index p = c_.p, count = rows_that_count(k, out, root);
        for (Index i = 0; i < count; ++i) root[i] = std::sqrt(root[i]);
        const Index filled = (count + 3) / 4 * 4;
        std::fill(root + count, root + filled, 0.0);
        for (Index i = count; i < filled; ++i) kept_[i] = kept_[count - 1];
        for (Index j = 0; j < p; ++j) {
            const double* x = x_.data() + j * kSlab;
            const double mean = c_.means[k * p + j];
            double* to = scaled_.data() + j * kSlab;
            if (count == rows_)
                for (Index i = 0; i < filled; ++i) to[i] = root[i] * (x[i] - mean);
            else
                for (Index i = 0; i < filled; ++i) to[i] = root[i] * (x[kept_[i]] - mean);
        }
        std::copy(root, root + filled, scaled_.data() + p * kSlab);
        return filled;
    }

    // Tiles of 3 x 3 inner products of the scaled rows. out.second has room for (p + 1) x (p + 1), padded, here.
    void full_moments(Index k, const Moments& out) {
        const Index filled = scale_rows(k, out), side = padded(c_.p + 1);
        double* C = out.second.data() + k * side * side;
        for (Index a = 0; a < side; a += kTile)
            for (Index b = a; b < side; b += kTile) {
                const double *left[kTile], *right[kTile];
                for (Index u = 0; u < kTile; ++u) left[u] = scaled_.data() + (b + u) * kSlab;
                for (Index u = 0; u < kTile; ++u) right[u] = scaled_.data() + (a + u) * kSlab;
                dot_tile<kTile, kTile>(left, right, filled, C + a * side + b, side);
            }
    }

    void simple_moments(Index k, const Moments& out) {
        alignas(32) double weight[kSlab];
        const Index p = c_.p, count = rows_that_count(k, out, weight), filled = (count + 3) / 4 * 4;
        std::fill(weight + count, weight + filled, 0.0);
        for (Index i = count; i < filled; ++i) kept_[i] = kept_[count - 1];
        double total = 0.0;
        for (Index i = 0; i < count; ++i) total += weight[i];
        out.precision[k] += total;
        alignas(32) double d[kSlab];
        for (Index j = 0; j < p; ++j) {
            const double* x = x_.data() + j * kSlab;
            const double mean = c_.means[k * p + j];
            if (count == rows_)
                for (Index i = 0; i < filled; ++i) d[i] = x[i] - mean;
            else
                for (Index i = 0; i < filled; ++i) d[i] = x[kept_[i]] - mean;
            Pack4 first{}, second{};
            for (Index i = 0; i < filled; i += 4) {
                const Pack4 value = *packs(d + i), product = *packs(weight + i) * value;
                first += product;
                second += product * value;
            }
            out.first[k * p + j] += statlearn::total(first);
            if (out.order == Order::diagonal) out.second[k * p + j] += statlearn::total(second);
        }
    }
};

// The sums of one chunk of rows; second moments in full carry the first ones and the total as their last row.
struct Sums {
    Vec total, precision, log_gap, first, second;
    PassInfo info{0.0, 0.0};

    static Index second_size(const Components& c, Order order) {
        if (order == Order::full) return c.k * padded(c.p + 1) * padded(c.p + 1);
        return order == Order::diagonal ? c.k * c.p : 0;
    }

    void clear(const Components& c, Order order) {
        for (Vec* sums : {&total, &precision, &log_gap}) sums->assign(c.k, 0.0);
        first.assign(c.k * c.p, 0.0);
        second.assign(second_size(c, order), 0.0);
        info = {0.0, 0.0};
    }

    Moments view(Order order) { return {order, total, precision, log_gap, first, second}; }

    void add(const Sums& other) {
        const auto plus = [](Vec& a, const Vec& b) {
            for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
        };
        plus(total, other.total);
        plus(precision, other.precision);
        plus(log_gap, other.log_gap);
        plus(first, other.first);
        plus(second, other.second);
        info.log_likelihood += other.info.log_likelihood;
        info.entropy += other.info.entropy;
    }

    void write(const Components& c, const Moments& out) const {
        const auto copy = [](const Vec& from, Span<double> to) { std::copy(from.begin(), from.end(), to.begin()); };
        copy(total, out.total);
        copy(log_gap, out.log_gap);
        if (out.order != Order::full) {
            copy(precision, out.precision);
            copy(first, out.first);
            if (out.order == Order::diagonal) copy(second, out.second);
            return;
        }
        const Index p = c.p, side = padded(p + 1);
        for (Index k = 0; k < c.k; ++k) {
            const double* C = second.data() + k * side * side;
            out.precision[k] = C[p * side + p];
            for (Index i = 0; i < p; ++i) {
                out.first[k * p + i] = C[i * side + p];
                for (Index j = i; j < p; ++j)
                    out.second[(k * p + i) * p + j] = out.second[(k * p + j) * p + i] = C[i * side + j];
            }
        }
    }
};

// A grid over the rows that depends on the sizes of the problem only, in whole slabs.
Blocks chunks_of(Index n, const Components& c, Order order) {
    const double each = double(Sums::second_size(c, order) + c.k * c.p + 1);
    const Index most = std::clamp(Index(kSumsMemory / each), Index{1}, kMaxChunks);
    return chunk_grid(n, kChunkRows, most, kSlab);
}

// Sums over all rows of what `fill(slab, begin, end, weights, info)` makes the slab's responsibilities.
template <class T, class Fill>
PassInfo sum_rows(Matrix<const T> X, Span<const double> weights, const Components& c, const Interrupt& interrupt,
                  const Moments& out, Fill fill) {
    const Blocks chunks = chunks_of(X.rows, c, out.order);
    std::vector<Sums> parts(chunks.count());
    parallel_for(chunks.count(), [&](Index chunk) {
        Sums& sums = parts[chunk];
        sums.clear(c, out.order);
        const Moments moments = sums.view(out.order);
        Slab slab(c);
        for (Index i = chunks.begin(chunk); i < chunks.end(chunk); i += kSlab) {
            if (interrupt.requested()) return;
            const Index end = std::min(i + kSlab, chunks.end(chunk));
            slab.load(X, i, end);
            fill(slab, i, weights.empty() ? nullptr : weights.data() + i, sums.info);
            slab.add_to(moments);
        }
    });
    Sums sum;
    sum.clear(c, out.order);
    for (const Sums& part : parts)
        if (!part.total.empty()) sum.add(part);
    sum.write(c, out);
    return sum.info;
}

}  // namespace

template <class T>
PassInfo mixture_pass(Matrix<const T> X, Span<const double> weights, const Components& components,
                      const Interrupt& interrupt, const Moments& out) {
    return sum_rows(X, weights, components, interrupt, out, [](Slab& slab, Index, const double* w, PassInfo& info) {
        slab.densities();
        slab.posterior(w, info);
    });
}

template <class T>
void mixture_moments(Matrix<const T> X, Span<const double> weights, Matrix<const double> R,
                     const Components& components, const Interrupt& interrupt, const Moments& out) {
    sum_rows(X, weights, components, interrupt, out,
             [&](Slab& slab, Index begin, const double* w, PassInfo&) { slab.given(R, begin, w); });
}

template <class T>
void mixture_log_density(Matrix<const T> X, const Components& components, const Interrupt& interrupt,
                         Matrix<double> out) {
    const Blocks chunks(X.rows, 16 * kSlab);
    parallel_for(chunks.count(), [&](Index chunk) {
        Slab slab(components);
        for (Index i = chunks.begin(chunk); i < chunks.end(chunk); i += kSlab) {
            if (interrupt.requested()) return;
            slab.load(X, i, std::min(i + kSlab, chunks.end(chunk)));
            slab.densities();
            slab.write_log_density(out, i);
        }
    });
}

#define STATLEARN_INSTANTIATE(T)                                                                                   \
    template PassInfo mixture_pass<T>(Matrix<const T>, Span<const double>, const Components&, const Interrupt&,    \
                                      const Moments&);                                                             \
    template void mixture_moments<T>(Matrix<const T>, Span<const double>, Matrix<const double>, const Components&, \
                                     const Interrupt&, const Moments&);                                            \
    template void mixture_log_density<T>(Matrix<const T>, const Components&, const Interrupt&, Matrix<double>);
STATLEARN_INSTANTIATE(double)
STATLEARN_INSTANTIATE(float)
#undef STATLEARN_INSTANTIATE

}  // namespace statlearn::mixture
