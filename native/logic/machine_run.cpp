// The loop of the machine.
#include <algorithm>

#include "logic/machine.hpp"

namespace statlearn::logic {

namespace {

inline Word key_of_word(Word w, const Word* heap) {
    switch (tag_of(w)) {
        case kRef:
            return 0;
        case kStr:
            return word(kStr, heap[value_of(w)]);
        case kList:
            return kListKey;
        case kReal:
            return kRealKey;
        default:
            return w;
    }
}

}  // namespace

Outcome Machine::next(const Interrupt& interrupt, std::int64_t patience) {
    if (done_) return Outcome::failed;
    if (top_ + kBuiltinHeap > memory_.size()) return stop(Outcome::memory, "");
    const Code* p = nullptr;
    Word* v = nullptr;  // slots of the current clause
    std::size_t s = 0;  // next argument of the structure being read
    bool write = false;
    std::size_t cut = 0;  // height of the choice points when the current clause was called
    std::int32_t functor = 0;
    bool negated = false;
    const Predicate* predicate = nullptr;
    const Clause* clause = nullptr;
    const std::uint32_t* list = nullptr;
    std::uint32_t at = 0, end = 0;
    Word key = 0;
    std::int64_t depth = depth_;
    const Code* back = back_;
    wait_until_ = patience > 0 ? spent_ + (given_fuel_ - fuel_) + patience : std::int64_t{1} << 62;

    const auto matches = [&](std::uint32_t k) {
        const auto i = list ? list[k] : k;
        const Word own = predicate->clauses[i].key;
        return own == 0 || key == 0 || own == key;
    };
    const auto finish = [&](Outcome why) {
        done_ = true;
        inferences = spent_ + (given_fuel_ - fuel_);
        return why;
    };

    if (paused_) {
        paused_ = false;
        p = resume_p_;
        functor = culprit;
        negated = paused_negated_;
        goto call;
    }
    if (!started_) {
        started_ = true;
        p = goal_.data();
        // kAllocate makes the environment; its first slots hold the variables of the goal
        environment_ = 0;
        frames_.resize(std::max(frames_.size(), kFrame + std::size_t(p[1]) + 64));
        frames_[0] = Word(kNone);
        frames_[1] = 0;
        frames_[2] = 0;
        frames_[3] = Word(p[1]);
        v = frames_.data() + kFrame;
        std::copy(answer_.begin(), answer_.end(), v);
        p += 2;
    } else {
        goto fail;
    }

step:
    switch (static_cast<Op>(p[0])) {
        case kGetVar:
            v[p[2]] = a_[p[1]], p += 3;
            goto step;
        case kGetValue:
            if (!unify(v[p[2]], a_[p[1]])) goto fail;
            p += 3;
            goto step;
        case kGetConst: {
            const Word w = deref(a_[p[1]]), c = Word(p[2]);
            if (w != c) {
                if (tag_of(w) == kRef)
                    bind(w, c);
                else if (tag_of(c) != kReal || !unify(w, c))
                    goto fail;
            }
            p += 3;
            goto step;
        }
        case kGetFact: {
            const auto n = p[1];
            for (Code k = 0; k < n; ++k) {
                const Word w = deref(a_[k]), c = Word(p[2 + k]);
                if (w == c) continue;
                if (tag_of(w) == kRef)
                    bind(w, c);
                else if (tag_of(c) != kReal || !unify(w, c))
                    goto fail;
            }
            p += 2 + n;
            goto step;
        }
        case kGetList:
        case kSlotList: {
            const Word w = deref(p[0] == kGetList ? a_[p[1]] : v[p[1]]);
            if (tag_of(w) == kList) {
                s = value_of(w);
                write = false;
            } else if (tag_of(w) == kRef) {
                bind(w, word(kList, top_));
                write = true;
            } else {
                goto fail;
            }
            p += 2;
            goto step;
        }
        case kGetStr:
        case kSlotStr: {
            const Word w = deref(p[0] == kGetStr ? a_[p[1]] : v[p[1]]);
            if (tag_of(w) == kStr) {
                s = value_of(w);
                if (heap_[s] != Word(p[2])) goto fail;
                ++s;
                write = false;
            } else if (tag_of(w) == kRef) {
                bind(w, word(kStr, top_));
                heap_[top_++] = Word(p[2]);
                write = true;
            } else {
                goto fail;
            }
            p += 3;
            goto step;
        }
        case kUnifyVar:
            v[p[1]] = write ? fresh() : heap_[s++];
            p += 2;
            goto step;
        case kUnifyValue:
            if (write)
                heap_[top_++] = v[p[1]];
            else if (!unify(v[p[1]], heap_[s++]))
                goto fail;
            p += 2;
            goto step;
        case kUnifyConst: {
            const Word c = Word(p[1]);
            if (write) {
                heap_[top_++] = c;
            } else {
                const Word w = deref(heap_[s++]);
                if (w != c) {
                    if (tag_of(w) == kRef)
                        bind(w, c);
                    else if (tag_of(c) != kReal || !unify(w, c))
                        goto fail;
                }
            }
            p += 2;
            goto step;
        }
        case kUnifyVoid:
            if (write)
                fresh();
            else
                ++s;
            p += 1;
            goto step;
        case kPutVar:
            v[p[2]] = a_[p[1]] = fresh(), p += 3;
            goto step;
        case kPutValue:
            a_[p[1]] = v[p[2]], p += 3;
            goto step;
        case kPutConst:
            a_[p[1]] = Word(p[2]), p += 3;
            goto step;
        case kPutList:
            a_[p[1]] = word(kList, top_);
            write = true;
            p += 2;
            goto step;
        case kPutStr:
            a_[p[1]] = word(kStr, top_);
            heap_[top_++] = Word(p[2]);
            write = true;
            p += 3;
            goto step;
        case kInitVar:
            v[p[1]] = fresh(), p += 2;
            goto step;

        case kAllocate: {
            const auto top = frame_top();
            const auto need = top + kFrame + std::size_t(p[1]);
            if (need > frames_.size()) frames_.resize(2 * need);
            frames_[top] = Word(environment_);
            frames_[top + 1] = reinterpret_cast<Word>(back);
            frames_[top + 2] = Word(depth);
            frames_[top + 3] = Word(p[1]);
            environment_ = top;
            v = frames_.data() + top + kFrame;
            p += 2;
            goto step;
        }
        case kCall:
            functor = std::int32_t(p[1]);
            negated = p[2] != 0;
            back = p + 3;
            depth = std::int64_t(frames_[environment_ + 2]) + 1;
            goto call;
        case kExecute:
            functor = std::int32_t(p[1]);
            negated = p[2] != 0;
            ++depth;
            goto call;
        case kExecuteLast:
            functor = std::int32_t(p[1]);
            negated = p[2] != 0;
            depth = std::int64_t(frames_[environment_ + 2]) + 1;
            back = reinterpret_cast<const Code*>(frames_[environment_ + 1]);
            environment_ = std::size_t(frames_[environment_]);
            goto call;
        case kProceedLast:
            back = reinterpret_cast<const Code*>(frames_[environment_ + 1]);
            environment_ = std::size_t(frames_[environment_]);
            [[fallthrough]];
        case kProceed:
            p = back;
            v = frames_.data() + environment_ + kFrame;
            goto step;
        case kCallMeta:
        case kExecuteMeta:
        case kExecuteMetaLast: {
            const auto n = p[1];
            negated = p[2] != 0;
            if (p[0] == kCallMeta) {
                back = p + 3;
                depth = std::int64_t(frames_[environment_ + 2]) + 1;
            } else if (p[0] == kExecuteMeta) {
                ++depth;
            } else {
                depth = std::int64_t(frames_[environment_ + 2]) + 1;
                back = reinterpret_cast<const Code*>(frames_[environment_ + 1]);
                environment_ = std::size_t(frames_[environment_]);
            }
            const Word goal = deref(a_[0]);
            Functor f{};
            if (tag_of(goal) == kAtom) {
                f = {std::int32_t(value_of(goal)), 0};
            } else if (tag_of(goal) == kStr) {
                f = program_.symbols[std::int32_t(heap_[value_of(goal)])];
            } else {
                return finish(stop(Outcome::type, tag_of(goal) == kRef ? "call/1: the goal is an unbound variable"
                                                                       : "call/1: " + show(goal) + " is not a goal"));
            }
            const auto total = f.arity + std::int32_t(n) - 1;
            if (total > kMostArguments) return finish(stop(Outcome::type, "call/N: too many arguments"));
            // further arguments move behind those of the goal
            if (f.arity >= 1) {
                for (auto k = n - 1; k >= 1; --k) a_[f.arity + k - 1] = a_[k];
            } else {
                for (Code k = 1; k < n; ++k) a_[k - 1] = a_[k];
            }
            for (std::int32_t k = 0; k < f.arity; ++k) a_[k] = heap_[value_of(goal) + 1 + std::size_t(k)];
            if (total == f.arity && f.arity > 0) {
                functor = std::int32_t(heap_[value_of(goal)]);
            } else {
                functor = program_.symbols.find(f.name, total);
                if (functor < 0) {
                    if (limits_.unknown_fails || negated) goto fail;
                    return finish(stop(Outcome::unknown, program_.symbols.name(f.name) + "/" + std::to_string(total)));
                }
            }
            goto call;
        }
        case kBuiltin:
            if (!builtin(static_cast<Builtin>(p[1]))) {
                if (error_ != Outcome::solution) return finish(error_);
                goto fail;
            }
            p += 2;
            goto step;
        case kSaveChoice:
            v[p[1]] = Word(cut), p += 2;
            goto step;
        case kMark:
            v[p[1]] = Word(choices_.size()), p += 2;
            goto step;
        case kMarkHits:
            v[p[1]] = Word(hits_), p += 2;
            goto step;
        case kCheckHits:
            if (v[p[1]] != Word(hits_)) goto fail;
            p += 2;
            goto step;
        case kCut:
            cut_to(v[p[1]]), p += 2;
            goto step;
        case kTryElse: {
            Choice& c = choices_.emplace_back();
            c.resume = p + 1 + p[1];
            c.arguments = saved_.size();
            c.trail = trail_.size();
            c.heap = top_;
            c.environment = environment_;
            c.top = 0;
            c.log = log_.size();
            c.reals = reals.size();
            c.depth = depth;
            c.deepest = deepest;
            c.back = back;
            // frames below stay: compute with the choice before this one
            std::size_t top = environment_ + kFrame + frames_[environment_ + 3];
            if (choices_.size() > 1) top = std::max(top, choices_[choices_.size() - 2].top);
            c.top = top;
            protected_ = top_;
            p += 2;
            goto step;
        }
        case kJump:
            p += 1 + p[1];
            goto step;
        case kFail:
            goto fail;
        case kSolution:
            back_ = back;
            depth_ = depth;
            inferences = spent_ + (given_fuel_ - fuel_);
            return Outcome::solution;

        case kPushSlot: {
            const Word w = deref(v[p[1]]);
            auto& x = stack_[stack_top_++];
            if (tag_of(w) == kInt) {
                x = {false, int_of(w), 0.0};
            } else if (!evaluate(w, x)) {
                return finish(error_);
            }
            p += 2;
            goto step;
        }
        case kPushConst:
            stack_[stack_top_++] = number_of(Word(p[1])), p += 2;
            goto step;
        case kPushTerm:
            p += 1;
            goto step;
        case kApply1: {
            auto& x = stack_[stack_top_ - 1];
            if (!apply(static_cast<Arith>(p[1]), x, x, x)) return finish(error_);
            p += 2;
            goto step;
        }
        case kApply2: {
            auto& x = stack_[stack_top_ - 2];
            const auto& y = stack_[stack_top_ - 1];
            const auto how = static_cast<Arith>(p[1]);
            if (!x.real && !y.real && (how == Arith::add || how == Arith::sub)) {
                x.i = how == Arith::add ? x.i + y.i : x.i - y.i;  // 61 bits each: no overflow of 64
                if (!fits(x.i)) {
                    arithmetic_error("integer overflow");
                    return finish(error_);
                }
            } else if (!apply(how, x, y, x)) {
                return finish(error_);
            }
            --stack_top_;
            p += 2;
            goto step;
        }
        case kCompare: {
            stack_top_ -= 2;
            if (!holds(static_cast<Compare>(p[1]), stack_[stack_top_], stack_[stack_top_ + 1])) goto fail;
            p += 2;
            goto step;
        }
        case kIsSlot:
            v[p[1]] = word_of(stack_[--stack_top_]), p += 2;
            goto step;
        case kIsRegister:
            if (!unify(a_[0], word_of(stack_[--stack_top_]))) {
                if (error_ != Outcome::solution) return finish(error_);
                goto fail;
            }
            p += 1;
            goto step;
    }

call:
    if (--fuel_ < 0) {
        ++fuel_;
        const auto seen = look_around(interrupt);
        if (seen != Outcome::solution) return finish(seen);
        if (spent_ >= wait_until_) {
            paused_ = true;
            resume_p_ = p;
            culprit = functor;
            paused_negated_ = negated;
            back_ = back;
            depth_ = depth;
            return Outcome::paused;
        }
        --fuel_;
    }
    if (depth > limits_.max_depth) {
        depth_hit = true;
        ++hits_;
        goto fail;
    }
    if (depth > deepest) deepest = depth;
    predicate = &program_.predicates[functor];
    cut = choices_.size();
    {
        const auto n = std::uint32_t(predicate->clauses.size());
        if (n == 0) {
            if (predicate->builtin != Builtin::none) {
                if (!builtin(predicate->builtin)) {
                    if (error_ != Outcome::solution) return finish(error_);
                    goto fail;
                }
                p = back;
                v = frames_.data() + environment_ + kFrame;
                goto step;
            }
            if (predicate->declared || negated || limits_.unknown_fails) goto fail;
            culprit = functor;
            const auto f = program_.symbols[functor];
            return finish(stop(Outcome::unknown, program_.symbols.name(f.name) + "/" + std::to_string(f.arity)));
        }
        const auto arity = program_.symbols[functor].arity;
        list = nullptr;
        at = 0;
        end = n;
        key = 0;
        if (arity > 0) {
            key = key_of_word(deref(a_[0]), heap_);
            if (predicate->indexed) {
                Span<const std::uint32_t> best;
                bool found = false;
                for (int k = 0; k < std::min(arity, kIndexed); ++k) {
                    if (!predicate->index[k].useful()) continue;
                    const Word own = k == 0 ? key : key_of_word(deref(a_[k]), heap_);
                    if (own == 0) continue;
                    const auto some = predicate->index[k].find(own);
                    if (!found || some.size() < best.size()) best = some, found = true;
                    if (best.size() <= 4) break;
                }
                if (found) {
                    list = best.data();
                    end = std::uint32_t(best.size());
                }
            }
            while (at < end && !matches(at)) ++at;
        }
        if (at == end) goto fail;
        auto following = at + 1;
        while (following < end && !matches(following)) ++following;
        if (following < end) {
            const auto top = frame_top();
            Choice& c = choices_.emplace_back();
            c.list = list;
            c.functor = functor;
            c.at = following;
            c.end = end;
            c.key = key;
            c.arguments = saved_.size();
            c.n_arguments = std::size_t(arity);
            c.trail = trail_.size();
            c.heap = top_;
            c.environment = environment_;
            c.top = top;
            c.log = log_.size();
            c.reals = reals.size();
            c.cut = cut;
            c.back = back;
            c.depth = depth;
            c.deepest = deepest;
            saved_.insert(saved_.end(), a_, a_ + arity);
            protected_ = top_;
        }
    }
enter:
    clause = &predicate->clauses[list ? list[at] : at];
    if (top_ + std::size_t(clause->heap) + kBuiltinHeap > memory_.size() && !reserve(std::size_t(clause->heap)))
        return finish(stop(Outcome::memory, ""));
    if (trace) {
        const auto n = program_.symbols[functor].arity;
        log_.push_back(Word(functor));
        log_.push_back(list ? list[at] : at);
        log_.push_back(Word(depth));
        log_.insert(log_.end(), a_, a_ + n);
    }
    p = program_.code.data() + clause->code;
    v = scratch_.data();
    goto step;

fail:
    if (error_ != Outcome::solution) return finish(error_);
    stack_top_ = 0;
    if (choices_.empty()) return finish(Outcome::failed);
    {
        Choice& c = choices_.back();
        undo(c.trail);
        top_ = c.heap;
        environment_ = c.environment;
        log_.resize(c.log);
        reals.resize(c.reals);
        depth = c.depth;
        deepest = c.deepest;
        back = c.back;
        if (c.resume) {
            p = c.resume;
            v = frames_.data() + environment_ + kFrame;
            choices_.pop_back();
            protect();
            goto step;
        }
        functor = c.functor;
        predicate = &program_.predicates[functor];
        list = c.list;
        at = c.at;
        end = c.end;
        key = c.key;
        cut = c.cut;
        std::copy_n(saved_.data() + c.arguments, c.n_arguments, a_);
        auto following = at + 1;
        while (following < end && !matches(following)) ++following;
        if (following < end) {
            c.at = following;
            protected_ = c.heap;
        } else {
            saved_.resize(c.arguments);
            choices_.pop_back();
            protect();
        }
    }
    goto enter;
}

}  // namespace statlearn::logic
