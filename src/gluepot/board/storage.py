"""File storage: a folder of the board, or the S3-compatible storage given by GLUEPOT_STORAGE_URL."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from gluepot.errors import WrongUse

URL = "GLUEPOT_STORAGE_URL"


def storage_settings(address: str, folder: Path) -> dict[str, Any]:
    """Return the Django `STORAGES` settings for a storage address; an empty address selects the folder.

    >>> storage_settings("s3://ann:s%2Ffe@minio.example:9000/board?tls=0", Path("x"))["OPTIONS"]["endpoint_url"]
    'http://minio.example:9000'
    >>> storage_settings("s3://board", Path("x"))["OPTIONS"]["bucket_name"]
    'board'
    """
    if not address:
        return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": folder / "files"}}
    try:
        parts = urlsplit(address)
        port, asked = parts.port, {name: values[-1] for name, values in parse_qs(parts.query).items()}
    except ValueError:
        raise _wrong() from None
    bucket = parts.path.strip("/") or parts.hostname or ""
    if parts.scheme != "s3" or not bucket or "/" in bucket or set(asked) - {"region", "tls", "prefix"}:
        raise _wrong()
    options: dict[str, Any] = {"bucket_name": bucket, "region_name": asked.get("region"), "location": asked.get("prefix", "")}
    options |= {"default_acl": None, "file_overwrite": False, "querystring_auth": True, "signature_version": "s3v4"}
    if parts.path.strip("/"):
        scheme = "http" if asked.get("tls") == "0" else "https"
        options |= {"endpoint_url": f"{scheme}://{parts.hostname}{f':{port}' if port else ''}", "addressing_style": "path"}
    if parts.username:
        options |= {"access_key": unquote(parts.username), "secret_key": unquote(parts.password or "")}
    return {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}


def _wrong() -> WrongUse:
    form = "s3://key:secret@host:port/bucket, or s3://bucket with the credentials that boto3 finds"
    return WrongUse(f"{URL}: {form} is needed; ?region=, ?prefix= and ?tls=0 may follow.")
