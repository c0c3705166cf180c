"""The normalised trajectory: valid ATIF, every call and message in it once, whatever the agent does to its history."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.agents._atif import to_atif
from harness.gateway.neutral import Reply, Tokens, ToolCall
from harness.gateway.record import Recorded, RecordedCall
from parsers.registry import lookup
from tests.harness.agents.atif_format import check_trajectory

CHAT = lookup("harness.gateway.dialects", "chat")
SYSTEM = {"role": "system", "content": "You edit."}
TASK = {"role": "user", "content": "Fix the parser."}
TOOLS = [{"type": "function", "function": {"name": "bash"}}]


class Attempt:
    """Records calls as an agent on the chat dialect makes them."""

    def __init__(self) -> None:
        self.calls: list[RecordedCall] = []

    def ask(
        self, messages: list[Any], reply: Reply, tools: Any = TOOLS, **told: Any
    ) -> dict[str, Any]:
        """The assistant's message of the answer."""
        number = len(self.calls)
        body = {"model": "arena-x", "messages": list(messages)} | (
            {"tools": tools} if tools else {}
        )
        answer = CHAT.render(reply, "arena-x", number)
        facts = {"tokens": Tokens(100, 10, 60, 0, 4), "usd": 0.01, "seconds": 1.5, "at": 1.8e9}
        self.calls.append(
            RecordedCall(
                number,
                "chat",
                body,
                **{"answer": answer, "status": 200, "answered": True, **facts, **told},
            )
        )
        message: dict[str, Any] = answer["choices"][0]["message"]
        return message

    def atif(self, torn: str = "") -> dict[str, Any]:
        made = to_atif(
            Recorded(tuple(self.calls), torn),
            agent="mini",
            version="2.4.6",
            model="arena-x",
            session="s1",
        )
        check_trajectory(made)
        return made


def bash(id_: str, command: str, text: str = "") -> Reply:
    return Reply(text, (ToolCall(id_, "bash", json.dumps({"command": command})),), stop="tools")


def result(id_: str, text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id_, "content": text}


def told(made: dict[str, Any]) -> list[tuple[str, str]]:
    return [(step["source"], step["message"]) for step in made["steps"]]


def grown(turns: int) -> tuple[Attempt, list[Any]]:
    attempt, history = Attempt(), [SYSTEM, TASK]
    for n in range(turns):
        said = attempt.ask(history, bash(f"c{n}", f"ls {n}", f"I look {n}."))
        history += [said, result(f"c{n}", f"file{n}")]
    return attempt, history


def test_a_conversation_becomes_steps() -> None:
    attempt, history = grown(2)
    attempt.ask(history, Reply("Done.", reasoning="It works."))
    made = attempt.atif()
    assert told(made) == [
        ("system", "You edit."),
        ("user", "Fix the parser."),
        ("agent", "I look 0."),
        ("agent", "I look 1."),
        ("agent", "Done."),
    ]
    second = made["steps"][3]
    assert second["tool_calls"] == [
        {"tool_call_id": "c1", "function_name": "bash", "arguments": {"command": "ls 1"}}
    ]
    assert second["observation"] == {"results": [{"source_call_id": "c1", "content": "file1"}]}
    assert second["metrics"]["prompt_tokens"] == 100
    assert second["metrics"]["cached_tokens"] == 60
    assert second["llm_call_count"] == 1
    assert second["timestamp"].startswith("2027-01-15T08:00:00")
    assert made["steps"][4]["reasoning_content"] == "It works."
    assert "subagent_trajectories" not in made


def test_the_sums_are_those_of_the_steps_and_the_bill_that_of_the_attempt() -> None:
    attempt, history = grown(3)
    attempt.ask([{"role": "user", "content": "Give a title"}], Reply("Parser"), tools=None)
    final = attempt.atif()["final_metrics"]
    assert (final["total_prompt_tokens"], final["total_completion_tokens"]) == (300, 30)
    assert (final["total_cached_tokens"], final["total_steps"]) == (180, 5)
    assert final["total_cost_usd"] == pytest.approx(0.03)
    assert final["extra"]["attempt_calls"] == 4
    assert final["extra"]["attempt_cost_usd"] == pytest.approx(0.04)
    assert len(history) == 8


def test_a_title_is_a_conversation_of_its_own() -> None:
    attempt = Attempt()
    attempt.ask([{"role": "system", "content": "Titles."}, TASK], Reply("Parser fix"), tools=None)
    said = attempt.ask([SYSTEM, TASK], bash("c0", "ls"))
    attempt.ask([SYSTEM, TASK, said, result("c0", "a.c")], Reply("Done."))
    made = attempt.atif()
    assert made["extra"]["calls"] == [1, 2]
    (title,) = made["subagent_trajectories"]
    assert (title["extra"]["calls"], title["trajectory_id"]) == ([0], "s1-1")
    assert told(title)[-1] == ("agent", "Parser fix")


def test_a_sub_agent_is_referred_to_by_the_call_that_started_it() -> None:
    attempt, history = grown(2)
    prompt = "Find every caller of the function parse_header."
    task = Reply("", (ToolCall("t1", "task", json.dumps({"prompt": prompt})),), stop="tools")
    said = attempt.ask(history, task)
    sub: list[Any] = [
        {"role": "system", "content": "You search."},
        {"role": "user", "content": prompt},
    ]
    found = attempt.ask(sub, bash("s0", "grep parse_header"))
    attempt.ask([*sub, found, result("s0", "main.c")], Reply("main.c calls it"))
    attempt.ask([*history, said, result("t1", "main.c calls it")], Reply("Done."))
    made = attempt.atif()
    assert made["extra"]["calls"] == [0, 1, 2, 5]
    assert [sub["extra"]["calls"] for sub in made["subagent_trajectories"]] == [[3, 4]]
    (answer,) = made["steps"][4]["observation"]["results"]
    assert answer["content"] == "main.c calls it"
    assert answer["subagent_trajectory_ref"] == [{"trajectory_id": "s1-1", "session_id": "s1"}]


def test_two_sub_agents_of_one_kind_are_told_apart() -> None:
    attempt, _ = grown(5)
    head = {"role": "system", "content": "You search."}
    note = {"role": "user", "content": "<reminder> be brief"}
    subs = [[head, note, {"role": "user", "content": f"Find {what}"}] for what in ("a", "b")]
    for n in range(2):
        for which, history in enumerate(subs):
            said = attempt.ask(history, bash(f"x{which}{n}", f"grep {which} {n}"))
            history += [said, result(f"x{which}{n}", f"hit {which} {n}")]
    subs_made = attempt.atif()["subagent_trajectories"]
    assert [sub["extra"]["calls"] for sub in subs_made] == [[5, 7], [6, 8]]


SUMMARY = "So far: the parser was read, the bug is in parse_header, a fix is under way."


def test_a_summary_in_place_of_the_history_loses_no_step() -> None:
    attempt, history = grown(4)
    please = {"role": "user", "content": "Summarise what was done."}
    attempt.ask([*history, please], Reply(SUMMARY))
    short: list[Any] = [SYSTEM, {"role": "user", "content": f"Continued. Summary:\n{SUMMARY}"}]
    said = attempt.ask(short, bash("c9", "make"))
    attempt.ask([*short, said, result("c9", "ok")], Reply("Done."))
    made = attempt.atif()
    assert "subagent_trajectories" not in made
    assert told(made)[2:] == [
        *[("agent", f"I look {n}.") for n in range(4)],
        ("user", "Summarise what was done."),
        ("agent", SUMMARY),
        ("system", "The agent replaced the history: 1 of 11 messages were kept."),
        ("user", f"Continued. Summary:\n{SUMMARY}"),
        ("agent", ""),
        ("agent", "Done."),
    ]
    replaced = made["steps"][8]["extra"]["context_management"]
    assert replaced == {"type": "compaction", "boundary": "replace"}
    assert [s["observation"]["results"][0]["content"] for s in made["steps"][2:6]] == [
        f"file{n}" for n in range(4)
    ]


def test_a_summary_that_another_conversation_made_is_known_as_well() -> None:
    attempt, history = grown(4)
    attempt.ask([{"role": "user", "content": "Condense: ..."}], Reply(SUMMARY), tools=None)
    attempt.ask([SYSTEM, TASK, {"role": "user", "content": SUMMARY}], Reply("Done."))
    made = attempt.atif()
    assert made["extra"]["calls"] == [0, 1, 2, 3, 5]
    assert ("user", SUMMARY) in told(made)
    assert len(history) == 10


def test_an_old_result_that_was_shortened_is_no_new_step() -> None:
    attempt, history = grown(3)
    history[3] = result("c0", "(1 line omitted)")
    attempt.ask(history, Reply("Done."))
    made = attempt.atif()
    assert [source for source, _ in told(made)] == [
        "system",
        "user",
        "agent",
        "agent",
        "agent",
        "agent",
    ]
    (first,) = made["steps"][2]["observation"]["results"]
    assert first == {"source_call_id": "c0", "content": "file0", "extra": {"rewritten": 1}}


def test_observations_that_are_plain_messages_are_kept_also_when_equal() -> None:
    attempt, history = Attempt(), [SYSTEM, TASK]
    for n in range(3):
        said = attempt.ask(history, Reply(f"```bash\ntrue {n}\n```"), tools=None)
        history += [said, {"role": "user", "content": "returncode 0"}]
    attempt.ask(history, Reply("Done."), tools=None)
    assert told(attempt.atif()).count(("user", "returncode 0")) == 3


def test_what_the_agent_itself_put_in_is_not_taken_for_an_answer() -> None:
    attempt = Attempt()
    example = {"role": "assistant", "content": "An example answer."}
    attempt.ask([SYSTEM, example, TASK], Reply("Done."))
    steps = attempt.atif()["steps"]
    assert (steps[1]["message"], steps[1]["llm_call_count"]) == ("An example answer.", 0)
    assert steps[3]["llm_call_count"] == 1


def test_faults_are_steps_and_are_billed_only_where_they_cost() -> None:
    attempt = Attempt()
    fault = {"answer": None, "status": 502, "error": "provider failed", "tokens": None, "usd": 0.0}
    attempt.ask([SYSTEM, TASK], Reply(), **fault)
    attempt.ask([SYSTEM, TASK], Reply(), **{**fault, "usd": 0.5, "tokens": Tokens(9, 1)})
    attempt.ask(
        [SYSTEM, TASK],
        Reply(),
        answer={"error": {"message": "spent"}},
        status=401,
        tokens=None,
        usd=0.0,
    )
    attempt.ask(
        [SYSTEM, TASK], Reply(), answer=None, answered=False, status=0, tokens=None, usd=0.0
    )
    made = attempt.atif("r.gz: not closed")
    assert told(made)[2:] == [
        ("system", "No answer to call 0: provider failed"),
        ("agent", ""),
        ("system", "No answer to call 2: status 401"),
        ("system", "No answer to call 3: the attempt ended"),
    ]
    assert made["steps"][3]["extra"]["error"] == "provider failed"
    assert made["final_metrics"]["total_cost_usd"] == 0.5
    assert made["notes"] == "r.gz: not closed"


@pytest.mark.parametrize(
    "text", ['{"command": ', "[1]", '{"a": NaN}', '{"a": 1e999}', '{"a":' * 400 + "1" + "}" * 400]
)
def test_arguments_that_are_no_plain_object_are_kept_as_written(text: str) -> None:
    attempt = Attempt()
    attempt.ask([SYSTEM, TASK], Reply("", (ToolCall("c", "bash", text),), stop="tools"))
    (call,) = attempt.atif()["steps"][2]["tool_calls"]
    assert call["arguments"] == {"raw": text}


def test_an_attempt_without_a_call_says_so() -> None:
    assert told(Attempt().atif()) == [("system", "No call to a model was recorded.")]


def test_calls_that_cannot_be_read_are_not_lost() -> None:
    odd = RecordedCall(0, "chat", {"messages": 7}, {"choices": 1}, 200, usd=0.1, answered=True)
    other = RecordedCall(1, "telegraph", {}, None, 200, answered=True)
    made = to_atif(Recorded((odd, other)), agent="a", version="1", model="m", session="s")
    check_trajectory(made)
    assert made["final_metrics"]["extra"]["attempt_calls"] == 2
    assert len(made["subagent_trajectories"]) == 1


@pytest.mark.parametrize("wire", ["responses", "messages"])
def test_every_wire_gives_the_same_steps(wire: str) -> None:
    plug = lookup("harness.gateway.dialects", wire)
    call = ToolCall("call_1", "bash", '{"command": "ls"}')
    first = plug.render(Reply("I look.", (call,), stop="tools", tokens=Tokens(5, 5)), "m", 0)
    history: list[Any] = [{"role": "user", "content": "Fix it."}]
    if wire == "messages":
        body = {"system": "You edit.", "max_tokens": 9, "messages": history}
        done = {"type": "tool_result", "tool_use_id": "call_1", "content": "a.c"}
        later = [
            *history,
            {"role": "assistant", "content": first["content"]},
            {"role": "user", "content": [done]},
        ]
        second = {**body, "messages": later}
    else:
        body = {"instructions": "You edit.", "input": history}
        done = {"type": "function_call_output", "call_id": "call_1", "output": "a.c"}
        second = {**body, "input": [*history, *first["output"], done]}
    last = plug.render(Reply("Done.", tokens=Tokens(6, 1)), "m", 1)
    calls = (
        RecordedCall(0, wire, body, first, 200, answered=True),
        RecordedCall(1, wire, second, last, 200, answered=True),
    )
    made = to_atif(Recorded(calls), agent="a", version="1", model="m", session="s")
    check_trajectory(made)
    assert told(made) == [
        ("system", "You edit."),
        ("user", "Fix it."),
        ("agent", "I look."),
        ("agent", "Done."),
    ]
    assert made["steps"][2]["observation"]["results"][0]["content"] == "a.c"


names = st.sampled_from(["", "a", "b", "c0", "c1", "x" * 50])
messages = st.one_of(
    st.builds(
        lambda role, text: {"role": role, "content": text},
        st.sampled_from(["system", "user", "assistant"]),
        names,
    ),
    st.builds(result, names, names),
    st.builds(
        lambda id_: {
            "role": "assistant",
            "tool_calls": [{"id": id_, "function": {"name": "f", "arguments": "[]"}}],
        },
        names,
    ),
)
replies = st.builds(
    lambda text, ids: Reply(text, tuple(ToolCall(i, "f", "{}") for i in ids)),
    names,
    st.lists(names, max_size=2),
)


@given(st.lists(st.tuples(st.lists(messages, min_size=1, max_size=5), replies), max_size=6))
def test_whatever_is_asked_the_trajectory_is_valid_and_has_every_call(
    asked: list[tuple[list[Any], Reply]],
) -> None:
    attempt = Attempt()
    for history, reply in asked:
        attempt.ask(history, reply)
    made = attempt.atif()
    every = [made, *made.get("subagent_trajectories", [])]
    steps = [step for one in every for step in one["steps"]]
    answered = [step["extra"]["call"] for step in steps if step.get("llm_call_count") == 1]
    assert sorted(answered) == list(range(len(asked)))
    said = {
        text
        for history, _ in asked
        for m in history
        if m["role"] == "user" and (text := m["content"])
    }
    assert said <= {step["message"] for step in steps if step["source"] == "user"}
