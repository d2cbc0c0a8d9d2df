"""Documents as the vectorizers read them."""

import os


class DocumentsMixin:
    """Mixin whose errors for invalid documents name the argument; precedes scikit-learn's vectorizer in the bases."""

    def _count_vocab(self, raw_documents, fixed_vocab):
        if len(getattr(raw_documents, "shape", (0,))) != 1:
            raise ValueError(
                f"raw_documents must be a list or column of documents; got a table of shape {raw_documents.shape}. "
                "Pass one column of it."
            )
        return super()._count_vocab(raw_documents, fixed_vocab)

    def _validate_ngram_range(self):  # the first that scikit-learn calls
        if len(self.ngram_range) != 2:
            raise ValueError(f"ngram_range must be a pair (min_n, max_n); got {self.ngram_range!r}.")
        if self.token_pattern is None and self.tokenizer is None and self.analyzer == "word":
            raise ValueError("token_pattern=None requires a tokenizer; pass one of the two.")
        super()._validate_ngram_range()

    def _reads_text(self):
        """Whether a document must be text; callables may accept anything."""
        if callable(self.analyzer) or self.preprocessor is not None:
            return False
        cleans = self.lowercase or self.strip_accents is not None
        return cleans or self.tokenizer is None or self.analyzer != "word"

    def decode(self, doc):
        """Text of a document.

        Parameters
        ----------
        doc : str, bytes, path or file
            As specified by `input`.

        Returns
        -------
        str
        """
        kind = type(doc).__name__
        if self.input == "file" and not hasattr(doc, "read"):
            raise ValueError(f"raw_documents must contain open files with input='file'; got {kind}.")
        if self.input == "filename" and not isinstance(doc, (str, bytes, os.PathLike)):
            raise ValueError(f"raw_documents must contain paths with input='filename'; got {kind}.")
        if self.input == "content" and self._reads_text() and not isinstance(doc, (str, bytes)):
            raise ValueError(f"raw_documents must contain strings; got {kind}. Convert or drop this document.")
        try:
            return super().decode(doc)
        except UnicodeDecodeError as error:
            raise ValueError(
                f"raw_documents contains bytes that are not valid {self.encoding}; set encoding, or "
                "decode_error='replace'."
            ) from error
