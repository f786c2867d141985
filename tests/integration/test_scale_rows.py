"""The weights of rows are measured on the tables as they are now, whatever was added to them."""

from __future__ import annotations

from fixtures.scale.rows import TABLES, measured


def test_every_table_of_a_document_is_copied_and_weighed() -> None:
    weights = {weight.table: weight for weight in measured(50)}

    assert weights.keys() == set(TABLES)
    assert all(weight.row_bytes > 0 for weight in weights.values())
    assert [weights[table].rows_healthy for table in ("document", "item", "call")] == [1, 4, 4]
    assert (weights["evidence"].rows_healthy, weights["evidence"].rows_looked_at) == (0, 1)
