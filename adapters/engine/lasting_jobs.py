"""The end of a job, said so that no job outlives it and keeps its lane."""

from __future__ import annotations

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
