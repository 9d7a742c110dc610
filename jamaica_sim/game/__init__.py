"""What is played: facts that everybody may use. Knows no strategy, no file of results and nothing compiled.

- `rules`: every rule number with its default, range, clause and meaning
- `components`: board, cards, treasures and dice, and how they may be changed
- `codes`: the game's own words as small numbers
- `variant`: changed rules from a file, and every rule as a row
- `words`: rules, their values and changes in words
- `house_file`: a file of house rules, as far as reading tells
"""
