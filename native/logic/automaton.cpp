#include "logic/automaton.hpp"

#include <algorithm>
#include <chrono>

namespace statlearn::logic {

namespace {

constexpr std::int32_t kNone = -1;

enum Label : std::int8_t { kOpen = 0, kAccepts = 1, kRejects = -1 };

class Induction {
public:
    Induction(const LabelledWords& words, const AutomatonLimits& limits, const Interrupt& interrupt, Automata& out);
    void run();

private:
    struct Prefix {
        std::int32_t parent, symbol;
        Label label = kOpen;
        bool needed = false;  // of a positive word
    };
    struct Mark {  // where the search stood
        std::size_t placed, labelled;
    };

    bool place(std::int32_t prefix, std::int32_t state);
    bool connect(std::int32_t state, std::int32_t symbol, std::int32_t target);
    void disconnect(std::int32_t state, std::int32_t symbol, Mark mark);
    bool search(std::size_t word);  // false if it was stopped
    bool stopped();
    void keep();
    std::int32_t& child(std::int32_t prefix, std::int32_t symbol) {
        return children_[std::size_t(prefix) * symbols_ + std::size_t(symbol)];
    }
    std::int32_t& next(std::int32_t state, std::int32_t symbol) {
        return next_[std::size_t(state) * symbols_ + std::size_t(symbol)];
    }
    std::int32_t& wanted(std::int32_t state, std::int32_t symbol) {
        return wanted_[std::size_t(state) * symbols_ + std::size_t(symbol)];
    }

    const AutomatonLimits& limits_;
    const Interrupt& interrupt_;
    Automata& out_;
    std::size_t symbols_;
    std::vector<Prefix> prefixes_;
    std::vector<std::int32_t> children_, ends_;                // ends_: last prefix of each positive word
    std::vector<std::int32_t> state_;                          // of each prefix
    std::vector<std::vector<std::int32_t>> members_;           // prefixes of each state
    std::vector<std::int32_t> next_;                           // transitions
    std::vector<std::int32_t> wanted_;                         // needed prefixes that wait for a transition
    std::vector<Label> label_;                                 // of each state
    std::vector<std::int32_t> placed_, labelled_, queue_;      // to be undone
    std::int32_t n_states_ = 1, n_missing_ = 0, n_facts_ = 0;  // n_missing_: transitions that are certainly needed
    std::int64_t n_found_ = 0;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

Induction::Induction(const LabelledWords& words, const AutomatonLimits& limits, const Interrupt& interrupt,
                     Automata& out)
    : limits_(limits), interrupt_(interrupt), out_(out), symbols_(words.n_symbols) {
    prefixes_.push_back({kNone, kNone});
    children_.assign(symbols_, kNone);
    for (Index w = 0; w < words.positive.size(); ++w) {
        std::int32_t at = 0;
        if (words.positive[w]) prefixes_[0].needed = true;
        for (auto k = words.starts[w]; k < words.starts[w + 1]; ++k) {
            const auto symbol = words.symbols[k];
            if (child(at, symbol) == kNone) {
                const auto fresh = std::int32_t(prefixes_.size());
                child(at, symbol) = fresh;
                prefixes_.push_back({at, symbol});
                children_.insert(children_.end(), symbols_, kNone);
            }
            at = child(at, symbol);
            if (words.positive[w]) prefixes_[at].needed = true;
        }
        prefixes_[at].label = words.positive[w] ? kAccepts : kRejects;
        if (words.positive[w]) ends_.push_back(at);
    }
    state_.assign(prefixes_.size(), kNone);
    const Index states = std::min(limits.max_states, limits.max_facts + 1);
    members_.resize(states);
    next_.assign(states * symbols_, kNone);
    wanted_.assign(states * symbols_, 0);
    label_.assign(states, kOpen);
}

// Puts a prefix and all that the transitions carry along into their states. False at a contradiction; what has been
// done then stays to be undone.
bool Induction::place(std::int32_t prefix, std::int32_t state) {
    queue_.assign(1, prefix);
    state_[prefix] = state;
    while (!queue_.empty()) {
        const auto p = queue_.back();
        queue_.pop_back();
        const auto q = state_[p];
        placed_.push_back(p);
        members_[q].push_back(p);
        const auto label = prefixes_[p].label;
        bool good = true;
        if (label != kOpen) {
            auto& mine = label_[q];
            good = mine == kOpen || mine == label;
            if (mine == kOpen) {
                mine = label;
                labelled_.push_back(q);
                n_facts_ += label == kAccepts;
            }
        }
        for (std::int32_t c = 0; c < std::int32_t(symbols_); ++c) {
            const auto further = child(p, c);
            if (further == kNone) continue;
            if (next(q, c) != kNone) {
                state_[further] = next(q, c);
                queue_.push_back(further);
            } else if (prefixes_[further].needed && wanted(q, c)++ == 0) {
                ++n_missing_;
            }
        }
        if (!good) {
            for (const auto waiting : queue_) state_[waiting] = kNone;
            return false;
        }
    }
    return true;
}

bool Induction::connect(std::int32_t state, std::int32_t symbol, std::int32_t target) {
    next(state, symbol) = target;
    ++n_facts_;
    if (wanted(state, symbol) > 0) --n_missing_;
    const auto count = members_[state].size();  // those that come in meanwhile follow the transition
    for (std::size_t k = 0; k < count; ++k) {
        const auto further = child(members_[state][k], symbol);
        if (further != kNone && !place(further, target)) return false;
    }
    return true;
}

void Induction::disconnect(std::int32_t state, std::int32_t symbol, Mark mark) {
    while (placed_.size() > mark.placed) {
        const auto p = placed_.back();
        placed_.pop_back();
        const auto q = state_[p];
        for (std::int32_t c = 0; c < std::int32_t(symbols_); ++c) {
            const auto further = child(p, c);
            if (further != kNone && next(q, c) == kNone && prefixes_[further].needed && --wanted(q, c) == 0)
                --n_missing_;
        }
        members_[q].pop_back();
        state_[p] = kNone;
    }
    while (labelled_.size() > mark.labelled) {
        auto& label = label_[labelled_.back()];
        labelled_.pop_back();
        n_facts_ -= label == kAccepts;
        label = kOpen;
    }
    next(state, symbol) = kNone;
    --n_facts_;
    if (wanted(state, symbol) > 0) ++n_missing_;
}

bool Induction::stopped() {
    if (++out_.nodes > limits_.max_nodes) {
        out_.end = AutomatonEnd::nodes;
        return true;
    }
    if (out_.nodes % 1024 != 0) return false;
    if (interrupt_.requested()) {
        out_.end = AutomatonEnd::interrupted;
        return true;
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    if (spent.count() > limits_.max_seconds) {
        out_.end = AutomatonEnd::seconds;
        return true;
    }
    return false;
}

void Induction::keep() {
    auto& out = out_.found;
    const auto count = [&](std::size_t at) { return std::int32_t(out.size() - at - 1); };
    auto at = out.size();
    out.push_back(0);
    for (std::int32_t q = 0; q < n_states_; ++q)
        if (label_[q] == kAccepts) out.push_back(q);
    out[at] = count(at);
    at = out.size();
    out.push_back(0);
    for (std::int32_t q = 0; q < n_states_; ++q)
        for (std::int32_t c = 0; c < std::int32_t(symbols_); ++c)
            if (next(q, c) != kNone) out.insert(out.end(), {q, c, next(q, c)});
    out[at] = count(at) / 3;
    ++n_found_;
}

bool Induction::search(std::size_t word) {
    if (n_facts_ + n_missing_ > limits_.max_facts) return true;
    while (word < ends_.size() && state_[ends_[word]] != kNone) ++word;
    if (word == ends_.size()) {
        keep();
        if (limits_.max_solutions > 0 && n_found_ >= limits_.max_solutions) {
            out_.end = AutomatonEnd::enough;
            return false;
        }
        return true;
    }
    auto at = ends_[word];
    while (state_[prefixes_[at].parent] == kNone) at = prefixes_[at].parent;
    const auto state = state_[prefixes_[at].parent], symbol = prefixes_[at].symbol;
    const auto known = n_states_;
    for (std::int32_t target = 0; target <= known; ++target) {
        if (target == known && std::size_t(target) >= members_.size()) break;
        if (stopped()) return false;
        n_states_ = std::max(known, target + 1);
        const Mark mark{placed_.size(), labelled_.size()};
        const bool go_on = !connect(state, symbol, target) || search(word);
        disconnect(state, symbol, mark);
        n_states_ = known;
        if (!go_on) return false;
    }
    return true;
}

void Induction::run() {
    if (place(0, 0)) search(0);
}

}  // namespace

Automata induce_automata(const LabelledWords& words, const AutomatonLimits& limits, const Interrupt& interrupt) {
    Automata out;
    Induction(words, limits, interrupt, out).run();
    return out;
}

}  // namespace statlearn::logic
