"""Derives the rulebook from what rules and components say: compiled code, the same wherever the engine runs.

- `raw`: what they say beside the rulebook's own fields, and room to work in
- `board`: where a move can end, which spaces lie behind, the lanes
- `chances`: cards, treasures and dice: sets, odds, and what luck is worth
- `foresight`: what strategies look up of arrivals and of the spaces ahead
- `rulebook`: all of it, in its order
"""
