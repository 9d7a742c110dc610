"""What the benchmarks share: timing in turns, figures with their spread, the yardstick, records to compare with."""
