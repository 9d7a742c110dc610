"""The numba engine: numbers and arrays in, numbers and arrays out. It does not parse, print or know files."""
