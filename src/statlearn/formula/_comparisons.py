"""Tests of terms and comparisons of models, as methods of the fits that have a likelihood."""

import numpy as np

from statlearn._core.params import Options, check_value

from ._anova import anova_models, anova_terms, single_terms
from ._steps import addable, droppable, scope_terms, stepwise


class Comparisons:
    """Analysis of variance, single terms, stepwise choice."""

    def anova(self, *others, test="auto", type=1):
        """Analysis of variance or deviance: of the terms of this model, or of this model and others.

        Parameters
        ----------
        *others : LikelihoodFit
            Models that are nested in this one or contain it.
        test : {"auto", "F", "chi2", "Wald", "Rao"}, default="auto"
            "auto" is F if the dispersion is estimated, otherwise chi-squared (likelihood ratio).
        type : {1, 2, 3} or {"I", "II", "III"}, default=1
            Terms one by one (R's ``anova``), each given all others that do not contain it, or each given all others
            (R's ``car::Anova``). Type III tests are meaningful with sum, Helmert or polynomial contrasts only.

        Returns
        -------
        Summary
        """
        if others:
            return anova_models([self, *others], test)
        kind = {"I": 1, "II": 2, "III": 3}.get(type, type)
        if kind not in (1, 2, 3):
            raise ValueError(f"`type` must be 1, 2 or 3, got {type!r}.")
        summary = anova_terms(self, kind, test)
        if kind == 3 and self._has_treatment_interaction():
            summary.notes.append(
                "Main effects of factors with treatment contrasts are tested at the first level of the others; use "
                "contrasts={'name': 'sum'} for tests averaged over levels."
            )
        return summary

    def _has_treatment_interaction(self):
        kinds = self.design.state.get("(contrasts)", {})
        return any(len(term) > 1 and any(kinds.get(key) == "treatment" for key in term) for term in self.terms.terms)

    def drop1(self, *, test=None, k=2.0):
        """Fits without each term that no other term contains, as R's ``drop1``.

        Parameters
        ----------
        test : {"F", "chi2", "Rao"} or None, default=None
        k : float, default=2.0
            Price of a parameter in the AIC.

        Returns
        -------
        Summary
        """
        numbers = np.asarray(self.design.numbers)
        changes = [
            (":".join(self.terms.ordered(self.terms.terms[number])), self.core_without(numbers == number))
            for number in droppable(self.terms)
        ]
        return single_terms(self, changes, test, "Single term deletions", k=k)

    def add1(self, scope, *, test=None, k=2.0):
        """Fits with each term of the scope that the model lacks, as R's ``add1``.

        Parameters
        ----------
        scope : str
            Formula of the largest model; "." stands for this one.
        test : {"F", "chi2", "Rao"} or None, default=None
        k : float, default=2.0

        Returns
        -------
        Summary
        """
        upper, changes = scope_terms(self, scope), []
        for term in addable(self.terms, upper):
            label = ":".join(upper.ordered(term))
            other = self.update(f". ~ . + {label}")
            if other.core.n != self.core.n:
                raise ValueError(f"`scope`: {label} has missing values in rows of the fit; remove these rows first.")
            changes.append((label, other.core))
        if not changes:
            raise ValueError("`scope` has no terms that can be added.")
        return single_terms(self, changes, test, "Single term additions", k=k)

    def step(self, scope=None, *, direction="both", k=2.0, max_steps=1000):
        """Stepwise choice of whole terms by AIC, as R's ``step``.

        Tests and intervals of the chosen model are too optimistic, since they ignore the choice.

        Parameters
        ----------
        scope : str, dict or None, default=None
            Formula of the largest model, or {"lower": ..., "upper": ...}; None only drops terms.
        direction : {"both", "backward", "forward"}, default="both"
        k : float, default=2.0
            Price of a parameter; ``log(n)`` is the BIC.
        max_steps : int, default=1000

        Returns
        -------
        LikelihoodFit
            With the attribute `path`, a table of the steps.
        """
        check_value("direction", direction, [Options("both", "backward", "forward")], "step")
        chosen, table = stepwise(self, scope, direction, k, max_steps)
        if chosen is self:
            chosen = self.update(self.expanded_formula)
        chosen.path = table
        return chosen
