"""Prover, coverage tests and learners: the same programs in statlearn and in SWI-Prolog, times of the processor."""

import itertools
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from benchmarks.case import Case

PROGRAM = r"""
app([], L, L).
app([H|T], L, [H|R]) :- app(T, L, R).
nrev([], []).
nrev([H|T], R) :- nrev(T, RT), app(RT, [H], R).
range(N, N, [N]) :- !.
range(I, N, [I|L]) :- I < N, J is I + 1, range(J, N, L).
repeat_nrev(0, _) :- !.
repeat_nrev(K, L) :- nrev(L, _), J is K - 1, repeat_nrev(J, L).
queens(N, Qs) :- range(1, N, Ns), place(Ns, [], Qs).
place([], Qs, Qs).
place(Open, Safe, Qs) :- pick(Q, Open, Rest), \+ attack(Q, 1, Safe), place(Rest, [Q|Safe], Qs).
pick(X, [X|T], T).
pick(X, [H|T], [H|R]) :- pick(X, T, R).
attack(X, N, [Y|_]) :- X is Y + N.
attack(X, N, [Y|_]) :- X is Y - N.
attack(X, N, [_|T]) :- M is N + 1, attack(X, M, T).
ancestor(X, Y) :- parent(X, Y).
ancestor(X, Y) :- parent(X, Z), ancestor(Z, Y).
"""


class _Proof(Case):
    """All answers of a goal are counted."""

    goal = dict(swipl=1 / 3, python=100)
    accept = dict(difference=0.0)

    def quality(fit, facts, goal, expected):
        return {"difference": float(abs(int(fit.answers) - int(expected)))}

    def statlearn(facts, goal, expected):
        from statlearn.logic import Prolog

        prover = Prolog(PROGRAM).add_facts("parent", [tuple(row.split()) for row in facts])
        prover.count(str(goal))  # builds the index; SWI-Prolog proves the goal twice as well
        begin = time.process_time()
        answers = prover.count(str(goal))
        return dict(answers=answers, seconds=time.process_time() - begin)

    def swipl(facts, goal, expected):
        return _in_swipl(PROGRAM, facts, str(goal))

    def python(facts, goal, expected):
        return _in_python(facts, str(goal))


def _in_python(facts, goal):
    """Number of answers and processor time of a goal in a plain interpreter."""
    from benchmarks.plain_prolog import Plain
    from statlearn.logic import Term, parse

    prover = Plain(parse(PROGRAM), [("parent", *row.split()) for row in facts])
    begin = time.process_time()
    answers = prover.count(Term.of(goal))
    return dict(answers=answers, seconds=time.process_time() - begin)


def _in_swipl(program, facts, goal):
    """Number of answers and processor time of a goal in SWI-Prolog."""
    if shutil.which("swipl") is None:
        raise ImportError("swipl is not installed")
    lines = ["parent({}, {}).".format(*row.split()) for row in facts]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.pl"
        file.write_text(program + "\n".join(lines) + ("\n" if lines else "\n:- dynamic parent/2.\n"))
        ask = (
            f"style_check(-singleton), consult('{file}'), aggregate_all(count, {goal}, _), statistics(cputime, A), "
            f"aggregate_all(count, {goal}, N), statistics(cputime, B), T is B - A, write(N-T), halt"
        )
        run = subprocess.run(["swipl", "-q", "-g", ask], capture_output=True, text=True, check=True)
    count, seconds = re.fullmatch(r"(\d+)-(.*)", run.stdout.strip()).groups()
    return dict(answers=int(count), seconds=float(seconds))


def _tree(n):
    return [f"n{(i - 1) // 2} n{i}" for i in range(1, n + 1)]


class naive_reverse(_Proof):
    """Naive reverse of 500 elements, twenty times: 2.5 million inferences."""

    size, quick = dict(n=500, times=20), dict(n=20, times=2)

    def data(n, times):
        return dict(facts=[], goal=f"(range(1, {n}, L), repeat_nrev({times}, L))", expected=1)

    def python(facts, goal, expected):
        times = int(re.search(r"repeat_nrev\((\d+)", str(goal))[1])
        once = _in_python(facts, str(goal).replace(f"repeat_nrev({times}", "repeat_nrev(1"))
        return once | dict(seconds=times * once["seconds"])


class queens(_Proof):
    """All solutions of the queens puzzle."""

    size, quick = dict(n=8), dict(n=4)

    def data(n):
        return dict(facts=[], goal=f"queens({n}, Qs)", expected={4: 2, 5: 10, 6: 4, 7: 40, 8: 92}[n])


class ancestor(_Proof):
    """All ancestors in a tree of 10,000 facts."""

    size, quick = dict(n=10_000), dict(n=30)

    def data(n):
        facts = _tree(n)
        depth = sum(len(bin(i + 1)) - 3 for i in range(1, n + 1))
        return dict(facts=facts, goal="ancestor(X, Y)", expected=depth)


class coverage(Case):
    """Which of the examples a clause of three literals covers, over 100,000 facts."""

    size, quick = dict(n=10_000, m=50_000), dict(n=50, m=100)
    goal = dict(swipl=1 / 3)
    accept = dict(difference=0.0)

    def data(n, m):
        rng = np.random.default_rng(0)
        edges = [f"m{a} m{b}" for a, b in rng.integers(0, n, size=(m, 2))]
        atoms = [f"m{a} c{b}" for a, b in zip(rng.integers(0, n, size=m), rng.integers(0, 40, size=m))]
        return dict(edges=edges, atoms=atoms, n=n)

    def quality(fit, edges, atoms, n):
        colored = {row.split()[0] for row in atoms if row.endswith(" c3")}
        step = {}
        for row in edges:
            a, b = row.split()
            step.setdefault(a, set()).add(b)
        near = {a for a, bs in step.items() if bs & colored}
        expected = sum(bool(step.get(f"m{k}", set()) & near) for k in range(int(n)))
        return {"difference": float(abs(expected - int(fit.answers)))}

    def statlearn(edges, atoms, n):
        from statlearn.logic import Atom, Prolog

        prover = Prolog().add_facts("edge", [tuple(r.split()) for r in edges])
        prover.add_facts("color", [tuple(r.split()) for r in atoms])
        examples = prover.encode_examples([Atom("t", (f"m{k}",)) for k in range(int(n))])
        prover.covers("t(X) :- true.", examples)  # builds the index
        begin = time.process_time()
        covered = prover.covers("t(X) :- edge(X, Y), edge(Y, Z), color(Z, c3).", examples)
        return dict(answers=int(covered.sum()), seconds=time.process_time() - begin)

    def swipl(edges, atoms, n):
        lines = ["edge({}, {}).".format(*r.split()) for r in edges] + [
            "color({}, {}).".format(*r.split()) for r in atoms
        ]
        lines += [f"example(m{k})." for k in range(int(n))]
        program = ":- discontiguous edge/2, color/2, example/1.\n" + "\n".join(lines) + "\n"
        return _in_swipl(program, [], "(example(X), once((edge(X, Y), edge(Y, Z), color(Z, c3))))")


def _trains(n, seed=0):
    """Trains whose cars have a length, a roof and a load; eastbound with a short closed car."""
    rng = np.random.default_rng(seed)
    facts, east, west = [], [], []
    for k in range(n):
        is_east = False
        for c in range(rng.integers(2, 5)):
            car = f"c{k}_{c}"
            length, roof = rng.choice(["short", "long"]), rng.choice(["open", "closed", "open"])
            facts += [f"has_car(t{k}, {car}).", f"{length}({car}).", f"{roof}({car})."]
            facts.append(
                f"load({car}, {rng.choice(['circle', 'triangle', 'rectangle', 'hexagon'])}, {rng.integers(1, 4)})."
            )
            is_east |= length == "short" and roof == "closed"
        (east if is_east else west).append(f"eastbound(t{k})")
    return "\n".join(facts), east, west


# Michalski's ten trains (Larson and Michalski, 1977), as cars: length, shape, roof, number and shape of loads, wheels.
# The first five go east.
MICHALSKI = """
long rectangle open 3 rectangle 2; short rectangle closed 1 triangle 2; long rectangle open 1 hexagon 3; \
short rectangle open 1 circle 2
short u open 1 triangle 2; short u open 1 rectangle 2; short rectangle closed 2 circle 2
short rectangle open 1 circle 2; short hexagon closed 1 triangle 2; long rectangle closed 1 triangle 3
short u open 1 triangle 2; short rectangle open 1 triangle 2; short ellipse closed 1 rectangle 2; \
short rectangle open 1 rectangle 2
short rectangle open 1 triangle 2; long rectangle closed 1 rectangle 3; short rectangle closed 1 circle 2
long rectangle closed 3 circle 2; short rectangle open 1 triangle 2
short rectangle open 1 circle 2; short u open 1 triangle 2; long rectangle jagged 0 nil 2
long rectangle closed 1 rectangle 3; short u open 1 circle 2
short u open 1 circle 2; long rectangle jagged 1 rectangle 2; short rectangle open 1 rectangle 2; \
short u open 1 circle 2
short u open 1 rectangle 2; long rectangle open 2 rectangle 2
"""
TRAIN_MODES = """
modeh(1, eastbound(+train)). modeb(*, has_car(+train, -car)). modeb(1, short(+car)). modeb(1, long(+car)).
modeb(1, closed(+car)). modeb(1, open(+car)). modeb(1, load(+car, #shape, #number)).
"""


def _michalski():
    """Facts, eastbound and westbound trains."""
    facts, trains = [], MICHALSKI.strip().splitlines()
    for k, train in enumerate(trains):
        for c, car in enumerate(train.split(";")):
            name = f"c{k}_{c}"
            length, shape, roof, number, load, wheels = car.split()
            facts += [f"has_car(t{k}, {name}).", f"{length}({name}).", f"{roof}({name}).", f"shape({name}, {shape})."]
            facts += [f"load({name}, {load}, {number}).", f"wheels({name}, {wheels})."]
    goals = [f"eastbound(t{k})" for k in range(len(trains))]
    return "\n".join(facts), goals[:5], goals[5:]


class _Learned(Case):
    """The program is found, and its number of clauses is the known one; nodes are those of the search."""

    accept = dict(missing=0.0)

    def quality(fit, **data):
        return {"missing": float(abs(int(fit.clauses) - int(fit.expected))), "nodes": float(fit.nodes)}


def _found(learner, expected):
    """What a learner leaves for the table."""
    program = learner.program_
    return dict(clauses=len(program), expected=expected, nodes=learner.n_nodes_, shown=str(program))


class trains(_Learned):
    """A thousand random trains of which those with a short closed car go east, by Aleph."""

    size, quick = dict(n=1000), dict(n=10)
    grow = dict(n=[10, 100, 1000])

    def data(n):
        facts, east, west = _trains(n)
        return dict(facts=facts, east=east, west=west)

    def statlearn(facts, east, west):
        from statlearn.logic import Aleph

        learner = Aleph(TRAIN_MODES, max_literals=3)
        return _found(learner.fit(str(facts), list(map(str, east)), list(map(str, west))), 1)


class ten_trains(trains):
    """Michalski's ten trains, by Aleph."""

    size, quick, grow = dict(n=10), dict(n=10), {}

    def data(n):
        return dict(zip(("facts", "east", "west"), _michalski()))


KINSHIP = """
mother(ann,amy). mother(ann,andy). mother(amy,amelia). mother(amy,bob). mother(linda,gavin).
father(steve,amy). father(steve,andy). father(andy,spongebob). father(gavin,amelia).
"""


class kinship(_Learned):
    """Grandparents from mothers and fathers, by Metagol: three clauses."""

    pairs = ("ann,amelia", "steve,amelia", "ann,spongebob", "linda,amelia")

    def data():
        return dict(positives=[f"grandparent({pair})" for pair in kinship.pairs])

    def statlearn(positives):
        from statlearn.logic import Metagol

        learner = Metagol(["ident", "chain"])
        return _found(learner.fit(KINSHIP, list(map(str, positives)), ["grandparent(amy,amelia)"]), 3)


class invention(kinship):
    """The same with a father's father, which takes an invented parent or a fourth clause."""

    def data():
        return dict(positives=[f"grandparent({pair})" for pair in (*kinship.pairs, "steve,spongebob")])


class even_odd(_Learned):
    """Even numbers with odd ones invented, by Metagol."""

    size, quick = dict(n=4), dict(n=4)

    def data(n):
        return dict(n=n)

    def statlearn(n):
        from statlearn.logic import Metagol

        even = [f"even({k})" for k in range(2, int(n) + 1, 2)]
        odd = [f"even({k})" for k in range(1, int(n) + 1, 2)]
        learner = Metagol(["monadic_chain"]).fit("even(0). successor(A, B) :- B is A - 1.", even, odd)
        return _found(learner, 2)


class ten_states(_Learned):
    """A grammar of ten states: words over one symbol whose length is a multiple of ten."""

    size, quick = dict(n=10), dict(n=3)

    def data(n):
        return dict(n=n)

    def statlearn(n):
        from statlearn.logic import MetagolR

        n = int(n)
        return _found(MetagolR().fit(["", "a" * n, "a" * (2 * n)], ["a" * k for k in range(1, n)]), n + 1)


class ten_states_two_symbols(_Learned):
    """A random minimal automaton over two symbols, from all words of up to nine symbols."""

    size, quick = dict(n=10, length=9), dict(n=4, length=6)
    grow = dict(n=[4, 6, 8, 10])

    def data(n, length):
        from statlearn.logic import FiniteAutomaton

        rng = np.random.default_rng(0)
        made = FiniteAutomaton([], [])
        while len(made.states) != n:
            arrows = [(q, c, int(rng.integers(n))) for q in range(n) for c in "ab"]
            made = FiniteAutomaton(arrows, np.flatnonzero(rng.random(n) < 0.4).tolist()).minimize()
        words = ["".join(w) for k in range(length + 1) for w in itertools.product("ab", repeat=k)]
        accepted = [made.accepts(word) for word in words]
        positives = [word for word, yes in zip(words, accepted) if yes]
        return dict(positives=positives, negatives=sorted({*words} - {*positives}), expected=made.n_facts)

    def statlearn(positives, negatives, expected):
        from statlearn.logic import MetagolR

        return _found(MetagolR(max_facts=60).fit(list(map(str, positives)), list(map(str, negatives))), expected)


class answer_sets(Case):
    """Colourings of a ring of n nodes with three colours: (2^n + 2 (-1)^n) models."""

    size, quick = dict(n=7), dict(n=4)
    accept = dict(difference=0.0)

    def data(n):
        nodes = " ".join(f"node({k}). edge({k},{(k + 1) % n})." for k in range(n))
        rules = "col(r). col(g). col(b). 1 {c(X,C) : col(C)} 1 :- node(X). :- edge(X,Y), c(X,C), c(Y,C)."
        return dict(text=f"{nodes} {rules}", expected=2**n + 2 * (-1) ** n)

    def quality(fit, text, expected):
        return {"difference": float(abs(int(fit.models) - int(expected)))}

    def statlearn(text, expected):
        from statlearn.logic import answer_sets as solve

        return dict(models=len(solve(str(text), backend="own")))

    def clingo(text, expected):
        import clingo

        control = clingo.Control(["0", "--warn=none"])
        control.add("base", [], str(text))
        control.ground([("base", [])])
        with control.solve(yield_=True) as handle:
            return dict(models=sum(1 for _ in handle))
