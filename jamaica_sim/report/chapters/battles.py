"""Battles: how often, where, who wins, what is taken and what they cost."""

from jamaica_sim.codes import LOOT_KINDS
from jamaica_sim.experiment.setting import Setting
from jamaica_sim.experiment.study import Study
from jamaica_sim.report import prose, words
from jamaica_sim.report import spaces as board
from jamaica_sim.report.arrangement import table_words
from jamaica_sim.report.chapter import Chapter, ChapterSource, Figure, KeyNumber, games_line, rate_of
from jamaica_sim.report.figures import stack
from jamaica_sim.report.judge import Comparison, Findings, Judge, allowing_for
from jamaica_sim.report.sheet import Sheet, mapped, quantity, ratio
from jamaica_sim.results.measures import BATTLES, GHOST_SHIP, Floats
from jamaica_sim.results.results import Results
from jamaica_sim.stats.effect import cohen_h

CLOSE = 2  # attackers and defenders win about as often if their shares differ by fewer points
LOOT_WORDS = ("gold", "food", "gunpowder", "power", "hidden treasure", "gives a curse", "nothing")


def _lead(results: Results) -> Floats:
    """By how many points attackers win a larger share of all battles than defenders."""
    sums = results.sums
    return 100 * rate_of(sums.game("battles"), sums.game("attacks_won") - sums.game("defences_won"))


def _of_ghost(results: Results, what: str, less: str = "") -> Floats:
    """A quantity of the ghost ship per game, or by how much it exceeds another; zero where it does not sail."""
    sums = results.sums
    if not results.table.rules.ghost:
        return 0 * sums.games
    count = sums.group(GHOST_SHIP, what)
    return (count - sums.group(GHOST_SHIP, less) if less else count) / sums.games


def _against(results: Results) -> Floats:
    """Battles per game that players begin against the ghost ship."""
    return _of_ghost(results, "battles", less="attacks")


def _among(results: Results) -> Floats:
    """Battles per game between players."""
    sums = results.sums
    return sums.game("battles") / sums.games - _of_ghost(results, "attacks") - _against(results)


OVERVIEW = {
    "per game": BATTLES,
    "per round": ratio("battles", "rounds", share=False),
    "attacker wins": ratio("attacks_won", "battles"),
    "defender wins": ratio("defences_won", "battles"),
    "nobody wins": ratio("drawn_battles", "battles"),
    "attacker less defender, points": quantity(_lead),
    "gunpowder each": ratio("powder_spent", "battles", share=False),
}
LOOT = {word: ratio(f"loot_{kind}", "battles") for kind, word in zip(LOOT_KINDS, LOOT_WORDS, strict=True)}
LOOT["no winner"] = OVERVIEW["nobody wins"]
AMONG = quantity(_among)
WHOM = {
    "between players": AMONG,
    "begun by the ghost": quantity(lambda results: _of_ghost(results, "attacks")),
    "against it": quantity(_against),
}


WHO_WINS = {"attacker wins": "subject", "nobody wins": "rule", "defender wins": "base"}  # roles in a bar
WHOM_ROLES = {"between players": "base", "begun by the ghost": "subject", "against it": "pale"}


class Battles(Findings):
    """What the games show about battles."""

    def __init__(self, study: Study):
        setting, shown = study.reference, mapped(study)[:2]
        compared = ["per game", "attacker wins", "defender wins", "gold", "nothing", "gunpowder each"]
        self.sheet = figures = Sheet(study, OVERVIEW | LOOT | WHOM, compared)
        self.lead = Comparison(figures.at("attacker less defender, points"))  # of attackers over defenders
        spaces = board.space_shares(setting.played, "battles")
        self.space = spaces[0][0]  # with the most battles
        equal = 1 / (len(board.board_of(setting)) - 1)  # B1
        self.part = Comparison(allowing_for(spaces[0][2], len(spaces)), equal)  # of all battles
        self.pairs = _pairs(study)  # without and with the ghost ship
        near = [pair for pair in self.pairs if setting in pair] or self.pairs[-1:]
        self.near = near[0] if near else None  # the pair to show where only one can be shown
        # battles among players with the ghost minus those without it
        self.new = Comparison(AMONG.difference(near[0][0].played, near[0][1].played)) if near else None
        self.maps = [
            board.map_of(s, "battles", name if len(shown) > 1 else "",
                   words.amount(figures.at("per game", s).value), "battles a game")
            for s, name in zip(shown, figures.names_of(shown), strict=True)
        ]  # fmt: skip
        with_ghost = [s for s in figures.settings if s.rules.ghost]
        self.tables = [
            figures.table("Battles", OVERVIEW, "shares of all battles, each counted once"),
            *([figures.table("Who fights whom", WHOM, "battles per game", with_ghost)] if self.pairs else []),
            figures.table("What the winner of a battle takes", LOOT, "share of all battles"),
            board.space_table(study, setting, "battles"),
            board.round_table(study, setting, "battles"),
        ]

    def write(self, judge: Judge) -> Chapter:
        """The chapter."""
        figures, lead, is_clear = self.sheet, self.lead.estimate, judge.is_clear(self.lead)
        study, tell = figures.study, figures.teller(judge)
        chapter = Chapter("battles", "Battles", tables=self.tables)
        attack, defence = figures.at("attacker wins"), figures.at("defender wins")
        chapter.effect = abs(cohen_h(attack.value, defence.value)) if is_clear else 0.0
        chapter.heading = "Attacker and defender win about as often"
        if is_clear and abs(lead.value) >= CLOSE:
            more, fewer = ("Attackers", "defenders") if lead.value > 0 else ("Defenders", "attackers")
            chapter.heading = f"{more} win {'a little ' if abs(lead.value) < 10 else ''}more often than {fewer}"
        self._write_ghost(judge, chapter)
        chapter.say(
            tell("a game has {per game} battles"),
            tell("the attacker wins {attacker wins} of them and the defender {defender wins}"),
            tell("the others, {nobody wins}, end level"),
        )
        kind = board.KIND_WORDS[board.board_of(study.reference)[self.space].kind]
        chapter.say(
            tell("the winner takes gold in {gold} of all battles and nothing in {nothing}"),
            tell("a battle costs {gunpowder each} gunpowder"),
            f"most are fought on space {self.space}, a {kind}: {prose.share(self.part.estimate)} of all, where "
            f"{self.part.null:.1%} would be an equal share of the spaces."
            if judge.is_above(self.part)
            else "",
        )
        title, unit = "Who wins a battle", "Share of all battles"
        who_wins = figures.stack("who", title, unit, WHO_WINS, "attacker wins", high=1.0)
        chapter.map, where = board.board_figures("Where battles are fought", "battles", table_words(study), self.maps)
        chapter.figures += [self._ghost_figure() if self.pairs else who_wins, where]
        share = f"of the battles go to the attacker, {words.percent(defence.value)} to the defender"
        chapter.keys.append(KeyNumber(words.percent(attack.value), share, strong=False))
        return chapter

    def _write_ghost(self, judge: Judge, chapter: Chapter) -> None:
        if self.near is None or self.new is None:
            return
        figures, (without, with_ghost) = self.sheet, self.near
        before, after = (figures.at("between players", s).value for s in self.near)
        begun, fought = figures.at("begun by the ghost", with_ghost), figures.at("per game", with_ghost).value
        is_same = not judge.is_clear(self.new) or abs(after - before) < 0.02 * before
        how = "about as much as" if is_same else "less than" if after < before else "more than"
        if begun.value >= 0.5 * (fought - figures.at("per game", without).value) > 0:
            chapter.heading = "The ghost starts most of the extra battles"
        chapter.say(
            f"with {words.number(with_ghost.rules.players)} players the ghost begins {prose.mean(begun)} battles a "
            "game.",
            f"among themselves the players fight {how} without it: {figures.said('between players', with_ghost)} "
            f"battles instead of {figures.said('between players', without)}.",
        )
        chapter.effect = max(chapter.effect, abs(cohen_h(begun.value / max(1e-9, fought), 0.0)))

    def _ghost_figure(self) -> Figure:
        pairs = self.pairs
        made = {
            f"{b.rules.players} players": [(name, self.sheet.at(name, b), role) for name, role in WHOM_ROLES.items()]
            for _, b in pairs
        }
        alone = [self.sheet.at("per game", a).value for a, _ in pairs]
        sub = f"Battles per game with the ghost; the upright mark: without it; {games_line([b for _, b in pairs])}"
        return stack("whom", "Who fights whom", sub, made, equals=alone)


def _pairs(study: Study) -> list[tuple[Setting, Setting]]:
    """Settings without and with the ghost ship, one pair for each number of players."""
    shown: dict[int, tuple[Setting, Setting]] = {}
    for a, b in study.contrasts("ghost"):
        near = all(a.factors[n] == study.reference.factors[n] for n in ("edition", "line_up"))
        if near or a.rules.players not in shown:
            shown[a.rules.players] = (a, b)
    return [shown[n] for n in sorted(shown)]


CHAPTERS = {"battles": ChapterSource(Battles, Battles.write)}
