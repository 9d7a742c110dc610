"""All that is numba and bits, and nothing of the game's rules.

- `jit`: the one jit policy
- `cache`: where compiled code is kept, and its stamp
- `numba_patches`: every change that is made to numba from outside
- `bits`: sets of small numbers as the bits of a word
- `hold_word`: a ship's holds as one word
- `branch_hints`: what the compiler cannot know by itself
- `random`: luck as a function of seed, game, purpose and index
"""
