"""What every layer shares: types, text analysis, catalogues and golden sets."""
