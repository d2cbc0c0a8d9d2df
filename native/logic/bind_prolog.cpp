#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>

#include "common/gate.hpp"
#include "logic/machine.hpp"

namespace statlearn {

namespace {

using logic::Code;
using logic::Machine;
using logic::Outcome;

std::shared_ptr<logic::Program> make_program() { return std::make_shared<logic::Program>(); }

// A goal that is being proved; it keeps its program alive.
struct Query {
    std::shared_ptr<logic::Program> program;
    Machine machine;
    Outcome last = Outcome::solution;
    std::int64_t version;

    void require_current() const {
        require(version == program->version, "the program has changed since the query began");
    }

    Query(std::shared_ptr<logic::Program> of, const logic::Limits& limits)
        : program(std::move(of)), machine(*program, limits), version(program->version) {}
};

logic::Limits limits_of(std::int64_t depth, std::int64_t inferences, double seconds, std::int64_t bytes,
                        bool unknown_fails) {
    require(depth >= 1 && inferences >= 1 && bytes >= 1, "limits must be positive");
    return {depth, inferences, seconds, std::size_t(bytes), unknown_fails};
}

void require_arity(const logic::Program& program, std::int32_t functor) {
    require(0 <= functor && functor < program.symbols.n_functors(), "unknown functor");
}

}  // namespace

void bind_prolog(nb::module_& m) {
    nb::class_<logic::Program>(m, "Program")
        .def(nb::init<>())
        .def("atom", [](logic::Program& p, const std::string& name) { return p.symbols.atom(name); })
        .def("functor",
             [](logic::Program& p, int name, int arity) {
                 require(0 <= name && name < p.symbols.n_atoms(), "unknown atom");
                 require(0 <= arity && arity <= logic::kMostArguments, "a predicate has at most 255 arguments");
                 return p.symbols.functor(name, arity);
             })
        .def("real",
             [](logic::Program& p, double value) {
                 p.reals.push_back(value);
                 return p.reals.size() - 1;
             })
        .def("name",
             [](const logic::Program& p, int atom) {
                 require(0 <= atom && atom < p.symbols.n_atoms(), "unknown atom");
                 return p.symbols.name(atom);
             })
        .def("signature",
             [](const logic::Program& p, int functor) {
                 require_arity(p, functor);
                 return nb::make_tuple(p.symbols[functor].name, p.symbols[functor].arity);
             })
        .def("defines",
             [](logic::Program& p, int functor) {
                 require_arity(p, functor);
                 const auto& found = p.predicate(functor);
                 return found.builtin != logic::Builtin::none || found.declared || !found.clauses.empty();
             })
        .def("declare",
             [](logic::Program& p, int functor) {
                 require_arity(p, functor);
                 p.declare(functor);
             })
        .def("add",
             [](logic::Program& p, In<Code> term, int n_variables) {
                 require(n_variables >= 0 && n_variables < logic::kMostSlots, "too many variables");
                 return p.add(view(term), n_variables);
             })
        .def("add_facts", [](logic::Program& p, int functor, In<Code, 2> rows) {
            require_arity(p, functor);
            require(rows.shape(1) == std::size_t(p.symbols[functor].arity), "facts: another number of columns");
            p.add_facts(functor, {rows.data(), rows.shape(0) * rows.shape(1)}, std::int64_t(rows.shape(0)));
        });

    nb::class_<Query>(m, "Query")
        .def("next",
             // Up to `n` answers in one sequence of words. Returns (outcome, number of answers, words, depths of
             // proofs).
             [](Query& q, std::int64_t n, std::int64_t patience) {
                 q.require_current();
                 std::vector<Code> out;
                 std::vector<std::int64_t> depths;
                 q.last = run_native([&](const Interrupt& stop) {
                     auto outcome = Outcome::solution;
                     for (std::int64_t k = 0; k < n; ++k) {
                         outcome = q.machine.next(stop, k > 0 ? patience : 0);
                         if (outcome != Outcome::solution) break;
                         q.machine.write_answer(out);
                         depths.push_back(q.machine.deepest);
                     }
                     return outcome;
                 });
                 const auto size = out.size(), found = depths.size();
                 return nb::make_tuple(int(q.last), to_numpy(std::move(out), {size}),
                                       to_numpy(std::move(depths), {found}));
             })
        .def("count",
             [](Query& q, std::int64_t most) {
                 q.require_current();
                 std::int64_t n = 0;
                 q.last = run_native([&](const Interrupt& stop) {
                     auto outcome = Outcome::solution;
                     while (n < most && (outcome = q.machine.next(stop)) == Outcome::solution) ++n;
                     return outcome;
                 });
                 return nb::make_tuple(int(q.last), n);
             })
        .def("proof",
             [](Query& q) {
                 std::vector<Code> out;
                 q.machine.write_proof(out);
                 const auto size = out.size();
                 return to_numpy(std::move(out), {size});
             })
        .def("real",
             [](const Query& q, std::int64_t k) {
                 require(0 <= k && std::size_t(k) < q.machine.reals.size(), "unknown number");
                 return q.machine.reals[k];
             })
        .def_prop_ro("message", [](const Query& q) { return q.machine.message; })
        .def_prop_ro("depth_hit", [](const Query& q) { return q.machine.depth_hit; })
        .def_prop_ro("inferences", [](const Query& q) { return q.machine.inferences; });

    m.def("make_query",
          [](std::shared_ptr<logic::Program> p, In<Code> goal, int n_variables, std::int64_t depth,
             std::int64_t inferences, double seconds, std::int64_t bytes, bool unknown_fails, bool trace) {
              require(n_variables >= 0 && n_variables < logic::kMostSlots, "too many variables");
              std::int32_t heap = 0;
              const auto code = p->compile_goal(view(goal), n_variables, heap);
              p->prepare();
              auto q = std::make_unique<Query>(p, limits_of(depth, inferences, seconds, bytes, unknown_fails));
              q->machine.trace = trace;
              q->machine.start(code, heap, n_variables, {});
              return q;
          });

    m.def("cover", [](std::shared_ptr<logic::Program> p, In<Code> goal, int n_variables, In<Code, 2> rows,
                      In<std::uint8_t> active, std::int64_t depth, std::int64_t inferences, bool unknown_fails,
                      Out<std::uint8_t> covered) {
        require(n_variables >= 0 && n_variables < logic::kMostSlots, "too many variables");
        require(rows.shape(0) == active.shape(0) && rows.shape(0) == covered.shape(0),
                "cover: the arrays have different lengths");
        require(rows.shape(1) <= std::size_t(n_variables), "cover: more columns than variables");
        for (const auto w : Span<const Code>(rows.data(), rows.shape(0) * rows.shape(1))) {
            const auto tag = logic::tag_of(logic::Word(w));
            require(tag == logic::kInt ||
                        (tag == logic::kAtom && std::int64_t(logic::value_of(logic::Word(w))) < p->symbols.n_atoms()) ||
                        (tag == logic::kReal && logic::value_of(logic::Word(w)) < p->reals.size()),
                    "cover: an argument of an example is not a constant");
        }
        std::int32_t heap = 0;
        const auto code = p->compile_goal(view(goal), n_variables, heap);
        p->prepare();
        std::vector<std::int64_t> exceeded(2, 0);
        std::string message;
        std::int32_t culprit = 0;
        const auto limits = limits_of(depth, inferences, 1e18, std::int64_t{1} << 30, unknown_fails);
        const auto outcome = run_native([&](const Interrupt& stop) {
            return logic::cover(*p, code, heap, n_variables, {rows.data(), rows.shape(0) * rows.shape(1)},
                                std::int32_t(rows.shape(1)), view(active), limits, stop, view(covered), exceeded,
                                message, culprit);
        });
        return nb::make_tuple(int(outcome), exceeded[0], exceeded[1], message);
    });
    m.def("make_program", &make_program);
}

}  // namespace statlearn
