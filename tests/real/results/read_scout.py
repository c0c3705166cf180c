"""Prints what Inspect Scout reads of a folder of logs, as JSON: run by its environment's Python."""

from __future__ import annotations

import asyncio
import json
import sys

from inspect_scout import (  # type: ignore[import-not-found,unused-ignore]
    Result,
    Transcript,
    scan,
    scan_results_df,
    scanner,
    transcripts_from,
)

logs, scans = sys.argv[1:]
INFO = ("task_id", "task_repeat", "agent", "model", "score", "success", "limit", "total_tokens")


@scanner(messages="all", events="all")  # type: ignore[untyped-decorator,unused-ignore]
def facts():  # type: ignore[no-untyped-def]
    async def read(transcript: Transcript) -> Result:
        roles = [message.role for message in transcript.messages]
        calls = sum(event.event == "model" for event in transcript.events)
        return Result(value={"roles": roles, "calls": calls})

    return read


async def index() -> dict[str, dict[str, object]]:
    async with transcripts_from(logs).reader() as reader:
        return {
            info.transcript_id: {
                **{name: getattr(info, name) for name in INFO},
                "error": info.error,
            }
            async for info in reader.index()
        }


if __name__ == "__main__":  # Scout starts processes that import this file
    transcripts = asyncio.run(index())
    status = scan([facts()], transcripts=transcripts_from(logs), scans=scans, display="none")
    frame = scan_results_df(status.location).scanners["facts"]
    for _, row in frame.iterrows():
        transcripts[row["transcript_id"]] |= json.loads(row["value"])
    print(json.dumps({"complete": status.complete, "transcripts": list(transcripts.values())}))
