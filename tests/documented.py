"""Runs the fences of the README and the docs as a reader would try them.

A fence is run as it stands: commands, Python, and files that are saved. Output that is shown is compared, where a line
`...` stands for any lines, and times for any times. In a fence without output commands play a few games only.
Comments on the lines before a fence, which a reader of the page does not see, say what else there is to know:

    <!-- run: slow -->            only with the slow tests; these run no others, so it may build on slow fences only
    <!-- run: no, REASON -->      never
    <!-- run: file NAME -->       the fence is saved as this file, before anything is run
    <!-- run: before COMMAND -->  typed first, with as many games as it says; what it prints does not matter
"""

import contextlib
import io
import re
import shlex
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from click.testing import CliRunner

from jamaica_sim.cli import main

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
OURS = "jamaica-sim"
COMMANDS = {OURS, "pip", "python", "cp", "find"}  # the first words of lines that are commands
INSTALLING = {"pip", "python"}  # what CI does anyway, in an environment of its own
NOT_RUN = {"text", "json", "yaml", "dockerfile", "sql", "{toctree}", "{eval-rst}"}
REST = "..."
TIMES = re.compile(r"[\d.,]+(?= (?:s|ms|ns|µs|minutes|kB|games/s|a second)\b)")
FEW = {  # for commands in a fence that shows no output
    "run": "--games 200",
    "compare": "--games 100",
    "sweep": "--games 50",
    "experiment run": "--games 20",
    "tune": "--evaluations 8 --games 100",
    "train": "--labels 1 --games 60",
    "sensitivity": "--games 20 --trajectories 2 --samples 2 --kept 2",
    "balance": "--trials 4 --games 200 --finalists 1 --adapt 0",
}


@dataclass
class Fence:
    """A fence of a page, and what its comments say."""

    page: Path
    line: int
    language: str
    text: str
    slow: bool = False
    never: str = ""  # the reason
    file: str = ""
    before: list[str] = field(default_factory=list)
    output: str | None = None  # of a fence of Python: what the next one shows

    def __str__(self):
        return f"{self.page.name}, line {self.line}"

    @property
    def transcript(self) -> list[tuple[str, str | None]]:
        """Commands, each with the output that is shown of it, if any."""
        lines = re.sub(r"\\\n\s*", " ", self.text).splitlines()
        if not any(line.startswith("$ ") for line in lines):
            return [(line, None) for line in lines if line.strip()]
        found = []
        for line in lines:
            if line.startswith("$ "):
                found.append([line[2:], []])
            else:
                found[-1][1].append(line)
        return [(command, "\n".join(shown) if shown else None) for command, shown in found]

    @property
    def is_accounted_for(self) -> bool:
        """Whether it is known what to do with this fence."""
        if self.never or self.file or self.language == "python" or self.language in NOT_RUN:
            return True
        return self.language in ("", "bash") and all(command.split()[0] in COMMANDS for command, _ in self.transcript)


def fences_of(page: Path) -> list[Fence]:
    """All fences of a page. A fence without a language right after a fence of Python is its output."""
    text = page.read_text(encoding="utf-8")
    found, end = [], 0
    for match in re.finditer(r"((?:^<!-- run: .*? -->\n)*)^```([^\n`]*)\n(.*?)^```$", text, re.S | re.M):
        comments, language, content = match.groups()
        gap, end = text[end : match.start()].strip(), match.end()
        fence = Fence(page, text.count("\n", 0, match.start(2)) + 1, language, content)
        if found and found[-1].language == "python" and not (found[-1].file or gap or fence.is_accounted_for):
            found[-1].output = content
            continue
        for comment in re.findall(r"<!-- run: (.*?) -->", comments):
            word, _, rest = comment.partition(" ")
            if word == "slow":
                fence.slow = True
            elif word == "no,":
                fence.never = rest
            elif word == "file":
                fence.file = rest
            elif word == "before":
                fence.before.append(rest)
            else:
                raise ValueError(f"{fence}: what is {comment!r}?")
        found.append(fence)
    return found


def run_page(fences: list[Fence], slow: bool):
    """Try the fences of a page one after the other in the current folder: either all slow ones or all others."""
    names = {}
    for fence in fences:
        if fence.file:
            Path(fence.file).write_text(fence.text, encoding="utf-8")
    for fence in fences:
        if fence.slow == slow and not (fence.file or fence.never or fence.language in NOT_RUN):
            run_fence(fence, names)


def run_fence(fence: Fence, names: dict):
    """Try one fence; `names` has everything that the Python of its page has defined."""
    for command in fence.before:
        output, code = _run(command, False)
        assert code == 0, f"{fence}: {command}\n{output}"
    if fence.language == "python":
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile("\n" * fence.line + fence.text, fence.page, "exec"), names)
        if fence.output is not None:
            _compare(fence, "this Python", fence.output, printed.getvalue())
    else:
        few = all(shown is None for _, shown in fence.transcript)
        for command, shown in fence.transcript:
            output, code = _run(command, few)
            assert (code != 0) == ((shown or "").startswith("Error:")), f"{fence}: {command}\n{output}"
            if shown is not None:
                _compare(fence, command, shown, output)


def _run(line, few):
    """The output of a line of a shell, and the exit code of its last command. Our commands run in this process."""
    words = shlex.shlex(line, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    output, code, stages = "", 0, [[]]
    for word in [*words, "&&"]:
        if word == "&&":
            printed, code = _pipe(stages, few)
            output += printed
            if code != 0:
                break
            stages = [[]]
        elif word in ("|", ">"):
            stages.append([word])
        else:
            stages[-1].append(word)
    return output, code


def _pipe(stages, few):
    first, *others = stages
    if first[0] in INSTALLING:
        return "", 0
    if first[0] == OURS:
        done = CliRunner().invoke(main, [*first[1:], *(_few(first[1:]) if few else [])])
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        output, code = done.stdout if others else done.output, done.exit_code
    else:
        output, code = _other_program(first, "")
    for mark, *words in others:
        if mark == ">":
            Path(words[0]).write_text(output, encoding="utf-8")
            output = ""
        else:
            output, code = _other_program(words, output)
    return output, code


def _other_program(words, text):
    done = subprocess.run(words, input=text, capture_output=True, text=True, encoding="utf-8", timeout=60)
    return done.stdout + done.stderr, done.returncode


def _few(words):
    """Options to append, with which a command of ours plays only a few games: the last of several options counts."""
    if words[0] == "replay":
        return ["--chances", "10"] if {"--chances", "--advise"} & {*words} else []
    if words[0] == "compare" and "--until" in words:
        return ["--max-games", "100"]
    if words[0] == "tune" and "--minutes" in words:
        return ["--minutes", "0.01", "--games", "100"]
    return next((options.split() for name, options in FEW.items() if words[: len(name.split())] == name.split()), [])


def _compare(fence, command, shown, output):
    if not _shows(_plain(shown), _plain(output)):
        raise AssertionError(f"{fence}: {command}\n--- shown\n{shown}\n--- printed\n{output}")


def _plain(text):
    """The lines of a text, with every time as `#`; columns may then have another width."""
    lines = []
    for line in text.strip("\n").splitlines():
        timed = TIMES.sub("#", line)
        timed = re.sub(r"# ns\s+[\d.]+", "# ns #", timed) if timed != line else line
        if timed != line or "against balanced" in line:
            timed = " ".join(timed.split())
        if not line.startswith("Compiling "):
            lines.append(timed.rstrip())
    return lines


def _shows(shown, printed):
    """Whether the lines are those printed, where `...` stands for any number of them."""
    parts = [[]]
    for line in shown:
        if line == REST:
            parts.append([])
        else:
            parts[-1].append(line)
    first, *middle = parts
    if not middle:
        return first == printed
    last, place = middle.pop(), len(first)
    if printed[:place] != first:
        return False
    for part in middle:
        starts = range(place, len(printed) - len(part) + 1)
        place = next((at + len(part) for at in starts if printed[at : at + len(part)] == part), None)
        if place is None:
            return False
    return len(printed) - len(last) >= place and printed[len(printed) - len(last) :] == last
