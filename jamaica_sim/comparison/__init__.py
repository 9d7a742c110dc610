"""Comparisons: several strategies on the same deals, and who is better.

- `design`: line-ups and deals, and the exact sums that every figure is made from
- `play`: what is compared, how long, and playing it
- `comparison`: estimates, result tables and the sentence to quote
- `folder`: the comparison's folder: manifest, sums, tables, charts
- `charts`: pictures of a comparison
"""
