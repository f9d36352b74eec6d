"""Make .venv from requirements.txt, or bring it up to date, and say in one sentence why where that cannot be.

Run by make with any Python 3 from the project's folder; what it installs is decided by the contents of the files, not
by their dates, so .venv can't stay behind them.
"""

import hashlib
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

OLDEST, NEWEST = (3, 11), (3, 13)  # requirements.txt was resolved for, and is tested with, these
VENV = Path(".venv")
READY = VENV / "ready"  # the state that was installed; absent while an installation is under way


def objection(version=sys.version_info, modules=("venv", "ensurepip")):
    """Why this Python won't do, or None."""
    if not OLDEST <= tuple(version[:2]) <= NEWEST:
        return (
            f"The book needs Python 3.{OLDEST[1]} to 3.{NEWEST[1]}, and this is {version[0]}.{version[1]}: "
            f"name one that you have, as in `make book PYTHON=python3.{NEWEST[1]}`."
        )
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        return (
            f"This Python lacks its module {' and '.join(missing)}, which makes virtual environments: "
            "install it (on Debian and Ubuntu: apt-get install python3-venv)."
        )
    return None


def wanted_state():
    """What .venv should be: the folder that it was made in, since a moved one does not work, and a digest."""
    made_from = Path("requirements.txt").read_bytes() + Path("pyproject.toml").read_bytes()
    return [str(Path.cwd()), hashlib.sha256(made_from).hexdigest()]


def present_state():
    """What .venv is, in the same terms; empty if no installation was completed."""
    return READY.read_text().splitlines() if READY.exists() else []


def pip(*arguments):
    """Run .venv's pip; only errors are shown."""
    command = [VENV / "bin" / "python", "-m", "pip", "install", "-qq", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True)


def install():
    """Install the pinned packages and relmath itself, into a new .venv unless the present one is whole."""
    if present_state()[:1] == wanted_state()[:1]:
        READY.unlink()
        print("requirements.txt or pyproject.toml changed: bringing .venv up to date ...", flush=True)
    else:
        print("Making .venv from requirements.txt, some minutes the first time ...", flush=True)
        shutil.rmtree(VENV, ignore_errors=True)
        # Not sys.executable, which may be that of the .venv just removed.
        subprocess.run([getattr(sys, "_base_executable", sys.executable), "-m", "venv", VENV], check=True)
    pip("-r", "requirements.txt")
    pip("--no-deps", "--no-build-isolation", "-e", ".")  # pip's hash mode and our own build want relmath apart
    print(".venv is ready.", flush=True)


def main():
    """Do nothing where .venv is as wanted; return what make should say otherwise, or None."""
    if present_state() == wanted_state():
        return None
    reason = objection()
    if reason:
        return reason
    try:
        install()
    except (subprocess.CalledProcessError, KeyboardInterrupt) as error:
        cause = f"`{' '.join(map(str, error.cmd))}` failed" if hasattr(error, "cmd") else "Interrupted"
        return f"{cause}: .venv is not complete, and the next run makes it anew."
    READY.write_text("\n".join(wanted_state()))
    return None


if __name__ == "__main__":
    sys.exit(main())
