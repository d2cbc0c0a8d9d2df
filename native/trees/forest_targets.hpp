// What a forest learns: what travels with a row, what a node keeps of it, and which model searches its columns.
//
// A target says
//   Payload, payload(row, count)        what travels with a row of the bootstrap sample
//   begin(counts)                       a tree begins
//   measure(rows, value)                what there is to know of a node; its value is written
//   prepare(rows)                       once before the columns of a node that has just been measured
//   search(...)                         see ColumnSearch
//   gain(score)                         by how much a split of this score lowers weight x impurity
//   highest_score()                     that no split of the node can exceed
// `rows(i)` is the payload of the node's row i. Where knows_sides(), a split has said all of the rows on either side in
// a word, and the children are not read again to be measured:
//   side()                              of the node just measured; the right side of a split is this less the left
//   recall(side, value)                 instead of measure()
//   is_pure(side), rows_of(side)
#pragma once

#include "trees/forest_models.hpp"

namespace statlearn::trees::binned {

// What measure() found of a node.
struct NodeFacts {
    double weight = 0.0, impurity = 0.0;
    double mean = 0.0;  // that monotone columns bound: of y, or the share of the last class
    bool pure = false;
};

// Labels in one column, whole weights.
class ClassTarget {
public:
    struct Payload {
        std::uint32_t label, count;
    };
    static constexpr std::size_t kBytes = sizeof(Payload);
    static constexpr bool kSides = true;

    ClassTarget(const ForestTable& table, const ForestTarget& target, const ForestRules& rules, Index largest)
        : target_(target),
          gini_(rules.criterion == Criterion::gini),
          xlogx_(gini_ ? 0 : largest),
          two_(rules.criterion, xlogx_),
          many_(rules.criterion, xlogx_),
          counts_(target.width(), 0),
          place_(counts_.size(), 0),
          packed_(largest <= TwoClasses::kLargest),
          sides_(rules.random_cuts && counts_.size() == 2 && packed_),
          labelled_(sides_ && !rules.bootstrap && target.weight.empty() && table.plain()) {}

    Payload payload(std::uint32_t row, std::uint32_t count) const {
        return {std::uint32_t(target_.y(Index(row), 0)), count};
    }
    void begin(Span<const std::uint32_t>) {}

    template <class Rows>
    NodeFacts measure(const Rows& rows, double* value) {
        std::fill(counts_.begin(), counts_.end(), 0u);
        const Index m = rows.size();
        if (counts_.size() == 2 && !sides_) {
            // The values of the search come along: most nodes need them.
            const std::uint64_t both = two_values(rows, [](std::uint32_t label) { return label; });
            counts_[0] = std::uint32_t(both & TwoClasses::kMask);
            counts_[1] = std::uint32_t(both >> TwoClasses::kField & TwoClasses::kMask);
        } else {
            for (Index i = 0; i < m; ++i) {
                const Payload row = rows(i);
                counts_[row.label] += row.count;
            }
        }
        rows_ = m;
        return facts(value);
    }

    bool knows_sides() const { return sides_; }
    std::uint64_t side() const {
        return TwoClasses::kRow * std::uint64_t(rows_) | std::uint64_t{counts_[1]} << TwoClasses::kField | counts_[0];
    }
    NodeFacts recall(std::uint64_t side, double* value) {
        counts_[0] = std::uint32_t(side & TwoClasses::kMask);
        counts_[1] = std::uint32_t(side >> TwoClasses::kField & TwoClasses::kMask);
        rows_ = rows_of(side);
        return facts(value);
    }
    static bool is_pure(std::uint64_t side) {
        return (side & TwoClasses::kMask) == 0 || (side >> TwoClasses::kField & TwoClasses::kMask) == 0;
    }
    static Index rows_of(std::uint64_t side) { return Index(side >> (2 * TwoClasses::kField)); }

    double gain(double score) const {
        return gini_ ? score - facts_.weight * (1.0 - facts_.impurity)
                     : score / std::log(2.0) + facts_.weight * facts_.impurity;
    }

    // Two pure sides have it.
    double highest_score() const { return gini_ ? facts_.weight : 0.0; }

    template <class Rows>
    void prepare(const Rows& rows) {
        present_.clear();
        for (std::size_t k = 0; k < counts_.size(); ++k) {
            place_[k] = std::uint32_t(present_.size());
            if (counts_[k] != 0) present_.push_back(counts_[k]);
        }
        use_two_ = packed_ && present_.size() == 2;
        if (use_two_) {
            if (labelled_)
                label(rows);
            else if (sides_ || counts_.size() > 2)
                two_values(rows, [&](std::uint32_t label) { return place_[label]; });
            two_.begin(two_values_.data(),
                       TwoClasses::kRow * std::uint64_t(rows_) | std::uint64_t{present_[0]} |
                           std::uint64_t{present_[1]} << TwoClasses::kField,
                       labelled_ ? labels_.data() : nullptr);
        } else {
            const Index m = rows.size();
            if (Index(many_values_.size()) < m) many_values_.resize(m);
            for (Index i = 0; i < m; ++i) {
                const Payload row = rows(i);
                many_values_[i] = {place_[row.label], row.count};
            }
            many_.begin(many_values_.data(), m, present_);
        }
    }

    bool search(ColumnSearch& columns, int feature, const Bin* bytes, Index m, const Limits& limits, Rng& rng,
                Split& best) {
        return use_two_ ? columns(two_, feature, bytes, m, limits, rng, best)
                        : columns(many_, feature, bytes, m, limits, rng, best);
    }

private:
    // What the counts say of the node.
    NodeFacts facts(double* value) {
        NodeFacts facts;
        int present = 0;
        for (const auto count : counts_) {
            facts.weight += count;
            present += count != 0;
        }
        double squares = 0.0, logs = 0.0;
        for (std::size_t k = 0; k < counts_.size(); ++k) {
            const double share = counts_[k] / facts.weight;
            value[k] = share;
            squares += share * share;
            if (!gini_ && counts_[k] != 0) logs -= share * std::log2(share);
        }
        facts.pure = present < 2;
        if (!facts.pure) facts.impurity = gini_ ? 1.0 - squares : logs;
        facts.mean = value[counts_.size() - 1];
        facts_ = facts;
        return facts;
    }

    // The rows as TwoClasses wants them, and their sum.
    template <class Rows, class Place>
    std::uint64_t two_values(const Rows& rows, Place place) {
        const Index m = rows.size();
        if (Index(two_values_.size()) < m) two_values_.resize(m);
        std::uint64_t sum = 0;
        for (Index i = 0; i < m; ++i) {
            const Payload row = rows(i);
            const std::uint64_t own = TwoClasses::kRow | std::uint64_t{row.count}
                                                             << (TwoClasses::kField * place(row.label));
            two_values_[i] = own;
            sum += own;
        }
        return sum;
    }

    // Labels as bytes.
    template <class Rows>
    void label(const Rows& rows) {
        const Index m = rows.size();
        if (Index(labels_.size()) < m + kPad) labels_.resize(m + kPad);
        std::uint8_t* to = labels_.data();
        for (Index i = 0; i < m; ++i) to[i] = std::uint8_t(rows(i).label);
        std::memset(to + m, 0, kPad);
    }

    const ForestTarget& target_;
    bool gini_;
    XLogX xlogx_;
    TwoClasses two_;
    ManyClasses many_;
    std::vector<std::uint32_t> counts_, place_, present_;
    std::vector<std::uint64_t> two_values_;
    std::vector<ManyClasses::Value> many_values_;
    std::vector<std::uint8_t> labels_;
    bool packed_, sides_, labelled_, use_two_ = false;
    Index rows_ = 0;
    NodeFacts facts_;
};

// Half the mean deviance of Poisson counts from their mean.
inline double poisson_part(double y, double mean) { return y > 0 ? y * std::log(y / mean) : 0.0; }

// One column of numbers, whole weights.
class NumberTarget {
public:
    struct Payload {
        double y;
        std::uint32_t count;
    };
    static constexpr std::size_t kBytes = 12;  // without what pads the structure
    static constexpr bool kSides = false;

    NumberTarget(const ForestTable&, const ForestTarget& target, const ForestRules& rules, Index)
        : target_(target), poisson_(rules.criterion == Criterion::poisson), model_(rules.criterion) {}

    Payload payload(std::uint32_t row, std::uint32_t count) const { return {target_.y(Index(row), 0), count}; }
    void begin(Span<const std::uint32_t>) {}

    template <class Rows>
    NodeFacts measure(const Rows& rows, double* value) {
        const Index m = rows.size();
        if (Index(values_.size()) < m) values_.resize(m);
        total_ = {0.0, 0};
        double low = rows(0).y, high = low;
        for (Index i = 0; i < m; ++i) {
            const Payload row = rows(i);
            low = std::min(low, row.y), high = std::max(high, row.y);
            const OneNumber::Value own{row.y * row.count, std::uint64_t{1} << 32 | row.count};
            values_[i] = own;
            total_ += own;
        }
        NodeFacts facts;
        facts.weight = double(std::uint32_t(total_.count));
        facts.pure = low == high;
        facts.mean = facts.pure ? low : total_.sum / facts.weight;
        if (!facts.pure) {
            double sum = 0.0;
            for (Index i = 0; i < m; ++i) {
                const Payload row = rows(i);
                const double d = row.y - facts.mean;
                sum += row.count * (poisson_ ? poisson_part(row.y, facts.mean) : d * d);
            }
            facts.impurity = sum / facts.weight;
        }
        value[0] = facts.mean;
        return facts;
    }

    double highest_score() const { return std::numeric_limits<double>::infinity(); }

    // Sums about the node's mean: no digits are lost where y is far from 0. Poisson needs the numbers as they are.
    template <class Rows>
    void prepare(const Rows& rows) {
        const Index m = rows.size();
        if (!poisson_) {
            const double mean = total_.sum / double(std::uint32_t(total_.count));
            total_.sum = 0.0;
            for (Index i = 0; i < m; ++i) {
                auto& own = values_[i];
                own.sum -= mean * double(std::uint32_t(own.count));
                total_.sum += own.sum;
            }
            offset_ = mean;
        }
        model_.begin(values_.data(), total_);
    }

    bool search(ColumnSearch& columns, int feature, const Bin* bytes, Index m, Limits limits, Rng& rng, Split& best) {
        limits.lower -= offset_, limits.upper -= offset_;
        const double before = best.score;
        const bool varies = columns(model_, feature, bytes, m, limits, rng, best);
        if (best.score > before) best.left_mean += offset_, best.right_mean += offset_;
        return varies;
    }
    double gain(double score) const {
        const double weight = double(std::uint32_t(total_.count));
        return score - (poisson_ ? total_.sum * std::log(total_.sum / weight) : total_.sum * total_.sum / weight);
    }

private:
    const ForestTarget& target_;
    bool poisson_;
    OneNumber model_;
    OneNumber::Value total_{0.0, 0};
    double offset_ = 0.0;
    std::vector<OneNumber::Value> values_;
};

// Several outputs, weights that are not whole, balanced bootstrap samples.
class AnyTarget {
public:
    struct Payload {
        std::uint32_t row;
    };
    static constexpr std::size_t kBytes = sizeof(Payload);
    static constexpr bool kSides = false;

    AnyTarget(const ForestTable&, const ForestTarget& target, const ForestRules& rules, Index)
        : target_(target),
          rules_(rules),
          model_(rules.criterion, target),
          total_(model_.width() + 2),
          weight_(target.y.rows) {}

    Payload payload(std::uint32_t row, std::uint32_t) const { return {row}; }

    // Weights of the rows in this tree: their counts in a bootstrap sample, else what the caller gave.
    void begin(Span<const std::uint32_t> counts) {
        for (std::size_t i = 0; i < weight_.size(); ++i)
            weight_[i] = rules_.bootstrap ? double(counts[i]) : target_.weight.empty() ? 1.0 : target_.weight[i];
        if (!rules_.balanced) return;
        for (Index o = 0; o < target_.y.cols; ++o) {
            std::vector<double> size(target_.n_classes[o], 0.0);
            double total = 0.0;
            for (std::size_t i = 0; i < weight_.size(); ++i) {
                size[Index(target_.y(i, o))] += counts[i];
                total += counts[i];
            }
            const auto classes = double(std::count_if(size.begin(), size.end(), [](double s) { return s > 0; }));
            for (std::size_t i = 0; i < weight_.size(); ++i)
                if (counts[i] != 0) weight_[i] *= total / (classes * size[Index(target_.y(i, o))]);
        }
    }

    template <class Rows>
    NodeFacts measure(const Rows& rows, double* value) {
        const Index m = rows.size();
        std::fill(total_.begin(), total_.end(), 0.0);
        for (Index i = 0; i < m; ++i) model_.add(rows(i).row, weight_[rows(i).row], total_.data());
        NodeFacts facts;
        const std::size_t width = model_.width();
        facts.weight = total_[width];
        for (std::size_t k = 0; k < width; ++k) value[k] = total_[k] / facts.weight;
        facts.mean = value[width - 1];
        facts.pure = is_pure(rows);
        if (!facts.pure) facts.impurity = target_.n_classes.empty() ? spread(rows, value) : disorder(value);
        facts_ = facts;
        return facts;
    }
    double gain(double score) const {
        const auto outputs = double(target_.y.cols);
        switch (rules_.criterion) {
            case Criterion::gini:
                return score / outputs - facts_.weight * (1.0 - facts_.impurity);
            case Criterion::entropy:
                return score / (std::log(2.0) * outputs) + facts_.weight * facts_.impurity;
            default:
                break;
        }
        for (std::size_t k = 0; k < model_.width(); ++k) {
            const double s = total_[k];
            score -= rules_.criterion == Criterion::poisson ? s * std::log(s / facts_.weight) : s * s / facts_.weight;
        }
        return score / outputs;
    }

    double highest_score() const { return std::numeric_limits<double>::infinity(); }

    template <class Rows>
    void prepare(const Rows& rows) {
        const Index m = rows.size();
        if (Index(rows_.size()) < m) rows_.resize(m);
        for (Index i = 0; i < m; ++i) rows_[i] = rows(i).row;
        model_.begin(rows_.data(), weight_.data(), total_);
    }

    bool search(ColumnSearch& columns, int feature, const Bin* bytes, Index m, const Limits& limits, Rng& rng,
                Split& best) {
        return columns(model_, feature, bytes, m, limits, rng, best);
    }

private:
    template <class Rows>
    bool is_pure(const Rows& rows) const {
        const Index first = rows(0).row;
        for (Index i = 1; i < rows.size(); ++i)
            for (Index o = 0; o < target_.y.cols; ++o)
                if (target_.y(Index(rows(i).row), o) != target_.y(first, o)) return false;
        return true;
    }
    template <class Rows>
    double spread(const Rows& rows, const double* mean) const {
        double sum = 0.0, weight = 0.0;
        for (Index i = 0; i < rows.size(); ++i) {
            const Index row = rows(i).row;
            const double w = weight_[row];
            weight += w;
            for (Index o = 0; o < target_.y.cols; ++o) {
                const double y = target_.y(row, o), d = y - mean[o];
                sum += w * (rules_.criterion == Criterion::poisson ? poisson_part(y, mean[o]) : d * d);
            }
        }
        return sum / weight / double(target_.y.cols);
    }
    double disorder(const double* share) const {
        const bool gini = rules_.criterion == Criterion::gini;
        double sum = 0.0;
        for (std::size_t k = 0; k < model_.width(); ++k)
            if (share[k] > 0) sum += gini ? share[k] * share[k] : -share[k] * std::log2(share[k]);
        const auto outputs = double(target_.y.cols);
        return gini ? (outputs - sum) / outputs : sum / outputs;
    }

    const ForestTarget& target_;
    const ForestRules& rules_;
    AnySums model_;
    std::vector<double> total_, weight_;
    std::vector<std::uint32_t> rows_;
    NodeFacts facts_;
};

}  // namespace statlearn::trees::binned
