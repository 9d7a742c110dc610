"""The command line, called in this process."""

from click.testing import CliRunner

from jamaica_sim.cli import main


def type_in(*words):
    """Call a command; its exit code, output and errors."""
    return CliRunner().invoke(main, [str(word) for word in words])


def assert_told(result, code, *hints):
    """It ended with this exit code and one sentence on standard error that has the hints."""
    assert result.exit_code == code, (result.exit_code, result.stderr, result.exception)
    assert result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1, result.stderr
    assert result.stderr.rstrip().endswith((".", "?"))
    for hint in hints:
        assert hint in result.stderr, result.stderr
