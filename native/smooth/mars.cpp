#include "smooth/mars.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "common/parallel.hpp"
#include "smooth/mars_pair.hpp"

namespace statlearn::smooth {
namespace {

constexpr double kWorstGrsq = -10.0;  // a model worse than that by generalised cross-validation ends the pass
constexpr double kDependent = 1e-10;  // share of its squares that a new column must keep outside the model
constexpr double kJump = 10.0;        // a gain this many times the last one is a numerical accident

double gcv(double rss, double n, Index terms, double penalty) {
    const double cost = penalty < 0 ? 0.0 : (double(terms) + penalty * double(terms - 1) / 2) / n;
    return cost >= 1 ? std::numeric_limits<double>::infinity() : rss / (n * (1 - cost) * (1 - cost));
}

class Pass {
public:
    Pass(Matrix<const double> X, Matrix<const double> Y, Span<const double> weights, Span<const std::uint8_t> linear,
         Span<const std::uint8_t> allowed, const MarsOptions& options)
        : data_(X, Y, weights, options.max_terms + 2),
          linear_(linear),
          allowed_(allowed),
          options_(options),
          used_(X.cols, 0) {}

    MarsForward run(const Interrupt& interrupt) {
        start();
        const double null = result_.rss[0], n = data_.total_weight;
        const double gcv_null = gcv(null, n, 1, options_.penalty);
        double rss = null, last_gain = null;
        Index slots = 1, terms = 1;
        while (slots + 1 < options_.max_terms && rss > 0) {
            const Choice best =
                choose(slots, options_.step ? 1.01 * rss : std::min(1.01 * rss, kJump * last_gain), interrupt);
            if (interrupt.requested()) return finish(MarsEnd::interrupted);
            if (best.pair < 0) return finish(MarsEnd::no_gain);
            const Index more = terms + 1 + (best.two ? 1 : 0);
            const double after = rss - best.gain;
            if (options_.threshold > 0) {
                if (best.gain / null < options_.threshold) return finish(MarsEnd::small_gain);
                if (1 - gcv(after, n, more, options_.penalty) / gcv_null < kWorstGrsq) return finish(MarsEnd::bad_gcv);
            }
            add(best, slots);
            last_gain = best.gain;
            terms = more;
            rss = data_.rss();
            result_.rss.push_back(rss);
            slots += 2;
            if (1 - rss / null >= 1 - options_.threshold) return finish(MarsEnd::perfect);
        }
        return finish(rss > 0 ? MarsEnd::full : MarsEnd::perfect);
    }

private:
    struct Term {
        std::vector<double> values;   // its basis function at the rows
        std::vector<Index> features;  // of its factors
        std::vector<Index> pairs;     // (this term, feature) for all features that may multiply it, in their order
        double gain = std::numeric_limits<double>::infinity();  // when it was last looked at
        Index seen = 0;                                         // the size of the model then
    };

    struct Choice {
        Index pair = -1, knot = -1;  // knot -1: the linear term
        double gain = 0.0;
        bool two = false;  // both hinges enter
    };

    void start() {
        result_.terms.push_back({0, 0, Factor::intercept, 0.0});
        terms_.emplace_back();
        terms_[0].values.assign(data_.n, 1.0);
        terms_[0].seen = 1;
        data_.enter(terms_[0].values, 0.0);
        result_.rss.push_back(data_.rss());
        open(0, 1);
    }

    MarsForward finish(MarsEnd end) {
        result_.end = end;
        return std::move(result_);
    }

    bool may_multiply(const Term& term, Index feature) const {
        // In a tree one feature may cut a box again and again; hinges of one feature never multiply each other.
        if (options_.remove_parent) return true;
        return std::none_of(term.features.begin(), term.features.end(), [&](Index other) {
            return other == feature || (!allowed_.empty() && !allowed_[other * data_.p + feature]);
        });
    }

    // The candidates that term `k` is the parent of.
    void open(Index k, Index slots) {
        Term& term = terms_[k];
        term.seen = slots;
        if (Index(term.features.size()) >= options_.max_degree) return;
        const Spans spans = spans_of(data_, term.values, Index(term.features.size()) + 1, options_);
        for (Index j = 0; j < data_.p; ++j)
            if (may_multiply(term, j)) {
                term.pairs.push_back(Index(pairs_.size()));
                pairs_.push_back({k, j, spans});
            }
    }

    // Fast MARS: the parents of largest gain when last looked at, but the longer ago that was, the higher they rank.
    std::vector<Index> queue(Index slots) const {
        std::vector<Index> order(terms_.size());
        std::iota(order.begin(), order.end(), Index(0));
        std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return terms_[a].gain > terms_[b].gain; });
        std::vector<double> rank(terms_.size());
        for (std::size_t r = 0; r < order.size(); ++r) {
            const Index k = order[r];
            rank[k] = double(r) + options_.fast_beta * double(slots - 2 - terms_[k].seen);
        }
        std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return rank[a] < rank[b]; });
        const Index most = options_.fast_k > 0 ? std::max(options_.fast_k, Index(3)) : Index(order.size());
        order.resize(std::min(most, Index(order.size())));
        return order;
    }

    Choice choose(Index slots, double largest_gain, const Interrupt& interrupt) {
        const std::vector<Index> parents = queue(slots);
        std::vector<Index> work;
        for (const Index k : parents) {
            const auto& pairs = terms_[k].pairs;
            work.insert(work.end(), pairs.begin(), pairs.end());
        }
        std::vector<Pair::Best> found(work.size());
        parallel_for(Index(work.size()), [&](Index u) {
            if (interrupt.requested()) return;
            Pair& pair = pairs_[work[u]];
            const bool only_linear = linear_[pair.feature] != 0;
            if (!only_linear || !options_.step) {
                pair.bring_up(data_, terms_[pair.parent].values, options_.step, only_linear);
                const double discount = used_[pair.feature] ? 1.0 : 1.0 / (1.0 + options_.new_variable_penalty);
                found[u] = pair.best(slots, discount, largest_gain, data_.m);
            }
        });
        Choice best;
        for (const Index k : parents) {
            Term& term = terms_[k];
            if (term.pairs.empty()) continue;
            term.gain = -1.0;
            term.seen = slots;
        }
        double top = 0.0;
        for (std::size_t u = 0; u < work.size(); ++u) {
            Pair& pair = pairs_[work[u]];
            Term& parent = terms_[pair.parent];
            parent.gain = std::max(parent.gain, found[u].gain);
            if (found[u].gain <= top) continue;
            top = found[u].gain;
            const double discount = used_[pair.feature] ? 1.0 : 1.0 + options_.new_variable_penalty;
            best = {work[u], found[u].knot, top * discount, found[u].knot >= 0 && pair.has_linear()};
        }
        return best;
    }

    // A new term of the model; its column, if it is not already in the span of the others.
    bool append(Index parent, Index feature, Factor factor, double knot, Index slots, bool enters = true) {
        const double* x = data_.column(feature);
        const std::vector<double>& b = terms_[parent].values;
        std::vector<double> values(b.size());
        double plain = 0.0;
        for (std::size_t i = 0; i < b.size(); ++i) {
            double h = x[i];
            if (options_.step)
                h = (x[i] > knot) == (factor == Factor::right) ? 1.0 : 0.0;
            else if (factor != Factor::linear)
                h = std::max(0.0, factor == Factor::right ? x[i] - knot : knot - x[i]);
            values[i] = b[i] * h;
            plain += data_.weight(Index(i)) * values[i] * values[i];
        }
        if (enters && !data_.enter(values, kDependent * plain)) return false;
        Term term;
        term.values = std::move(values);
        term.features = terms_[parent].features;
        term.features.push_back(feature);
        terms_.push_back(std::move(term));
        result_.terms.push_back({parent, feature, factor, knot});
        open(Index(terms_.size()) - 1, slots);
        return true;
    }

    void add(const Choice& choice, Index slots) {
        const Index parent = pairs_[choice.pair].parent;
        const Index feature = pairs_[choice.pair].feature;
        used_[feature] = 1;
        if (choice.knot < 0) {
            append(parent, feature, Factor::linear, 0.0, slots);
            return;
        }
        const double knot = pairs_[choice.pair].knot_value(choice.knot);
        append(parent, feature, Factor::right, knot, slots);
        if (choice.two) append(parent, feature, Factor::left, knot, slots);
        if (!options_.remove_parent) return;
        // The left half is the parent less the right half: nothing new, but a box of its own.
        append(parent, feature, Factor::left, knot, slots, false);
        result_.terms[parent].removed = true;
        for (const Index pair : terms_[parent].pairs) pairs_[pair].close();
        terms_[parent].pairs.clear();
    }

    MarsData data_;
    Span<const std::uint8_t> linear_, allowed_;
    MarsOptions options_;
    std::vector<Term> terms_;
    std::vector<Pair> pairs_;
    std::vector<std::uint8_t> used_;  // features in the model
    MarsForward result_;
};

}  // namespace

MarsForward mars_forward(Matrix<const double> X, Matrix<const double> Y, Span<const double> weights,
                         Span<const std::uint8_t> linear, Span<const std::uint8_t> allowed, const MarsOptions& options,
                         const Interrupt& interrupt) {
    return Pass(X, Y, weights, linear, allowed, options).run(interrupt);
}

}  // namespace statlearn::smooth
