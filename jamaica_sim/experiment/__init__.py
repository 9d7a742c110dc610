"""Experiments: a file that says what is varied, every combination of it played on the same deals.

- `study`: the experiment's file, its settings, playing them and their folder
"""
