"""All that is numba and bits, and nothing of the game's rules.

- `jit`: the one jit policy
- `late`: numba and llvmlite, imported when they are needed
- `object_code`: compiled code loaded and called without numba
- `cache`: where compiled code is kept, and its stamp
- `memory`: records copied, cleared and made on the stack; functions called by address
- `numba_patches`: every change that is made to numba from outside
- `bits`: sets of small numbers as the bits of a word
- `hold_word`: a ship's holds as one word
- `branch_hints`: what the compiler cannot know by itself
- `trace_writer`: the declaration of an event made the function that writes it
- `random`: luck as a function of seed, game, purpose and index
"""
