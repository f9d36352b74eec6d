"""The test of the tests: a copy of the project with one wrong digit must fail where the copy without it passes."""

import os
import re
import shutil
import subprocess
import sys

import nbformat
import pytest

from tools.notebooks import ROOT, notebooks


@pytest.fixture
def project(tmp_path):
    """Return a copy of what the tests read and run."""
    left_out = shutil.ignore_patterns(".*", "_build", "__pycache__")
    for name in ("relmath", "book", "tests", "tools"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=left_out)
    for name in ("pyproject.toml", "_toc.yml"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def passes(project, *arguments):
    """Run pytest in the copy, on the copy's own relmath; False if a test failed, an error if none could run."""
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *arguments],
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(project)},
        capture_output=True,
        text=True,
    )
    assert run.returncode in (0, 1), run.stdout + run.stderr
    return run.returncode == 0


def mutate(path, pattern, wrong):
    """Replace the first match in a file."""
    text, count = re.subn(pattern, wrong, path.read_text(encoding="utf-8"), count=1)
    assert count, f"{path.name} holds nothing like {pattern}"
    path.write_text(text, encoding="utf-8")


def next_digit(match):
    return match[1] + str((int(match[2]) + 1) % 10)


def test_a_wrong_digit_in_a_stored_output(project):
    """The notebook is cut after its first number, to be quick."""
    path = notebooks(project)[-1]
    notebook = nbformat.read(path, as_version=4)
    printed = [
        (number, output)
        for number, cell in enumerate(notebook.cells)
        for output in cell.get("outputs", ())
        if re.search(r"\d", output.get("text", ""))
    ]
    number, output = printed[0]
    notebook.cells = notebook.cells[: number + 1]
    nbformat.write(notebook, path)
    assert passes(project, str(path))
    output.text = re.sub(r"()(\d)", next_digit, output.text, count=1)
    nbformat.write(notebook, path)
    assert not passes(project, str(path))


def test_a_wrong_digit_in_a_claim(project):
    assert passes(project, "tests/test_ledger.py")
    mutate(project / "relmath" / "ledger" / "checkpoints.py", r'(Digits\(\s*"[\d.]*)(\d)', next_digit)
    assert not passes(project, "tests/test_ledger.py")


def test_a_wrong_coefficient_in_a_formula(project):
    assert passes(project, "tests/test_checkpoints.py", "-k", "daly")
    mutate(project / "relmath" / "checkpoints.py", r"s \* s / 9", "s * s / 8")
    assert not passes(project, "tests/test_checkpoints.py", "-k", "daly")
