#include "logic/machine.hpp"

#include <algorithm>
#include <tuple>

namespace statlearn::logic {

namespace {

constexpr std::int64_t kLook = 1 << 14;  // inferences between two looks at clock and Ctrl-C

}  // namespace

Machine::Machine(const Program& program, const Limits& limits) : program_(program), limits_(limits) {
    reals = program.reals;
    scratch_.resize(std::size_t(program.most_slots) + 64);
    memory_.resize(1 << 14);
    heap_ = memory_.data();
}

bool Machine::reserve(std::size_t cells) {
    if (top_ + cells + kBuiltinHeap <= memory_.size()) return true;
    const auto wanted = std::max(2 * memory_.size(), top_ + cells + kBuiltinHeap);
    if ((wanted - memory_.size()) * sizeof(Word) + bytes() > limits_.max_bytes) {
        if ((top_ + cells + kBuiltinHeap - memory_.size()) * sizeof(Word) + bytes() > limits_.max_bytes) return false;
        memory_.resize(top_ + cells + kBuiltinHeap);
    } else {
        memory_.resize(wanted);
    }
    heap_ = memory_.data();
    return true;
}

std::size_t Machine::bytes() const {
    return sizeof(Word) *
               (memory_.size() + trail_.capacity() + frames_.capacity() + saved_.capacity() + log_.capacity()) +
           sizeof(Choice) * choices_.capacity() + sizeof(double) * reals.capacity();
}

bool Machine::unify(Word first, Word second) {
    pairs_.clear();
    auto a = first, b = second;
    std::size_t steps = 0;
    for (;;) {
        a = deref(a);
        b = deref(b);
        if (a != b) {
            const auto ta = tag_of(a), tb = tag_of(b);
            if (ta == kRef) {
                // the younger variable refers to the older one
                if (tb == kRef && value_of(a) < value_of(b))
                    bind(b, a);
                else
                    bind(a, b);
            } else if (tb == kRef) {
                bind(b, a);
            } else if (ta != tb) {
                return false;
            } else if (ta == kList) {
                pairs_.push_back({heap_[value_of(a) + 1], heap_[value_of(b) + 1]});
                a = heap_[value_of(a)], b = heap_[value_of(b)];
                continue;
            } else if (ta == kStr) {
                const auto x = value_of(a), y = value_of(b);
                if (heap_[x] != heap_[y]) return false;
                const Index n = program_.symbols[std::int32_t(heap_[x])].arity;
                for (std::size_t k = n; k > 1; --k) pairs_.push_back({heap_[x + k], heap_[y + k]});
                a = heap_[x + 1], b = heap_[y + 1];
                if (++steps > 50'000'000) return type_error("unification of a cyclic term does not end");
                continue;
            } else if (ta == kReal) {
                const double u = reals[value_of(a)], v = reals[value_of(b)];
                if (!(u == v || (u != u && v != v))) return false;
            } else {
                return false;
            }
        }
        if (pairs_.empty()) return true;
        std::tie(a, b) = pairs_.back();
        pairs_.pop_back();
        if (++steps > 50'000'000) return type_error("unification of a cyclic term does not end");
    }
}

void Machine::start(Span<const Code> goal, std::int32_t heap, std::int32_t n_variables, Span<const Code> given) {
    top_ = 0;
    trail_.clear();
    choices_.clear();
    saved_.clear();
    log_.clear();
    bag_.clear();
    bags_.clear();
    reals.resize(program_.reals.size());
    environment_ = kNone;
    protected_ = 0;
    goal_.assign(goal.begin(), goal.end());
    answer_.resize(n_variables);
    started_ = done_ = paused_ = false;
    depth_ = 0;
    deepest = 0;
    inferences = 0;
    spent_ = 0;
    fuel_ = given_fuel_ = 0;
    depth_hit = false;
    hits_ = 0;
    error_ = Outcome::solution;
    begin_ = std::chrono::steady_clock::now();
    reserve(std::size_t(heap) + std::size_t(n_variables));
    for (std::size_t k = 0; k < answer_.size(); ++k) answer_[k] = Index(k) < given.size() ? Word(given[k]) : fresh();
}

Outcome Machine::look_around(const Interrupt& interrupt) {
    spent_ += given_fuel_ - fuel_;
    inferences = spent_;
    if (spent_ > limits_.max_inferences) return Outcome::inferences;
    if (interrupt.requested()) return Outcome::interrupted;
    if (bytes() > limits_.max_bytes) return Outcome::memory;
    if (limits_.max_seconds < 1e17) {
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
        if (passed.count() > limits_.max_seconds) return Outcome::seconds;
    }
    given_fuel_ = fuel_ = std::min(kLook, limits_.max_inferences - spent_ + 1);
    return Outcome::solution;
}

// Copies out a part of an answer. That it cannot be written is no error of the proof, which may go on.
void Machine::write(Word w, std::vector<Code>& out) {
    if (copy_out(w, out)) return;
    error_ = Outcome::solution;
    throw std::bad_alloc();
}

void Machine::write_answer(std::vector<Code>& out) {
    for (const auto w : answer_) write(w, out);
}

void Machine::write_proof(std::vector<Code>& out) {
    for (std::size_t k = 0; k < log_.size();) {
        const auto functor = std::int32_t(log_[k]);
        out.push_back(functor);
        out.push_back(Code(log_[k + 1]));
        out.push_back(Code(log_[k + 2]));
        k += 3;
        for (std::int32_t n = program_.symbols[functor].arity; n > 0; --n) write(log_[k++], out);
    }
}

}  // namespace statlearn::logic
