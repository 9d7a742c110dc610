"""Reports: a study as pages, chapters, pictures and sentences.

- `page`: the report as HTML or Markdown
- `chapter`: what a chapter is made of
- `chapters`: one module for each subject
- `claims`: the rulebook's claims as hypotheses
- `charts`: charts from results
- `board_picture`: draws the board
"""
