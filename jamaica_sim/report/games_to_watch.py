"""Games to watch in words: for each chapter a typical game and an extreme one, with the commands that show them."""

from collections.abc import Callable
from dataclasses import replace

from jamaica_sim.play.commands import game_of, replay_command, says_all
from jamaica_sim.report.arrangement import compared_rules, rules_words
from jamaica_sim.study.experiment.setting import Setting
from jamaica_sim.study.experiment.study import Study
from jamaica_sim.study.games_to_watch import GameToWatch


def _counted(noun: str, plural: str = "") -> Callable[[int], str]:
    return lambda n: f"{n} {noun if n == 1 else plural or noun + 's'}"


_POINTS = _counted("point")
# Words for a value of each quantity, and for the game with the most of it.
WORDS: dict[str, tuple[Callable[[int], str], str]] = {
    "rounds": (_counted("round"), "the longest"),
    "ghost_lead": (
        lambda n: f"the ghost {_POINTS(abs(n))} {'ahead of' if n >= 0 else 'behind'} the best player",
        "the ghost's best",
    ),
    "margin": (lambda n: f"won by {_POINTS(n)}" if n else "no difference in points", "the clearest"),
    "shortages": (_counted("shortage"), "the hungriest"),
    "treasure_points": (lambda n: f"treasures and curses of {_POINTS(n)}", "the one with most treasure"),
    "battles": (_counted("battle"), "the fiercest"),
    "winner_score": (lambda n: f"won with {_POINTS(n)}", "the highest score"),
    "lead_changes": (_counted("change of the lead", "changes of the lead"), "the most eventful"),
    "peak_gold": (lambda n: f"{n} gold on the ships at once", "the one with most gold"),
}


def games_to_watch(study: Study, quantity: str) -> list[GameToWatch]:
    """A typical and an extreme game of the reference table; where one rule is compared, a typical one under it too."""
    compared = compared_rules(study)
    others = [setting for setting in study.along(*compared) if setting is not study.reference] if compared else []
    watched = {study.reference: games_of_setting(study.reference, quantity)}
    watched |= {setting: games_of_setting(setting, quantity)[:1] for setting in others[:1]}
    return [
        replace(game, words=f"{rules_words(setting, compared)}, {game.words}") if compared else game
        for setting, games in watched.items()
        for game in games
    ]


def games_of_setting(setting: Setting, quantity: str) -> list[GameToWatch]:
    """The games of a setting's run that are typical and extreme in a quantity.

    There are none where the run's folder has none, or where a strategy is code that nobody has trusted.
    """
    watched, table = setting.watch, setting.played.table
    if watched is None or quantity not in watched.games or any(strategy.not_loaded for strategy in table.strategies):
        return []
    words_of, most = WORDS[quantity]
    names = ("a typical game", f"{most} of the first {watched.looked_at:,}")
    is_told = says_all(table.rules, table.strategies) or not setting.source
    return [
        GameToWatch(
            f"{name}: {words_of(value)}",
            game,
            float(value),
            replay_command(table.rules, table.strategies, table.seed, game, table.luck)
            if is_told
            else game_of(*setting.source, game=game),
        )
        for name, (game, value) in zip(names, watched.games[quantity], strict=False)
    ]
