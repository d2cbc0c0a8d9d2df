// Entries of the matrix O that takes the responses to values and slopes of local fits.
#pragma once

#include <algorithm>
#include <vector>

#include "smooth/loess_fit.hpp"

namespace statlearn::smooth {

// Entries of O for the training rows.
class LoessEntries {
    static constexpr Index kLanes = 8;

public:
    LoessEntries(const LoessData& data, const LoessRule& rule, const LoessFits& fits)
        : data_(data), near_(rule.near), fits_(fits), functions_(data.X.cols, rule.degree, rule.squares) {
        u_.resize(std::size_t(data.X.cols) * kLanes);
        f_.resize(std::size_t(functions_.size()) * kLanes);
        c_.resize(functions_.size());
    }

    Index parts() const { return fits_.parts; }

    // All parts of vertex v at one row, added up with the given shares.
    double at(Index v, Index row, const double* shares) {
        const double weight = weigh(v, row);
        if (weight == 0.0) return 0.0;
        combine(v, shares);
        double sum = 0.0;
        for (Index j = 0; j < functions_.size(); ++j) sum += c_[j] * f_[j];
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
                for (Index l = 0; l < kLanes; ++l) sum[l] += c_[j] * f_[j * kLanes + l];
            for (Index l = 0; l < count; ++l) out[first + l] += weight[l] * sum[l];
        }
    }

    // Entries of O for all parts of vertex v at one row.
    void entries(Index v, Index row, double* out) {
        const Index k = functions_.size();
        const double weight = weigh(v, row);
        for (Index part = 0; part < parts(); ++part) {
            out[part] = 0.0;
            if (weight == 0.0) continue;
            const double* c = coefs(v) + part * k;
            for (Index j = 0; j < k; ++j) out[part] += c[j] * f_[j];
            out[part] *= weight;
        }
    }

private:
    const double* coefs(Index v) const { return fits_.coefs.data() + v * parts() * functions_.size(); }

    void combine(Index v, const double* shares) {
        const Index k = functions_.size();
        std::fill(c_.begin(), c_.end(), 0.0);
        for (Index part = 0; part < parts(); ++part)
            for (Index j = 0; j < k; ++j) c_[j] += shares[part] * coefs(v)[part * k + j];
    }

    // Functions and weight of one row around vertex v.
    double weigh(Index v, Index row) {
        const double* place = fits_.places.row(v);
        double square = 0.0;
        for (Index j = 0; j < data_.X.cols; ++j) {
            const double gap = data_.X.col(j)[row] - place[j];
            u_[j] = gap;
            if (j < near_) square += gap * gap;
        }
        const double weight = nearness(square, fits_.reach[v]);
        if (weight == 0.0) return 0.0;
        functions_.fill<1>(u_.data(), f_.data());
        return data_.w.empty() ? weight : weight * data_.w[row];
    }

    // The same for rows `first` to first + count - 1 in lanes; false if all weights are 0.
    bool weigh_lanes(Index v, Index first, Index count, double* weight) {
        const double* place = fits_.places.row(v);
        double square[kLanes] = {};
        for (Index j = 0; j < data_.X.cols; ++j)
            for (Index l = 0; l < kLanes; ++l) {
                const double gap = data_.X.col(j)[first + std::min(l, count - 1)] - place[j];
                u_[j * kLanes + l] = gap;
                if (j < near_) square[l] += gap * gap;
            }
        bool any = false;
        for (Index l = 0; l < count; ++l) {
            weight[l] = nearness(square[l], fits_.reach[v]);
            if (!data_.w.empty()) weight[l] *= data_.w[first + l];
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

}  // namespace statlearn::smooth
