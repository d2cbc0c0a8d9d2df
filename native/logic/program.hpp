// Clauses compiled for the machine, grouped by predicate and indexed by their arguments.
//
// A clause becomes a sequence of words: the head is unified with the argument registers, the goals of the body are
// built in them and called. Variables live in slots: of an environment if the clause has to survive a call, of a
// scratch area otherwise. Slots never hold an unbound variable itself, only references to the heap, so nothing points
// into a frame.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "logic/term.hpp"

namespace statlearn::logic {

constexpr int kMostArguments = 255;
constexpr int kIndexed = 4;     // arguments that are indexed
constexpr int kFewClauses = 8;  // predicates with so few clauses are searched one by one (empirical)
constexpr std::int32_t kMostSlots = 1 << 20;

enum Op : Code {
    // Head: argument register or slot against a pattern. Operands in brackets.
    kGetVar,
    kGetValue,
    kGetConst,
    kGetList,
    kGetStr,  // [register, slot | constant | functor]
    kSlotList,
    kSlotStr,  // [slot] [slot, functor]
    kGetFact,  // [arity, constants...]: all of a fact without variables
    kUnifyVar,
    kUnifyValue,
    kUnifyConst,
    kUnifyVoid,  // [slot | constant]
    // Body: arguments are built.
    kPutVar,
    kPutValue,
    kPutConst,
    kPutList,
    kPutStr,
    kInitVar,
    // Control.
    kAllocate,
    kCall,
    kExecute,
    kExecuteLast,
    kProceed,
    kProceedLast,
    kCallMeta,
    kExecuteMeta,
    kExecuteMetaLast,
    kBuiltin,
    kSaveChoice,
    kMark,
    kMarkHits,
    kCheckHits,
    kCut,
    kTryElse,
    kJump,
    kFail,
    kSolution,
    // Arithmetic on a small stack.
    kPushSlot,
    kPushConst,
    kPushTerm,
    kApply1,
    kApply2,
    kCompare,
    kIsSlot,
    kIsRegister,
};

enum class Arith : Code {
    add,
    sub,
    mul,
    div,
    int_div,
    mod,
    rem,
    div_floor,
    min,
    max,
    pow,
    int_pow,
    shift_left,
    shift_right,
    bit_and,
    bit_or,
    bit_xor,
    gcd,
    atan2,
    neg,
    plus,
    abs,
    sign,
    sqrt,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    exp,
    log,
    log2,
    to_float,
    to_int,
    truncate,
    round,
    ceiling,
    floor,
    bit_not,
    msb,
    none,
};

enum class Compare : Code { eq, ne, lt, le, gt, ge };

enum class Builtin : int {
    unify,
    not_unify,
    same,
    not_same,
    before,
    before_eq,
    after,
    after_eq,
    compare,
    variant,
    not_variant,
    is_var,
    is_nonvar,
    is_atom,
    is_number,
    is_integer,
    is_float,
    is_atomic,
    is_compound,
    is_callable,
    is_list,
    is_ground,
    functor,
    arg,
    univ,
    copy_term,
    length,
    msort,
    sort,
    predsort_keys,
    num_eq,
    num_ne,
    num_lt,
    num_le,
    num_gt,
    num_ge,
    is,
    succ,
    atom_length,
    bag_open,
    bag_add,
    bag_close,
    refuse_cut,
    unify_occurs,
    none,
};

struct Clause {
    std::int64_t code = 0;   // where its code begins
    std::int32_t slots = 0;  // of its scratch area or environment
    std::int32_t heap = 0;   // cells that its code can take, builtins apart
    Word key = 0;            // of the first argument: 0 for a variable
};

// What an argument is looked up by: constants themselves, functors of structures, 0 for a variable. Numbers with a
// fractional part have one key for all.
constexpr Word kListKey = word(kList, 0);
constexpr Word kRealKey = word(kReal, 0);

// Clauses by the key of one argument, in their order, those with a variable there among them.
class KeyIndex {
public:
    void build(std::span<const Word> keys);
    std::span<const std::uint32_t> find(Word key) const;
    bool useful() const { return keys_ > 1; }

private:
    struct Slot {
        Word key = 0;
        std::uint32_t begin = 0, size = 0;
    };
    std::vector<Slot> table_;
    std::vector<std::uint32_t> places_;
    std::vector<std::uint32_t> others_;  // clauses with a variable: for keys that do not occur
    std::size_t keys_ = 0;
};

struct Predicate {
    std::vector<Clause> clauses;
    std::array<std::vector<Word>, kIndexed> keys;
    std::array<KeyIndex, kIndexed> index;
    Builtin builtin = Builtin::none;
    bool declared = false;  // known without clauses: calls fail
    bool indexed = false;
};

struct Program {
    Program();

    // Adds a clause whose head and body stand in `term` one behind the other. Returns the predicate's functor.
    std::int32_t add(std::span<const Code> term, std::int32_t n_variables);
    // Adds facts: rows of atomic words.
    void add_facts(std::int32_t functor, std::span<const Code> rows, std::int64_t n);
    // Compiles a goal as a clause without head whose variables 0..n-1 are the slots of its environment.
    std::vector<Code> compile_goal(std::span<const Code> body, std::int32_t n_variables, std::int32_t& heap);
    void declare(std::int32_t functor) { predicate(functor).declared = true; }
    void prepare();  // builds missing indices; has to be called before a machine runs

    Predicate& predicate(std::int32_t functor) {
        if (std::size_t(functor) >= predicates.size()) predicates.resize(std::size_t(functor) + 1);
        return predicates[std::size_t(functor)];
    }

    Symbols symbols;
    std::vector<Code> code;
    std::vector<double> reals;
    std::vector<Predicate> predicates;  // by functor
    std::int32_t most_slots = 64;
    std::int64_t version = 0;  // changes with every clause: running machines point into the code
    // Names that the machine has to know.
    std::int32_t nil, true_, fail_, false_, cut, minus, plus_, lt_, eq_, gt_;
    std::int32_t comma, semicolon, arrow, soft_not, word_not, equals, is_, dot;
    std::vector<Compare> comparisons;                        // by functor, or 6
    std::vector<Arith> operations;                           // by functor
    std::vector<std::pair<std::int32_t, double>> constants;  // pi, e, inf ...
};

Word key_of(Word w, std::span<const Code> term_if_str);

}  // namespace statlearn::logic
