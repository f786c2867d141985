"""A file that appears whole stands where it was meant to; nothing else gives way to it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adapters.cli.batch_plan_file import PlanWriter
from adapters.cli.whole_file import FileLost, target_of


def test_a_new_file_and_one_that_stands_are_meant_themselves(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.write_text("before")

    assert target_of(tmp_path / "new") == tmp_path / "new"
    assert target_of(old) == old


def test_a_link_stays_a_link_to_what_is_written(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "target")

    assert target_of(link) == (tmp_path / "target").resolve()


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_what_is_no_file_is_refused_and_left(tmp_path: Path, kind: str) -> None:
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    output = {"pipe": pipe, "device": Path("/dev/null"), "folder": folder}[kind]

    with pytest.raises(FileLost, match="a folder" if kind == "folder" else "a device or a pipe"):
        target_of(output)
    with pytest.raises(FileLost):
        PlanWriter(output)
    assert not output.is_file()
    assert sorted(tmp_path.iterdir()) == [folder, pipe]
