from dataclasses import dataclass
from enum import Enum
from itertools import count

LARGE = 200


class Refused(PermissionError):
    """This user may not do that to the job."""


class State(str, Enum):
    WAITING = "waiting"
    PRINTED = "printed"
    CANCELLED = "cancelled"


@dataclass
class Job:
    owner: str
    pages: int
    state: State = State.WAITING


class PrintQueue:
    def __init__(self) -> None:
        self._jobs: dict[int, Job] = {}
        self._numbers = count(1)

    def submit(self, user: str, pages: int) -> int:
        if pages < 1:
            raise ValueError("nothing to print")
        number = next(self._numbers)
        self._jobs[number] = Job(user, pages)
        return number

    def pages_waiting(self) -> int:
        return sum(job.pages for job in self._jobs.values() if job.state is State.WAITING)

    def cancel(self, job_id: int, user: str, is_operator: bool = False) -> str:
        job = self._job(job_id)
        if job.owner != user and not is_operator:
            raise Refused("not your job")
        return self._end(job, State.CANCELLED).state.value

    def release(self, job_id: int, user: str, is_operator: bool = False) -> int:
        job = self._job(job_id)
        if job.pages > LARGE and not is_operator:
            raise Refused("large jobs are released by operators")
        if job.pages <= LARGE and job.owner != user:
            raise Refused("not your job")
        return self._end(job, State.PRINTED).pages

    def _job(self, job_id: int) -> Job:
        if job_id not in self._jobs:
            raise LookupError(f"no job {job_id}")
        return self._jobs[job_id]

    @staticmethod
    def _end(job: Job, state: State) -> Job:
        if job.state is not State.WAITING:
            raise ValueError(f"the job is {job.state.value}")
        job.state = state
        return job
