"""Secrets in manifests and names are masked in the board's tables and in its log."""

import logging

import pytest
from tests.runs.tampering import edit, make

KEY = "hunter2geheim"


@pytest.fixture
def imported(board, tmp_path):
    from gluepot.board.importing import import_paths

    run = make(tmp_path / "run-sk-abc123def456")

    def change(manifest):
        manifest["identity"]["model"] = f"command:./model --api-key {KEY}"
        manifest["command"] = ["evaluate", "--password", KEY]

    edit(run / "manifest.json", change)
    return import_paths([run])


def test_no_table_stores_a_secret(imported):
    from django.apps import apps
    from django.core.serializers import serialize

    assert [line.system for line in imported.lines] == ["command:./model --api-key ***"]
    for model in apps.get_app_config("board").get_models():
        stored = serialize("json", model.objects.all())
        assert KEY not in stored, model
        assert "abc123def456" not in stored, model


def test_secret_in_a_given_name_is_masked(board):
    from gluepot.board.importing.systems.naming import shown_name
    from gluepot.board.models import System

    assert shown_name("my model Bearer abc123def456") == "my model Bearer ***"
    assert shown_name("task-sk-model") == "task-sk-model"
    assert not System.objects.exists()


def test_log_masks_secrets(board, capsys):
    from django.conf import settings

    from gluepot.board.server.logs import MaskingFormatter

    assert settings.LOGGING["handlers"]["stderr"]["formatter"] == "masked"
    try:
        raise ValueError(f"postgres://me:{KEY}@db/x")
    except ValueError as error:
        record = logging.LogRecord("django", logging.ERROR, "", 0, "/?api_key=%s", (KEY,), (type(error), error, error.__traceback__))
    told = MaskingFormatter().format(record)
    assert "/?api_key=***" in told
    assert "ValueError: postgres://me:***@db/x" in told
