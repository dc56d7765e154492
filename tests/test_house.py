"""What the house promises about itself: its floors, its rooms, its settings, its migrations, what it is free of."""

import ast
import importlib
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import AppConfig, apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

HOUSE = Path(__file__).resolve().parent.parent
PACKAGES = {"config", "ella", "ledger", "selflog", "notifications", "worldgen", "boundary"}
SOURCE_DOCUMENTS = HOUSE.parent / "shared" / "seeds"
# As many words in a row as make a sentence somebody's own.
WORDS_IN_A_ROW = 12


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=HOUSE, capture_output=True, text=True, check=True)
    return [HOUSE / name for name in listed.stdout.split("\0") if name and (HOUSE / name).is_file()]


def texts() -> Iterator[tuple[Path, str]]:
    for path in tracked():
        try:
            yield path.relative_to(HOUSE), path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def test_the_floors_hold() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-logo", "--no-cache"],
        cwd=HOUSE,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_there_is_no_other_package_at_the_top() -> None:
    found = {path.relative_to(HOUSE).parts[0] for path in tracked() if path.suffix == ".py"}
    assert found == PACKAGES | {"tests", "manage.py"}


def test_the_floors_name_every_package() -> None:
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text())
    assert set(project["tool"]["importlinter"]["root_packages"]) == PACKAGES


def our_apps() -> list[AppConfig]:
    return [config for config in apps.get_app_configs() if config.name.partition(".")[0] in PACKAGES]


def test_every_floor_is_installed() -> None:
    assert {config.name.partition(".")[0] for config in our_apps()} == PACKAGES - {"config"}


def test_no_tracked_file_names_a_place_on_somebodys_machine() -> None:
    place = re.compile(r"(?<![\w.:/])/(?:home|Users|root|work|mnt|private)/[\w.-]+")
    here = Path(__file__).relative_to(HOUSE)
    others = [(path, text) for path, text in texts() if path != here]
    assert [(str(path), found.group()) for path, text in others for found in place.finditer(text)] == []


def test_no_lock_names_where_packages_came_from() -> None:
    for name in ("requirements.txt", "requirements-dev.txt"):
        assert not re.search(r"https?://|--(?:extra-)?index-url|--find-links", (HOUSE / name).read_text()), name


def test_every_pinned_package_has_its_hash() -> None:
    for name in ("requirements.txt", "requirements-dev.txt"):
        for block in re.split(r"\n(?=[a-zA-Z0-9])", (HOUSE / name).read_text()):
            assert "==" in block.partition("\n")[0], block
            assert "--hash=sha256:" in block, block


def test_nothing_is_copied_from_the_source_documents() -> None:
    if not SOURCE_DOCUMENTS.is_dir():
        pytest.skip("the source documents are not beside this clone")
    seeds = [path for path in SOURCE_DOCUMENTS.rglob("*") if path.is_file()]
    theirs = {run for path in seeds for run in _runs(path.read_text(errors="replace"))}
    ours = [(str(path), " ".join(run)) for path, text in texts() for run in _runs(text) if run in theirs]
    assert ours == []


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    own = re.sub(r"^(?:from|import) .*$", "", text, flags=re.M)  # everybody imports in the same words
    words = re.findall(r"[a-z0-9_]+", own.lower())
    for start in range(len(words) - WORDS_IN_A_ROW + 1):
        yield tuple(words[start : start + WORDS_IN_A_ROW])


def test_every_setting_that_is_read_is_told_in_the_readme_and_no_other() -> None:
    tree = ast.parse((HOUSE / "config" / "settings.py").read_text())
    read = {
        call.args[0].value
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == "env"
        and call.args
        and isinstance(call.args[0], ast.Constant)
    }
    _, _, after = (HOUSE / "README.md").read_text().partition("### Settings")
    section = re.split(r"\n#+ ", after)[0]
    told = {name for row in re.findall(r"^\| (`[^|]+)\|", section, re.M) for name in re.findall(r"`([A-Z_0-9]+)`", row)}
    assert told == read


def test_every_name_that_the_makefile_needs_is_there() -> None:
    listed = subprocess.run(["make", "help"], cwd=HOUSE, capture_output=True, text=True, check=True).stdout
    assert {line.split()[1] for line in listed.splitlines()} >= {"run", "demo", "test", "check", "bench", "e2e"}


def test_files_stay_short_enough_to_be_read() -> None:
    long = {
        str(path): len(text.splitlines())
        for path, text in texts()
        if path.suffix == ".py" and path.parts[0] != "tests" and "migrations" not in path.parts
    }
    assert {path: lines for path, lines in long.items() if lines > 500} == {}


def test_no_module_has_a_name_that_says_nothing() -> None:
    vague = {"utils", "helpers", "common", "misc", "manager", "managers", "base", "core"}
    assert [str(path) for path in tracked() if path.suffix == ".py" and path.stem in vague] == []


@pytest.mark.django_db
def test_every_migration_of_ours_can_be_taken_back_or_says_why_not() -> None:
    loader = MigrationExecutor(connection).loader
    ours = {config.label for config in our_apps()}
    for (label, name), migration in loader.disk_migrations.items():
        if label in ours and not all(operation.reversible for operation in migration.operations):
            module = importlib.import_module(migration.__module__)
            assert "irreversible" in (module.__doc__ or "").lower(), f"{label}.{name}"
