"""S3-compatible storage: files are saved, read, backed up and deleted as in a folder."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gluepot.board.storage import storage_settings
from gluepot.errors import WrongUse


@pytest.fixture
def bucket(board: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Store the board's files in a bucket of a local server and yield its client."""
    server = pytest.importorskip("moto.server", reason="needs moto")
    boto3 = pytest.importorskip("boto3")
    pytest.importorskip("storages", reason="needs the extra 's3'")
    from django.conf import settings
    from django.test.utils import override_settings

    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    running.start()
    host, port = running.get_host_and_port()
    options = storage_settings(f"s3://key:secret@{host}:{port}/board?tls=0&region=us-east-1", board)
    client = boto3.client(
        "s3", endpoint_url=f"http://{host}:{port}", aws_access_key_id="key", aws_secret_access_key="secret", region_name="us-east-1"
    )
    client.create_bucket(Bucket="board")
    with override_settings(STORAGES={**settings.STORAGES, "default": options}):
        yield client
    running.stop()


def names(client: Any) -> list[str]:
    return [one["Key"] for one in client.list_objects_v2(Bucket="board").get("Contents", [])]


def test_files_are_saved_read_backed_up_and_deleted_in_a_bucket(bucket: Any, tmp_path: Path) -> None:
    from django.core.files.base import ContentFile
    from django.core.files.storage import default_storage

    from gluepot.board.backup.writing import stored_files, write_backup

    first = default_storage.save("pocket/a.zip", ContentFile(b"answers"))
    second = default_storage.save("pocket/a.zip", ContentFile(b"others"))
    assert first != second
    assert sorted(names(bucket)) == sorted([first, second])
    with default_storage.open(first, "rb") as stream:
        assert stream.read() == b"answers"
    assert sorted(stored_files()) == sorted([first, second])
    assert write_backup(tmp_path / "b", "key").files == 2
    default_storage.delete(first)
    assert names(bucket) == [second]
    with pytest.raises(FileNotFoundError):
        default_storage.open(first, "rb")


def test_submission_is_read_from_a_bucket_for_scoring(bucket: Any) -> None:
    from django.core.files.base import ContentFile

    from gluepot.board.accounts.models import Member
    from gluepot.board.submitting.models import Upload
    from gluepot.board.submitting.scoring.private_scores import stored_file

    ann = Member.objects.create_user("s3@example.org")
    upload = Upload(team=ann.teams.get(), member=ann, suite="pocket", version="1", name="x", digest="x")
    upload.file.save("pocket/first.zip", ContentFile(b"answers"), save=False)
    upload.save()
    with stored_file(upload) as path:
        assert path.read_bytes() == b"answers"
    upload.delete()


@pytest.mark.parametrize("address", ["http://x/y", "s3:///", "s3://k:s@host/a/b", "s3://k:s@host:x/b", "s3://b?color=red"])
def test_invalid_storage_url_is_a_usage_error(address: str) -> None:
    with pytest.raises(WrongUse, match="GLUEPOT_STORAGE_URL"):
        storage_settings(address, Path("x"))
