"""Which job runs where: free capacity of nodes, their images, and nodes that a job must avoid."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from arena.jobs import Needs, Node, StageJob

# Jobs to examine for one whose image the node has.
LOOK = 64


class _Room:
    """A node and its used capacity. A capacity of 0 bytes is unknown, and never exhausted."""

    def __init__(self, node: Node) -> None:
        self.node = node
        self.jobs = self.sandboxes = self.builds = self.memory = self.disk = 0
        # Images that jobs in flight here are bringing.
        self.coming: defaultdict[str, int] = defaultdict(int)

    def could(self, needs: Needs) -> bool:
        """Whether the node, if empty, has enough capacity."""
        capacity = self.node.capacity
        return (
            needs.sandboxes <= capacity.sandboxes
            and needs.builds <= capacity.builds
            and (not capacity.memory or needs.memory <= capacity.memory)
            and (not capacity.disk or needs.disk <= capacity.disk)
        )

    def fits(self, needs: Needs) -> bool:
        capacity = self.node.capacity
        return (
            self.sandboxes + needs.sandboxes <= capacity.sandboxes
            and self.builds + needs.builds <= capacity.builds
            and (not capacity.memory or self.memory + needs.memory <= capacity.memory)
            and (not capacity.disk or self.disk + needs.disk <= capacity.disk)
        )

    @property
    def spare(self) -> int:
        """Sandboxes that are not in use."""
        return self.node.capacity.sandboxes - self.sandboxes

    def use(self, needs: Needs, sign: int) -> None:
        self.jobs += sign
        self.sandboxes += sign * needs.sandboxes
        self.builds += sign * needs.builds
        self.memory += sign * needs.memory
        self.disk += sign * needs.disk
        if needs.image:
            self.coming[needs.image] += sign

    def has(self, image: str) -> bool:
        return not image or image in self.node.images or self.coming[image] > 0


class Placement:
    """The nodes of an engine and their free capacity. Not thread-safe."""

    def __init__(self, nodes: Iterable[Node] = ()) -> None:
        self._rooms: dict[str, _Room] = {}
        for node in nodes:
            self.join(node)

    def join(self, node: Node) -> None:
        self._rooms[node.name] = _Room(node)

    def lose(self, name: str) -> None:
        self._rooms.pop(name, None)

    @property
    def nodes(self) -> list[Node]:
        return [room.node for room in self._rooms.values()]

    def never(self, needs: Needs) -> str:
        """Why no node could take such a job even if empty; "" if any could, or if there is no node."""
        if not self._rooms or any(room.could(needs) for room in self._rooms.values()):
            return ""
        return f"no node has room for {describe(needs)}"

    def pick(self, jobs: Sequence[StageJob]) -> tuple[int, str] | None:
        """(Index, node) of the job to start next, with its capacity reserved; None if no node has capacity.

        It is the first of `LOOK` jobs that has a node with its image at hand, where it met no fault;
        else the first that fits anywhere, on the node with the least load. So attempts of the same task come
        together, and no machine stands idle for that.
        """
        fallback: tuple[int, _Room] | None = None
        least = min((job.needs.sandboxes for job in jobs[:LOOK]), default=0)
        roomy = [room for room in self._rooms.values() if room.spare >= least]
        for index, job in enumerate(jobs[:LOOK]):
            rooms = self._nodes_without_fault(job) if job.avoid else roomy
            free = [room for room in rooms if room.fits(job.needs)]
            if not free:
                continue
            best = min(free, key=lambda room: self._rank(room, job))
            if len(self._rooms) == 1 or best.has(job.needs.image):
                fallback = index, best
                break
            fallback = fallback or (index, best)
        if fallback is None:
            return None
        index, room = fallback
        room.use(jobs[index].needs, 1)
        return index, room.node.name

    def _nodes_without_fault(self, job: StageJob) -> list[_Room]:
        """The nodes where a job met no fault and that could take it; all nodes, if there is none."""
        rooms = list(self._rooms.values())
        fresh = [room for room in rooms if room.node.name not in job.avoid]
        return fresh if any(room.could(job.needs) for room in fresh) else rooms

    @staticmethod
    def _rank(room: _Room, job: StageJob) -> tuple[bool, float, str]:
        full = room.sandboxes / max(1, room.node.capacity.sandboxes)
        # The name comes last, so that equal nodes are chosen alike in every run.
        return not room.has(job.needs.image), full, room.node.name

    def leave(self, job: StageJob, name: str, images: Iterable[str] = ()) -> None:
        """A job left a node, which has these images now."""
        room = self._rooms.get(name)
        # The node was lost while the job came back.
        if room is None:
            return
        room.use(job.needs, -1)
        room.node.images.update(images)


def describe(needs: Needs) -> str:
    """Needs in words."""
    parts = [f"{needs.sandboxes} sandboxes", f"{needs.builds} builds"]
    parts += [f"{needs.memory >> 20} MiB of memory"] if needs.memory else []
    parts += [f"{needs.disk >> 20} MiB of disk"] if needs.disk else []
    return ", ".join(parts)
