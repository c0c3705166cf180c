"""A recipe as it is read: packages, clones, steps; and the losses, each with its line."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.building.oss_fuzz.checkout import ProjectFolder, RecipeLost
from arena.building.oss_fuzz.image import _read_whole_recipe
from arena.building.oss_fuzz.packages import packages
from arena.building.oss_fuzz.recipe import Recipe, read_recipe, with_script
from images.base import BUILDER
from images.bootstrap import OLDER
from tests.arena.building.oss_fuzz.form import DOCKERFILE, FOLDER
from tests.szz.conftest import Maker, history  # noqa: F401 - a fixture

BASE = "FROM gcr.io/oss-fuzz-base/base-builder\n"


def read(dockerfile: str, **files: str) -> Recipe:
    whole = {**FOLDER, "Dockerfile": dockerfile, **files}
    return read_recipe(ProjectFolder("p", "tree", {n: t.encode() for n, t in whole.items()}))


def test_packages_clones_and_folders() -> None:
    found = read(DOCKERFILE)
    assert packages(found.apt, found.pip, "") == (("make", "zlib1g-dev"), ())
    assert found.clones == (
        "https://example.org/arena/brook.git",
        "https://example.org/arena/absent",
    )
    assert found.workdir == "/src/brook"
    assert [step.line for step in found.steps] == [3, 5, 6, 8]
    assert found.steps[1].clones == (("https://example.org/arena/brook.git", "/src/brook"),)
    assert found.steps[3].text == "/src/"
    assert {name for name, _ in found.steps[3].files} == {"build.sh", "fuzz_load.options"}


def test_what_scripts_ask_for_while_they_build() -> None:
    script = (
        "VERSION=2.71\nwget http://example.org/gnu/autoconf-$VERSION.tar.gz\n# git clone https://example.org/no\n"
        "apt-get update && apt-get install -y gawk\ngit clone --depth 1 \\\n  https://example.org/a/zlib z\n"
        "make install\npushd z\n"
    )
    found = read(BASE + "RUN git clone https://example.org/a/b", **{"build.sh": script})
    asked = ("https://example.org/a/zlib", "http://example.org/gnu/autoconf-2.71.tar.gz")
    assert (found.apt, found.building) == (("gawk",), asked)
    assert (found.clones, found.archives) == (("https://example.org/a/b", asked[0]), asked[1:])
    assert [step.clones for step in found.steps] == [(("https://example.org/a/b", "/src/b"),)]
    assert with_script(found, script) == found


@pytest.mark.parametrize(
    ("line", "cloned"),
    [
        ("timeout -k 5 60s git clone https://example.org/a/b", {"/src/b"}),
        ("nice -n 5 env X=1 git clone https://example.org/a/b c", {"/src/c"}),
        ('HEAD="$(git clone -q https://example.org/a/b)"', {"/src/b"}),
        ("x=`git clone https://example.org/a/b`", {"/src/b"}),
        ('git clone https://example.org/a/b "$(pwd)"', {"/src"}),
        ("D=$(cd sub && pwd); git clone https://e.org/b", {"/src/b"}),
        ("(cd x && N=$(ls | wc -l) && git clone https://e.org/b)", {"/src/x/b"}),
        ("pushd x && make && popd && git clone https://e.org/b", {"/src/b"}),
        ("for r in a b; do cd $r; make; cd ..; done; git clone https://e.org/b", {"/src/b"}),
        ("git -c a=b -C x clone https://e.org/b $PWD/c", {"/src/c"}),
        (
            "for r in a b; do while ! git clone https://e.org/$r; do x; done; git clone https://e.org/$r-x; done",
            {"/src/a", "/src/b", "/src/a-x", "/src/b-x"},
        ),
        (
            "f() { git clone https://e.org/b; }; case $A in x) git clone https://e.org/c;; esac",
            {"/src/b", "/src/c"},
        ),
        ('bash -ec "git clone https://e.org/b"', {"/src/b"}),
        ("# see a; git clone https://e.org/b", set()),
        (
            "for u in https://example.org/a/b https://example.org/a/c; do git clone $u; done",
            {"/src/b", "/src/c"},
        ),
        (
            "for n in b c; do\n  git clone -q https://example.org/a/${n}.git $n;\ndone",
            {"/src/b", "/src/c"},
        ),
        ("for n in b c; do git clone https://example.org/a/$n.git; done", {"/src/b", "/src/c"}),
        (
            "for n in b c; do git clone -b $n https://e.org/x of-$n; done",
            {"/src/of-b", "/src/of-c"},
        ),
        ("true & git clone https://e.org/b & git clone https://e.org/c", {"/src/b", "/src/c"}),
        ("N=b; git clone https://e.org/$N; N=c; git clone https://e.org/$N", {"/src/b", "/src/c"}),
        ("for n in b; do true; done; N=1 && git clone https://e.org/x $n$N", {"/src/$n1"}),
    ],
)
def test_clones_of_the_shells_other_forms(line: str, cloned: set[str]) -> None:
    steps = read(BASE + "RUN " + line.replace("\n", "\\\n")).steps
    assert {place for step in steps for _, place in step.clones} == cloned


def test_values_of_a_script_are_read_in_their_order_and_bounded() -> None:
    script = (
        "VERSION=2.1\nNAME=hello-$VERSION  # the newest\nexport PACKAGES='gawk m4'\n"
        'apt-get install -y "$PACKAGES bison"\nif git clone https://example.org/a/c; then :; fi\n'
        "wget https://example.org/$NAME.tar.gz\n"
    )
    found = with_script(read(BASE), script)
    assert found.apt == ("gawk", "m4", "bison")
    assert found.building == ("https://example.org/a/c", "https://example.org/hello-2.1.tar.gz")


@pytest.mark.slow
@pytest.mark.parametrize(
    "script",
    [
        "bash -c " * 2000,
        "cd a;" * 12_000,
        "".join(f"for v{i} in {'a ' * 40}\n" for i in range(6))
        + "for z in\nx $v0$v1$v2$v3$v4$v5$z\n" * 300,
        f"for V in {'a ' * 4000}\ndo\n" + f"$V{'$V' * 1000} " * 20,
        f"V={'a' * 200}\n" + "$V" * 30_000,
        f"V={'a' * 200}\n" + "$V " * 20_000,
        "A=b" + " " * 62_000 + "x\n",
        "".join(f"for v{i} in a b\n" for i in range(1500)) + ("$x " * 2600 + "\n") * 5,
        "".join(f"for v{i} in {'$v ' * 300}\n" for i in range(20)) + "$v1$v2$v3 " * 3000,
    ],
    ids=["shells", "folders", "empty", "loop", "word", "words", "blanks", "loops", "nested"],
)
def test_no_script_takes_long(script: str) -> None:
    started = time.process_time()
    with_script(read(BASE), script)
    assert time.process_time() - started < 20


LONG = f"ENV A={'a' * 1000}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "lines",
    [
        f"COPY {'*' * 60}b /x\n",
        f"COPY {'*a' * 20}b /x\n",
        f"{LONG}COPY {'$A' * 2000} /x\n",
        f"{LONG}COPY {'$A' * 8000} /x\n",
        f"ENV A={'[a]' * 333}\nCOPY {'$A' * 1000} /x\n",
        LONG + f"WORKDIR {'$A' * 200}\n" * 140 + "COPY b /x\n",
    ],
    ids=["stars", "words", "values", "more", "brackets", "folders"],
)
def test_no_pattern_of_files_takes_long(lines: str) -> None:
    started = time.process_time()
    assert read(BASE + lines, **{"a" * 200: "1"}).steps[-1].files == ()
    assert time.process_time() - started < 20


def test_a_value_ends_with_its_shell() -> None:
    assert read(BASE + "ENV V=1\nRUN V=9 && true\nWORKDIR lib-$V\n").workdir == "/src/lib-1"


def test_values_of_a_dockerfile_are_bounded() -> None:
    started = time.process_time()
    read(BASE + "".join(f"ENV A=$A$A{n}\n" for n in range(200)))
    assert time.process_time() - started < 20


@given(
    st.text(
        alphabet="git clone wgt curlapt-instl http://x.y/a-1.tar.gz=$\\\"'`;&|(){}\n#", max_size=300
    )
)
def test_any_script_is_read(script: str) -> None:
    plain = read(BASE)
    found = with_script(plain, script)
    assert found.steps == plain.steps
    assert set(found.building) == {*found.clones, *found.archives}


@pytest.mark.parametrize(
    ("lines", "folder"),
    [
        ("RUN git clone https://example.org/a/b.git", "/src/b"),
        ("RUN git clone --depth 1 -b main https://example.org/a/b c", "/src/c"),
        ("WORKDIR /elsewhere\nRUN git clone --recursive https://example.org/a/b", "/elsewhere/b"),
        ("ENV WHERE=$SRC/deep\nRUN git clone https://example.org/a/b ${WHERE}/b", "/src/deep/b"),
        ("RUN cd /tmp; GIT_SSL=1 git clone --depth=1 https://example.org/a/b $SRC/b", "/src/b"),
        ("RUN git clone --jobs 4 --reference /x https://example.org/a/b", "/src/b"),
        ("RUN hg clone --branch stable http://example.org/a/b b", "/src/b"),
        ("RUN svn co -r 7 --depth infinity svn://example.org/b/code/trunk b", "/src/b"),
        ("RUN svn --non-interactive checkout https://example.org/p/b/trunk", "/src/trunk"),
        ("RUN (cd x && /usr/bin/git clone https://example.org/a/b)", "/src/x/b"),
        ("RUN (cd x; cd $WHERE) && git clone https://example.org/a/b", "/src/b"),
        ("RUN cd $SRC/deep && git -C more clone https://example.org/a/b", "/src/deep/more/b"),
        ("RUN git clone https://example.org/a/b > /dev/null 2>&1", "/src/b"),
        ("RUN git clone -qb v1 https://example.org/a/b/.git 2>/dev/null &", "/src/b"),
        ("RUN URL=https://example.org/a/b && git clone $URL", "/src/b"),
        ("RUN git clone ${URL:-https://example.org/a/b}", "/src/b"),
        ("RUN bash -c 'git clone https://example.org/a/b'", "/src/b"),
        ('RUN ["git", "clone", "https://example.org/a/b"]', "/src/b"),
        ("RUN " + "[" * 3000 + "; git clone https://example.org/a/b", "/src/b"),
        ("RUN svn co --username x --password '' https://example.org/b/trunk b", "/src/b"),
        ("RUN ! time git clone https://example.org/a/b", "/src/b"),
        ("RUN true && \\\n  # a comment\n  git clone https://example.org/a/b", "/src/b"),
    ],
)
def test_where_a_clone_comes_to_lie(lines: str, folder: str) -> None:
    clones = [pair for step in read(BASE + lines).steps for pair in step.clones]
    assert [place for _, place in clones] == [folder]


def test_packages_by_their_names_of_today_and_pips_by_debians() -> None:
    found = read(
        BASE + "RUN apt-get install -y python-pip foo=1.2 && pip3 install meson==1.2 'odd>=3'"
    )
    assert (found.apt, found.pip) == (("python-pip", "foo=1.2"), ("meson==1.2", "odd>=3"))
    by_suite = {suite: packages(found.apt, found.pip, suite) for suite in ("", OLDER, BUILDER)}
    assert by_suite == {
        "": (("python3-pip", "foo", "meson"), ("odd",)),
        OLDER: (("python2", "python-is-python2", "foo", "meson"), ("odd",)),
        BUILDER: (("python-pip", "foo", "meson"), ("odd",)),
    }
    asked = ["a-b:i386", "libz-dev:i386", "c-d:arm64", "--flag", "$X", "make"]
    assert packages(asked, ["ninja", "pip"], "") == (("make", "ninja-build"), ())
    assert packages(asked, [], "", "i386") == (("a-b:i386", "zlib1g-dev:i386", "make"), ())


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("apt-get install a2/bionic b2=1/x c2:any ./d2.deb /e2.deb", ("a2", "b2", "c2")),
        ("pip3 install 'jinja2; python_version<\"4\"' six", ("python3-jinja2", "python3-six")),
        (
            "pip3 install six 'mako<2' \"numpy ; x\"",
            ("python3-six", "python3-mako", "python3-numpy"),
        ),
        ("bash -c 'apt-get update && apt-get install -y a2 b2'", ("a2", "b2")),
        ("apt-get install 'a2;touch x' '$(x)' '`x`' 'b2\\\nRUN x' '*' c2", ("c2",)),
    ],
)
def test_packages_in_odd_words_and_nothing_but_names(line: str, asked: tuple[str, ...]) -> None:
    recipe = read(f"{BASE}RUN {line}\n")
    assert packages(recipe.apt, recipe.pip, "")[0] == asked


def test_environment_of_the_recipe_but_nothing_that_hangs_on_what_is_not_known() -> None:
    found = read(BASE + "ENV A=1 B=$A/x\nENV OLD form of it\nENV PATH=$PATH:/opt/x")
    assert dict(found.environment) == {"A": "1", "B": "1/x", "OLD": "form of it"}


@pytest.mark.parametrize(
    ("dockerfile", "files", "code", "said"),
    [
        ("FROM ubuntu:16.04\n", {}, "recipe-base", "Dockerfile:1: FROM ubuntu:16.04"),
        ("FROM gcr.io/oss-fuzz-base/base-builder-rust\n", {}, "recipe-base", "rust"),
        (BASE, {"project.yaml": "language: go\n"}, "recipe-language", "go"),
        (BASE + "RUN true\n" * 400, {}, "recipe-unreadable", "instructions"),
    ],
)
def test_losses(dockerfile: str, files: dict[str, str], code: str, said: str) -> None:
    with pytest.raises(RecipeLost) as lost:
        read(dockerfile, **files)
    assert (lost.value.code, said in lost.value.reason) == (code, True)


def test_a_build_script_may_be_the_projects_own() -> None:
    files = {name: text.encode() for name, text in FOLDER.items() if name != "build.sh"}
    takes = ("RUN cp brook/fuzz/build.sh $SRC/", "RUN mv brook/fuzz/* $SRC/")
    for last in (*takes, "RUN true"):
        folder = ProjectFolder("p", "tree", {**files, "Dockerfile": (BASE + last).encode()})
        if last in takes:
            assert read_recipe(folder).steps[-1].text == last.removeprefix("RUN ")
        else:
            with pytest.raises(RecipeLost, match=r"has no build\.sh"):
                read_recipe(folder)


@pytest.mark.parametrize("base", ["ossfuzz/base-libfuzzer", "ossfuzz/base-builder"])
def test_bases_of_the_first_years(base: str) -> None:
    assert read(f"FROM {base}\nWORKDIR x\n").workdir == "/src/x"


def test_a_project_yaml_that_is_none_counts_as_c_or_cpp() -> None:
    assert read(BASE, **{"project.yaml": "[: {"}).workdir == "/src"


@pytest.mark.slow
@given(st.text(max_size=400))
def test_any_text_is_a_recipe_or_a_loss(text: str) -> None:
    for dockerfile in (text, BASE + text, BASE + "RUN " + text, BASE + "COPY " + text):
        try:
            found = read(dockerfile)
        except RecipeLost:
            continue
        assert found.workdir.startswith("/")


def test_debian_11_has_python_2_and_its_packages() -> None:
    found = read(BASE + "RUN apt-get install -y python libz-dev\nRUN pip install six\n")
    today, _ = packages(found.apt, found.pip, "")
    assert today == ("python3", "python-is-python3", "zlib1g-dev", "python3-six")
    older, _ = packages(found.apt, found.pip, OLDER)
    assert older == ("python2", "python-is-python2", "zlib1g-dev", "python3-six", "python-six")


@pytest.mark.parametrize(
    "line", ["pip3 -r install", "apt-get -t install make", "install", "pip install -r"]
)
def test_an_install_without_its_words_asks_for_nothing(line: str) -> None:
    found = read(BASE + "RUN " + line)
    assert (found.pip, set(found.apt) - {"make"}) == ((), set())


def test_options_of_an_install_are_no_packages() -> None:
    found = read(BASE + "RUN apt-get install -y -t bionic make && pip3 install -r list.txt six")
    assert (found.apt, found.pip) == (("make",), ("six",))
    found = read(BASE + "RUN python3.8 -m pip install --index-url elsewhere six")
    assert found.pip == ("six",)


@pytest.mark.parametrize(
    ("line", "files"),
    [
        ("COPY seed* $SRC/", {"seeds/a": "a", "seeds/b": "b", "seeds/in/c": "in/c"}),
        ("COPY seeds $SRC/x", {"seeds/a": "a", "seeds/b": "b", "seeds/in/c": "in/c"}),
        ("COPY seeds/* x/", {"seeds/a": "a", "seeds/b": "b", "seeds/in/c": "c"}),
        ("COPY seeds/in/c x/", {"seeds/in/c": "c"}),
        ("COPY seeds/in x", {"seeds/in/c": "c"}),
        ('COPY ["build.sh", "/src/"]', {"build.sh": "build.sh"}),
        ("ARG N=build\nCOPY $N.sh /src/", {"build.sh": "build.sh"}),
        ("COPY . x", dict.fromkeys(("build.sh", "seeds/a", "seeds/b", "seeds/in/c"))),
    ],
)
def test_files_that_are_copied(line: str, files: dict[str, str | None]) -> None:
    """Docker copies what is in a folder, and no folder itself (krb5's targets, nginx's harness)."""
    named = {"seeds/a": "1", "seeds/b": "2", "seeds/in/c": "3", "build.sh": ""}
    step = read(BASE + line, **named).steps[-1]
    due = {name: there or name for name, there in files.items()}
    assert {name: there for name, there in step.files if name in named} == due
    assert step.text.endswith("/")


def test_what_stands_before_a_command_may_be_a_value() -> None:
    script = "if x; then SUDO=''; else SUDO=sudo; fi\n$SUDO apt-get install -y make\n"
    assert read(BASE + "RUN " + script.replace("\n", "; ")).apt == ("make",)
    assert read(BASE + "RUN $SUDO apt-get install -y make").apt == ("make",)
    found = read(BASE + "RUN G=sudo; $G git clone https://example.org/a/b")
    assert found.clones == ("https://example.org/a/b",)


@pytest.mark.parametrize(("name", "apt"), [("p", {"aa", "bb", "cc"}), ("tools", {"aa", "cc"})])
def test_scripts_that_a_dockerfile_runs_are_read(
    tmp_path: Path,
    history: Maker,  # noqa: F811
    name: str,
    apt: set[str],
) -> None:
    """curl's dependencies are in a script of its fuzzers' repository, samba's in one of its own."""
    scripts = {
        b"scripts/deps.sh": b"$SUDO apt-get install -y aa\n",
        b"ci/image.sh": b"apt install bb",
    }
    path, _ = history({**scripts, b"b/x.sh": b"apt install no\n"})
    repositories = tmp_path / "repositories"
    repositories.mkdir()
    (repositories / f"{name}.git").symlink_to(path)
    lines = (
        f"RUN git clone https://example.org/arena/{name}",
        "RUN $SRC/tools/scripts/deps.sh",
        "RUN cd p && ./ci/image.sh",
        "COPY more.sh build.sh /src/",
        "RUN ./more.sh",
    )
    beside = {"more.sh": b"apt-get install -y cc\n", "less.sh": b"apt-get install -y no\n"}
    files = {**beside, "build.sh": b"", "project.yaml": b"language: c\n"}
    text = (BASE + "\n".join(lines)).encode()
    folder = ProjectFolder("p", "tree", {**files, "Dockerfile": text})
    found = _read_whole_recipe(folder, repositories, 2_000_000_000, "https://example.org/arena/p")
    assert set(found.apt) == apt
