"""Everything about numba and bits, and no rules of the game.

- `jit`: the one jit policy
- `tested`: the versions of numba whose insides we rely on
- `late`: numba and llvmlite, imported when they are needed
- `wasm`: compiled functions as one WebAssembly module
- `cache`: where compiled code is kept, and its stamp
- `record`: records declared as classes
- `memory`: copies, clears and makes records; calls functions by address
- `numba_patches`: every change that we make to numba
- `bits`: sets of small numbers as the bits of a word
- `hold_word`: a ship's holds as one word
- `branch_hints`: tells the compiler which branches are unpredictable
- `trace_writer`: turns the declaration of an event into the function that writes it
- `random`: luck as a function of seed, game, purpose and index
"""
