"""Everything about numba and bits, and no rules of the game.

- `jit`: the one jit policy
- `late`: numba and llvmlite, imported when they are needed; the versions whose insides we rely on
- `wasm`: compiled functions as one WebAssembly module
- `cache`: where compiled code is kept, and its stamp
- `memory`: declares, copies, clears and makes records; calls functions by address; writes traces
- `numba_patches`: every change that we make to numba
- `bits`: sets of small numbers as the bits of a word; choices without a branch
- `hold_word`: a ship's holds as one word
- `random`: luck as a function of seed, game, purpose and index
"""
