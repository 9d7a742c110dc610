"""Sums over games: whole numbers, so that chunks can be added in any order.

- `layout`: what is counted: names and record types
- `count`: reduces result rows to sums
- `event_columns`: the events of many games as columns
"""
