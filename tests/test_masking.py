"""Masking of secrets, without masking similar harmless text."""

from time import perf_counter, process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gluepot.errors import GluepotError
from gluepot.masking import MASK, mask_secrets, mask_words

RANDOM = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8x"
SECRETS = {
    "./model --api-key hunter2 --beams 4": "hunter2",
    "./model --api_key=hunter2": "hunter2",
    "./model --api-key 'hunter 2' x": "hunter 2",
    "./model --openai-api-key hunter2": "hunter2",
    "./model --token hunter2": "hunter2",
    "./model --hf-token=hunter2": "hunter2",
    "./model --password=hun;ter2": "hun;ter2",
    "OPENAI_API_KEY=hunter2 ./model": "hunter2",
    "host=db user=me password=hunter2": "hunter2",
    '{"api_key": "hunter2", "n": 1}': "hunter2",
    "http://h/v1?n=1&api_key=hunter2#top": "hunter2",
    "https://h/v1?key=hunter2": "hunter2",
    "https://h/o?X-Amz-Signature=hunter2": "hunter2",
    "postgres://me:hunter2@db/board": "hunter2",
    "postgresql+psycopg://me:hun@ter2@db:5432/board": "hun@ter2",
    "postgres://me:12345@db/board": "12345",
    "redis://:hunter2@db:6379": "hunter2",
    "curl -H 'Authorization: Bearer hunter2' h": "hunter2",
    'curl -H "x-api-key: hunter2" h': "hunter2",
    "command:curl -u me:hun/ter2 https://h/v1": "hun/ter2",
    "command:curl --user 'me:hunter2' https://h/v1": "hunter2",
    f"pplx-{RANDOM}": RANDOM,
    f"csk-{RANDOM}": RANDOM,
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\nMIIEv\n-----END PGP PRIVATE KEY BLOCK-----": "MIIEv",
    "Authorization: Basic aHVudGVyMg==": "aHVudGVyMg==",
    f"it said Bearer {RANDOM}": RANDOM,
    f"api:gpt@http://h/v1 sk-{RANDOM}": RANDOM,
    f"sk-proj-{RANDOM}": RANDOM,
    f"sk-ant-api03-{RANDOM}-{RANDOM}": RANDOM,
    "sk-abc123def456": "abc123def456",
    "runs/command-x-sk-abc123def456-superlim": "abc123def456",
    f"hf_{RANDOM}": RANDOM,
    f"https://ghp_{RANDOM}@github.com/x": RANDOM,
    f"https://{RANDOM}@git.example.org/x": RANDOM,
    f'{{"token": "{RANDOM}", "n": 1}}': RANDOM,
    f"github_pat_11ABC_{RANDOM}": RANDOM,
    f"glpat-{RANDOM}": RANDOM,
    "AKIAIOSFODNN7EXAMPLE": "IOSFODNN7EXAMPLE",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl": "c2lnbmF0dXJl",
    "-----BEGIN PRIVATE KEY-----\nMIIEv\n-----END PRIVATE KEY-----": "MIIEv",
}
READABLE = [
    "task-sk-model",
    "encoder:sk-bert-base-v2",
    "lm:org/sk-gpt-j-medium-356M",
    "encoder:hf_transformers/bert",
    "encoder:KB/bert-base-swedish-cased",
    "api:gpt-4o@https://api.example.org/v1",
    "api:m@http://127.0.0.1:8000/v1",
    "http://host:8080/v1?email=a@b",
    "command:./x --max-tokens 5 --pad-token <pad> --eos-token </s> --token-type word --key text --password-file f",
    "pad_token=<pad>",
    "command:docker run -u 1000:1000 image",
    "command:python -u http://h:80/x --user me",
    "Set GLUEPOT_API_KEY in the environment.",
    "the bearer certificate",
    "risk-averse sk-learn",
    "superlim/swenli: 3 of 305 answers are missing, first: 'fracas-017'.",
    "vectors:sv.bin (protocol quick)",
    "git@github.com:x/y.git",
    "https://anna@git.example.org/x",
    '{"token": "Riksdagen", "tag": "B-ORG"}',
]


@pytest.mark.parametrize("text", SECRETS)
def test_secrets_are_masked_and_masking_is_idempotent(text: str) -> None:
    masked = mask_secrets(text)
    assert SECRETS[text] not in masked
    assert MASK in masked
    assert mask_secrets(masked) == masked


@pytest.mark.parametrize("text", READABLE)
def test_text_that_resembles_a_secret_is_unchanged(text: str) -> None:
    assert mask_secrets(text) == text


def test_text_around_a_secret_is_unchanged() -> None:
    assert mask_secrets("postgres://me:hunter2@db:5432/board?x=1") == "postgres://me:***@db:5432/board?x=1"
    assert mask_secrets("curl -H 'Authorization: Bearer hunter2' h") == "curl -H 'Authorization: Bearer ***' h"
    assert mask_secrets('{"api_key": "hunter2", "n": 1}') == '{"api_key": "***", "n": 1}'


def test_option_values_are_masked_as_separate_words() -> None:
    words = ["evaluate", "command:./x --token hunter2", "--api-key", "hunter2", "--seeds", "2"]
    assert mask_words(words) == ["evaluate", "command:./x --token ***", "--api-key", "***", "--seeds", "2"]


def test_values_of_keys_in_the_environment_are_masked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "correct-horse-battery")
    assert mask_secrets("the server said correct-horse-battery.") == "the server said ***."


def test_error_messages_are_masked() -> None:
    assert str(GluepotError("cannot reach postgres://me:hunter2@db/board.")) == "cannot reach postgres://me:***@db/board."


PIECES = [*"ab1 -_=:/@?&.'\"", "sk-", "--api-key ", "Bearer ", "://", "token=", "***", "abc123def456"]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_masking_is_idempotent(text: str) -> None:
    masked = mask_secrets(text)
    assert mask_secrets(masked) == masked


@pytest.mark.parametrize(
    "piece", ["a-", "a.a:", "x://", "a://b:", "secret:", "--a-", "sk-.", "eyJ-", 'api_key="', "bearer ", "-u ", "-u a:"]
)
def test_masking_takes_linear_time(piece: str) -> None:
    text = piece * (50_000 // len(piece))
    mask_secrets(text[:100])
    start = perf_counter()
    mask_secrets(text)
    assert perf_counter() - start < 5, "0.6 s on a quiet machine: more is a pattern that tries everything"


def test_masking_many_options_takes_seconds() -> None:
    text = "--a." * 100_000
    start = process_time()
    mask_secrets(text)
    assert process_time() - start < 5, "0.5 s on a quiet machine: a report reads a manifest several times"
