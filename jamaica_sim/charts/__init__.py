"""Charts that comparisons, reports and the laboratory share. Only those of the board know the game.

- `style`: the one style of matplotlib's charts, and the decorator that makes a drawing function a chart
- `board_picture`: draws the board itself, for print
- `board_map`: what happens on each space of the board
- `drawing`: SVG in the page's own colours, wide and narrow
- `row_charts`: dots, bars and stacked bars
- `axis_charts`: profiles and curves
- `grid_charts`: a matrix, and a map of two rules
"""
