"""Proof trees."""

from ._parser import body_literals
from ._terms import Atom, Clause, Literal, Term, Variable
from ._unify import apply, rename_apart, unify_all


class Proof:
    """A proof tree: a goal, the clause that proves it, and the proofs of the clause's body.

    Parameters
    ----------
    goal : Literal or None
        None for the root of a conjunction.
    clause : Clause or None, default=None
        None for built-in predicates, negations and facts of tables.
    children : list of Proof, default=()

    Examples
    --------
    >>> from statlearn.logic import Prolog
    >>> proof = Prolog("p(X) :- q(X), X > 1.  q(2).").prove("p(2)")
    >>> proof.goal, proof.clause
    (p(2), p(X) :- q(X), X > 1.)
    >>> print(proof)
    p(2)
    ├─ q(2)
    └─ 2 > 1
    """

    def __init__(self, goal, clause=None, children=()):
        self.goal = goal
        self.clause = clause
        self.children = list(children)

    def facts(self):
        """The leaves, in the order in which they were proved."""
        if not self.children:
            return [] if self.goal is None else [self.goal]
        return [leaf for child in self.children for leaf in child.facts()]

    @property
    def depth(self):
        """Number of levels."""
        return (self.goal is not None) + max((child.depth for child in self.children), default=0)

    def lines(self):
        """The printed tree, line by line."""
        if self.goal is None:
            return [line for child in self.children for line in child.lines()]
        printed = [repr(self.goal)]
        for k, child in enumerate(self.children):
            last = k + 1 == len(self.children)
            first, *rest = child.lines()
            printed.append(("└─ " if last else "├─ ") + first)
            printed += [("   " if last else "│  ") + line for line in rest]
        return printed

    def plot(self, ax=None):
        """Draw the tree.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None

        Returns
        -------
        matplotlib axes
        """
        from ._plots import draw_proof

        return draw_proof(self, ax=ax)

    def __repr__(self):
        return "\n".join(self.lines())


def proof_tree(goal, values, steps, clauses):
    """The tree of a prover's steps.

    Parameters
    ----------
    goal : Term
        The query.
    values : dict of str to Term
        The answer.
    steps : list of (Atom, int, int)
        Goals in the order of their calls, with the number of the clause used and the depth.
    clauses : dict of str to list of Clause
        The program's clauses by predicate; goals of other predicates are leaves.
    """
    # Children of a step are those that follow it one level deeper, up to the next step that is no deeper than itself.
    roots, path = [], []
    for atom, number, depth in steps:
        node = (atom, number, depth, [])
        while path and path[-1][2] >= depth:
            path.pop()
        (path[-1][3] if path else roots).append(node)
        path.append(node)
    binding = {Variable(name): term for name, term in values.items()}
    literals = [Literal(_applied(each.atom, binding), each.negated) for each in body_literals(goal)]
    children = _match(literals, roots, clauses)
    return children[0] if len(children) == 1 else Proof(None, None, children)


def _applied(atom, binding):
    return Atom(atom.predicate, [apply(arg, binding) for arg in atom.args])


def _match(literals, nodes, clauses):
    """Proofs of the literals of a body, given the calls that were made for it."""
    nodes = list(nodes)
    proofs = []
    for literal in literals:
        if literal.predicate in (";", "->", ",", "!") or literal.negated:
            if literal.negated:
                proofs.append(Proof(literal))
            elif literal.predicate != "!":
                proofs += _control(literal.atom, nodes, clauses)
            continue
        at = next((k for k, node in enumerate(nodes) if node[0].indicator == literal.atom.indicator), None)
        if at is None:
            proofs.append(Proof(literal))
        else:
            proofs.append(_node(nodes.pop(at), clauses))
    return proofs


def _control(atom, nodes, clauses):
    """The calls inside a disjunction or a condition that are part of the proof."""
    inside = {each.indicator for each in _atoms(atom)}
    mine = [node for node in nodes if node[0].indicator in inside]
    for node in mine:
        nodes.remove(node)
    return [_node(node, clauses) for node in mine]


def _atoms(atom):
    for arg in atom.args:
        for literal in body_literals(arg) if isinstance(arg, Term) and not isinstance(arg, Variable) else ():
            if literal.predicate in (";", "->", ","):
                yield from _atoms(literal.atom)
            else:
                yield literal.atom


def _node(node, clauses):
    atom, number, _, children = node
    candidates = clauses.get(atom.indicator)
    if candidates is None or number >= len(candidates):
        return Proof(Literal(atom))
    clause = candidates[number]
    fresh = rename_apart(clause, atom.variables())
    pairs = list(zip(fresh.head.args, atom.args))
    binding = unify_all(pairs)
    if binding is None:  # cannot happen for a proof without cyclic terms
        return Proof(Literal(atom), clause, [_node(child, clauses) for child in children])
    # Variables of the body that the head does not bind get their values from the calls.
    literals, rest = [], list(children)
    for each in fresh.body:
        goal = _applied(each.atom, binding)
        call = next((c for c in rest if c[0].indicator == goal.indicator), None) if not each.negated else None
        if call is not None:
            rest.remove(call)
            more = unify_all(list(zip(goal.args, call[0].args)), binding)
            binding = binding if more is None else more
        literals.append(each)
    literals = [Literal(_applied(each.atom, binding), each.negated) for each in literals]
    return Proof(Literal(atom), clause, _match(literals, children, clauses))


__all__ = ["Clause", "Proof", "proof_tree"]
