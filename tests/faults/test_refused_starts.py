"""What a server is not started on, or beside."""

import pytest

from app.domain.errors import StoreUnavailable
from app.store import disk
from app.store.db import prepare_folder
from tests.faults.judges import study_of

pytestmark = pytest.mark.faults


def test_a_second_server_on_the_store_is_refused_with_the_address_of_the_first(evenhand):
    study_of(evenhand.folder, 4)
    evenhand.serve()
    port = evenhand.port
    ended = evenhand.refused()
    assert ended.returncode == 1
    assert "Another server already runs on the store" in ended.stderr
    assert f"http://127.0.0.1:{port}/" in ended.stderr
    # Of processor time: how long that takes on a busy machine says nothing of the program.
    assert ended.seconds < 2


@pytest.mark.parametrize("kind", ["nfs4", "cifs", "smb3", "fuse.sshfs"])
def test_a_store_on_a_network_share_is_refused_before_anything_is_made_in_it(tmp_path, monkeypatch, kind):
    listed = tmp_path / "mountinfo"
    share = tmp_path / "a share"
    share.mkdir()
    place = str(share.resolve()).replace(" ", "\\040")
    listed.write_text(f"20 1 8:1 / / rw - ext4 /dev/x rw\n36 20 0:44 / {place} rw - {kind} host:/files rw\n")
    monkeypatch.setattr(disk, "MOUNTS", listed)
    with pytest.raises(StoreUnavailable, match=f"on a network share \\({kind}\\)"):
        prepare_folder(share / "store")
    prepare_folder(tmp_path / "store")  # beside the share it is taken


def test_wrong_modes_stop_the_start_with_the_remedy(evenhand):
    study_of(evenhand.folder, 4)
    evenhand.folder.chmod(0o755)
    ended = evenhand.refused()
    assert (ended.returncode, "chmod go-rwx" in ended.stderr) == (1, True)
