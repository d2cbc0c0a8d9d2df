#include "logic/stable_models.hpp"

#include <algorithm>
#include <map>

#include "logic/sat_solver.hpp"

namespace statlearn::logic {

namespace {

constexpr double kChoiceFirst = 1.0;     // initial activities: what is free is decided first,
constexpr double kNegatedSecond = 1e-2;  // then what others depend on by negation

// A way to derive an atom: a body, and the atoms of the head's own component in it.
struct Support {
    Lit body;
    std::vector<std::int32_t> inner;
};

// Atoms that depend on each other positively.
struct Component {
    std::vector<std::int32_t> atoms;
    bool changed = true;  // a support may have been lost since the last check
};

class StableSearch {
public:
    StableSearch(const GroundRules& rules, const GroundCosts& costs);

    // Models until `most` are found (all if it is not positive). With costs: `best` empty finds one of the smallest
    // cost, which `best` then holds; otherwise those of this cost.
    StableEnd run(std::int64_t most, std::int64_t max_nodes, const Interrupt& interrupt,
                  std::vector<std::int64_t>& best, StableModels& out);

private:
    Lit body_literal(std::vector<Lit> literals);
    void find_components(const GroundRules& rules);
    bool exclude_loops(bool& added);
    bool loop_clauses(Component& component, bool& added);
    bool within_bound(const std::vector<std::int64_t>& best, bool equal, std::vector<Lit>& conflict) const;
    std::vector<std::int64_t> cost() const;

    struct Cost {
        std::int32_t level;
        std::int64_t weight;  // positive, for the literal being true
        Lit literal;
    };

    Clauses clauses_;
    std::int32_t n_atoms_;
    bool possible_ = true;
    std::map<std::vector<Lit>, Lit> bodies_;
    std::vector<std::vector<Support>> supports_;  // by atom, of atoms in components
    std::vector<Component> components_;
    std::vector<std::int32_t> component_of_;             // by atom, or -1
    std::vector<std::vector<std::int32_t>> dependents_;  // by literal: components that a body supports
    std::vector<std::vector<std::pair<std::int32_t, std::int32_t>>> uses_;  // by atom: supports that need it
    std::vector<std::uint8_t> founded_;
    std::vector<Cost> costs_;
    std::vector<std::int64_t> fixed_;  // by level: the part of the cost that is there in any case
};

Lit StableSearch::body_literal(std::vector<Lit> literals) {
    if (literals.empty()) return 0;  // variable 0 is true
    if (literals.size() == 1) return literals[0];
    const auto [known, fresh] = bodies_.try_emplace(literals, 0);
    if (fresh) {
        const Lit body = 2 * clauses_.new_variable();
        known->second = body;
        std::vector<Lit> all{body};
        for (const Lit x : literals) {
            possible_ &= clauses_.add({negation(body), x});
            all.push_back(negation(x));
        }
        possible_ &= clauses_.add(std::move(all));
    }
    return known->second;
}

StableSearch::StableSearch(const GroundRules& rules, const GroundCosts& costs) : n_atoms_(rules.n_atoms) {
    for (std::int32_t v = 0; v <= n_atoms_; ++v) clauses_.new_variable();
    possible_ &= clauses_.add({0});
    const auto n = std::size_t(n_atoms_) + 1;
    supports_.resize(n);
    std::vector<std::vector<Lit>> derived_by(n);
    std::vector<double> weight(n, 0.0);
    find_components(rules);
    for (Index r = 0; r < rules.heads.size(); ++r) {
        std::vector<Lit> literals;
        for (auto k = rules.starts[r]; k < rules.starts[r + 1]; ++k) {
            const std::int32_t atom = rules.body[k];
            literals.push_back(atom > 0 ? 2 * atom : 2 * -atom + 1);
            if (atom < 0) weight[-atom] = std::max(weight[-atom], kNegatedSecond);
        }
        std::sort(literals.begin(), literals.end());
        literals.erase(std::unique(literals.begin(), literals.end()), literals.end());
        bool never = false;
        for (std::size_t k = 1; k < literals.size(); ++k) never |= literals[k] == negation(literals[k - 1]);
        const std::int32_t head = rules.heads[r];
        // An atom that needs itself gains nothing by the rule.
        if (never || (head > 0 && std::binary_search(literals.begin(), literals.end(), 2 * head))) continue;
        if (head == 0) {
            for (Lit& x : literals) x = negation(x);
            possible_ &= clauses_.add(std::move(literals));
            continue;
        }
        const Index h = head;
        if (component_of_[h] >= 0) {
            Support support{0, {}};
            for (const Lit x : literals)
                if ((x & 1) == 0 && component_of_[x >> 1] == component_of_[h]) support.inner.push_back(x >> 1);
            supports_[h].push_back(std::move(support));
        }
        const Lit body = body_literal(std::move(literals));
        if (component_of_[h] >= 0) supports_[h].back().body = body;
        derived_by[h].push_back(body);
        if (rules.choice[r])
            weight[h] = kChoiceFirst;
        else
            possible_ &= clauses_.add({negation(body), 2 * head});
    }
    for (std::int32_t a = 1; a <= n_atoms_; ++a) {
        auto clause = derived_by[a];
        clause.push_back(2 * a + 1);
        possible_ &= clauses_.add(std::move(clause));
        clauses_.set_activity(a, weight[a]);
    }
    clauses_.order();
    dependents_.resize(2 * clauses_.n_variables());
    uses_.resize(n);
    for (std::size_t a = 1; a < n; ++a)
        for (std::size_t s = 0; s < supports_[a].size(); ++s) {
            dependents_[negation(supports_[a][s].body)].push_back(component_of_[a]);
            for (const auto inner : supports_[a][s].inner) uses_[inner].push_back({std::int32_t(a), std::int32_t(s)});
        }
    founded_.assign(n, 0);
    fixed_.assign(costs.n_levels, 0);
    for (Index k = 0; k < costs.atom.size(); ++k) {
        const auto w = costs.weight[k];
        const Lit x = 2 * costs.atom[k];
        if (w > 0) costs_.push_back({costs.level[k], w, x});
        if (w < 0) {  // w if x is true = w in any case, and -w if it is false
            fixed_[costs.level[k]] += w;
            costs_.push_back({costs.level[k], -w, negation(x)});
        }
    }
}

// Strongly connected components of the positive dependencies with more than one atom (Tarjan, without recursion).
void StableSearch::find_components(const GroundRules& rules) {
    const auto n = std::size_t(n_atoms_) + 1;
    std::vector<std::vector<std::int32_t>> next(n);
    for (Index r = 0; r < rules.heads.size(); ++r)
        if (rules.heads[r] > 0)
            for (auto k = rules.starts[r]; k < rules.starts[r + 1]; ++k)
                if (rules.body[k] > 0) next[rules.heads[r]].push_back(rules.body[k]);
    component_of_.assign(n, -1);
    std::vector<std::int32_t> number(n, 0), low(n, 0), stack;
    std::vector<std::uint8_t> waiting(n, 0);
    std::vector<std::pair<std::int32_t, std::size_t>> path;
    std::int32_t count = 0;
    for (std::int32_t root = 1; root <= n_atoms_; ++root) {
        if (number[root]) continue;
        path.push_back({root, 0});
        while (!path.empty()) {
            const auto a = path.back().first;
            const Index at = a;
            if (path.back().second == 0) {
                number[at] = low[at] = ++count;
                stack.push_back(a);
                waiting[at] = 1;
            }
            if (path.back().second < next[at].size()) {
                const auto b = next[at][path.back().second++];
                if (!number[b])
                    path.push_back({b, 0});
                else if (waiting[b])
                    low[at] = std::min(low[at], number[b]);
                continue;
            }
            path.pop_back();
            if (!path.empty()) {
                auto& above = low[path.back().first];
                above = std::min(above, low[at]);
            }
            if (low[at] != number[at]) continue;
            Component component;
            std::int32_t b = 0;
            do {
                b = stack.back();
                stack.pop_back();
                waiting[b] = 0;
                component.atoms.push_back(b);
            } while (b != a);
            if (component.atoms.size() > 1) {
                for (const auto member : component.atoms) component_of_[member] = int(components_.size());
                components_.push_back(std::move(component));
            }
        }
    }
}

// Adds loop clauses for atoms that only support each other. False at a conflict.
bool StableSearch::exclude_loops(bool& added) {
    added = false;
    if (components_.empty()) return true;
    const auto trail = clauses_.trail();
    const auto begin = clauses_.seen_until();
    for (Index k = begin; k < trail.size(); ++k)
        for (const auto c : dependents_[trail[k]]) components_[c].changed = true;
    for (auto& component : components_) {
        if (!component.changed) continue;
        if (!loop_clauses(component, added)) return false;
        if (added) return true;
        component.changed = false;
    }
    return true;
}

bool StableSearch::loop_clauses(Component& component, bool& added) {
    // Founded: derivable from outside, step by step. missing[a][s]: atoms of support s that are not yet founded.
    std::vector<std::int32_t> queue;
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> missing;
    for (const auto a : component.atoms) founded_[a] = clauses_.value(2 * a) < 0;
    const auto derive = [&](std::int32_t a) {
        if (founded_[a]) return;
        founded_[a] = 1;
        queue.push_back(a);
    };
    for (const auto a : component.atoms)
        for (std::size_t s = 0; s < supports_[a].size(); ++s) {
            const auto& support = supports_[a][s];
            if (clauses_.value(support.body) < 0) continue;
            if (support.inner.empty())
                derive(a);
            else
                missing[{a, std::int32_t(s)}] = support.inner.size();
        }
    while (!queue.empty()) {
        const auto a = queue.back();
        queue.pop_back();
        for (const auto& use : uses_[a]) {
            const auto found = missing.find(use);
            if (found != missing.end() && --found->second == 0) derive(use.first);
        }
    }
    std::vector<Lit> outside;  // bodies that would derive some atom of the set from outside: all false
    bool any = false;
    for (const auto a : component.atoms) {
        if (founded_[a]) continue;
        any = true;
        for (const auto& support : supports_[a]) {
            const bool inside =
                std::any_of(support.inner.begin(), support.inner.end(), [&](std::int32_t b) { return !founded_[b]; });
            if (!inside) outside.push_back(support.body);
        }
    }
    if (!any) return true;
    std::sort(outside.begin(), outside.end());
    outside.erase(std::unique(outside.begin(), outside.end()), outside.end());
    const int level = clauses_.level();
    for (const auto a : component.atoms) {
        if (founded_[a]) continue;
        std::vector<Lit> clause{2 * a + 1};
        clause.insert(clause.end(), outside.begin(), outside.end());
        added = true;
        if (!clauses_.add_implied(std::move(clause))) return false;
        if (clauses_.level() != level) break;  // the other clauses are no longer due
    }
    return true;
}

std::vector<std::int64_t> StableSearch::cost() const {
    auto sum = fixed_;
    for (const auto& c : costs_)
        if (clauses_.value(c.literal) > 0) sum[c.level] += c.weight;
    return sum;
}

// Whether the cost so far can still become smaller than `best`, or equal to it; otherwise the literals to blame.
bool StableSearch::within_bound(const std::vector<std::int64_t>& best, bool equal, std::vector<Lit>& conflict) const {
    if (best.empty()) return true;
    const auto sum = cost();
    std::size_t l = 0;
    while (l < sum.size() && sum[l] == best[l]) ++l;
    if (l == sum.size() ? equal : sum[l] < best[l]) return true;
    conflict.clear();
    for (const auto& c : costs_)
        if (std::size_t(c.level) <= l && clauses_.value(c.literal) > 0) conflict.push_back(negation(c.literal));
    return false;
}

StableEnd StableSearch::run(std::int64_t most, std::int64_t max_nodes, const Interrupt& interrupt,
                            std::vector<std::int64_t>& best, StableModels& out) {
    const bool equal = !best.empty(), improve = !fixed_.empty() && !equal;
    std::vector<Lit> conflict;
    if (!possible_) return StableEnd::complete;
    for (std::int64_t round = 0;; ++round) {
        if (round % 256 == 0 && interrupt.requested()) return StableEnd::interrupted;
        bool added = false;
        if (!clauses_.propagate()) {
            if (!clauses_.resolve()) return StableEnd::complete;
            continue;
        }
        if (!within_bound(best, equal, conflict)) {
            if (!clauses_.resolve(conflict)) return StableEnd::complete;
            continue;
        }
        if (!exclude_loops(added)) {
            if (!clauses_.resolve()) return StableEnd::complete;
            continue;
        }
        if (added) continue;
        clauses_.restart_if_due();
        if (clauses_.decide()) {
            if (++out.nodes > max_nodes) return StableEnd::nodes;
            continue;
        }
        if (improve) {
            best = cost();
            continue;  // the bound is now a conflict
        }
        for (std::int32_t a = 1; a <= n_atoms_; ++a)
            if (clauses_.value(2 * a) > 0) out.atoms.push_back(a);
        out.ends.push_back(std::int64_t(out.atoms.size()));
        if (most > 0 && std::int64_t(out.ends.size()) >= most) return StableEnd::enough;
        if (!clauses_.exclude()) return StableEnd::complete;
    }
}

}  // namespace

StableModels stable_models(const GroundRules& rules, const GroundCosts& costs, std::int64_t n_models,
                           std::int64_t max_nodes, const Interrupt& interrupt) {
    StableModels out;
    if (costs.n_levels > 0) {  // learned clauses depend on the bound, so the second search begins anew
        out.end = StableSearch(rules, costs).run(1, max_nodes, interrupt, out.cost, out);
        if (out.end != StableEnd::complete || out.cost.empty()) return out;
    }
    out.end = StableSearch(rules, costs).run(n_models, max_nodes, interrupt, out.cost, out);
    return out;
}

}  // namespace statlearn::logic
