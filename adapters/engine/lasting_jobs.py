"""What is said of jobs, so that one that could not be said harms no other."""

from __future__ import annotations

from contextlib import suppress

import psycopg
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import Job, Status
from procrastinate.manager import JobManager


class LastingJobs(JobManager):
    """`is_lost`: an end could not be said. Its job would lock its lane for as long as we beat, so
    whoever drives us is to start anew, under another name."""

    is_lost: bool = False

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:
        """A job that was taken away meanwhile has ended all the same. Raises nothing."""
        try:
            await super().finish_job(job, status, delete_job)
        except ConnectorException as error:
            self.is_lost = not isinstance(error.__cause__, psycopg.errors.RaiseException)

    async def defer_periodic_job(
        self, job: Job, periodic_id: str, defer_timestamp: int
    ) -> int | None:
        """Every worker says each of them, and they may deadlock: one that is not said, None, is
        said by another or at its next time. It would end the worker otherwise."""
        with suppress(ConnectorException):
            return await super().defer_periodic_job(job, periodic_id, defer_timestamp)
        return None
