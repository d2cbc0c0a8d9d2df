// How good a split is: each criterion knows the rows of a node and of the left part of a split.
//
// Life of a criterion: enter(cells) for the rows of a node; then for every order of them begin(first, then, rest),
// add(row) for the rows of `then` one by one, and gain() wherever a split may fall: the fall of weight x impurity.
// `first` is on the left from the start, `rest` never; only where kOrdered is set do `then` and `rest` matter. All are
// copied freely: a copy made after enter() scans on its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "trees/cart_scorer.hpp"

namespace statlearn::trees {

// ---- Classes ----

// A measure holds one sum s per output that a row changes in constant or linear time; l, r: class weights on both
// sides.
struct GiniMeasure {  // s = sum of squares
    explicit GiniMeasure(const CartTarget&) {}
    double sum(const double* c, Index k) const { return std::inner_product(c, c + k, c, 0.0); }
    void move(double* l, double* r, int c, double w, double& sl, double& sr, Index) const {
        sl += w * (2.0 * l[c] + w);
        sr -= w * (2.0 * r[c] - w);
        l[c] += w;
        r[c] -= w;
    }
    double gain(const double*, const double*, double sl, double sr, double s, double wl, double wr, double w,
                Index) const {
        return (sl * wr + sr * wl) / (wl * wr) - s / w;
    }
    double impurity(const double*, double s, double w, Index) const { return 1.0 - s / (w * w); }
};

struct EntropyMeasure {  // s = sum of c log2 c
    explicit EntropyMeasure(const CartTarget& target) : table(target.count_entropy) {}
    double f(double c) const {
        if (!table.empty()) return table[Index(c)];
        return c > 0.0 ? c * std::log2(c) : 0.0;
    }
    double sum(const double* c, Index k) const {
        double s = 0.0;
        for (Index i = 0; i < k; ++i) s += f(c[i]);
        return s;
    }
    void move(double* l, double* r, int c, double w, double& sl, double& sr, Index) const {
        sl -= f(l[c]);
        sr -= f(r[c]);
        l[c] += w;
        r[c] -= w;
        sl += f(l[c]);
        sr += f(r[c]);
    }
    double gain(const double*, const double*, double sl, double sr, double s, double wl, double wr, double w,
                Index) const {
        return (sl - f(wl)) + (sr - f(wr)) - (s - f(w));
    }
    double impurity(const double*, double s, double w, Index) const { return (f(w) - s) / w; }
    Span<const double> table;
};

struct ErrorMeasure {  // no sum is needed
    explicit ErrorMeasure(const CartTarget&) {}
    double sum(const double* c, Index k) const { return *std::max_element(c, c + k); }
    void move(double* l, double* r, int c, double w, double&, double&, Index) const {
        l[c] += w;
        r[c] -= w;
    }
    double gain(const double* l, const double* r, double, double, double s, double, double, double, Index k) const {
        return *std::max_element(l, l + k) + *std::max_element(r, r + k) - s;
    }
    double impurity(const double*, double s, double w, Index) const { return 1.0 - s / w; }
};

struct LossMeasure {  // s = c' L c
    explicit LossMeasure(const CartTarget& target) : losses(target.losses) {}
    double along(const double* c, int at, Index k) const {
        return std::inner_product(c, c + k, losses.data() + at * k, 0.0);
    }
    double sum(const double* c, Index k) const {
        double s = 0.0;
        for (Index i = 0; i < k; ++i) s += c[i] * along(c, int(i), k);
        return s;
    }
    void move(double* l, double* r, int c, double w, double& sl, double& sr, Index k) const {
        sl += 2.0 * w * along(l, c, k);  // the diagonal of L is 0
        sr -= 2.0 * w * along(r, c, k);
        l[c] += w;
        r[c] -= w;
    }
    double gain(const double*, const double*, double sl, double sr, double s, double wl, double wr, double w,
                Index) const {
        return s / w - sl / wl - sr / wr;
    }
    double impurity(const double*, double s, double w, Index) const { return s / (w * w); }
    Span<const double> losses;
};

// kWeighted: rows have weights; kSingle: one output. Gains and impurities are means over the outputs.
template <class Measure, bool kWeighted, bool kSingle>
class ClassCriterion {
public:
    static constexpr bool kOrdered = false;

    explicit ClassCriterion(const CartTarget& target)
        : target_(target),
          measure_(target),
          total_(target.width()),
          left_(total_.size()),
          right_(total_.size()),
          sums_(outputs()),
          left_sums_(sums_.size()),
          right_sums_(sums_.size()) {}

    void enter(Cells cells) {
        std::fill(total_.begin(), total_.end(), 0.0);
        weight_ = 0.0;
        for (const auto& cell : cells) {
            const double w = row_weight(cell.row);
            weight_ += w;
            for (Index o = 0; o < outputs(); ++o) total_[at(o) + code(cell.row, o)] += w;
        }
        impurity_ = risk_ = 0.0;
        pure_ = true;
        for (Index o = 0; o < outputs(); ++o) {
            const double* c = total_.data() + at(o);
            sums_[o] = measure_.sum(c, target_.classes);
            impurity_ += measure_.impurity(c, sums_[o], weight_, target_.classes) / double(outputs());
            const auto present = std::count_if(c, c + target_.classes, [](double w) { return w > 0.0; });
            pure_ = pure_ && present <= 1;
            risk_ += (weight_ - *std::max_element(c, c + target_.classes)) / double(outputs());
        }
        if (pure_) impurity_ = 0.0;
    }

    void begin(Cells first, Cells, Cells) {
        std::fill(left_.begin(), left_.end(), 0.0);
        std::copy(total_.begin(), total_.end(), right_.begin());
        std::fill(left_sums_.begin(), left_sums_.end(), 0.0);
        std::copy(sums_.begin(), sums_.end(), right_sums_.begin());
        left_weight_ = 0.0;
        for (const auto& cell : first) add(cell.row);
    }

    void add(std::uint32_t row) {
        const double w = row_weight(row);
        left_weight_ += w;
        for (Index o = 0; o < outputs(); ++o) {
            measure_.move(left_.data() + at(o), right_.data() + at(o), code(row, o), w, left_sums_[o], right_sums_[o],
                          target_.classes);
        }
    }

    double gain() const {
        double sum = 0.0;
        for (Index o = 0; o < outputs(); ++o) {
            sum += measure_.gain(left_.data() + at(o), right_.data() + at(o), left_sums_[o], right_sums_[o], sums_[o],
                                 left_weight_, weight_ - left_weight_, weight_, target_.classes);
        }
        return kSingle ? sum : sum / double(outputs());
    }

    double weight() const { return weight_; }
    double left_weight() const { return left_weight_; }
    double impurity() const { return impurity_; }
    double risk() const { return risk_; }  // weight of the rows that the node's label gets wrong
    bool pure() const { return pure_; }
    // What a monotone constraint speaks of: the share of the second of two classes.
    double left_value() const { return left_[1] / left_weight_; }
    double right_value() const { return right_[1] / (weight_ - left_weight_); }

    void value(double low, double high, double* out) const {
        for (std::size_t k = 0; k < total_.size(); ++k) out[k] = total_[k] / weight_;
        if (total_.size() == 2 && (out[1] < low || out[1] > high)) {
            out[1] = std::clamp(out[1], low, high);
            out[0] = 1.0 - out[1];
        }
    }

    // Numbers by which the levels of a category may be ordered, and number `k` for these rows.
    Index n_orders() const { return outputs() == 1 && target_.classes <= 2 ? 1 : target_.width(); }
    double level_key(Cells cells, Index k) const {
        const Index o = k / target_.classes;
        const int c = outputs() == 1 && target_.classes <= 2 ? 1 : int(k % target_.classes);
        double w = 0.0, hit = 0.0;
        for (const auto& cell : cells) {
            const double own = row_weight(cell.row);
            w += own;
            if (code(cell.row, o) == c) hit += own;
        }
        return hit / w;
    }

private:
    Index outputs() const { return kSingle ? 1 : target_.outputs; }
    Index at(Index o) const { return kSingle ? 0 : o * target_.classes; }
    int code(std::uint32_t row, Index o) const {
        return kSingle ? target_.codes[row]
                       : target_.codes[std::size_t(row) * std::size_t(target_.outputs) + std::size_t(o)];
    }
    double row_weight(std::uint32_t row) const {
        if constexpr (kWeighted)
            return target_.weight(row);
        else
            return 1.0;
    }

    CartTarget target_;
    Measure measure_;
    std::vector<double> total_, left_, right_, sums_, left_sums_, right_sums_;
    double weight_ = 0.0, left_weight_ = 0.0, impurity_ = 0.0, risk_ = 0.0;
    bool pure_ = false;
};

// The Gini index of two classes is twice the variance of a 0/1 target: one running sum is enough.
template <bool kWeighted>
class BinaryGini {
public:
    static constexpr bool kOrdered = false;

    explicit BinaryGini(const CartTarget& target) : target_(target) {}

    void enter(Cells cells) {
        weight_ = ones_ = 0.0;
        for (const auto& cell : cells) {
            const double w = row_weight(cell.row);
            weight_ += w;
            ones_ += w * double(target_.codes[cell.row]);
        }
        share_ = ones_ / weight_;
        pure_ = is_pure(cells);
        impurity_ = pure_ ? 0.0 : 2.0 * share_ * (1.0 - share_);
    }

    void begin(Cells first, Cells, Cells) {
        left_weight_ = left_ones_ = 0.0;
        for (const auto& cell : first) add(cell.row);
    }

    void add(std::uint32_t row) {
        const double w = row_weight(row);
        left_weight_ += w;
        left_ones_ += w * double(target_.codes[row]);
    }

    double gain() const {
        const double d = left_ones_ - left_weight_ * share_;
        return 2.0 * d * d * weight_ / (left_weight_ * (weight_ - left_weight_));
    }

    double weight() const { return weight_; }
    double left_weight() const { return left_weight_; }
    double impurity() const { return impurity_; }
    double risk() const { return std::min(ones_, weight_ - ones_); }
    bool pure() const { return pure_; }
    double left_value() const { return left_ones_ / left_weight_; }
    double right_value() const { return (ones_ - left_ones_) / (weight_ - left_weight_); }
    Index n_orders() const { return 1; }

    void value(double low, double high, double* out) const {
        out[1] = std::clamp(share_, low, high);
        out[0] = pure_ ? 1.0 - out[1] : std::clamp((weight_ - ones_) / weight_, 1.0 - high, 1.0 - low);
    }

    double level_key(Cells cells, Index) const {
        double w = 0.0, hit = 0.0;
        for (const auto& cell : cells) {
            w += row_weight(cell.row);
            hit += row_weight(cell.row) * double(target_.codes[cell.row]);
        }
        return hit / w;
    }

private:
    double row_weight(std::uint32_t row) const {
        if constexpr (kWeighted)
            return target_.weight(row);
        else
            return 1.0;
    }

    bool is_pure(Cells cells) const {
        const int first = target_.codes[cells[0].row];
        return std::all_of(cells.begin(), cells.end(),
                           [&](const Cell& cell) { return target_.codes[cell.row] == first; });
    }

    CartTarget target_;
    double weight_ = 0.0, ones_ = 0.0, share_ = 0.0, impurity_ = 0.0, left_weight_ = 0.0, left_ones_ = 0.0;
    bool pure_ = false;
};

// ---- Numbers ----

// What all criteria of numbers share: means, purity.
template <bool kWeighted, bool kSingle>
class NumberBase {
public:
    explicit NumberBase(const CartTarget& target)
        : target_(target), mean_(kSingle ? 1 : target.outputs), constant_(mean_.size()) {}

    double weight() const { return weight_; }
    double left_weight() const { return left_weight_; }
    double impurity() const { return impurity_; }
    double risk() const { return impurity_ * weight_; }
    bool pure() const { return pure_; }
    Index n_orders() const { return outputs(); }
    double level_key(Cells cells, Index o) const {
        double w = 0.0, sum = 0.0;
        for (const auto& cell : cells) {
            w += row_weight(cell.row);
            sum += row_weight(cell.row) * y(cell.row, o);
        }
        return sum / w;
    }

protected:
    Index outputs() const { return kSingle ? 1 : target_.outputs; }
    double y(std::uint32_t row, Index o) const {
        return kSingle ? target_.y[row] : target_.y[std::size_t(row) * std::size_t(target_.outputs) + std::size_t(o)];
    }
    double row_weight(std::uint32_t row) const {
        if constexpr (kWeighted)
            return target_.weight(row);
        else
            return 1.0;
    }

    // Means in two passes, exact for constant targets; the sum of squares about them, over all outputs.
    double take_means(Cells cells) {
        weight_ = 0.0;
        for (const auto& cell : cells) weight_ += row_weight(cell.row);
        double squares = 0.0;
        pure_ = true;
        for (Index o = 0; o < outputs(); ++o) {
            const double first = y(cells[0].row, o);
            double sum = 0.0;
            bool constant = true;
            for (const auto& cell : cells) {
                const double d = y(cell.row, o) - first;
                constant = constant && d == 0.0;
                sum += row_weight(cell.row) * d;
            }
            constant_[o] = constant;
            pure_ = pure_ && constant;
            mean_[o] = first + sum / weight_;
            if (constant) continue;
            double rest = 0.0, square = 0.0;
            for (const auto& cell : cells) {
                const double d = y(cell.row, o) - mean_[o];
                rest += row_weight(cell.row) * d;
                square += row_weight(cell.row) * d * d;
            }
            mean_[o] += rest / weight_;
            squares += square;
        }
        return squares;
    }

    CartTarget target_;
    std::vector<double> mean_;
    std::vector<std::uint8_t> constant_;
    double weight_ = 0.0, left_weight_ = 0.0, impurity_ = 0.0;
    bool pure_ = false;
};

template <bool kWeighted, bool kSingle>
class SquaredCriterion : public NumberBase<kWeighted, kSingle> {
    using Base = NumberBase<kWeighted, kSingle>;
    using Base::left_weight_, Base::mean_, Base::outputs, Base::row_weight, Base::weight_, Base::y;

public:
    static constexpr bool kOrdered = false;

    explicit SquaredCriterion(const CartTarget& target) : Base(target), left_(mean_.size()) {}

    void enter(Cells cells) {
        const double squares = this->take_means(cells);
        this->impurity_ = squares / weight_ / double(outputs());
    }

    // Deviations whose squares vanish leave nothing to gain.
    bool pure() const { return this->impurity_ <= 0.0 || Base::pure(); }

    void begin(Cells first, Cells, Cells) {
        std::fill(left_.begin(), left_.end(), 0.0);
        left_weight_ = 0.0;
        for (const auto& cell : first) add(cell.row);
    }

    void add(std::uint32_t row) {
        const double w = row_weight(row);
        left_weight_ += w;
        if constexpr (kSingle)
            left_[0] += w * (y(row, 0) - mean_[0]);
        else
            for (std::size_t o = 0; o < left_.size(); ++o) left_[o] += w * (y(row, Index(o)) - mean_[o]);
    }

    // With d the left sum about the node's mean: d^2 / wl + d^2 / wr.
    double gain() const {
        double squares = 0.0;
        if constexpr (kSingle)
            squares = left_[0] * left_[0];
        else
            for (const double d : left_) squares += d * d / double(outputs());
        return squares * weight_ / (left_weight_ * (weight_ - left_weight_));
    }

    double left_value() const { return mean_[0] + left_[0] / left_weight_; }
    double right_value() const { return mean_[0] - left_[0] / (weight_ - left_weight_); }

    void value(double low, double high, double* out) const {
        for (std::size_t o = 0; o < mean_.size(); ++o) out[o] = std::clamp(mean_[o], low, high);
    }

private:
    std::vector<double> left_;  // sums about the node's means
};

// Half the Poisson deviance about the mean.
class PoissonCriterion : public NumberBase<true, false> {
    using Base = NumberBase<true, false>;

public:
    static constexpr bool kOrdered = false;

    explicit PoissonCriterion(const CartTarget& target) : Base(target), left_(mean_.size()) {}

    void enter(Cells cells) {
        this->take_means(cells);
        impurity_ = 0.0;
        if (pure_) return;
        for (Index o = 0; o < outputs(); ++o)
            for (const auto& cell : cells) {
                const double v = y(cell.row, o);
                if (v > 0.0) impurity_ += row_weight(cell.row) * v * std::log(v / mean_[o]);
            }
        impurity_ /= weight_ * double(outputs());
    }

    void begin(Cells first, Cells, Cells) {
        std::fill(left_.begin(), left_.end(), 0.0);
        left_weight_ = 0.0;
        for (const auto& cell : first) add(cell.row);
    }

    void add(std::uint32_t row) {
        const double w = row_weight(row);
        left_weight_ += w;
        for (std::size_t o = 0; o < left_.size(); ++o) left_[o] += w * y(row, Index(o));
    }

    // A side whose mean is 0 predicts what cannot happen: no such split.
    double gain() const {
        double sum = 0.0;
        for (std::size_t o = 0; o < left_.size(); ++o) {
            const double total = mean_[o] * weight_, right = total - left_[o];
            if (total <= 0.0) continue;
            if (left_[o] <= 1e-12 * total || right <= 1e-12 * total) return kNoGain;
            sum += left_[o] * std::log(left_[o] / (left_weight_ * mean_[o])) +
                   right * std::log(right / ((weight_ - left_weight_) * mean_[o]));
        }
        return sum / double(outputs());
    }

    double left_value() const { return left_[0] / left_weight_; }
    double right_value() const { return (mean_[0] * weight_ - left_[0]) / (weight_ - left_weight_); }

    void value(double low, double high, double* out) const {
        for (std::size_t o = 0; o < mean_.size(); ++o) out[o] = std::clamp(mean_[o], low, high);
    }

private:
    std::vector<double> left_;
};

// Mean absolute deviation from the median. The medians of all left and right parts of an order come from a Fenwick
// tree over the node's sorted targets: O(m log m) per order.
class AbsoluteCriterion : public NumberBase<true, false> {
    using Base = NumberBase<true, false>;

public:
    static constexpr bool kOrdered = true;  // all rows of an order must be known at its beginning

    explicit AbsoluteCriterion(const CartTarget& target)
        : Base(target), median_(mean_.size()), place_(std::size_t(target.rows) * mean_.size()) {}

    void enter(Cells cells);
    void begin(Cells first, Cells then, Cells rest);
    void add(std::uint32_t row) {
        left_weight_ += row_weight(row);
        ++taken_;
    }
    double gain() const { return loss_ - left_loss_[taken_] - right_loss_[taken_]; }
    double left_value() const { return left_median_[taken_]; }
    double right_value() const { return right_median_[taken_]; }

    void value(double low, double high, double* out) const {
        for (std::size_t o = 0; o < median_.size(); ++o) out[o] = std::clamp(median_[o], low, high);
    }

private:
    void run(std::size_t output, Span<const std::uint32_t> order, bool backwards, std::vector<double>& loss,
             std::vector<double>& median);

    std::vector<double> median_;
    std::vector<std::uint32_t> place_;  // of each row among the node's sorted targets, by output
    std::vector<std::vector<double>> sorted_;
    std::vector<double> tree_weight_, tree_sum_;
    std::vector<double> left_loss_, right_loss_, left_median_, right_median_;  // after k rows; medians of output 0
    std::vector<std::uint32_t> order_;
    double loss_ = 0.0;
    std::size_t taken_ = 0;
};

}  // namespace statlearn::trees
