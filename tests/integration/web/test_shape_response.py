"""The JSON of an answer is what the framework would write."""

from __future__ import annotations

import json
from typing import Any

import pytest
from fastapi.responses import JSONResponse

from adapters.web.shape_response import ShapeResponse


@pytest.mark.parametrize(
    "shape",
    [{}, {"a": [None, True, 5, 2**63, 1.5]}, {"name": "Frühling – Ω \x00\x7f\u2028</script>\"\\"}],
)  # fmt: skip
def test_it_is_written_alike(shape: Any) -> None:
    assert ShapeResponse(shape).body == JSONResponse(shape).body


def test_half_a_character_is_escaped_and_no_fault() -> None:
    shape = {"name": "Spring \ud800"}

    assert json.loads(bytes(ShapeResponse(shape).body)) == shape
