"""Running games: chunks on threads, replay of one game, the run folder."""
