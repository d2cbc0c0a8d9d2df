"""When learning from batches ends."""


class BatchStopping:
    """Stops if the factors hardly change, or if the smoothed objective of the batches no longer improves.

    Reads `tol`, `max_no_improvement` and `verbose` of the model.
    """

    def __init__(self, model, n_steps, n_rows):
        self.model, self.n_steps, self.n_rows = model, n_steps, n_rows
        self.mean = self.least = None
        self.waited = 0

    def __call__(self, step, cost, size, *, early, unchanged, what):
        """Whether to stop after this step.

        `cost` is the mean objective of its batch of `size` rows; `early` steps never end the fit; `unchanged` says that
        the factors, called `what` in print, moved by less than the tolerance.
        """
        if early:
            self._say(f"Minibatch step {step}/{self.n_steps}: mean batch cost: {cost}")
            return False
        share = min(1.0, size / (self.n_rows + 1))
        self.mean = cost if self.mean is None else (1 - share) * self.mean + share * cost
        self._say(f"Minibatch step {step}/{self.n_steps}: mean batch cost: {cost}, smoothed cost: {self.mean}")
        if self.model.tol > 0 and unchanged:
            self._say(f"Converged (small change of {what}) at step {step}/{self.n_steps}")
            return True
        if self.least is None or self.mean < self.least:
            self.least, self.waited = self.mean, 0
        else:
            self.waited += 1
        patience = self.model.max_no_improvement
        if patience is not None and self.waited >= patience:
            self._say(f"Converged (no improvement of the objective) at step {step}/{self.n_steps}")
            return True
        return False

    def _say(self, text):
        if self.model.verbose:
            print(text)
