"""What a fitted model does with a table: importances, effects, reasons for single rows."""
