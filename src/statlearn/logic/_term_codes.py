"""Terms as words of the compiled prover, and back."""

import struct

import numpy as np

from ._terms import DOT, Compound, Constant, Variable

_VARIABLE, _STRUCTURE, _LIST, _INTEGER, _ATOM, _REAL = range(6)  # tags, as native/logic/term.hpp numbers them
_LARGEST = 2**60


class Words:
    """Numbers of the names and functors of a native program, and terms written with them.

    Parameters
    ----------
    program : native program
    """

    def __init__(self, program):
        self.program = program
        self._atoms, self._functors, self._names, self._signatures = {}, {}, {}, {}

    def atom(self, name):
        """Number of a name."""
        number = self._atoms.get(name)
        if number is None:
            number = self._atoms[name] = self.program.atom(name)
            self._names[number] = name
        return number

    def functor(self, name, arity):
        """Number of a functor: a name and its number of arguments."""
        number = self._functors.get((name, arity))
        if number is None:
            number = self._functors[name, arity] = self.program.functor(self.atom(name), arity)
            self._signatures[number] = (name, arity)
        return number

    def signature(self, number):
        """Name and number of arguments of a functor."""
        if number not in self._signatures:
            name, arity = self.program.signature(number)
            self._signatures[number] = (self.name(name), arity)
        return self._signatures[number]

    def name(self, number):
        """The name with this number."""
        if number not in self._names:
            self._names[number] = self.program.name(number)
        return self._names[number]

    def constant(self, value):
        """The word of a name or number."""
        if isinstance(value, Constant):
            value = value.name
        if isinstance(value, str):
            return self.atom(value) << 3 | _ATOM
        if isinstance(value, (bool, np.bool_)):
            return self.atom("true" if value else "false") << 3 | _ATOM
        if isinstance(value, (int, np.integer)):
            if not -_LARGEST <= value < _LARGEST:
                raise ValueError(f"Integers must be between -2**60 and 2**60 - 1, got {value}.")
            return int(value) << 3 | _INTEGER
        if isinstance(value, (float, np.floating)):
            return self.program.real(float(value)) << 3 | _REAL
        raise TypeError(f"A fact has names and numbers, got {value!r} of type {type(value).__name__}.")

    def encode(self, term, variables, code):
        """Append the words of a term in prefix order; `variables` numbers them by name, and grows."""
        stack = [term]
        while stack:
            each = stack.pop()
            kind = type(each)
            if kind is Variable:
                code.append(variables.setdefault(each.name, len(variables)) << 3)
            elif kind is Constant:
                code.append(self.constant(each))
            elif each.functor == DOT and len(each.args) == 2:
                code.append(_LIST)
                stack += (each.args[1], each.args[0])
            else:
                code.append(self.functor(each.functor, len(each.args)) << 3 | _STRUCTURE)
                stack.extend(reversed(each.args))

    def decode(self, code, at, n):
        """`n` terms from a list of words, and where the next one begins."""
        # The words of a term are in prefix order: find its end, then build it from the last word.
        begin, open_ = at, n
        tokens = []
        while open_:
            word = code[at]
            tag = word & 7
            size = 2 if tag == _LIST else self.signature(word >> 3)[1] if tag == _STRUCTURE else 0
            if tag == _REAL:
                at += 1
                tokens.append((tag, code[at], 0))
            else:
                tokens.append((tag, word >> 3, size))
            at += 1
            open_ += size - 1
        stack = []
        for tag, value, size in reversed(tokens):
            if tag == _ATOM:
                stack.append(Constant(self.name(value)))
            elif tag == _INTEGER:
                stack.append(Constant(value))
            elif tag == _VARIABLE:
                stack.append(Variable(f"_G{value}"))
            elif tag == _REAL:
                stack.append(Constant(struct.unpack("<d", struct.pack("<q", value))[0]))
            else:
                functor = DOT if tag == _LIST else self.signature(value)[0]
                stack.append(Compound(functor, tuple(stack.pop() for _ in range(size))))
        assert at > begin or n == 0
        return stack[::-1], at
