// The compiler: a clause or a goal becomes code for the machine.
//
// Terms come in prefix order: a functor's word, then its arguments. The head is matched against the argument registers,
// each goal of the body is built in them and called.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <vector>

#include "common/view.hpp"
#include "logic/program.hpp"

namespace statlearn::logic {

class Compiler {
public:
    Compiler(Program& program, Span<const Code> term, std::int32_t n_variables, std::vector<Code>& out);
    Index end(Index pos) const { return end_[pos]; }

    Clause clause();
    void goal(std::int32_t& heap);

private:
    static void require(bool condition, const char* message) {
        if (!condition) throw std::invalid_argument(message);
    }

    // Terms
    void find_ends();
    void count_variables();
    bool constant_arguments() const;
    bool is(std::size_t pos, std::int32_t functor) const { return t_[pos] == Code(word(kStr, Word(functor))); }
    bool is_name(std::size_t pos, std::int32_t atom) const { return t_[pos] == Code(word(kAtom, Word(atom))); }
    std::size_t second(std::size_t pos) const { return end_[pos + 1]; }

    // Bodies
    std::vector<std::size_t> conjunction(std::size_t pos) const;
    bool is_control(std::size_t pos) const;
    enum class Kind { control, cut, fail, inline_, call, meta };

    Kind kind(std::size_t pos) const;
    bool needs_environment(const std::vector<std::size_t>& goals) const;
    bool has_cut(std::size_t pos) const;

    void emit(Code a) { out_.push_back(a); }
    void emit(Code a, Code b) { out_.push_back(a), out_.push_back(b); }
    void emit(Code a, Code b, Code c) { out_.push_back(a), out_.push_back(b), out_.push_back(c); }

    Code new_slot();

    // Structures
    void head_arguments();
    void structure(std::size_t at);
    void arguments(std::size_t at, int n);
    void one_level(std::size_t at, int n, std::vector<std::pair<Code, std::size_t>>& inner);
    void put(Code i, std::size_t at);
    void initialise(std::size_t from, std::size_t to);

    // Goals
    void proceed() { emit(environment_ ? kProceedLast : kProceed); }

    void compile_goals(const std::vector<std::size_t>& goals, bool last);
    void compile_goal(std::size_t pos, bool last);
    void call(std::size_t pos, bool last);
    void put_arguments(std::size_t pos, int n);
    void meta_goal(std::size_t pos, bool last);
    void control(std::size_t pos, bool last);
    std::size_t jump(bool last);
    void land(std::size_t hole);
    void condition(std::size_t test, std::size_t then, std::size_t otherwise, bool last);
    void negation(std::size_t pos);
    void local(std::size_t pos);
    void inline_goal(std::size_t pos);

    // Arithmetic
    Arith operation(Word w) const;
    bool constant(Word w, double& value) const;
    bool is_expression(std::size_t pos) const;
    void expression(std::size_t pos);

    Program& p_;
    Span<const Code> t_;
    std::vector<Code>& out_;
    std::vector<std::size_t> end_;
    std::vector<char> seen_;
    std::vector<int> uses_;
    std::vector<Code> free_;
    std::int32_t slots_, most_slots_ = 0;
    std::int64_t n_variables_;
    std::int32_t heap_ = 0;
    Code cut_ = 0;
    Code negated_ = 0;
    bool environment_ = false;
    int depth_ = 0;
};

}  // namespace statlearn::logic
