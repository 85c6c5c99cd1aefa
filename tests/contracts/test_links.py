"""Names that other users may make first: what is planted at the place of an attach file leads nowhere."""

import os
import socket
import time
from pathlib import Path

import pytest

from loadrig.base.errors import PlanError
from loadrig.discovery._seen import read_text
from loadrig.labs import services, work
from loadrig.probes._jvm import gc_source, jdk
from loadrig.probes._jvm.attach import Jvm
from loadrig.probes._session import Lost
from loadrig.probes._tail import Tail
from loadrig.recording.files import write_named
from loadrig.recording.layout import RunFolder


class Contained(Jvm):
    """This process, taken for a JVM in a container whose root is a folder."""

    def __init__(self, root: Path) -> None:
        super().__init__(os.getpid(), None)
        self._root = root

    def root(self) -> Path:
        return self._root

    def has_own_files(self) -> bool:
        return True


@pytest.fixture
def jvm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Contained:
    own = tmp_path / "own"
    own.mkdir()
    monkeypatch.chdir(own)
    (tmp_path / "root" / "tmp").mkdir(parents=True)
    return Contained(tmp_path / "root")


def test_the_attach_file_is_made_and_removed(jvm: Contained) -> None:
    name = f".attach_pid{jvm.own_pid()}"
    with jvm._trigger():
        assert Path(name).is_file()
    assert not Path(name).exists()


@pytest.mark.parametrize("places", [1, 2])
def test_a_link_in_the_place_of_the_attach_file_is_not_followed(
    jvm: Contained, tmp_path: Path, places: int
) -> None:
    victim, name = tmp_path / "victim", f".attach_pid{jvm.own_pid()}"
    folders = [Path.cwd(), jvm.root() / "tmp"]
    for folder in folders[:places]:
        (folder / name).symlink_to(victim)
    if places == 1:
        with jvm._trigger():
            assert (jvm.root() / "tmp" / name).is_file()
    else:
        with pytest.raises(Lost), jvm._trigger():
            pass
    assert not victim.exists()
    assert all((folder / name).is_symlink() for folder in folders[:places])


def test_nothing_is_said_to_a_socket_of_another_process(jvm: Contained, tmp_path: Path) -> None:
    path = tmp_path / "root" / "tmp" / f".java_pid{jvm.own_pid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        child = os.fork()
        if child == 0:  # the kernel notes who has called listen(2) last
            server.listen()
            os._exit(0)
        os.waitpid(child, 0)
        with pytest.raises(Lost, match="another process listens"):
            jvm._exchange(path, b"1\0jcmd\0", time.monotonic() + 5)
        asked, _ = server.accept()
        with asked:
            assert asked.recv(64) == b""


def test_a_container_whose_tmp_is_a_link_gets_no_folder_outside(jvm: Contained, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (jvm.root() / "tmp").rmdir()
    (jvm.root() / "tmp").symlink_to(outside)
    with pytest.raises(NotADirectoryError):
        jvm.open_tmp()
    log = gc_source.Enabled.__new__(gc_source.Enabled)
    log._jvm, log._folder, log._temporary = jvm, None, None
    with pytest.raises(Lost):
        log._make_place()
    assert list(outside.iterdir()) == []


def test_the_folder_of_a_log_is_made_and_removed_in_the_tmp_of_the_jvm(jvm: Contained) -> None:
    log = gc_source.Enabled.__new__(gc_source.Enabled)
    log._jvm, log._folder, log._temporary = jvm, None, None
    path, option = log._make_place()
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert option == f"/tmp/{path.parent.name}/gc.log"
    log._remove()
    assert list((jvm.root() / "tmp").iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may read what another user may not")
def test_root_reads_no_log_of_another_than_the_user_who_named_it(tmp_path: Path) -> None:
    log = tmp_path / "gc.log"
    log.write_text("a secret\n")
    tail = Tail(log, from_start=True, owner=12345)
    assert tail.lines() == []
    assert tail.head(100) == ""
    assert "user 12345" in tail.refused
    assert Tail(log, from_start=True, owner=0).lines() == ["a secret"]


def test_a_pipe_in_the_place_of_a_file_of_a_server_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "nginx.conf")
    assert read_text(tmp_path / "nginx.conf") == ""


def test_a_link_in_the_place_of_a_draft_is_not_written_through(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "page.html.draft").symlink_to(victim)
    write_named(tmp_path / "page.html", "page")
    assert victim.read_text() == "mine"
    assert (tmp_path / "page.html").read_text() == "page"
    assert (tmp_path / "page.html").stat().st_mode & 0o777 == 0o666 & ~_umask()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to another user")
class TestFoldersOfOthers:
    """Folders that another user has laid down first, which are not used."""

    def test_a_run_goes_into_no_folder_that_a_stranger_laid_in_tmp(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o1777)
        run = tmp_path / "run"
        run.mkdir()
        os.chown(run, 12345, 12345)
        with pytest.raises(PlanError) as refused:
            RunFolder(run).create("loadrig: 1\n")
        assert refused.value.problems[0].code == "recording.folder-in-use"
        assert list(run.iterdir()) == []

    def test_a_run_goes_into_a_folder_that_was_mounted_for_it(self, tmp_path: Path) -> None:
        run = tmp_path / "run"
        run.mkdir()
        os.chown(run, 12345, 12345)
        RunFolder(run).create("loadrig: 1\n")
        assert RunFolder(run).plan.is_file()

    def test_no_program_is_run_from_a_cache_of_another_user(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        theirs = tmp_path / "theirs"
        (theirs / "loadrig").mkdir(parents=True)
        os.chown(theirs / "loadrig", 12345, 12345)
        os.chown(theirs, 12345, 12345)
        monkeypatch.setenv("XDG_CACHE_HOME", str(theirs))
        for place in (jdk.cache(), work.cache_folder()):
            assert theirs not in place.parents

    def test_a_password_is_written_through_no_link(self, tmp_path: Path) -> None:
        folder, victim = tmp_path / "db", tmp_path / "victim"
        folder.mkdir()
        os.chown(folder, 12345, 12345)
        (folder / "password").symlink_to(victim)
        secret = services._secret(folder, "lab")
        assert secret.read_text() == "lab\n"
        assert (secret.stat().st_uid, secret.stat().st_mode & 0o777) == (12345, 0o600)
        assert not victim.exists()
