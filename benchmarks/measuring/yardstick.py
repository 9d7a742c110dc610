"""Runs the yardstick, another engine of the same rules: a program that plays games and reports on them in JSON."""

import json
import subprocess


class YardstickFault(Exception):
    """The yardstick does not run: one sentence."""


def ask_yardstick(program, rules, games, seed=1, threads=1, strategy="random") -> dict:
    """The yardstick's report on games of the same strategy in all seats."""
    table = ["--players", rules.players, "--edition", rules.edition, "--ghost", int(rules.ghost)]
    how = ["--games", games, "--seed", seed, "--threads", threads, "--strategies", strategy]
    try:
        done = subprocess.run([program, *map(str, table + how)], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        reason = getattr(error, "stderr", "") or error
        raise YardstickFault(f"the yardstick {program} does not run: {str(reason).strip()}") from error
