"""What the games showed.

- `results`: estimates with 95% intervals, from the exact sums of a tally
- `result_table`: a table of figures: its text, caption, CSV and JSON
"""
