// Histograms and scores for the search of forest_search.hpp, one model for each kind of target.
#pragma once

#include <numeric>

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "common/pack.hpp"
#include "common/special.hpp"
#include "trees/forest_search.hpp"

namespace statlearn::trees::binned {

// Bits of the places where `test` holds, count <= 64.
template <class Test>
std::uint64_t bits_where(int count, Test test) {
    std::uint64_t bits = 0;
    for (int k = 0; k < count; ++k) bits |= std::uint64_t{test(k)} << k;
    return bits;
}

// x log x for the counts that occur most, computed for the others.
class XLogX {
public:
    explicit XLogX(Index largest) : table_(std::min<Index>(largest, 1 << 16) + 1) {
        for (std::size_t i = 1; i < table_.size(); ++i) table_[i] = double(i) * std::log(double(i));
    }
    double operator()(std::uint64_t count) const {
        return count < table_.size() ? table_[count] : double(count) * std::log(double(count));
    }
    double operator()(double x) const { return x_log_x(x); }

private:
    std::vector<double> table_;
};

// Two classes, whole weights: one integer holds rows, weight of the second and weight of the first class.
class TwoClasses {
public:
    static constexpr bool kExact = true;
    static constexpr Index kSmall = 32;
    static constexpr int kField = 21;
    static constexpr std::uint64_t kMask = (std::uint64_t{1} << kField) - 1;
    static constexpr std::uint64_t kRow = std::uint64_t{1} << (2 * kField);
    static constexpr Index kLargest = Index(kMask);  // total weight

    TwoClasses(Criterion criterion, const XLogX& xlogx) : gini_(criterion == Criterion::gini), xlogx_(xlogx) {}

    // Where all weights are 1 and no value is missing the labels alone are enough for take_up_to; zeros follow them.
    void begin(const std::uint64_t* values, std::uint64_t total, const std::uint8_t* labels = nullptr) {
        values_ = values, total_ = total, labels_ = labels;
    }

    void fill(const Bin* bytes, Index m, int n_bins) {
        std::fill_n(cells_.begin(), (n_bins + 3) / 4 * 4, 0);
        cells_[kMissing] = 0;
        for (Index i = 0; i < m; ++i) cells_[bytes[i]] += values_[i];
    }
    bool filled(int bin) const { return cells_[bin] != 0; }
    std::uint64_t filled_from(int first, int count) const {
        const std::uint64_t* cell = cells_.data() + first;
#ifdef __AVX2__
        std::uint64_t bits = 0;
        for (int k = 0; k < count; k += 4) {  // cells behind n_bins are cleared up to a multiple of four
            const auto four = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(cell + k));
            const auto empty = _mm256_cmpeq_epi64(four, _mm256_setzero_si256());
            bits |= std::uint64_t(~_mm256_movemask_pd(_mm256_castsi256_pd(empty)) & 15) << k;
        }
        return count == 64 ? bits : bits & ((std::uint64_t{1} << count) - 1);
#else
        return bits_where(count, [&](int k) { return cell[k] != 0; });
#endif
    }
    void start() { left_ = 0; }
    void move(int bin) { left_ += cells_[bin]; }
    void take(const Bin* bytes, Index m, const std::uint8_t* left) {
        left_ = 0;
        for (Index i = 0; i < m; ++i) left_ += values_[i] & -std::uint64_t(left[bytes[i]]);
    }
    void take_up_to(const Bin* bytes, Index m, int cut, bool missing) {
        const auto last = Bin(cut);
        if (labels_ != nullptr) {
            const std::uint8_t* labels = labels_;
            const Bytes limit = Bytes{} + last;
            int rows = 0, second = 0;
            by_sixteen(m, [&](Index i, unsigned valid) {
                const unsigned left = bits_of(load(bytes + i) <= limit) & valid;
                rows += std::popcount(left);
                second += std::popcount(bits_of(load(labels + i) != 0) & left);
            });
            left_ = kRow * std::uint64_t(rows) | std::uint64_t(second) << kField | std::uint64_t(rows - second);
            return;
        }
        std::uint64_t sum = 0;
        for (Index i = 0; i < m; ++i) sum += values_[i] & -std::uint64_t(bytes[i] <= last);
        if (missing)
            for (Index i = 0; i < m; ++i) sum += values_[i] & -std::uint64_t(bytes[i] == kMissing);
        left_ = sum;
    }
    bool side_by_side() const { return gini_; }
    void cut_scores(const Bin* order, int count, double* score) const {
        std::array<std::int32_t, kBins> l0, l1;
        std::uint64_t left = 0;
        for (Index j = 0; j < count; ++j) {
            left += cells_[order[j]];
            l0[j] = std::int32_t(left & kMask), l1[j] = std::int32_t(left >> kField & kMask);
        }
        const auto t0 = std::int32_t(total_ & kMask), t1 = std::int32_t(total_ >> kField & kMask);
        for (Index j = 0; j < count; ++j)
            score[j] = squares(double(l0[j]), double(l1[j])) + squares(double(t0 - l0[j]), double(t1 - l1[j]));
    }
    double score() const {
        const std::uint64_t right = total_ - left_;
        const auto l0 = left_ & kMask, l1 = left_ >> kField & kMask;
        const auto r0 = right & kMask, r1 = right >> kField & kMask;
        if (gini_) return squares(double(l0), double(l1)) + squares(double(r0), double(r1));
        return xlogx_(l0) + xlogx_(l1) - xlogx_(l0 + l1) + xlogx_(r0) + xlogx_(r1) - xlogx_(r0 + r1);
    }
    Index left_rows() const { return Index(left_ >> (2 * kField)); }
    Index right_rows() const { return Index((total_ - left_) >> (2 * kField)); }
    double left_weight() const { return weight(left_); }
    double right_weight() const { return weight(total_ - left_); }
    double left_mean() const { return mean(left_); }
    double right_mean() const { return mean(total_ - left_); }
    std::uint64_t side() const { return left_; }
    double key(int bin) const { return mean(cells_[bin]); }

    bool few_rows() const { return gini_ && (total_ & kMask) + (total_ >> kField & kMask) < 65536; }
    // The score of the cut behind each row's own bin, without a histogram: m is small, and all comparisons are made
    // side by side. Meaningless for the largest bin.
    void row_scores(const Bin* bytes, Index m, double* score) const {
        constexpr std::size_t kLanes = 8;
        std::array<std::uint32_t, kSmall> bin{}, value;
        for (Index i = 0; i < m; ++i) {
            bin[i] = bytes[i];
            value[i] = std::uint32_t(values_[i] & kMask) | std::uint32_t(values_[i] >> kField & kMask) << 16;
        }
        const double t0 = double(total_ & kMask), t1 = double(total_ >> kField & kMask);
        for (Index first = 0; first < m; first += kLanes) {
            Words8 cut, sum{};
            std::memcpy(&cut, bin.data() + first, sizeof cut);
            for (Index j = 0; j < m; ++j) {
                const Words8 b = Words8{} + bin[j], v = Words8{} + value[j];
                sum += b <= cut ? v : Words8{};
            }
            std::array<std::int32_t, kLanes> l0, l1;
            const Words8 low = sum & 0xFFFFu, high = sum >> 16;
            std::memcpy(l0.data(), &low, sizeof low);
            std::memcpy(l1.data(), &high, sizeof high);
            for (std::size_t l = 0; l < kLanes; ++l)
                score[first + l] = squares(double(l0[l]), double(l1[l])) + squares(t0 - l0[l], t1 - l1[l]);
        }
    }

private:
    static double squares(double a, double b) { return (a * a + b * b) / (a + b); }
    static double weight(std::uint64_t v) { return double((v & kMask) + (v >> kField & kMask)); }
    static double mean(std::uint64_t v) { return double(v >> kField & kMask) / weight(v); }

    bool gini_;
    const XLogX& xlogx_;
    const std::uint64_t* values_ = nullptr;
    const std::uint8_t* labels_ = nullptr;
    std::uint64_t total_ = 0, left_ = 0;
    std::array<std::uint64_t, kBins> cells_;
};

// Leading direction of the rows of a matrix of shares, weighted: categories are ordered along it (Coppersmith, Hong
// & Hosking, 1999). Twenty power steps from the column of largest variance are plenty for an ordering.
inline std::vector<double> leading_direction(const std::vector<double>& shares, const std::vector<double>& weights,
                                             std::size_t width) {
    const std::size_t rows = weights.size();
    std::vector<double> mean(width, 0.0), variance(width, 0.0);
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t k = 0; k < width; ++k) mean[k] += weights[r] * shares[r * width + k] / total;
    for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t k = 0; k < width; ++k) {
            const double d = shares[r * width + k] - mean[k];
            variance[k] += weights[r] * d * d;
        }
    std::vector<double> v(width, 0.0), next(width);
    v[std::max_element(variance.begin(), variance.end()) - variance.begin()] = 1.0;
    for (int step = 0; step < 20; ++step) {
        std::fill(next.begin(), next.end(), 0.0);
        for (std::size_t r = 0; r < rows; ++r) {
            double dot = 0.0;
            for (std::size_t k = 0; k < width; ++k) dot += (shares[r * width + k] - mean[k]) * v[k];
            for (std::size_t k = 0; k < width; ++k) next[k] += weights[r] * dot * (shares[r * width + k] - mean[k]);
        }
        double norm = 0.0;
        for (const double x : next) norm += x * x;
        if (!(norm > 0)) break;
        for (std::size_t k = 0; k < width; ++k) v[k] = next[k] / std::sqrt(norm);
    }
    return v;
}

// Any number of classes, whole weights. Only the classes that occur in the node have cells.
class ManyClasses {
public:
    static constexpr bool kExact = true;
    static constexpr Index kSmall = 0;
    struct Value {
        std::uint32_t place, weight;  // number of the class among those of the node
    };

    ManyClasses(Criterion criterion, const XLogX& xlogx) : gini_(criterion == Criterion::gini), xlogx_(xlogx) {}

    void begin(const Value* values, Index m, const std::vector<std::uint32_t>& totals) {
        values_ = values, total_ = totals, width_ = totals.size(), rows_ = m;
        left_.assign(width_, 0);
        weight_ = std::accumulate(totals.begin(), totals.end(), std::uint64_t{0});
        if (cells_.size() < width_ * kBins) cells_.resize(width_ * kBins);
    }
    void fill(const Bin* bytes, Index m, int n_bins) {
        std::fill_n(cells_.begin(), std::size_t(n_bins) * width_, 0u);
        std::fill_n(cells_.begin() + std::ptrdiff_t(kMissing * width_), width_, 0u);
        rows_in_.fill(0);
        for (Index i = 0; i < m; ++i) {
            cells_[bytes[i] * width_ + values_[i].place] += values_[i].weight;
            ++rows_in_[bytes[i]];
        }
        keyed_ = false;
    }
    bool filled(int bin) const { return rows_in_[bin] != 0; }
    std::uint64_t filled_from(int first, int count) const {
        return bits_where(count, [&](int k) { return filled(first + k); });
    }
    void start() {
        std::fill(left_.begin(), left_.end(), 0u);
        left_rows_ = 0, left_weight_ = 0;
        left_squares_ = right_squares_ = 0.0;
        for (const auto c : total_) right_squares_ += double(c) * c;
    }
    void move(int bin) {
        const std::uint32_t* cell = cells_.data() + std::size_t(bin) * width_;
        for (std::size_t k = 0; k < width_; ++k) move_class(k, cell[k]);
        left_rows_ += rows_in_[bin];
    }
    void take(const Bin* bytes, Index m, const std::uint8_t* left) {
        std::fill(left_.begin(), left_.end(), 0u);
        left_rows_ = 0, left_weight_ = 0;
        for (Index i = 0; i < m; ++i) {
            const std::uint32_t w = values_[i].weight & -std::uint32_t(left[bytes[i]]);
            left_[values_[i].place] += w;
            left_weight_ += w;
            left_rows_ += left[bytes[i]];
        }
        left_squares_ = right_squares_ = 0.0;
        for (std::size_t k = 0; k < width_; ++k) {
            const double l = left_[k], r = double(total_[k]) - l;
            left_squares_ += l * l, right_squares_ += r * r;
        }
    }
    void take_up_to(const Bin* bytes, Index m, int cut, bool missing) {
        std::array<std::uint8_t, kBins> left{};
        std::fill_n(left.begin(), cut + 1, std::uint8_t{1});
        left[kMissing] = missing;
        take(bytes, m, left.data());
    }
    bool side_by_side() const { return false; }
    void cut_scores(const Bin*, int, double*) const {}
    double score() const {
        if (gini_) return left_squares_ / double(left_weight_) + right_squares_ / double(weight_ - left_weight_);
        double sum = -xlogx_(left_weight_) - xlogx_(weight_ - left_weight_);
        for (std::size_t k = 0; k < width_; ++k)
            sum += xlogx_(std::uint64_t(left_[k])) + xlogx_(std::uint64_t(total_[k] - left_[k]));
        return sum;
    }
    Index left_rows() const { return left_rows_; }
    Index right_rows() const { return rows_ - left_rows_; }
    double left_weight() const { return double(left_weight_); }
    double right_weight() const { return double(weight_ - left_weight_); }
    double left_mean() const { return double(left_.back()) / left_weight(); }
    double right_mean() const { return double(total_.back() - left_.back()) / right_weight(); }
    std::uint64_t side() const { return 0; }
    double key(int bin) const {
        if (!keyed_) find_direction();
        const std::uint32_t* cell = cells_.data() + std::size_t(bin) * width_;
        double dot = 0.0, weight = 0.0;
        for (std::size_t k = 0; k < width_; ++k) dot += direction_[k] * cell[k], weight += cell[k];
        return dot / weight;
    }
    bool few_rows() const { return false; }
    void row_scores(const Bin*, Index, double*) const {}

private:
    void move_class(std::size_t k, std::uint32_t c) {
        // (l + c)^2 - l^2 and (r - c)^2 - r^2: whole numbers, exact in double.
        const double l = left_[k], r = double(total_[k]) - l, w = c;
        left_squares_ += w * (2 * l + w);
        right_squares_ -= w * (2 * r - w);
        left_[k] += c;
        left_weight_ += c;
    }
    void find_direction() const {
        std::vector<double> shares, weights;
        for (std::size_t b = 0; b < kBins; ++b) {
            if (rows_in_[b] == 0) continue;
            double weight = 0.0;
            for (std::size_t k = 0; k < width_; ++k) weight += cells_[b * width_ + k];
            for (std::size_t k = 0; k < width_; ++k) shares.push_back(double(cells_[b * width_ + k]) / weight);
            weights.push_back(weight);
        }
        direction_ = leading_direction(shares, weights, width_);
        keyed_ = true;
    }

    bool gini_;
    const XLogX& xlogx_;
    const Value* values_ = nullptr;
    std::size_t width_ = 0;
    Index rows_ = 0, left_rows_ = 0;
    std::uint64_t weight_ = 0, left_weight_ = 0;
    double left_squares_ = 0.0, right_squares_ = 0.0;
    std::vector<std::uint32_t> total_, left_, cells_;
    std::array<std::uint32_t, kBins> rows_in_;
    mutable std::vector<double> direction_;
    mutable bool keyed_ = false;
};

// One column of numbers, whole weights.
class OneNumber {
public:
    static constexpr bool kExact = false;
    static constexpr Index kSmall = 32;
    struct Value {
        double sum;           // weight times y
        std::uint64_t count;  // rows in the upper half, weight in the lower
        Value& operator+=(const Value& o) {
            sum += o.sum, count += o.count;
            return *this;
        }
    };

    explicit OneNumber(Criterion criterion) : poisson_(criterion == Criterion::poisson) {}

    void begin(const Value* values, Value total) { values_ = values, total_ = total; }
    void fill(const Bin* bytes, Index m, int n_bins) {
        std::memset(cells_.data(), 0, std::size_t((n_bins + 1) / 2 * 2) * sizeof(Value));  // 0.0 has no bits set
        cells_[kMissing] = {0.0, 0};
        for (Index i = 0; i < m; ++i) cells_[bytes[i]] += values_[i];
    }
    bool filled(int bin) const { return cells_[bin].count != 0; }
    std::uint64_t filled_from(int first, int count) const {
#ifdef __AVX2__
        std::uint64_t bits = 0;
        for (int k = 0; k < count; k += 2) {  // two cells: sum, count, sum, count
            const auto two = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(cells_.data() + first + k));
            const auto empty = _mm256_cmpeq_epi64(two, _mm256_setzero_si256());
            const int full = ~_mm256_movemask_pd(_mm256_castsi256_pd(empty));
            bits |= std::uint64_t((full >> 1 & 1) | (full >> 2 & 2)) << k;
        }
        return count == 64 ? bits : bits & ((std::uint64_t{1} << count) - 1);
#else
        return bits_where(count, [&](int k) { return filled(first + k); });
#endif
    }
    void start() { left_ = {0.0, 0}; }
    void move(int bin) { left_ += cells_[bin]; }
    void take(const Bin* bytes, Index m, const std::uint8_t* left) {
        left_ = {0.0, 0};
        for (Index i = 0; i < m; ++i) {
            left_.sum += left[bytes[i]] ? values_[i].sum : 0.0;
            left_.count += values_[i].count & -std::uint64_t(left[bytes[i]]);
        }
    }
    void take_up_to(const Bin* bytes, Index m, int cut, bool missing) {
        std::array<double, 4> sum{};  // four chains of additions in flight
        std::uint64_t count = 0;
        const auto add = [&](Index i, std::size_t lane) {
            const bool left = bytes[i] <= cut || (missing && bytes[i] == kMissing);
            sum[lane] += left ? values_[i].sum : 0.0;
            count += left ? values_[i].count : 0;
        };
        Index i = 0;
        for (; i + 4 <= m; i += 4)
            for (std::size_t lane = 0; lane < 4; ++lane) add(i + Index(lane), lane);
        for (; i < m; ++i) add(i, 0);
        left_ = {(sum[0] + sum[1]) + (sum[2] + sum[3]), count};
    }
    bool side_by_side() const { return !poisson_; }
    void cut_scores(const Bin* order, int count, double* score) const {
        std::array<double, kBins> sum, weight;
        Value left{0.0, 0};
        for (Index j = 0; j < count; ++j) {
            left += cells_[order[j]];
            sum[j] = left.sum, weight[j] = double(std::int32_t(left.count));
        }
        const double total = total_.sum, all = double(std::uint32_t(total_.count));
        for (Index j = 0; j < count; ++j) {
            const double rest = total - sum[j];
            score[j] = sum[j] * sum[j] / weight[j] + rest * rest / (all - weight[j]);
        }
    }
    double score() const {
        const double r = total_.sum - left_.sum;
        if (!poisson_) return left_.sum * left_.sum / left_weight() + r * r / right_weight();
        if (left_.sum <= 0 || r <= 0) return kNever;
        return left_.sum * std::log(left_.sum / left_weight()) + r * std::log(r / right_weight());
    }
    Index left_rows() const { return Index(left_.count >> 32); }
    Index right_rows() const { return Index((total_.count - left_.count) >> 32); }
    double left_weight() const { return double(std::uint32_t(left_.count)); }
    double right_weight() const { return double(std::uint32_t(total_.count - left_.count)); }
    double left_mean() const { return left_.sum / left_weight(); }
    double right_mean() const { return (total_.sum - left_.sum) / right_weight(); }
    std::uint64_t side() const { return 0; }
    double key(int bin) const {
        const Value& cell = cells_[bin];
        return cell.sum / double(std::uint32_t(cell.count));
    }
    bool few_rows() const { return !poisson_; }
    void row_scores(const Bin* bytes, Index m, double* score) const {
        constexpr std::size_t kLanes = 8;
        std::array<double, kSmall> bin{}, sum, weight;
        for (Index i = 0; i < m; ++i) {
            bin[i] = bytes[i];
            sum[i] = values_[i].sum;
            weight[i] = double(std::int32_t(values_[i].count));
        }
        const double total = total_.sum, all = double(std::uint32_t(total_.count));
        const Pack4 zero{};
        for (Index first = 0; first < m; first += kLanes) {
            Pack4 cut[2], s[2] = {zero, zero}, w[2] = {zero, zero};
            std::memcpy(cut, bin.data() + first, sizeof cut);
            for (Index j = 0; j < m; ++j) {
                const Pack4 b = zero + bin[j], by = zero + sum[j], of = zero + weight[j];
                for (std::size_t l = 0; l < 2; ++l) {
                    s[l] += b <= cut[l] ? by : zero;
                    w[l] += b <= cut[l] ? of : zero;
                }
            }
            for (std::size_t l = 0; l < 2; ++l) {
                const Pack4 rest = total - s[l];
                const Pack4 found = s[l] * s[l] / w[l] + rest * rest / (all - w[l]);
                std::memcpy(score + first + 4 * l, &found, sizeof found);
            }
        }
    }

private:
    bool poisson_;
    const Value* values_ = nullptr;
    Value total_{0.0, 0}, left_{0.0, 0};
    std::array<Value, kBins> cells_;
};

// Several outputs, or weights that are not whole: a cell has the sums of all outputs, the weight and the rows.
class AnySums {
public:
    static constexpr bool kExact = false;
    static constexpr Index kSmall = 0;

    AnySums(Criterion criterion, const ForestTarget& target)
        : criterion_(criterion),
          target_(target),
          width_(target.width()),
          cell_(width_ + 2),
          per_output_(target.per_output()),
          cells_(cell_ * kBins),
          total_(cell_),
          left_(cell_) {}

    void begin(const std::uint32_t* rows, const double* weights, const std::vector<double>& total) {
        rows_ = rows, weights_ = weights, total_ = total;
    }
    // Adds a row to a cell.
    void add(std::uint32_t row, double weight, double* cell) const {
        const auto i = Index(row);
        if (target_.n_classes.empty()) {
            for (std::size_t o = 0; o < width_; ++o) cell[o] += weight * target_.y(i, Index(o));
        } else {
            for (Index o = 0; o < target_.y.cols; ++o)
                cell[std::size_t(o) * per_output_ + std::size_t(target_.y(i, o))] += weight;
        }
        cell[width_] += weight;
        cell[width_ + 1] += 1.0;
    }
    void fill(const Bin* bytes, Index m, int n_bins) {
        std::fill_n(cells_.begin(), std::size_t(n_bins) * cell_, 0.0);
        std::fill_n(cells_.begin() + std::ptrdiff_t(kMissing * cell_), cell_, 0.0);
        for (Index i = 0; i < m; ++i) add(rows_[i], weights_[rows_[i]], cells_.data() + bytes[i] * cell_);
        n_bins_ = std::size_t(n_bins);
        keyed_ = false;
    }
    bool filled(int bin) const { return cells_[std::size_t(bin) * cell_ + width_ + 1] != 0.0; }
    std::uint64_t filled_from(int first, int count) const {
        return bits_where(count, [&](int k) { return filled(first + k); });
    }
    void start() { std::fill(left_.begin(), left_.end(), 0.0); }
    void move(int bin) {
        for (std::size_t k = 0; k < cell_; ++k) left_[k] += cells_[std::size_t(bin) * cell_ + k];
    }
    void take(const Bin* bytes, Index m, const std::uint8_t* left) {
        start();
        for (Index i = 0; i < m; ++i)
            if (left[bytes[i]]) add(rows_[i], weights_[rows_[i]], left_.data());
    }
    void take_up_to(const Bin* bytes, Index m, int cut, bool missing) {
        std::array<std::uint8_t, kBins> left{};
        std::fill_n(left.begin(), cut + 1, std::uint8_t{1});
        left[kMissing] = missing;
        take(bytes, m, left.data());
    }
    bool side_by_side() const { return false; }
    void cut_scores(const Bin*, int, double*) const {}
    double score() const {
        const double wl = left_[width_], wr = total_[width_] - wl;
        double sum = 0.0;
        for (std::size_t k = 0; k < width_; ++k) {
            const double l = left_[k], r = total_[k] - l;
            if (criterion_ == Criterion::entropy)
                sum += x_log_x(l) + x_log_x(r);
            else if (criterion_ == Criterion::poisson)
                sum += l > 0 && r > 0 ? l * std::log(l / wl) + r * std::log(r / wr) : kNever;
            else
                sum += l * l / wl + r * r / wr;
        }
        return criterion_ == Criterion::entropy ? sum - double(target_.y.cols) * (x_log_x(wl) + x_log_x(wr)) : sum;
    }
    Index left_rows() const { return Index(left_[width_ + 1]); }
    Index right_rows() const { return Index(total_[width_ + 1] - left_[width_ + 1]); }
    double left_weight() const { return left_[width_]; }
    double right_weight() const { return total_[width_] - left_[width_]; }
    double left_mean() const { return left_[width_ - 1] / left_weight(); }
    double right_mean() const { return (total_[width_ - 1] - left_[width_ - 1]) / right_weight(); }
    std::uint64_t side() const { return 0; }
    double key(int bin) const {
        if (!keyed_) find_direction();
        const double* cell = cells_.data() + std::size_t(bin) * cell_;
        double dot = 0.0;
        for (std::size_t k = 0; k < width_; ++k) dot += direction_[k] * cell[k];
        return dot / cell[width_];
    }
    bool few_rows() const { return false; }
    void row_scores(const Bin*, Index, double*) const {}
    std::size_t width() const { return width_; }

private:
    void find_direction() const {
        std::vector<double> shares, weights;
        for (std::size_t b = 0; b < kBins; ++b) {
            const double* cell = cells_.data() + b * cell_;
            if ((b >= n_bins_ && b != kMissing) || cell[width_ + 1] == 0.0) continue;
            for (std::size_t k = 0; k < width_; ++k) shares.push_back(cell[k] / cell[width_]);
            weights.push_back(cell[width_]);
        }
        direction_ = leading_direction(shares, weights, width_);
        keyed_ = true;
    }

    Criterion criterion_;
    const ForestTarget& target_;
    std::size_t width_, cell_, per_output_, n_bins_ = 0;
    const std::uint32_t* rows_ = nullptr;
    const double* weights_ = nullptr;
    std::vector<double> cells_, total_, left_;
    mutable std::vector<double> direction_;
    mutable bool keyed_ = false;
};

}  // namespace statlearn::trees::binned
