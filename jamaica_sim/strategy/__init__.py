"""Strategies: what a player sees, its decisions, and the files that say how it decides.

- `strategy`: strategy files by name or path
- `compile`: decision functions, compiled so that the engine can call them
- `api`: the view of the game, and helpers to read it
- `template`: new strategies to start from
- `heuristic`: the shipped heuristic and its weights
"""
