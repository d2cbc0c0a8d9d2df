#include "logic/sat_solver.hpp"

#include <algorithm>
#include <utility>

namespace statlearn::logic {

namespace {

constexpr std::int32_t kHeader = 2;  // words of a clause before its literals: size, quality
constexpr std::int32_t kKept = 0;    // quality of clauses that are never dropped; of learned ones their levels

std::int64_t luby(std::int64_t i) {  // 1 1 2 1 1 2 4 ...
    std::int64_t size = 1, power = 1;
    while (size < i + 1) {
        size = 2 * size + 1;
        power *= 2;
    }
    while (size - 1 != i) {
        size = (size - 1) / 2;
        power /= 2;
        i %= size;
    }
    return power;
}

}  // namespace

int Clauses::new_variable() {
    const int v = n_variables();
    value_.insert(value_.end(), 2, 0);
    watches_.resize(watches_.size() + 2);
    phase_.push_back(0);
    level_.push_back(0);
    reason_.push_back(kNone);
    seen_.push_back(0);
    activity_.push_back(0.0);
    place_.push_back(-1);
    insert(v);
    return v;
}

bool Clauses::add(std::vector<Lit> clause) {
    if (contradiction_) return false;
    std::sort(clause.begin(), clause.end());
    clause.erase(std::unique(clause.begin(), clause.end()), clause.end());
    for (std::size_t i = 0; i < clause.size(); ++i)
        if (value(clause[i]) > 0 || (i > 0 && clause[i] == negation(clause[i - 1]))) return true;
    std::erase_if(clause, [&](Lit x) { return value(x) < 0; });
    if (clause.empty()) {
        contradiction_ = true;
        return false;
    }
    if (clause.size() == 1)
        assign(clause[0], kNone);
    else
        attach(store(clause, false));
    return true;
}

Clauses::Ref Clauses::store(Span<const Lit> clause, bool learned) {
    const auto ref = Ref(arena_.size());
    std::int32_t quality = kKept;
    if (learned) {  // the number of levels that it joins: clauses of few are useful again
        std::vector<int> levels;
        for (const Lit x : clause) levels.push_back(level_of(x));
        std::sort(levels.begin(), levels.end());
        quality = std::int32_t(std::unique(levels.begin(), levels.end()) - levels.begin());
        learned_.push_back(ref);
    }
    arena_.push_back(std::int32_t(clause.size()));
    arena_.push_back(quality);
    arena_.insert(arena_.end(), clause.begin(), clause.end());
    return ref;
}

void Clauses::attach(Ref ref) {
    const Lit* x = &arena_[ref + kHeader];
    watches_[x[0]].push_back({ref, x[1]});
    watches_[x[1]].push_back({ref, x[0]});
}

void Clauses::assign(Lit x, Ref reason) {
    value_[x] = 1;
    value_[negation(x)] = -1;
    const Index v = x >> 1;
    level_[v] = level();
    reason_[v] = reason;
    trail_.push_back(x);
}

void Clauses::back_to(int level) {
    if (level >= this->level()) return;
    const std::size_t to = limits_[level];
    while (trail_.size() > to) {
        const Lit x = trail_.back();
        trail_.pop_back();
        value_[x] = value_[negation(x)] = 0;
        phase_[x >> 1] = (x & 1) == 0;
        insert(x >> 1);
    }
    shortest_ = std::min(shortest_, to);
    limits_.resize(level);
    head_ = std::min(head_, to);
}

bool Clauses::propagate() {
    while (head_ < trail_.size()) {
        const Lit wrong = negation(trail_[head_++]);
        auto& list = watches_[wrong];
        std::size_t kept = 0;
        for (std::size_t i = 0; i < list.size(); ++i) {
            const Watch watch = list[i];
            if (value(watch.other) > 0) {
                list[kept++] = watch;
                continue;
            }
            const std::int32_t size = arena_[watch.clause];
            Lit* x = &arena_[watch.clause + kHeader];
            if (x[0] == wrong) std::swap(x[0], x[1]);
            if (value(x[0]) > 0) {
                list[kept++] = {watch.clause, x[0]};
                continue;
            }
            std::int32_t k = 2;
            while (k < size && value(x[k]) < 0) ++k;
            if (k < size) {
                std::swap(x[1], x[k]);
                watches_[x[1]].push_back({watch.clause, x[0]});
                continue;
            }
            list[kept++] = {watch.clause, x[0]};
            if (value(x[0]) < 0) {
                conflict_.assign(x, x + size);
                for (++i; i < list.size(); ++i) list[kept++] = list[i];
                list.resize(kept);
                head_ = trail_.size();
                return false;
            }
            assign(x[0], watch.clause);
        }
        list.resize(kept);
    }
    return true;
}

bool Clauses::redundant(Lit x) const {
    const Ref reason = reason_[x >> 1];
    if (reason == kNone) return false;
    const std::int32_t size = arena_[reason];
    const Lit* y = &arena_[reason + kHeader];
    for (std::int32_t k = 0; k < size; ++k)
        if (y[k] >> 1 != x >> 1 && level_of(y[k]) > 0 && !seen_[y[k] >> 1]) return false;
    return true;
}

bool Clauses::resolve(std::vector<Lit> clause) {
    ++conflicts_;
    int highest = 0;
    for (const Lit x : clause) highest = std::max(highest, level_of(x));
    if (highest == 0) {
        contradiction_ = true;
        return false;
    }
    back_to(highest);  // a theory may notice a conflict of an earlier level
    std::vector<Lit> made{0};
    std::vector<int> touched;
    int open = 0;
    std::size_t at = trail_.size();
    Lit pivot = -1;
    const auto visit = [&](Lit x) {
        const int v = x >> 1;
        if (seen_[v] || level_of(x) == 0) return;
        seen_[v] = 1;
        touched.push_back(v);
        bump(v);
        if (level_of(x) == level())
            ++open;
        else
            made.push_back(x);
    };
    for (const Lit x : clause) visit(x);
    for (;;) {
        while (!seen_[trail_[--at] >> 1]) {
        }
        pivot = trail_[at];
        if (--open == 0) break;
        const Ref reason = reason_[pivot >> 1];
        const std::int32_t size = arena_[reason];
        const Lit* x = &arena_[reason + kHeader];
        for (std::int32_t k = 0; k < size; ++k)
            if (x[k] != pivot) visit(x[k]);
    }
    made[0] = negation(pivot);
    std::vector<Lit> kept{made[0]};
    for (std::size_t k = 1; k < made.size(); ++k)
        if (!redundant(made[k])) kept.push_back(made[k]);
    for (const int v : touched) seen_[v] = 0;
    if (kept.size() == 1) {
        back_to(0);
        assign(kept[0], kNone);
    } else {
        const auto second =
            std::max_element(kept.begin() + 1, kept.end(), [&](Lit a, Lit b) { return level_of(a) < level_of(b); });
        std::swap(kept[1], *second);
        const Ref ref = store(kept, true);
        attach(ref);
        back_to(level_of(kept[1]));
        assign(kept[0], ref);
    }
    step_ /= 0.95;
    if (step_ > 1e100) {
        for (double& a : activity_) a *= 1e-100;
        step_ *= 1e-100;
    }
    return true;
}

bool Clauses::add_implied(std::vector<Lit> clause) {
    if (clause.size() > 1)
        std::swap(clause[1], *std::max_element(clause.begin() + 1, clause.end(),
                                               [&](Lit a, Lit b) { return level_of(a) < level_of(b); }));
    if (value(clause[0]) < 0) {
        conflict_ = std::move(clause);
        return false;
    }
    if (clause.size() == 1 || level_of(clause[1]) == 0) {
        if (value(clause[0]) == 0) {
            back_to(0);
            assign(clause[0], kNone);
        }
        return true;
    }
    const Ref ref = store(clause, true);
    attach(ref);
    if (value(clause[0]) == 0) {
        back_to(level_of(clause[1]));
        assign(clause[0], ref);
    }
    return true;
}

bool Clauses::exclude() {
    if (level() == 0) return false;
    std::vector<Lit> clause;
    for (int l = level(); l > 0; --l) clause.push_back(negation(decision(l)));
    back_to(level() - 1);
    if (clause.size() == 1) {
        assign(clause[0], kNone);
    } else {
        const Ref ref = store(clause, false);
        attach(ref);
        assign(clause[0], ref);
    }
    return true;
}

bool Clauses::decide() {
    while (!heap_.empty()) {
        const int v = heap_[0];
        place_[v] = -1;
        heap_[0] = heap_.back();
        heap_.pop_back();
        if (!heap_.empty()) {
            place_[heap_[0]] = 0;
            down(0);
        }
        if (value(2 * v) != 0) continue;
        limits_.push_back(std::int32_t(trail_.size()));
        assign(phase_[v] ? 2 * v : 2 * v + 1, kNone);
        return true;
    }
    return false;
}

void Clauses::restart_if_due() {
    if (conflicts_ < next_restart_) return;
    next_restart_ = conflicts_ + 100 * luby(++n_restarts_);
    back_to(0);
    if (learned_.size() > most_learned_) {
        reduce();
        most_learned_ += 500;
    }
}

// Drops the worse half of the learned clauses. No clause is a reason then: only level 0 is assigned.
void Clauses::reduce() {
    for (const Lit x : trail_) reason_[x >> 1] = kNone;
    std::stable_sort(learned_.begin(), learned_.end(), [&](Ref a, Ref b) { return arena_[a + 1] < arena_[b + 1]; });
    std::vector<Ref> dropped;
    for (std::size_t k = learned_.size() / 2; k < learned_.size(); ++k)
        if (arena_[learned_[k] + 1] > 2) dropped.push_back(learned_[k]);
    std::sort(dropped.begin(), dropped.end());
    std::vector<std::int32_t> fresh;
    fresh.reserve(arena_.size());
    for (auto& list : watches_) list.clear();
    learned_.clear();
    auto next = dropped.begin();
    for (std::size_t at = 0; at < arena_.size();) {
        const Index words = arena_[at] + kHeader;
        if (next != dropped.end() && std::size_t(*next) == at) {
            ++next;
        } else {
            if (arena_[at + 1] != kKept) learned_.push_back(Ref(fresh.size()));
            fresh.insert(fresh.end(), arena_.begin() + std::ptrdiff_t(at), arena_.begin() + std::ptrdiff_t(at + words));
        }
        at += words;
    }
    arena_ = std::move(fresh);
    for (std::size_t at = 0; at < arena_.size(); at += std::size_t(arena_[at] + kHeader)) attach(Ref(at));
}

void Clauses::bump(int v) {
    activity_[v] += step_;
    if (place_[v] >= 0) up(std::size_t(place_[v]));
}

void Clauses::up(std::size_t at) {
    const int v = heap_[at];
    while (at > 0 && before(v, heap_[(at - 1) / 2])) {
        heap_[at] = heap_[(at - 1) / 2];
        place_[heap_[at]] = std::int32_t(at);
        at = (at - 1) / 2;
    }
    heap_[at] = v;
    place_[v] = std::int32_t(at);
}

void Clauses::down(std::size_t at) {
    const int v = heap_[at];
    for (;;) {
        std::size_t child = 2 * at + 1;
        if (child >= heap_.size()) break;
        if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
        if (!before(heap_[child], v)) break;
        heap_[at] = heap_[child];
        place_[heap_[at]] = std::int32_t(at);
        at = child;
    }
    heap_[at] = v;
    place_[v] = std::int32_t(at);
}

void Clauses::order() {
    for (std::size_t k = heap_.size() / 2; k-- > 0;) down(k);
}

void Clauses::insert(int v) {
    if (place_[v] >= 0) return;
    heap_.push_back(v);
    place_[v] = std::int32_t(heap_.size() - 1);
    up(heap_.size() - 1);
}

}  // namespace statlearn::logic
