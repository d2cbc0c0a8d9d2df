#include "rules/rule_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "common/log_gamma.hpp"
#include "common/parallel.hpp"
#include "common/rng.hpp"

namespace statlearn::rules {

SetIndex::SetIndex(Span<const std::int32_t> items, Span<const std::int64_t> offsets, Span<const double> counts,
                   Index n_items) {
    const auto size = std::bit_ceil(std::max<std::size_t>(2 * counts.size() + 2, 16));
    mask_ = size - 1;
    number_.resize(n_items);
    for (std::uint64_t attempt = 0; attempt < 4; ++attempt) {  // two equal hashes twice in a row: the sets are equal
        Rng rng(attempt, 0);
        for (auto& number : number_) number = rng.bits64();
        slots_.assign(size, {0, -1.0});
        if (fill(items, offsets, counts)) return;
    }
    repeated_ = true;
}

bool SetIndex::fill(Span<const std::int32_t> items, Span<const std::int64_t> offsets, Span<const double> counts) {
    for (Index s = 0; s < counts.size(); ++s) {
        std::uint64_t hash = 0;
        for (auto e = offsets[s]; e < offsets[s + 1]; ++e) hash ^= number_[items[e]];
        auto at = std::size_t(hash) & mask_;
        for (; slots_[at].count >= 0; at = (at + 1) & mask_)
            if (slots_[at].hash == hash) return false;
        slots_[at] = {hash, counts[s]};
    }
    return true;
}

namespace {

constexpr Index kSetsAtOnce = 4096;
constexpr Index kLongest = 62;  // items of a set whose subsets are bits of a word

struct Part {
    RuleList rules;
    RuleInfo info;
};

class Consequents {
public:
    Consequents(const SetIndex& index, double min_confidence, bool strict, Index most, Part& out)
        : index_(index), min_confidence_(min_confidence), strict_(strict), most_(most), out_(out) {}

    void visit_set(std::int64_t number, Span<const std::int32_t> set, double count) {
        set_ = set;
        number_ = number;
        count_ = count;
        std::uint64_t whole = 0;
        for (Index k = 0; k < set.size(); ++k) whole ^= hash_[k] = index_.of_item(set[k]);
        extend(0, 0, whole, 0, 0);
    }

private:
    void extend(std::size_t from, std::uint64_t chosen, std::uint64_t antecedent, std::uint64_t consequent,
                Index size) {
        if (size + 1 > most_ || size + 1 >= Index(set_.size())) return;
        for (Index k = from; k < set_.size(); ++k) {
            const auto bits = chosen | std::uint64_t{1} << k;
            const auto a = antecedent ^ hash_[k], b = consequent ^ hash_[k];
            const double a_count = index_.find(a);
            if (a_count < 0) return missing(bits, true);
            const double asked = min_confidence_ * a_count;
            if (strict_ ? !(count_ > asked * (1 + kRounding)) : !(count_ >= asked * (1 - kRounding))) continue;
            const double b_count = index_.find(b);
            if (b_count < 0) return missing(bits, false);
            out_.rules.set.push_back(number_);
            out_.rules.consequent.push_back(bits);
            out_.rules.antecedent_count.push_back(a_count);
            out_.rules.consequent_count.push_back(b_count);
            extend(k + 1, bits, a, b, size + 1);
        }
    }
    void missing(std::uint64_t bits, bool antecedent) {
        const auto all = (std::uint64_t{1} << set_.size()) - 1;
        if (out_.info.status == RuleStatus::ok)
            out_.info = {RuleStatus::missing, number_, antecedent ? all & ~bits : bits};
    }

    static constexpr double kRounding = 1e-12;  // 0.8 * 10 need not be 8: a confidence at the threshold is at it
    const SetIndex& index_;
    double min_confidence_;
    bool strict_;
    Index most_;
    Part& out_;
    Span<const std::int32_t> set_;
    std::uint64_t hash_[kLongest + 2] = {};
    std::int64_t number_ = 0;
    double count_ = 0.0;
};

}  // namespace

RuleInfo find_rules(const SetIndex& index, Span<const std::int32_t> items, Span<const std::int64_t> offsets,
                    Span<const double> counts, double min_confidence, bool strict, Index max_consequent,
                    Index max_rules, const Interrupt& interrupt, RuleList& rules) {
    for (Index s = 0; s < counts.size(); ++s)
        if (offsets[s + 1] - offsets[s] > kLongest) return {RuleStatus::too_long, std::int64_t(s), 0};
    const Blocks blocks(Index(counts.size()), kSetsAtOnce);
    std::vector<Part> parts(blocks.count());
    std::atomic<Index> total{0};
    std::atomic<bool> interrupted{false};
    parallel_for(blocks.count(), Work(40.0 * double(items.size())), [&](Index block) {
        if (total.load(std::memory_order_relaxed) > max_rules || interrupted.load()) return;
        Part& part = parts[block];
        Consequents search(index, min_confidence, strict, max_consequent, part);
        Index told = 0;
        for (Index s = blocks.begin(block); s < blocks.end(block) && part.info.status == RuleStatus::ok; ++s) {
            const auto begin = offsets[s], end = offsets[s + 1];
            if (end - begin >= 2) search.visit_set(s, items.subspan(begin, end - begin), counts[s]);
            const Index made = Index(part.rules.set.size());
            if (total.fetch_add(made - told, std::memory_order_relaxed) + made - told > max_rules) return;
            told = made;
            if ((s & 255) == 0 && interrupt.requested()) {
                interrupted.store(true);
                return;
            }
        }
    });
    if (interrupted.load()) return {RuleStatus::interrupted, -1, 0};
    for (const auto& part : parts)
        if (part.info.status != RuleStatus::ok) return part.info;
    if (total.load() > max_rules) return {RuleStatus::too_many, -1, 0};
    const auto join = [](auto& all, auto& part) {
        all.insert(all.end(), part.begin(), part.end());
        std::remove_reference_t<decltype(part)>().swap(part);
    };
    const Index size = total.load();
    rules.set.reserve(size);
    rules.consequent.reserve(size);
    rules.antecedent_count.reserve(size);
    rules.consequent_count.reserve(size);
    for (auto& part : parts) {
        join(rules.set, part.rules.set);
        join(rules.consequent, part.rules.consequent);
        join(rules.antecedent_count, part.rules.antecedent_count);
        join(rules.consequent_count, part.rules.consequent_count);
    }
    return {};
}

Sides split_rules(Span<const std::int32_t> items, Span<const std::int64_t> offsets, Span<const std::int64_t> set,
                  Span<const std::uint64_t> consequent) {
    Sides out;
    for (auto& starts : out.offsets) {
        starts.reserve(set.size() + 1);
        starts.push_back(0);
    }
    for (Index r = 0; r < set.size(); ++r) {
        const auto begin = offsets[set[r]], end = offsets[set[r] + 1];
        for (auto e = begin; e < end; ++e)
            out.items[e - begin < 64 && (consequent[r] >> (e - begin) & 1)].push_back(items[e]);
        for (int side : {0, 1}) out.offsets[side].push_back(std::int64_t(out.items[side].size()));
    }
    return out;
}

RuleInfo best_general(const SetIndex& index, Span<const std::int32_t> antecedents, Span<const std::int64_t> a_offsets,
                      Span<const std::int32_t> consequents, Span<const std::int64_t> c_offsets, double n,
                      const Interrupt& interrupt, Span<double> best) {
    const Blocks blocks(Index(best.size()), kSetsAtOnce);
    std::vector<RuleInfo> infos(blocks.count());
    parallel_for(blocks.count(), Work(100.0 * double(antecedents.size())), [&](Index block) {
        auto& info = infos[block];
        for (Index r = blocks.begin(block); r < blocks.end(block); ++r) {
            if ((r & 63) == 0 && interrupt.requested()) return;
            std::uint64_t whole = 0;
            for (auto e = c_offsets[r]; e < c_offsets[r + 1]; ++e) whole ^= index.of_item(consequents[e]);
            const double alone = index.find(whole);
            const auto begin = a_offsets[r];
            const auto size = a_offsets[r + 1] - begin;
            if (size > 30) {
                info = {RuleStatus::too_long, r, 0};
                return;
            }
            double most = alone / n;
            std::uint64_t hash = 0;
            // Gray code: one item enters or leaves at each step.
            for (std::uint64_t step = 1; step < (std::uint64_t{1} << size); ++step) {
                hash ^= index.of_item(antecedents[begin + std::countr_zero(step)]);
                const auto subset = step ^ (step >> 1);
                if (subset == (std::uint64_t{1} << size) - 1) continue;  // the antecedent itself
                const double a = index.find(hash), both = index.find(hash ^ whole);
                if (a < 0 || both < 0 || alone < 0) {
                    info = {RuleStatus::missing, r, subset};
                    return;
                }
                most = std::max(most, both / a);
            }
            if (alone < 0) {
                info = {RuleStatus::missing, r, 0};
                return;
            }
            best[r] = most;
        }
    });
    for (const auto& info : infos)
        if (info.status != RuleStatus::ok) return info;
    return {};
}

namespace {

// log of n choose k, by the logarithms of factorials.
double log_choose(double n, double k) { return log_gamma(n + 1) - log_gamma(k + 1) - log_gamma(n - k + 1); }

// The tail is a sum of falling terms, each from the one before by a ratio of four counts.
double hypergeometric_upper(double both, double a, double b, double n) {
    const double low = std::max(0.0, a + b - n), high = std::min(a, b);
    if (both <= low) return 1.0;
    if (both > high) return 0.0;
    const double mode = std::floor((a + 1) * (b + 1) / (n + 2));
    const auto log_term = [&](double x) { return log_choose(a, x) + log_choose(n - a, b - x) - log_choose(n, b); };
    if (both > mode) {
        double term = 1.0, sum = 1.0;
        for (double x = both; x < high && term > 1e-18 * sum; ++x) {
            term *= (a - x) * (b - x) / ((x + 1) * (n - a - b + x + 1));
            sum += term;
        }
        return std::min(1.0, std::exp(log_term(both) + std::log(sum)));
    }
    double term = 1.0, sum = 1.0;  // from both - 1 downwards: the complement
    for (double x = both - 1; x > low && term > 1e-18 * sum; --x) {
        term *= x * (n - a - b + x) / ((a - x + 1) * (b - x + 1));
        sum += term;
    }
    return std::max(0.0, 1.0 - std::exp(log_term(both - 1) + std::log(sum)));
}

}  // namespace

void fisher_upper(Span<const double> both, Span<const double> a, Span<const double> b, double n,
                  const Interrupt& interrupt, Span<double> p) {
    const Blocks blocks(Index(p.size()), 256);
    parallel_for(blocks.count(), Work(1000.0 * double(p.size())), [&](Index block) {
        if (interrupt.requested()) return;
        for (Index r = blocks.begin(block); r < blocks.end(block); ++r) {
            p[r] = hypergeometric_upper(both[r], a[r], b[r], n);
        }
    });
}

}  // namespace statlearn::rules
