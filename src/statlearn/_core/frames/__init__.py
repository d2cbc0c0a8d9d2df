"""Rows, columns and categories of tables of any kind: numpy array, sparse matrix, pandas or polars frame, list."""

from .categories import CategoryCoder, are_codes, factorize, level_codes
from .columns import (
    cells,
    column_from_rows,
    column_mask,
    column_names,
    column_with_values,
    frame_names,
    interaction_sets,
    monotone_signs,
    take_columns,
)
from .frame import (
    as_frame,
    columns_beside,
    declared_categories,
    is_mixed_frame,
    is_numeric,
    plain_columns,
    plain_numbers,
    refuse_lazy,
    refuse_repeated_names,
)
from .rows import is_missing, missing, n_rows, take_per_row, take_rows
from .text import naming_text, refuse_names, refuse_text

__all__ = [
    "CategoryCoder",
    "are_codes",
    "as_frame",
    "cells",
    "column_from_rows",
    "column_mask",
    "column_names",
    "column_with_values",
    "columns_beside",
    "declared_categories",
    "factorize",
    "frame_names",
    "interaction_sets",
    "is_missing",
    "is_mixed_frame",
    "is_numeric",
    "level_codes",
    "missing",
    "monotone_signs",
    "n_rows",
    "naming_text",
    "plain_columns",
    "plain_numbers",
    "refuse_lazy",
    "refuse_names",
    "refuse_repeated_names",
    "refuse_text",
    "take_columns",
    "take_per_row",
    "take_rows",
]
