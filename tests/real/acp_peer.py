"""An agent made of the protocol's own Python library, which validates each message: `python acp_peer.py`."""

from __future__ import annotations

import asyncio
from typing import Any

import acp
from acp.schema import PermissionOption, ToolCallUpdate


class Peer(acp.Agent):
    """Asks the client for all that it offers, and says in updates what came."""

    def on_connect(self, conn: Any) -> None:
        self._client = conn

    async def initialize(
        self, protocol_version: int, client_capabilities: Any = None, **_: Any
    ) -> Any:
        self._fs = client_capabilities.fs
        return acp.InitializeResponse(protocol_version=protocol_version)

    async def new_session(self, cwd: str, **_: Any) -> Any:
        self._cwd = cwd
        return acp.NewSessionResponse(session_id="s")

    async def prompt(self, prompt: Any, session_id: str, **_: Any) -> Any:
        path = f"{self._cwd}/peer.txt"
        options = [
            PermissionOption(option_id=kind, name=kind, kind=kind)
            for kind in ("reject_once", "allow_once")
        ]
        call = ToolCallUpdate(tool_call_id="c1", title="write")
        answer = await self._client.request_permission(
            options=options, session_id=session_id, tool_call=call
        )
        await self._client.write_text_file(session_id=session_id, path=path, content="a\nb\n")
        read = await self._client.read_text_file(session_id=session_id, path=path, line=2, limit=1)
        said = [prompt[0].text, answer.outcome.option_id, read.content, self._fs.read_text_file]
        for text in map(str, said):
            update = acp.update_agent_message_text(text)
            await self._client.session_update(session_id=session_id, update=update)
        return acp.PromptResponse(stop_reason="end_turn")


asyncio.run(acp.run_agent(Peer()))
