"""Look-up of word vectors and of their neighbours."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from statlearn._core.params import Int, check_arguments


class WordVectorsMixin:
    """Methods of a model with `vocabulary_` and `vectors_`."""

    def vector(self, word):
        """The vector of a word.

        Parameters
        ----------
        word : str

        Returns
        -------
        ndarray of shape (n_components,)
        """
        check_is_fitted(self)
        at = np.flatnonzero(self.vocabulary_ == word)
        if len(at) == 0:
            raise ValueError(f"{word!r} is not in the vocabulary.")
        return self.vectors_[at[0]]

    def nearest(self, word, n=10):
        """The words whose vectors have the largest cosine with that of a word.

        Parameters
        ----------
        word : str or array-like of shape (n_components,)
            A word, or a vector, such as a sum and difference of vectors of words.
        n : int, default=10
            Number of words.

        Returns
        -------
        list of (str, float)
            Words and cosines, the nearest first. The given word itself and words whose vectors are 0, which have no
            direction, are left out.
        """
        check_is_fitted(self)
        check_arguments("nearest", n=(n, [Int(1, None)]))
        vector = self.vector(word) if isinstance(word, str) else np.asarray(word, dtype=np.float64)
        length = float(np.linalg.norm(vector))
        if length == 0 and isinstance(word, str):
            raise ValueError(f"`word`={word!r} has no neighbours because its vector is 0{self._why_zero()}")
        if not 0 < length < np.inf:
            raise ValueError("`word` must be a word or a vector of finite numbers that are not all 0.")
        norms = np.linalg.norm(self.vectors_, axis=1)
        candidates = np.flatnonzero((norms > 0) & (self.vocabulary_ != word if isinstance(word, str) else True))
        cosine = self.vectors_[candidates] @ vector / (norms[candidates] * length)
        order = np.argsort(-cosine, kind="stable")[:n]
        return [(str(self.vocabulary_[candidates[j]]), float(cosine[j])) for j in order]

    def _why_zero(self):
        return "."

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags
