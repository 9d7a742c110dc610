"""The components of the game as files: the board, the action cards, the treasures and the combat die."""
