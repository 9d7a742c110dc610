"""Tries every Python that is installed: `nox` runs the whole suite on each, `nox -s compiled` what compiles code."""

import nox

nox.needs_version = ">=2024.4.15"
PYTHONS = nox.project.python_versions(nox.project.load_toml("pyproject.toml"))


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the suite, as the README says."""
    session.install("-e", ".[test]")
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session(python=PYTHONS, default=False)
def compiled(session: nox.Session) -> None:
    """Run the tests of compiled code, which depends on the Python most."""
    session.install("-e", ".[test]")
    session.run("python", "-m", "pytest", "@tests/compiled_code.txt", *session.posargs)
