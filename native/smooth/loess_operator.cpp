#include "smooth/loess_operator.hpp"

#include <algorithm>
#include <atomic>

#include "common/gram.hpp"
#include "common/parallel.hpp"

namespace statlearn::smooth {
namespace {

constexpr Index kLanes = 8;
constexpr Index kStripes = 16;  // partial sums of products, a number that does not depend on the threads

// Entries of O for the training rows.
class Operator {
public:
    Operator(const LoessData& data, const LoessRule& rule, const LoessFits& fits)
        : data_(data), near_(rule.near), fits_(fits), functions_(data.X.cols, rule.degree, rule.squares) {
        u_.resize(std::size_t(data.X.cols) * kLanes);
        f_.resize(std::size_t(functions_.size()) * kLanes);
        c_.resize(std::size_t(functions_.size()));
    }

    Index parts() const { return fits_.parts; }
    Index vertices() const { return fits_.places.rows; }

    // All parts of vertex v at one row, added up with the given shares.
    double at(Index v, Index row, const double* shares) {
        const double weight = weigh(v, row);
        if (weight == 0.0) return 0.0;
        combine(v, shares);
        double sum = 0.0;
        for (Index j = 0; j < functions_.size(); ++j) sum += c_[std::size_t(j)] * f_[std::size_t(j)];
        return weight * sum;
    }

    // Adds them for all rows to `out`.
    void add_row(Index v, const double* shares, double* out) {
        const Index n = data_.X.rows, k = functions_.size();
        combine(v, shares);
        double weight[kLanes];
        for (Index first = 0; first < n; first += kLanes) {
            const Index count = std::min(kLanes, n - first);
            if (!weigh_lanes(v, first, count, weight)) continue;
            double sum[kLanes] = {};
            for (Index j = 0; j < k; ++j)
                for (Index l = 0; l < kLanes; ++l) sum[l] += c_[std::size_t(j)] * f_[std::size_t(j * kLanes + l)];
            for (Index l = 0; l < count; ++l) out[first + l] += weight[l] * sum[l];
        }
    }

    // Column `row` of O: (1 + d) entries for each vertex.
    void column(Index row, double* out) {
        const Index k = functions_.size();
        for (Index v = 0; v < vertices(); ++v) {
            const double weight = weigh(v, row);
            for (Index part = 0; part < parts(); ++part, ++out) {
                *out = 0.0;
                if (weight == 0.0) continue;
                const double* c = coefs(v) + part * k;
                for (Index j = 0; j < k; ++j) *out += c[j] * f_[std::size_t(j)];
                *out *= weight;
            }
        }
    }

private:
    const double* coefs(Index v) const { return fits_.coefs.data() + v * parts() * functions_.size(); }

    void combine(Index v, const double* shares) {
        const Index k = functions_.size();
        std::fill(c_.begin(), c_.end(), 0.0);
        for (Index part = 0; part < parts(); ++part)
            for (Index j = 0; j < k; ++j) c_[std::size_t(j)] += shares[part] * coefs(v)[part * k + j];
    }

    // Functions and weight of one row around vertex v.
    double weigh(Index v, Index row) {
        const double* place = fits_.places.row(v);
        double square = 0.0;
        for (Index j = 0; j < data_.X.cols; ++j) {
            const double gap = data_.X.col(j)[row] - place[j];
            u_[std::size_t(j)] = gap;
            if (j < near_) square += gap * gap;
        }
        const double weight = nearness(square, fits_.reach[std::size_t(v)]);
        if (weight == 0.0) return 0.0;
        functions_.fill<1>(u_.data(), f_.data());
        return data_.w.empty() ? weight : weight * data_.w[std::size_t(row)];
    }

    // The same for rows `first` to first + count - 1 in lanes; false if all weights are 0.
    bool weigh_lanes(Index v, Index first, Index count, double* weight) {
        const double* place = fits_.places.row(v);
        double square[kLanes] = {};
        for (Index j = 0; j < data_.X.cols; ++j)
            for (Index l = 0; l < kLanes; ++l) {
                const double gap = data_.X.col(j)[first + std::min(l, count - 1)] - place[j];
                u_[std::size_t(j * kLanes + l)] = gap;
                if (j < near_) square[l] += gap * gap;
            }
        bool any = false;
        for (Index l = 0; l < count; ++l) {
            weight[l] = nearness(square[l], fits_.reach[std::size_t(v)]);
            if (!data_.w.empty()) weight[l] *= data_.w[std::size_t(first + l)];
            any = any || weight[l] > 0.0;
        }
        if (any) functions_.fill<kLanes>(u_.data(), f_.data());
        return any;
    }

    const LoessData& data_;
    Index near_;
    const LoessFits& fits_;
    LocalFunctions functions_;
    std::vector<double> u_, f_, c_;
};

// Runs body(operator, i) for i = 0..count-1 in blocks; false if interrupted.
template <class Body>
bool for_each(const LoessData& data, const LoessRule& rule, const LoessFits& fits, Index count, Index block_size,
              const Interrupt& interrupt, Body&& body) {
    const Blocks blocks(count, block_size);
    std::atomic<bool> stopped{false};
    parallel_for(blocks.count(), [&](Index block) {
        if (stopped || interrupt.requested()) {
            stopped = true;
            return;
        }
        Operator op(data, rule, fits);
        for (Index i = blocks.begin(block); i < blocks.end(block); ++i) body(op, i);
    });
    return !stopped;
}

}  // namespace

bool loess_rows(const LoessData& data, const LoessRule& rule, const LoessFits& fits, const LoessBlends& blends,
                const Interrupt& interrupt, MatrixView<double> rows) {
    return for_each(data, rule, fits, rows.rows, 16, interrupt, [&](Operator& op, Index i) {
        double* out = rows.row(i);
        std::fill(out, out + rows.cols, 0.0);
        for (Index t = 0; t < blends.index.cols && blends.index(i, t) >= 0; ++t)
            op.add_row(blends.index(i, t), blends.shares.data() + (i * blends.index.cols + t) * fits.parts, out);
    });
}

bool loess_diagonal(const LoessData& data, const LoessRule& rule, const LoessFits& fits, const LoessCellsView& cells,
                    const Interrupt& interrupt, std::span<double> diagonal) {
    const Index d = data.X.cols;
    const Blender blender(cells);
    return for_each(data, rule, fits, data.X.rows, 1024, interrupt, [&](Operator& op, Index i) {
        double z[kLoessColumns];
        for (Index j = 0; j < d; ++j) z[j] = data.X(i, j);
        Blend blend;
        blender.collect(z, blend);
        double sum = 0.0;
        for (Index t = 0; t < blend.size; ++t) sum += op.at(blend.index[t], i, blend.shares[t]);
        diagonal[std::size_t(i)] = sum;
    });
}

bool loess_products(const LoessData& data, const LoessRule& rule, const LoessFits& fits, const LoessBlends& blends,
                    std::span<const double> divide, const Interrupt& interrupt, MatrixView<double> S,
                    MatrixView<double> K, MatrixView<double> T) {
    const Index n = data.X.rows, r = S.rows, parts = fits.parts, capacity = blends.index.cols;
    const Index width = (r + kGramTile - 1) / kGramTile * kGramTile;
    const Blocks stripes(n, std::max<Index>((n + kStripes - 1) / kStripes, 1));
    constexpr Index kPack = 64;
    std::vector<std::vector<double>> sums(static_cast<std::size_t>(stripes.count()));
    std::vector<std::vector<double>> crossed(sums.size());
    std::atomic<bool> stopped{false};
    parallel_for(stripes.count(), [&](Index stripe) {
        Operator op(data, rule, fits);
        auto& sum = sums[std::size_t(stripe)];
        auto& cross = crossed[std::size_t(stripe)];
        sum.assign(std::size_t(width * width), 0.0);
        if (K.rows > 0) cross.assign(std::size_t(r * r), 0.0);
        std::vector<double> plain(static_cast<std::size_t>(kPack * width), 0.0), scaled(plain);
        const Index end = stripes.end(stripe);
        for (Index first = stripes.begin(stripe); first < end; first += kPack) {
            if (stopped || interrupt.requested()) {
                stopped = true;
                return;
            }
            const Index count = std::min(kPack, end - first);
            for (Index i = 0; i < count; ++i) {
                double* o = plain.data() + i * width;
                op.column(first + i, o);
                const double by = divide.empty() ? 1.0 : 1.0 / divide[std::size_t(first + i)];
                for (Index a = 0; a < r; ++a) scaled[std::size_t(i * width + a)] = by * o[a];
                if (K.rows == 0) continue;
                // K' here: row b of the blend, column a of O.
                for (Index t = 0; t < capacity && blends.index(first + i, t) >= 0; ++t)
                    for (Index part = 0; part < parts; ++part) {
                        const double share = blends.shares[std::size_t(((first + i) * capacity + t) * parts + part)];
                        double* to = cross.data() + (blends.index(first + i, t) * parts + part) * r;
                        for (Index a = 0; a < r; ++a) to[a] += share * o[a];
                    }
            }
            gram_update(scaled.data(), plain.data(), count, width, sum.data());
        }
    });
    if (stopped) return false;
    for (Index a = 0; a < r; ++a)
        for (Index b = a; b < r; ++b) {
            double total = 0.0;
            for (const auto& sum : sums) total += sum[std::size_t(a * width + b)];
            S(a, b) = S(b, a) = total;
        }
    if (K.rows == 0) return true;
    for (Index a = 0; a < r; ++a)
        for (Index b = 0; b < r; ++b) {
            double total = 0.0;
            for (const auto& cross : crossed) total += cross[std::size_t(b * r + a)];
            K(a, b) = total;
            T(a, b) = 0.0;
        }
    const Index wide = capacity * parts;
    for (Index i = 0; i < n; ++i) {
        const double by = divide.empty() ? 1.0 : divide[std::size_t(i)];
        const double* shares = blends.shares.data() + i * wide;
        for (Index s = 0; s < wide && blends.index(i, s / parts) >= 0; ++s)
            for (Index t = 0; t < wide && blends.index(i, t / parts) >= 0; ++t)
                T(blends.index(i, s / parts) * parts + s % parts, blends.index(i, t / parts) * parts + t % parts) +=
                    by * shares[s] * shares[t];
    }
    return true;
}

void loess_norms(const LoessBlends& blends, MatrixView<const double> S, std::span<double> out) {
    const Index capacity = blends.index.cols,
                wide = Index(blends.shares.size()) / std::max<Index>(blends.index.rows, 1);
    const Index parts = wide / capacity;
    const Blocks blocks(blends.index.rows, 1024);
    parallel_for(blocks.count(), [&](Index block) {
        for (Index i = blocks.begin(block); i < blocks.end(block); ++i) {
            const double* shares = blends.shares.data() + i * wide;
            double sum = 0.0;
            for (Index s = 0; s < capacity && blends.index(i, s) >= 0; ++s)
                for (Index t = 0; t < capacity && blends.index(i, t) >= 0; ++t)
                    for (Index a = 0; a < parts; ++a) {
                        const double* row = S.row(blends.index(i, s) * parts + a) + blends.index(i, t) * parts;
                        for (Index b = 0; b < parts; ++b) sum += shares[s * parts + a] * shares[t * parts + b] * row[b];
                    }
            out[std::size_t(i)] = sum;
        }
    });
}

}  // namespace statlearn::smooth
