"""The charts of reports, as SVG. Only that of the board knows the game.

- `board_map`: what happens on each space of the board
- `drawing`: SVG in the page's own colours, wide and narrow
- `row_charts`: dots and bars
- `axis_charts`: profiles and curves
- `grid_charts`: a matrix, and a map of two rules
"""
