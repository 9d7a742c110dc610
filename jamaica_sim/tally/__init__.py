"""Sums over games: whole numbers, so that chunks can be added in any order.

- `count`: reduces result rows to sums
"""
