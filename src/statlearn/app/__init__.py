"""The application: honest comparison of models on a table, its report, and the ``statlearn`` command.

`statlearn.compare` is the library's door to it, ``statlearn`` in the shell the other (extra ``app``).
"""
