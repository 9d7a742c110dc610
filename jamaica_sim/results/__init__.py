"""What the games showed.

- `results`: estimates with 95% intervals, from the exact sums of a tally
- `measures`: the one registry of what reports and the laboratory measure
- `drama`: how exciting games are: when the winner is decided, tension, hope, waiting
- `game_columns`: the rows of games as columns, one row for each game or for each ship of each game
- `answer`: what every result can do: sentence, tables, pandas, JSON, CSV
- `result_table`: a table of figures: its text, caption, CSV and JSON
"""
