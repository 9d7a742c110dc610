"""House rules as code: a Python file whose functions the engine calls at certain moments of the game.

- `api`: what such a file imports: the verbs, and names for numbers
- `compile`: checks a file's code and compiles its functions; writes their addresses into a rulebook
"""
