"""Strategies: what a player sees, the decision points, the parametric heuristic, strategy files."""
