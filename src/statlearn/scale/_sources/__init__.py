"""Sources of blocks: files, arrays and frames that can be read again and again."""
