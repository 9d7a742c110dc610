"""The trace format: which fields each event has, and of which type.
It knows no rule of the game; deviations are "TRACE"."""

SCHEMA = "jamaica-trace/1"

OUTLINE = {
    "config": {"players", "ghost", "edition", "seed", "game", "strategies", "round_cap"},
    "setup": {"captain", "pile", "removed", "hands"},
    "result": {"rounds", "finished", "scores", "winners", "positions"},
}

EVENT_FIELDS = {
    "round": {"number", "captain", "dice", "placed"},
    "choose": {"ship", "hand", "card"},
    "action": {"ship", "when", "symbol", "die"},  # the ghost's: also "forced"
    "skip": {"ship", "when"},
    "load": {"ship", "resource", "amount", "hold", "emptied"},
    "no_load": {"ship", "resource", "amount"},
    "move": {"ship", "from", "to", "options"},
    "battle": {"attacker", "defender", "space", "targets"},
    "powder": {"ship", "amount"},
    "roll": {"ship", "face"},
    "sabre": {"ship", "of"},
    "battle_end": {"winner", "attack", "defence"},
    "loot": {"ship", "loser", "decider", "take"},  # and what applies to its "take", below
    "pay": {"ship", "resource", "amount", "holds"},
    "shortage": {"ship", "resource", "due", "paid", "symbol"},
    "retreat": {"ship", "from", "to", "options"},
    "treasure": {"ship", "space", "treasure"},
    "finish": {"ship"},
    "draw": {"ship", "cards", "reshuffled"},
}

LOOT_FIELDS = {
    "hold": {"hold", "resource", "amount"},
    "power": {"treasure"},
    "hidden": {"treasure"},
    "give": {"treasure"},
    "nothing": set(),
}


def is_number(value) -> bool:
    return type(value) is int


def is_text(value) -> bool:
    return isinstance(value, str)


def is_flag(value) -> bool:
    return isinstance(value, bool)


def is_numbers(value) -> bool:
    return isinstance(value, list) and all(is_number(item) for item in value)


def is_number_or_null(value) -> bool:
    return value is None or is_number(value)


def is_position(value) -> bool:
    has_fields = isinstance(value, dict) and value.keys() == {"space", "lap"}
    return has_fields and is_number(value["space"]) and is_number(value["lap"])


def is_positions(value) -> bool:
    return isinstance(value, list) and all(is_position(item) for item in value)


def is_payment(value) -> bool:
    return isinstance(value, list) and all(is_numbers(item) and len(item) == 2 for item in value)


def is_emptied(value) -> bool:
    has_fields = isinstance(value, dict) and value.keys() == {"resource", "amount"}
    return value is None or (has_fields and is_text(value["resource"]) and is_number(value["amount"]))


NUMBERED = """ship number captain card die amount hold attacker defender space of loser decider treasure due paid
    players seed game round_cap rounds"""

FIELD_TYPES = {
    **dict.fromkeys(NUMBERED.split(), is_number),
    **dict.fromkeys("winner attack defence".split(), is_number_or_null),
    **dict.fromkeys("dice placed hand cards targets pile removed scores winners".split(), is_numbers),
    **dict.fromkeys("when resource take edition".split(), is_text),
    **dict.fromkeys("forced reshuffled ghost finished".split(), is_flag),
    **dict.fromkeys("from to".split(), is_position),
    **dict.fromkeys("options positions".split(), is_positions),
    "face": lambda value: is_number(value) or is_text(value),
    "symbol": lambda value: value is None or is_text(value),
    "emptied": is_emptied,
    "holds": is_payment,
    "hands": lambda value: isinstance(value, list) and all(is_numbers(hand) for hand in value),
    "strategies": lambda value: isinstance(value, list),
    "rules": lambda value: isinstance(value, dict) and bool(value),
}


def check_outline(game, trace) -> None:
    parts = {"schema", "events", *OUTLINE}
    game.require("TRACE", isinstance(trace, dict) and trace.keys() == parts, f"a trace has the parts {sorted(parts)}")
    game.require("TRACE", trace["schema"] == SCHEMA, f"schema {trace['schema']!r}")
    game.require("TRACE", isinstance(trace["events"], list), "events is a list")
    for part, names in OUTLINE.items():
        variant = {"rules"} if part == "config" and "rules" in trace[part] else set()
        check_fields(game, part, trace[part], names | variant)


def check_event(game, event: dict) -> None:
    kind = event["event"]
    names = {"event"} | EVENT_FIELDS[kind]
    if kind == "action" and "forced" in event:
        names.add("forced")
    if kind == "loot":
        take = event.get("take")
        game.require("TRACE", is_text(take) and take in LOOT_FIELDS, f"loot of {take!r}")
        names |= LOOT_FIELDS[take]
    check_fields(game, kind, event, names)


def check_fields(game, where: str, fields, names: set[str]) -> None:
    """Check names and types of fields. A message is made only for a failure, because there are many events."""
    if not (isinstance(fields, dict) and fields.keys() == names):
        game.require("TRACE", False, f"{where} has the fields {sorted(names)}")
    for name in names:
        if name != "event" and not FIELD_TYPES[name](fields[name]):
            game.require("TRACE", False, f"{where}: {name} is {fields[name]!r}")


def kind_of(event) -> str:
    """The kind of an event; anything else has a kind that the format does not know."""
    kind = event.get("event") if isinstance(event, dict) else None
    return kind if is_text(kind) and kind in EVENT_FIELDS else "no event of the format"
