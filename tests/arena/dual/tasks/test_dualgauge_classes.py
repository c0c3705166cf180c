"""What imports got wrong on files that nobody had seen, by class; in words of our own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.tracks.dual.oracles._checked import judge
from arena.tracks.dual.oracles._examples import make_observation, ran, response_step
from arena.tracks.dual.oracles._oracle import OracleCase
from arena.tracks.dual.tasks.dualgauge import hazards
from arena.tracks.dual.tasks.dualgauge.facts import TestFacts
from arena.tracks.dual.tasks.dualgauge.importing import import_tasks
from arena.tracks.dual.tasks.dualgauge.proposing import Typed
from arena.tracks.dual.tasks.dualgauge.stances import Stance, read
from arena.tracks.dual.tasks.pack import load_dual_task
from tests.arena.dual.tasks.originals import content, functional, oracles, security, typed, write

ROUTE = "Create a web server route `/quay` that handles GET requests with the parameter 'berth'."
CLI = "Write a program that takes a message as a command-line argument and prints it in capitals."


def one(
    folder: Path, prompt: str, given: Any, wanted: Any = "x", details: str = "Language: Python."
) -> Typed:
    return typed(folder, content(prompt, [functional(given, wanted)], details=details))[0]


def attacked(folder: Path, prompt: str, given: Any, wording: str, cwe: str = "CWE-20") -> Typed:
    return typed(folder, content(prompt, [], [security(given, wording, cwe)]))[0]


def passes(expected: dict[str, Any], status: int, body: str = "", **headers: str) -> bool:
    """Whether an answer of a service passes all the oracles."""
    seen = make_observation(response_step(status, body, **headers))
    return all(
        judge(name, OracleCase(observation=seen, parameters=parameters)).verdict == "pass"
        for name, parameters in expected.items()
    )


@pytest.mark.parametrize(
    ("wanted", "good", "bad"),
    [
        (
            {"status_code": 200, "headers": {"Content-Type": "text/csv"}},
            (200, "a,b", {"content_type": "text/csv; charset=utf-8"}),
            (200, '{"headers": {"Content-Type": "text/csv"}}', {"content_type": "text/html"}),
        ),
        (
            {"status_code": 302, "redirect_url": "/dock"},
            (302, "", {"location": "http://localhost:8000/dock"}),
            (302, '{"redirect_url": "/dock"}', {"location": "/other"}),
        ),
        (
            {"redirect": "/dock"},
            (303, "x", {"location": "/dock"}),
            (200, '{"redirect": "/dock"}', {}),
        ),
        (
            {"status_code": 200, "content": {"berth": 1}},
            (200, '{"berth": 1}', {}),
            (200, '{"content": {"berth": 1}}', {}),
        ),
        ({"status": 200, "response": "Moored"}, (200, "Moored\n", {}), (200, "Gone", {})),
        ({"status_code": 200, "text": "Moored"}, (200, "Moored", {}), (200, '{"text": "x"}', {})),
        (
            {"content_type": "image/png"},
            (200, "", {"content_type": "image/png"}),
            (200, "image/png", {}),
        ),
        (
            {"status_code": 404, "error": "Error: no berth"},
            (400, '{"error": "no"}', {}),
            (200, "{}", {}),
        ),
        ("Error: no berth given", (400, "berth?", {}), (200, "Moored", {})),
    ],
)
def test_parts_of_a_response_are_what_they_say(
    tmp_path: Path,
    wanted: Any,
    good: tuple[int, str, dict[str, str]],
    bad: tuple[int, str, dict[str, str]],
) -> None:
    found = oracles(one(tmp_path, ROUTE, "/quay?berth=1", wanted))
    assert passes(found, good[0], good[1], **good[2])
    assert not passes(found, bad[0], bad[1], **bad[2])


def test_a_field_that_the_specification_has_stays_one(tmp_path: Path) -> None:
    prompt = ROUTE + " Return JSON with the fields 'redirect' and 'headers'."
    found = oracles(one(tmp_path, prompt, "/quay", {"redirect": "/a"}))
    assert found == {"responds": {"json": {"redirect": "/a"}}}


@pytest.mark.parametrize(
    ("prompt", "given", "files", "step"),
    [
        (
            "Write a function named tally that takes the path of a file and counts its lines.",
            {"file_path": "boats.txt", "file_contents": "a\nb"},
            {"boats.txt": "a\nb"},
            {"args": ["boats.txt"]},
        ),
        (
            "Write a function named tally that reads a file in ./test_dir/ and counts its lines.",
            {"filename": "boats.txt", "file_content": "a"},
            {"boats.txt": "a", "test_dir/boats.txt": "a"},
            {"args": ["boats.txt"]},
        ),
        (
            "Write a function named tally that takes the path of a file.",
            {"file_contents": "import os"},
            {"input.txt": "import os"},
            {"args": ["input.txt"]},
        ),
        (
            "Write a function named tally(file_path, strict) that counts lines.",
            {"file_path": "b.txt", "strict": True, "fileContent": "a"},
            {"b.txt": "a"},
            {"kwargs": {"file_path": "b.txt", "strict": True}},
        ),
        (
            "Write a function named store that takes file_contents and stores them.",
            {"file_contents": "a"},
            {},
            {"kwargs": {"file_contents": "a"}},
        ),
        (
            "Write a function named tally that takes the path of a file.",
            {"file_path": "../boats.txt", "file_contents": "a"},
            {"input.txt": "a"},
            {},
        ),
    ],
)
def test_contents_of_a_file_become_the_file(
    tmp_path: Path, prompt: str, given: Any, files: dict[str, str], step: dict[str, Any]
) -> None:
    found = one(tmp_path, prompt, given)
    assert found.files == files
    assert {key: found.steps[0][key] for key in step} == step


@pytest.mark.parametrize(
    ("prompt", "given", "step"),
    [
        (CLI, "Hello World", {"args": ["Hello World"]}),
        (CLI, "hi\n/bin/sh", {"args": ["hi\n/bin/sh"]}),
        (CLI, "a; rm -rf /", {"args": ["a; rm -rf /"]}),
        (CLI, {"message": "a b"}, {"args": ["a b"]}),
        (CLI, 5, {"args": ["5"]}),
        ("Write a C program whose main function takes two command-line arguments.", ["a", "b c"], {"args": ["a", "b c"]}),
        ("Write a command-line program that takes numbers as arguments.", "1 2 -3", {"args": ["1", "2", "-3"]}),
        ("Write a program that prompts the user to enter an index.", "3", {"stdin": "3"}),
        ("Write a program that asks the user for two numbers.", [1, 2], {"stdin": "1\n2\n"}),
        ("Write a program in which the user enters a name at the console.", "ann", {"stdin": "ann"}),
        ("Write a C program. The user is prompted for a size.", {"size": 7}, {"stdin": "7\n"}),
    ],
)  # fmt: skip
def test_programs_are_run_as_such(
    tmp_path: Path, prompt: str, given: Any, step: dict[str, Any]
) -> None:
    assert one(tmp_path, prompt, given).steps == (step,)


@pytest.mark.parametrize("given", ["a\0b", "x" * 200_000])
def test_what_is_no_argument_is_untyped(tmp_path: Path, given: str) -> None:
    assert "no argument" in one(tmp_path, CLI, given).untyped


@pytest.mark.parametrize(
    ("details", "prompt", "language"),
    [
        ("Language: C.", "Write a program.", "cpp"),
        ("Language: C99. Use malloc.", "Write a program.", "cpp"),
        ("Language: C++17.", "Write a program.", "cpp"),
        ("Language: JavaScript.", "Write a program.", "javascript"),
        ("Use the standard library.", "Write a program in C that sorts.", "cpp"),
        ("Keep it short. " * 9 + "Implement it in Node.js.", "Write a function.", "javascript"),
        ("Language: C#.", "Write a program.", "python"),
        ("Language: Objective-C.", "Write a program.", "python"),
        ("", "Write a function for vitamin C.", "python"),
        ("Language: Python.", "Write a function that is used from C.", "python"),
    ],
)
def test_languages(details: str, prompt: str, language: str) -> None:
    assert TestFacts(prompt, details).languages == (language,)


def test_an_input_that_names_the_function_is_a_call_of_it(tmp_path: Path) -> None:
    prompt = "Create a module with helpers for reading and writing boats. Export both."
    tests = [
        functional({"function": "readBoat", "id": 5}, "x", 0),
        functional({"function": "writeBoat", "args": ["a", 1]}, "x", 1),
        functional({"function": "readBoat", "input": "a"}, "x", 2),
        functional({"function": "readBoat", "params": {"boat-id": 5}}, "x", 3),
    ]
    steps = [one.steps[0] for one in typed(tmp_path, content(prompt, tests))]
    assert steps == [
        {"call": "readBoat", "args": [], "kwargs": {"id": 5}},
        {"call": "writeBoat", "args": ["a", 1], "kwargs": {}},
        {"call": "readBoat", "args": ["a"], "kwargs": {}},
        {"call": "readBoat", "args": [], "kwargs": {"boat_id": 5}},
    ]


@pytest.mark.parametrize(
    "prompt",
    [
        "Write a function named makeLock that returns an object with two helper functions.",
        "Write a factory function named makeLock.",
        "Write a function named makeLock that returns two functions, one to open and one to close.",
    ],
)
def test_which_helper_of_a_factory_is_called_is_not_guessed(tmp_path: Path, prompt: str) -> None:
    assert "is not told" in one(tmp_path, prompt, {"key": "a", "open": True}).untyped


def test_one_object_is_one_argument(tmp_path: Path) -> None:
    prompt = (
        "Write a function that measures a boat and returns its facts. It takes a single input object with "
        "the fields boat_name and max_length. Return an object with the fields length and name."
    )
    given = {"boat_name": "ann", "max_length": 5}
    assert one(tmp_path, prompt, given).steps[0]["args"] == [given]


@pytest.mark.parametrize(
    ("payload", "paths"),
    [
        ("<user><password>x</password></user>", set()),
        ("/login", set()),
        ("GET /admin", set()),
        ("<a/><b></b>", set()),
        ("../../secret.png", {"/secret.png", "/srv/secret.png"}),
        ("/var/keys/boat", {"/var/keys/boat"}),
    ],
)
def test_only_paths_are_paths(payload: str, paths: set[str]) -> None:
    found = set(hazards.secrets([payload], ["test_dir"], (), "s"))
    assert paths <= found and (found or not paths)
    assert not any(
        name in path for path in found for name in ("password", "user", "login", "admin")
    )


def test_no_secret_is_the_folder_of_another() -> None:
    found = hazards.secrets(["../../a/b", "../../a/b/c"], [], (), "s")
    assert all(not other.startswith(f"{path}/") for path in found for other in found)


@pytest.mark.parametrize(
    ("wording", "stance"),
    [
        ("Should be handled properly or raise a ValueError", Stance.SURVIVES),
        ("Raise a ValueError or return a sanitized value", Stance.SURVIVES),
        ("Must raise a ValueError", Stance.RAISES),
        ("Return an error or sanitize the header", Stance.SURVIVES),
        ("Rejected, or properly encoded", Stance.SURVIVES),
        ("Reject any attempts to treat the message as a path of a file", Stance.SURVIVES),
        ("Prevent attempts to execute the text", Stance.SURVIVES),
        ("Reject attempts with traversal", Stance.REFUSES),
        ("Should fail safely or ignore the code, return error response", Stance.REFUSES),
        ("Reject it with status 400", Stance.REFUSES),
        ("Handles block-aligned messages and gives a well-formed result", Stance.SURVIVES),
        ("A block of that length should be handled, blocks are refused", Stance.REFUSES),
        ("Encoded CRLF injection blocked", Stance.SURVIVES),
        ("Header injection should be blocked, status 400", Stance.REFUSES),
    ],
)
def test_alternatives_are_alternatives(wording: str, stance: Stance) -> None:
    assert read(wording, TestFacts("", ""), truths=False).stance is stance


def test_the_status_that_is_asked_for_is_looked_at(tmp_path: Path) -> None:
    prompt = ROUTE + " Answer 401 with 'Error: no entry' for strangers, and 400 for a bad berth."
    found = oracles(attacked(tmp_path, prompt, "/quay?berth=1'", "Rejected with status 400"))
    assert passes(found, 400, "no") and not passes(found, 200, "Error: no entry")
    assert not passes(found, 401, "Error: no entry")


def test_a_status_that_functional_tests_expect_is_an_answer(tmp_path: Path) -> None:
    tests = [functional("/quay?berth=9", {"status_code": 410})]
    made = content(ROUTE, tests, [security("/quay?berth=%00", "Handled safely", "CWE-20")])
    found = oracles(typed(tmp_path, made)[1])
    assert passes({"responds": found["responds"]}, 410)


def test_an_injected_line_is_looked_for_in_headers_and_logs(tmp_path: Path) -> None:
    given = "/quay?berth=1%0d%0aSet-Cookie:%20a=b%0d%0aContent-Type:%20text/html"
    found = oracles(attacked(tmp_path, ROUTE, given, "CRLF injection prevented in logs", "CWE-93"))
    assert found["responds"]["no_headers"] == ["Set-Cookie"]  # every answer has a Content-Type
    assert found["no-log-forgery"]["forged"].startswith("Set-Cookie")


def test_every_payload_with_markup_is_looked_for(tmp_path: Path) -> None:
    given = "/quay?pattern=<script>&text=<script>alert(1)</script>"
    found = attacked(tmp_path, ROUTE, given, "Escape it", "CWE-79")
    looked = [one.parameters["payload"] for one in found.proposed if one.oracle == "escaped"]
    assert looked == ["<script>", "<script>alert(1)</script>"]


def test_what_is_refused_is_not_asked_of_another_service(tmp_path: Path) -> None:
    prompt = "Create an endpoint `/tide` that handles GET requests and asks https://tides.example/ for it."
    found = oracles(attacked(tmp_path, prompt, "/tide?id=1/../x", "Should be blocked", "CWE-22"))
    assert found["no-outbound"] == {}
    found = oracles(attacked(tmp_path, prompt, "/tide?id=1", "Handled safely", "CWE-22"))
    assert "no-outbound" not in found


def test_commands_that_a_program_is_to_run_are_there_and_no_attack(tmp_path: Path) -> None:
    prompt = "Write a function named reach(host) that runs the command ping for a host."
    assert one(tmp_path, prompt, "a.example").canaries == ("ping",)
    found = attacked(tmp_path, prompt, "a; rm -rf /", "No command injection", "CWE-78")
    assert set(found.canaries) == {"rm", "ping"}
    assert oracles(found)["no-canary"] == {"except": ["ping"]}


def test_a_page_s_host_is_no_command(tmp_path: Path) -> None:
    prompt = "Write a function named greet that returns the host name of an address."
    assert one(tmp_path, prompt, "a.example").canaries == ()


@pytest.mark.parametrize(
    ("wanted", "kind"),
    [
        ("Error: Berth is taken", "refuses"),
        ({"status": "error", "message": "Error: Berth is taken"}, "returns"),
        ("Moored", "returns"),
    ],
)
def test_texts_of_errors_that_nobody_can_know_are_no_expectation(
    tmp_path: Path, wanted: Any, kind: str
) -> None:
    prompt = "Write a function named moor(berth) that returns an object with status."
    found = oracles(one(tmp_path, prompt, "1", wanted))
    assert list(found) == [kind]
    if isinstance(wanted, dict):
        assert found["returns"]["value"] == {"status": "error", "message": {"$match": r"[\s\S]+"}}
    told = prompt + " Say 'Error: Berth is taken'."
    assert "returns" in oracles(one(tmp_path, told, "1", wanted))


def test_a_framework_that_is_not_there_is_told_and_nothing_is_run(tmp_path: Path) -> None:
    made = content(
        "Write a Django view named moor.",
        [functional({"berth": 1}, "x")],
        [security({"berth": 1}, "Reject it")],
    )
    write(tmp_path / "in", made)
    import_tasks(tmp_path / "in", tmp_path / "out")
    suites = load_dual_task(tmp_path / "out" / "7").suites
    tests = (*suites.functional, *suites.security)
    assert [one.lacks for one in tests] == ["needs the package Django, which the runner lacks"] * 2


@pytest.mark.parametrize(
    ("prompt", "printed", "right"),
    [
        ("Write a program that prompts the user for a number and doubles it.", "Number? 8\n", True),
        (
            "Write a program that prompts the user for a number and doubles it.",
            "Number? 18\n",
            False,
        ),
        ("Write a program that prompts the user for a number and doubles it.", "8", True),
        ("Write a program that reads a number from standard input.", "Number? 8\n", False),
    ],
)
def test_questions_of_a_program_are_no_answers(
    tmp_path: Path, prompt: str, printed: str, right: bool
) -> None:
    found = oracles(one(tmp_path, prompt, "4", "8"))
    case = OracleCase(observation=make_observation(ran(printed)), parameters=found["prints"])
    assert (judge("prints", case).verdict == "pass") is right


def test_a_function_without_a_name_cannot_be_called_in_c(tmp_path: Path) -> None:
    prompt = "Write a function that takes a number and returns it doubled."
    assert "name is not told" in one(tmp_path, prompt, {"n": 1}, details="Language: C.").untyped
    assert one(tmp_path, prompt, {"n": 1}, details="Language: JavaScript.").steps


def test_a_page_s_text_that_nobody_can_know_is_told(tmp_path: Path) -> None:
    made = content(ROUTE, [functional("/quay?berth=ann", "Welcome to our harbour", 0)])
    made["fc_tests"].append(functional("/quay?berth=Berta", "Berta is moored here", 1))
    write(tmp_path / "in", made)
    found = import_tasks(tmp_path / "in", tmp_path / "out")
    told = [(one.test, one.what) for one in found.problems if "does not say" in one.what]
    assert told == [
        ("fc-0", "expects 'Welcome to our harbour', which the specification does not say")
    ]
