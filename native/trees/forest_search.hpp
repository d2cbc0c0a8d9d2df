// The search for the best cut of one column in one node of a forest.
//
// A "model" holds the histogram of a node over a column's bins and the sums of the rows on the left. It says
//   fill(bytes, m, n_bins)  make the histogram of the node's m rows
//   filled(bin)             whether a bin holds rows; filled_from(first, count): the same as bits, count <= 64
//   start(), move(bin)      empty the left side; move a bin to the left
//   take(bytes, m, left)    the left side is all rows with left[bin]
//   take_up_to(bytes, m, cut, missing)  it is all rows with bins up to the cut, and the missing ones if asked
//   side_by_side()          whether it has cut_scores(order, count, scores): behind each of the bins in order
//   few_rows()              whether it has row_scores(bytes, m, scores): behind each row's own bin, m <= kSmall
//   score()                 what the criterion says of left and right: larger is better, infinite never wins
//   left_rows(), right_rows(), left_weight(), right_weight(), left_mean(), right_mean()
//   side()                  the left side in a word, for targets that know their nodes by it
//   key(bin)                where a category stands among the others
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "common/pack.hpp"
#include "common/rng.hpp"
#include "trees/grow_forest.hpp"

namespace statlearn::trees::binned {

constexpr double kNever = -std::numeric_limits<double>::infinity();

// A number a <= t < b at the middle.
inline double middle(double a, double b) {
    const double t = a + (b - a) / 2;
    if (std::isfinite(t)) return t < b ? t : a;
    const double halves = a / 2 + b / 2;
    return std::isfinite(halves) && halves < b ? halves : a;
}

struct Split {
    double score = kNever;
    int feature = -1;
    bool categorical = false, missing_left = false;
    int cut = 0;  // last bin on the left, for ordered columns
    double threshold = 0.0;
    double left_mean = 0.0, right_mean = 0.0;  // where monotone columns ask for them
    std::uint64_t left_side = 0;               // what the model says of the rows on the left, for random cuts
    std::array<std::uint8_t, kBins> left;      // whether each bin goes left, for categories

    void take_cut(int of, double with, int last, double at, bool missing) {
        score = with, feature = of, cut = last, threshold = at, missing_left = missing, categorical = false;
    }
};

// Whether a score beats the best one so far. Sums of rounded numbers in another order must not decide between two cuts
// that part the rows alike, so they have to be better by more than rounding; whole numbers are exact.
template <class Model>
bool beats(double score, double best) {
    if constexpr (Model::kExact) return score > best;
    return score > (best == kNever ? best : best + 1e-11 * std::abs(best));
}

// The bytes of a node's rows are followed by this many copies of the first one, so that they can be read sixteen at a
// time: most nodes have a few rows, for which one vector is faster than a loop whose end must be guessed.
constexpr Index kPad = 16;
using Bytes = Bytes16;

inline void pad(Bin* bytes, Index m) { std::memset(bytes + m, bytes[0], kPad); }

inline Bytes load(const std::uint8_t* from) {
    Bytes own;
    std::memcpy(&own, from, sizeof own);
    return own;
}

// Sixteen comparisons as bits.
template <class Mask>
unsigned bits_of(Mask mask) {
#ifdef __SSE2__
    return unsigned(_mm_movemask_epi8(reinterpret_cast<__m128i>(mask)));
#else
    unsigned bits = 0;
    for (unsigned l = 0; l < 16; ++l) bits |= unsigned(mask[l] != 0) << l;
    return bits;
#endif
}

inline int smallest(Bytes bytes) {
#ifdef __SSE4_1__
    const auto own = reinterpret_cast<__m128i>(bytes);
    return _mm_extract_epi16(_mm_minpos_epu16(_mm_min_epu8(own, _mm_srli_epi16(own, 8))), 0);
#else
    int found = bytes[0];
    for (int l = 1; l < 16; ++l) found = std::min<int>(found, bytes[l]);
    return found;
#endif
}

// The smallest and the largest of m > 0 padded bytes.
inline std::pair<int, int> range_of(const Bin* bytes, Index m) {
    Bytes low = load(bytes), high = low;
    for (Index i = kPad; i < m; i += kPad) {
        const Bytes own = load(bytes + i);
        low = own < low ? own : low;
        high = own > high ? own : high;
    }
    return {smallest(low), 255 - smallest(255 - high)};
}

// Calls use(i, valid) for every sixteen of m places; the bits of `valid` are the places below m.
template <class F>
void by_sixteen(Index m, F&& use) {
    Index i = 0;
    for (; i + kPad <= m; i += kPad) use(i, 0xffffu);
    if (i < m) use(i, (1u << unsigned(m - i)) - 1u);
}

// What a child must have, and the monotone column's sign and bounds.
struct Limits {
    bool careful = false;  // whether any of the following can bind
    Index min_leaf = 1;
    double min_weight = 0.0;
    bool monotone = false;
    double lower = 0.0, upper = 0.0;  // of the node's mean
};

template <class Model>
bool allowed(const Model& model, const Limits& limits, int sign) {
    if (model.left_rows() < limits.min_leaf || model.right_rows() < limits.min_leaf) return false;
    if (model.left_weight() < limits.min_weight || model.right_weight() < limits.min_weight) return false;
    if (sign == 0) return true;
    const double left = model.left_mean(), right = model.right_mean();
    return std::min(left, right) >= limits.lower && std::max(left, right) <= limits.upper && (left - right) * sign <= 0;
}

// Finds the bins on the left of a number, which are those whose middle lies below it: a column's range is cut into
// equal steps, and a table says which bins have their middle in each.
class BinGuide {
public:
    explicit BinGuide(const ForestTable& table)
        : before_(std::size_t(table.columns()) * (kSteps + 1)),
          middle_(std::size_t(table.columns()) * kBins),
          origin_(table.columns()),
          per_unit_(table.columns()) {
        for (Index j = 0; j < table.columns(); ++j) {
            const int n_bins = table.n_bins[j];
            if (!table.ordered[j] || n_bins == 0) continue;
            double* middle = middle_.data() + std::size_t(j) * kBins;
            for (int b = 0; b < n_bins; ++b) middle[b] = table.low(j, b) / 2 + table.high(j, b) / 2;
            const double least = middle[0], most = middle[n_bins - 1];
            if (const double range = most - least; range > 0 && std::isfinite(kSteps / range))
                origin_[j] = least, per_unit_[j] = kSteps / range;
            Bin* before = before_.data() + std::size_t(j) * (kSteps + 1);
            for (int b = 0; b < n_bins; ++b) before[step(int(j), middle[b]) + 1] = Bin(b);
            for (int s = 1; s <= kSteps; ++s) before[s] = std::max(before[s], before[s - 1]);
        }
    }

    // The last of the bins first..last whose middle lies below t; the first one if there is none.
    int last_below(int feature, double t, int first, int last) const {
        const Bin* before = before_.data() + std::size_t(feature) * (kSteps + 1) + step(feature, t);
        const double* middle = middle_.data() + std::size_t(feature) * kBins;
        int found = std::min(std::max<int>(before[0], first), last);
        int end = std::max(found, std::min<int>(before[1], last));
        const auto halve = [&] {
            const int between = (found + end + 1) / 2;
            const bool up = middle[between] < t;
            found = up ? between : found;
            end = up ? end : between - 1;
        };
        halve(), halve();  // mostly enough: steps without a branch that must be guessed; they do no harm at the end
        while (found < end) halve();
        return found;
    }

private:
    static constexpr int kSteps = 1024;

    int step(int feature, double t) const {
        const double at = (t - origin_[feature]) * per_unit_[feature];
        return at > 0 ? int(std::min(at, double(kSteps - 1))) : 0;
    }

    std::vector<Bin> before_;     // columns x (kSteps + 1): the last bin with its middle in an earlier step
    std::vector<double> middle_;  // columns x kBins
    std::vector<double> origin_, per_unit_;
};

// Searches one column after the other for a better split than the one found so far.
class ColumnSearch {
public:
    ColumnSearch(const ForestTable& table, const ForestRules& rules)
        : table_(table), rules_(rules), guide_(rules.random_cuts ? table : ForestTable{}) {}

    // Whether the column varies in the node; `best` is replaced if a cut of it is better.
    template <class Model>
    bool operator()(Model& model, int feature, const Bin* bytes, Index m, const Limits& limits, Rng& rng, Split& best) {
        const bool ordered = table_.ordered[feature] != 0;
        const bool complete = table_.has_missing[feature] == 0;
        if (rules_.random_cuts) {
            return ordered ? random_cut(model, feature, bytes, m, limits, rng, best)
                           : random_set(model, feature, bytes, m, limits, rng, best);
        }
        if (ordered && complete && !limits.careful && m <= Model::kSmall) {
            if (model.few_rows()) return few_rows(model, feature, bytes, m, best);
        }
        model.fill(bytes, m, table_.n_bins[feature]);
        const int count = occupied(model, table_.n_bins[feature]);
        const bool missing = !complete && model.filled(kMissing);
        if (count + missing < 2) return false;
        const int sign = limits.monotone ? rules_.monotone[feature] : 0;
        if (!ordered) {
            if (missing) order_[count] = kMissing;
            by_key(model, count + missing);
            best_set(model, feature, count + missing, limits, sign, best);
            return true;
        }
        Found found{best.score, -1, false};
        if (!limits.careful && !missing && model.side_by_side()) {
            evaluations += count - 1;
            model.cut_scores(order_.data(), count - 1, scores_.data());
            pick<Model>(count - 1, found);
        } else {
            model.start();
            scan(model, missing ? count : count - 1, false, limits, sign, found);
            if (missing) {
                model.start();
                model.move(kMissing);
                scan(model, count - 1, true, limits, sign, found);
            }
        }
        if (found.at < 0) return true;
        const Bin last = order_[found.at];
        const bool all = found.at == count - 1;  // the values against the missing ones
        const double at = all ? std::numeric_limits<double>::infinity()
                              : middle(table_.high(feature, last), table_.low(feature, order_[found.at + 1]));
        best.take_cut(feature, found.score, last, at, missing ? found.missing_left : larger_left(bytes, m, last));
        best.left_mean = found.left_mean, best.right_mean = found.right_mean;
        return true;
    }

    std::int64_t evaluations = 0;  // splits that were scored

private:
    struct Found {
        double score;
        int at;  // place in order_ of the last bin on the left
        bool missing_left;
        double left_mean = 0.0, right_mean = 0.0;
    };

    static bool larger_left(const Bin* bytes, Index m, Bin last) {
        Index left = 0;
        for (Index i = 0; i < m; ++i) left += bytes[i] <= last;
        return 2 * left > m;
    }

    static Split made(int feature, Found found) {
        Split split;
        split.score = found.score;
        split.left_mean = found.left_mean, split.right_mean = found.right_mean;
        split.feature = feature;
        split.left.fill(0);
        return split;
    }

    template <class Model>
    int occupied(const Model& model, int n_bins) {
        int count = 0;
        for (int first = 0; first < n_bins; first += 64) {
            std::uint64_t filled = model.filled_from(first, std::min(n_bins - first, 64));
            for (; filled != 0; filled &= filled - 1) order_[count++] = Bin(first + std::countr_zero(filled));
        }
        return count;
    }

    template <class Model>
    void scan(Model& model, int count, bool missing_left, const Limits& limits, int sign, Found& found) {
        evaluations += count;
        for (int j = 0; j < count; ++j) {
            model.move(order_[j]);
            if (limits.careful && !allowed(model, limits, sign)) continue;
            const double score = model.score();
            if (!beats<Model>(score, found.score)) continue;
            found = {score, j, missing_left};
            if (limits.monotone) found.left_mean = model.left_mean(), found.right_mean = model.right_mean();
        }
    }

    // The best of the scores of the first `count` places of order_, the first of equals.
    template <class Model>
    void pick(int count, Found& found) {
        std::array<double, 4> top;
        top.fill(kNever);
        int j = 0;
        for (; j + 4 <= count; j += 4)
            for (std::size_t l = 0; l < 4; ++l) top[l] = std::max(top[l], scores_[std::size_t(j) + l]);
        double best = std::max(std::max(top[0], top[1]), std::max(top[2], top[3]));
        for (; j < count; ++j) best = std::max(best, scores_[j]);
        if (!beats<Model>(best, found.score)) return;
        int at = 0;
        while (beats<Model>(best, scores_[at])) ++at;
        found = {best, at, false};
    }

    template <class Model>
    bool few_rows(Model& model, int feature, const Bin* bytes, Index m, Split& best) {
        const auto [first, last] = range_of(bytes, m);
        if (first == last) return false;
        evaluations += m;
        double* score = scores_.data();
        model.row_scores(bytes, m, score);
        double top = kNever;
        for (Index i = 0; i < m; ++i) top = bytes[i] != last && score[i] > top ? score[i] : top;
        if (!beats<Model>(top, best.score)) return true;
        int at = last, next = last;
        for (Index i = 0; i < m; ++i)
            if (bytes[i] < at && !beats<Model>(top, score[i])) at = bytes[i];
        for (Index i = 0; i < m; ++i)
            if (bytes[i] > at && bytes[i] < next) next = bytes[i];
        const double threshold = middle(table_.high(feature, at), table_.low(feature, next));
        best.take_cut(feature, top, at, threshold, larger_left(bytes, m, Bin(at)));
        return true;
    }

    template <class Model>
    void by_key(const Model& model, int count) {
        std::array<double, kBins> key;
        for (int j = 0; j < count; ++j) {
            const double mean = model.key(order_[j]);
            key[order_[j]] = mean == mean ? mean : 0.0;  // sums that overflowed must not upset the order
        }
        std::sort(order_.begin(), order_.begin() + count,
                  [&](Bin a, Bin b) { return key[a] < key[b] || (key[a] == key[b] && a < b); });
    }

    // Categories by their key: the best of the cuts through that order.
    template <class Model>
    void best_set(Model& model, int feature, int count, const Limits& limits, int sign, Split& best) {
        Found found{best.score, -1, false};
        model.start();
        scan(model, count - 1, false, limits, sign, found);
        if (found.at < 0) return;
        best = made(feature, found);
        best.categorical = true;
        model.start();
        for (int j = 0; j <= found.at; ++j) {
            best.left[order_[j]] = 1;
            model.move(order_[j]);
        }
        others(model, count, best);
    }

    // Categories that are not in the node go with its majority, and so do missing values where there were none.
    template <class Model>
    void others(const Model& model, int count, Split& best) {
        const bool majority = model.left_rows() > model.right_rows();
        std::array<bool, kBins> present{};
        for (int j = 0; j < count; ++j) present[order_[j]] = true;
        for (std::size_t b = 0; b < kBins; ++b)
            if (!present[b]) best.left[b] = majority;
        best.missing_left = best.left[kMissing] != 0;
    }

    // A cut drawn evenly between the smallest and the largest value of the node. Inside a bin of several values it
    // moves to the bin's nearer end, inside the first or the last one to its inner end.
    template <class Model>
    bool random_cut(Model& model, int feature, const Bin* bytes, Index m, const Limits& limits, Rng& rng, Split& best) {
        int first = kBins, last = -1;
        bool missing = false;
        if (table_.has_missing[feature]) {
            for (Index i = 0; i < m; ++i) {
                if (bytes[i] == kMissing) {
                    missing = true;
                    continue;
                }
                first = std::min<int>(first, bytes[i]), last = std::max<int>(last, bytes[i]);
            }
        } else {
            std::tie(first, last) = range_of(bytes, m);
        }
        if (last < 0 || (first == last && !missing)) return false;
        int cut = last;
        double t = std::numeric_limits<double>::infinity();
        if (first != last) {
            const auto [least, most] = expected_range(feature, bytes, m, first, last);
            t = least + double(rng.bits32()) * 0x1.0p-32 * (most - least);
            if (!(t < most)) t = least;
            cut = guide_.last_below(feature, t, first, last - 1);
        }
        const bool missing_left = missing && first != last && rng.below(2) == 1;
        const int sign = limits.monotone ? rules_.monotone[feature] : 0;
        ++evaluations;
        model.take_up_to(bytes, m, cut, missing_left);
        if (limits.careful && !allowed(model, limits, sign)) return true;
        const double score = model.score();
        if (!beats<Model>(score, best.score)) return true;
        if (first != last) t = outside(feature, t, cut);
        best.take_cut(feature, score, cut, t, missing ? missing_left : model.left_rows() > model.right_rows());
        best.left_side = model.side();
        if (limits.monotone) best.left_mean = model.left_mean(), best.right_mean = model.right_mean();
        return true;
    }

    // The smallest and the largest value of the rows, which are known by their bins only: where the ends of so many
    // values are to be expected that are spread evenly over the first and the last bin.
    std::pair<double, double> expected_range(int feature, const Bin* bytes, Index m, int first, int last) const {
        const Bytes low = Bytes{} + Bin(first), high = Bytes{} + Bin(last);
        int in_first = 0, in_last = 0;
        by_sixteen(m, [&](Index i, unsigned valid) {
            const Bytes own = load(bytes + i);
            in_first += std::popcount(bits_of(own == low) & valid);
            in_last += std::popcount(bits_of(own == high) & valid);
        });
        const double at_first = 1.0 / double(in_first + 1), at_last = 1.0 / double(in_last + 1);
        return {table_.low(feature, first) * (1.0 - at_first) + table_.high(feature, first) * at_first,
                table_.high(feature, last) * (1.0 - at_last) + table_.low(feature, last) * at_last};
    }

    // t where it lies between a bin and the next one, else the middle between them.
    double outside(int feature, double t, int cut) const {
        const double low = table_.high(feature, cut), high = table_.low(feature, cut + 1);
        return low <= t && t < high ? t : middle(low, high);
    }

    template <class Model>
    bool random_set(Model& model, int feature, const Bin* bytes, Index m, const Limits& limits, Rng& rng, Split& best) {
        std::array<std::uint8_t, kBins> seen{};
        for (Index i = 0; i < m; ++i) seen[bytes[i]] = 1;
        int count = 0;
        for (int b = 0; b < kBins; ++b) {
            order_[count] = Bin(b);
            count += seen[b];
        }
        if (count < 2) return false;
        Split split = made(feature, {kNever, -1, false});
        split.categorical = true;
        int left = 0;
        do {  // every proper subset is equally likely
            left = 0;
            for (int j = 0; j < count; ++j) left += split.left[order_[j]] = std::uint8_t(rng.bits32() >> 31);
        } while (left == 0 || left == count);
        ++evaluations;
        model.take(bytes, m, split.left.data());
        if (limits.careful && !allowed(model, limits, 0)) return true;
        split.score = model.score();
        if (!beats<Model>(split.score, best.score)) return true;
        if (limits.monotone) split.left_mean = model.left_mean(), split.right_mean = model.right_mean();
        best = split;
        best.left_side = model.side();
        others(model, count, best);
        return true;
    }

    const ForestTable& table_;
    const ForestRules& rules_;
    BinGuide guide_;
    std::array<Bin, kBins> order_;
    std::array<double, kBins> scores_;
};

}  // namespace statlearn::trees::binned
