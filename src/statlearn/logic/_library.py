"""Predicates that are defined in Prolog itself; a program that defines one of them replaces it."""

from functools import cache

from ._parser import body_literals, parse, parse_term
from ._terms import Atom, Clause, Compound, Variable

# Ranges of numbers are halved, so that their depth is not their length.
_TEXT = r"""
append([], L, L).
append([H|T], L, [H|R]) :- append(T, L, R).
append(Ls, L) :- '$concat'(Ls, L).
'$concat'([], []).
'$concat'([L|Ls], As) :- '$append'(L, Ws, As), '$concat'(Ls, Ws).
'$append'([], L, L).
'$append'([H|T], L, [H|R]) :- '$append'(T, L, R).
member(X, [H|T]) :- '$member'(T, X, H).
'$member'(_, X, X).
'$member'([H|T], X, _) :- '$member'(T, X, H).
memberchk(X, L) :- '$memberchk'(L, X).
'$memberchk'([H|T], X) :- ( H = X -> true ; '$memberchk'(T, X) ).
length(L, N) :- '$length'(L, M), !, N = M.
length(L, N) :- integer(N), !, N >= 0, '$make_list'(N, L).
length(L, N) :- var(N), '$grow_list'(L, 0, N).
'$make_list'(0, L) :- !, L = [].
'$make_list'(N, [_|T]) :- M is N - 1, '$make_list'(M, T).
'$grow_list'([], N, N).
'$grow_list'([_|T], K, N) :- J is K + 1, '$grow_list'(T, J, N).
reverse(L, R) :- '$reverse'(L, [], R).
'$reverse'([], R, R).
'$reverse'([H|T], A, R) :- '$reverse'(T, [H|A], R).
nth0(N, L, X) :- integer(N), !, N >= 0, '$nth'(N, L, X).
nth0(N, [H|T], X) :- var(N), '$find_nth'(T, H, X, 0, N).
nth1(N, L, X) :- integer(N), !, N >= 1, M is N - 1, '$nth'(M, L, X).
nth1(N, [H|T], X) :- var(N), '$find_nth'(T, H, X, 1, N).
'$nth'(0, L, X) :- !, L = [X|_].
'$nth'(N, [_|T], X) :- M is N - 1, '$nth'(M, T, X).
'$find_nth'(_, X, X, N, N).
'$find_nth'([H|T], _, X, K, N) :- J is K + 1, '$find_nth'(T, H, X, J, N).
last([X], X) :- !.
last([_|T], X) :- last(T, X).
sum_list(L, S) :- '$sum'(L, 0, S).
sumlist(L, S) :- '$sum'(L, 0, S).
'$sum'([], S, S).
'$sum'([X|T], A, S) :- B is A + X, '$sum'(T, B, S).
max_list([H|T], M) :- '$max'(T, H, M).
'$max'([], M, M).
'$max'([X|T], A, M) :- B is max(A, X), '$max'(T, B, M).
min_list([H|T], M) :- '$min'(T, H, M).
'$min'([], M, M).
'$min'([X|T], A, M) :- B is min(A, X), '$min'(T, B, M).
numlist(L, H, R) :- ( L > H -> R = [] ; R = [L|T], M is L + 1, '$numlist'(M, H, T) ).
'$numlist'(L, H, R) :- ( L > H -> R = [] ; R = [L|T], M is L + 1, '$numlist'(M, H, T) ).
between(L, H, X) :- integer(X), !, X >= L, ( H == inf -> true ; H == infinite -> true ; X =< H ).
between(L, H, X) :- ( H == inf ; H == infinite ), !, '$count_from'(L, X).
between(L, H, X) :- L =< H, '$between'(L, H, X).
'$between'(L, H, X) :- (H >> 1) - (L >> 1) < 128, !, '$few_between'(L, H, X).
'$between'(L, H, X) :- M is (L >> 1) + (H >> 1), '$between'(L, M, X).
'$between'(L, H, X) :- M is (L >> 1) + (H >> 1) + 1, '$between'(M, H, X).
'$few_between'(L, H, X) :- L =:= H, !, X = L.
'$few_between'(L, _, L).
'$few_between'(L, H, X) :- M is L + 1, '$few_between'(M, H, X).
'$count_from'(L, L).
'$count_from'(L, X) :- M is L + 1, '$count_from'(M, X).
plus(X, Y, Z) :- ( var(Z) -> Z is X + Y ; var(Y) -> Y is Z - X ; X is Z - Y ).
select(X, [X|T], T).
select(X, [H|T], [H|R]) :- select(X, T, R).
selectchk(X, L, R) :- select(X, L, R), !.
exclude(_, [], []).
exclude(P, [X|T], R) :- ( call(P, X) -> R = S ; R = [X|S] ), exclude(P, T, S).
include(_, [], []).
include(P, [X|T], R) :- ( call(P, X) -> R = [X|S] ; R = S ), include(P, T, S).
subtract([], _, []).
subtract([X|T], L, R) :- ( '$memberchk'(L, X) -> R = S ; R = [X|S] ), subtract(T, L, S).
intersection([], _, []).
intersection([X|T], L, R) :- ( '$memberchk'(L, X) -> R = [X|S] ; R = S ), intersection(T, L, S).
union([], L, L).
union([X|T], L, R) :- ( '$memberchk'(L, X) -> R = S ; R = [X|S] ), union(T, L, S).
delete([], _, []).
delete([X|T], Y, R) :- ( X \= Y -> R = [X|S] ; R = S ), delete(T, Y, S).
permutation([], []).
permutation(L, [H|T]) :- '$pick'(H, L, R), permutation(R, T).
'$pick'(X, [X|T], T).
'$pick'(X, [H|T], [H|R]) :- '$pick'(X, T, R).
list_to_set(L, S) :- '$to_set'(L, [], S).
'$to_set'([], _, []).
'$to_set'([X|T], Seen, R) :- ( '$same_member'(Seen, X) -> R = S ; R = [X|S] ), '$to_set'(T, [X|Seen], S).
'$same_member'([H|T], X) :- ( H == X -> true ; '$same_member'(T, X) ).
maplist(_, []).
maplist(P, [X|Xs]) :- call(P, X), maplist(P, Xs).
maplist(_, [], []).
maplist(P, [X|Xs], [Y|Ys]) :- call(P, X, Y), maplist(P, Xs, Ys).
maplist(_, [], [], []).
maplist(P, [X|Xs], [Y|Ys], [Z|Zs]) :- call(P, X, Y, Z), maplist(P, Xs, Ys, Zs).
foldl(P, L, A, R) :- '$foldl'(L, P, A, R).
'$foldl'([], _, A, A).
'$foldl'([X|T], P, A, R) :- call(P, X, A, B), '$foldl'(T, P, B, R).
findall(T, G, _) :- '$bag_open', call(G), '$bag_add'(T), fail.
findall(_, _, L) :- '$bag_close'(L).
aggregate_all(count, G, N) :- findall(x, G, L), '$length'(L, N).
aggregate_all(sum(X), G, S) :- findall(X, G, L), '$sum'(L, 0, S).
aggregate_all(max(X), G, M) :- findall(X, G, [H|T]), '$max'(T, H, M).
aggregate_all(min(X), G, M) :- findall(X, G, [H|T]), '$min'(T, H, M).
forall(C, A) :- \+ ( call(C), \+ call(A) ).
once(G) :- call(G), !.
ignore(G) :- ( call(G) -> true ; true ).
call(G) :- call(G).
call(G, A) :- call(G, A).
call(G, A, B) :- call(G, A, B).
call(G, A, B, C) :- call(G, A, B, C).
repeat.
repeat :- repeat.
"""

_CONTROL = [
    (Compound(",", (Variable("A"), Variable("B"))), "call(A), call(B)"),
    (
        Compound(";", (Compound("->", (Variable("C"), Variable("T"))), Variable("E"))),
        "!, ( call(C) -> call(T) ; call(E) )",
    ),
    (Compound(";", (Variable("A"), Variable("_B"))), "call(A)"),
    (Compound(";", (Variable("_A"), Variable("B"))), "call(B)"),
    (Compound("->", (Variable("C"), Variable("T"))), "( call(C) -> call(T) )"),
    (Compound("\\+", (Variable("G"),)), "\\+ call(G)"),
    (Compound("not", (Variable("G"),)), "\\+ call(G)"),
]


@cache
def library():
    """The clauses of the library, by indicator."""
    clauses = list(parse(_TEXT))
    clauses += [Clause(Atom.from_term(head), body_literals(parse_term(body))) for head, body in _CONTROL]
    clauses += [Clause(Atom("!"), [Atom("$refuse_cut")]), Clause(Atom("true")), *_never("fail"), *_never("false")]
    by_indicator = {}
    for clause in clauses:
        by_indicator.setdefault(clause.head.indicator, []).append(clause)
    return by_indicator


def _never(name):
    return [Clause(Atom(name), [Atom("=", (Atom("a").to_term(), Atom("b").to_term()))])]
