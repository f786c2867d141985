"""Sets up every test alike: how hard Hypothesis tries, no settings of the caller, a PostgreSQL."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.databases import DATABASES
from tests.postgres import Postgres
from tests.running_order import pytest_collection_modifyitems  # noqa: F401 - pytest finds it here
from tests.told_at_the_end import pytest_terminal_summary  # noqa: F401 - pytest finds it here

# Both belong to the scripts, which a test may run as a person would; the rest are the product's.
KEPT = {"RECONCILER_VENV", "RECONCILER_PYTHON"}

# No deadline and no complaint about slowness anywhere: a busy machine is no bug of ours. A failure
# always prints the line that repeats it.
settings.register_profile(
    "dev", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
# The same examples at every run: a red build means that the change broke something. New examples
# are searched for by the other two.
settings.register_profile("ci", settings.get_profile("dev"), derandomize=True, database=None)
settings.register_profile("thorough", settings.get_profile("dev"), max_examples=5_000)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if "CI" in os.environ else "dev")
)


def _settings_of_the_caller() -> list[str]:
    return [name for name in os.environ if name.startswith("RECONCILER_") and name not in KEPT]


@pytest.fixture(autouse=True)
def _no_settings_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removes the RECONCILER_ variables, a real token among them, from the sight of each test."""
    for name in _settings_of_the_caller():
        monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL of this test run, started when a test first asks it for a database."""
    found = Postgres()
    yield found
    found.close()


@pytest.fixture(params=DATABASES)
def ledger_url(request: pytest.FixtureRequest, tmp_path: Path, postgres: Postgres) -> Iterator[str]:
    """The URL of a new ledger, in each database in turn."""
    url = DATABASES[request.param](tmp_path, postgres)
    yield url
    if not url.startswith("sqlite:"):
        postgres.drop(url)
