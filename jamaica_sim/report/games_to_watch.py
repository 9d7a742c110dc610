"""Games to watch in words: for each chapter a typical game and an extreme one, with the commands that show them."""

from dataclasses import replace

from jamaica_sim.play.commands import game_of, replay_command, says_all
from jamaica_sim.report import words
from jamaica_sim.report.arrangement import compared_rules, rules_words
from jamaica_sim.study.experiment.setting import Setting
from jamaica_sim.study.experiment.study import Study
from jamaica_sim.study.games_to_watch import GameToWatch

# Words for a value of each quantity, whose first gets its plural, and for the game with the most of it.
WORDS = {
    "rounds": ("round", "the longest"),
    "ghost_lead": ("point for the ghost against the best player", "the ghost's best"),
    "margin": ("point ahead", "the clearest"),
    "shortages": ("shortage", "the hungriest"),
    "treasure_points": ("point in treasures and curses", "the one with most treasure"),
    "battles": ("battle", "the fiercest"),
    "winner_score": ("point for the winner", "the highest score"),
    "lead_changes": ("change of the lead", "the most eventful"),
    "peak_gold": ("doubloon on the ships at once", "the one with most gold"),
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
    (noun, *rest), most = WORDS[quantity][0].split(), WORDS[quantity][1]
    names = ("a typical game", f"{most} of the first {watched.looked_at:,}")
    is_told = says_all(table.rules, table.strategies) or not setting.source
    return [
        GameToWatch(
            " ".join([f"{name}: {words.amount(value, 0)}", noun if abs(value) == 1 else f"{noun}s", *rest]),
            game,
            float(value),
            replay_command(table.rules, table.strategies, table.seed, game, table.luck)
            if is_told
            else game_of(*setting.source, game=game),
        )
        for name, (game, value) in zip(names, watched.games[quantity], strict=False)
    ]
