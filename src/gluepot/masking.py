"""Masking of keys, tokens and passwords in text that is stored or shown, without masking words that merely resemble them.

A secret is recognised by the name before it (`--api-key …`, `?api_key=…`, `HF_TOKEN=…`), its position in a URL
(`postgres://user:…@host`), or its format (`sk-…`, `hf_…`, `ghp_…`, `Bearer …`). Keys in the environment of this process are
recognised by value.
"""

import os
import re
from collections.abc import Callable, Sequence
from functools import cache

MASK = "***"
SHORTEST_KNOWN = 12
"""Minimum length of an environment key that is masked by value; shorter ones may be ordinary words."""

_OWNERS = "api|auth|access|bearer|hf|hub|huggingface|openai|github|gitlab|gh|oauth|refresh|session|secret|personal|private|id"
_NAME = (
    r"(?:api[-_]?key|(?:secret|access|private|auth|account|subscription|encryption|signing)[-_]?key(?:[-_]id)?"
    rf"|secret|password|passwd|passphrase|credentials?|(?<![A-Za-z0-9])(?:{_OWNERS})[-_]?token)"
)
"""Suffixes of names whose values are secret in any format. A tokenizer's `pad_token`, `--max-tokens`, `--token-type` do not match."""
_ALONE = r"(?<![\w-])(?:token|passw?d?|pwd)"
_OPTION = rf"--?(?:[\w.-]{{0,40}}?{_NAME}|token|passw?d?|pwd)"
_VALUE = r"""(?:"[^"\n]*"|'[^'\n]*'|[^\s"'&#,;)\]}>]+)"""
_WORD = r"""(?:"[^"\n]*"|'[^'\n]*'|[^\s"']+)"""
_NAMED = (
    r"""(\bauthorization["']?\s{0,9}[:=]\s{0,9}["']?(?:(?:bearer|basic|token|digest)\s{1,9})?)([^\s"',;]+)""",
    rf"(?<![\w.-])({_OPTION}(?:=|\s{{1,9}}))(?!-)({_WORD})",
    rf"""((?:{_NAME}|{_ALONE})["']?=)(?!=)({_VALUE})""",
    rf"""({_NAME}["']?:\s{{0,9}})("[^"\n]+"|'[^'\n]+'|(?=[^\s"',]{{0,99}}\d)[^\s"',;)\]}}]{{6,}}|[^\s"',;)\]}}]{{16,}})""",
    r"""(["'](?:token|passw?d?|pwd)["']:\s{0,9})("[^"\s]{16,}"|'[^'\s]{16,}')""",
    r"""(\bhttps?://)([^\s/:@?#"']{16,200})(?=@[^\s@])""",
    r"""([?&](?:key|code|sig|signature|auth|token|pass|x-amz-[\w-]{1,40}|x-goog-[\w-]{1,40})=)([^\s&#"'<>]+)""",
    r"""(\b[a-z][a-z0-9+.-]{0,30}://[^\s/:@?#"']{0,200}:)(?!\d{1,5}(?:[/?#\s]|$))([^\s"'<>]{1,300})(?=@[^\s@])""",
    r"""(?<![\w-])((?-i:-u|--user|--proxy-user)(?:=|\s{1,9})["']?[^\s"':/]{1,200}:)(?!//|\d{1,9}(?:\s|$))([^\s"']+)""",
    r"(\b(?-i:Bearer)\s{1,9}|\bbearer\s{1,9}(?=\S{0,99}\d))([\w.~+/=-]{8,})",
    r"(?s)(-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----)(.+?)(?=-----END [A-Z ]{0,40}PRIVATE KEY|\Z)",
)
"""Patterns with two groups: the prefix that is left, and the secret. Bounded repetition keeps the time linear on untrusted text."""
_SIGNS = r"[=:\s]"
"""One of these precedes every named secret; text without any does not justify compiling all these patterns."""
_PREFIXES = r"sk[-_]|[pr]k_|gsk_|hf_|gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|nvapi-|r8_|pypi-|dop_v1_|xai-|npm_|pplx-|csk-|fw_"
_SHAPED = (
    rf"(?<![A-Za-z0-9])(?P<prefix>{_PREFIXES})(?P<body>[\w-]+)"
    r"|(?<![\w.-])(?P<whole>eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|A[KS]IA[A-Z0-9]{16}\b|AIza[\w-]{30,}|ya29\.[\w-]{20,})"
)
_KEPT_IN = r"(?:_|^)(?:API_?KEY|TOKEN|SECRET|PASSWORD|ACCESS_KEY|SECRET_KEY)$"
"""Names of environment variables that hold secrets."""


@cache
def _compiled(pattern: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Compile a pattern on first use: most commands start without masking anything."""
    return re.compile(pattern, flags)


def mask_secrets(text: str) -> str:
    """Return the text with secrets masked.

    >>> mask_secrets("./model --api-key abc --max-tokens 5")
    './model --api-key *** --max-tokens 5'
    >>> mask_secrets("postgres://me:geheim@db/board"), mask_secrets("http://h/v1?api_key=x&n=1")
    ('postgres://me:***@db/board', 'http://h/v1?api_key=***&n=1')
    >>> mask_secrets("task-sk-model")
    'task-sk-model'
    """
    for value in _known_values():
        text = text.replace(value, MASK)
    for pattern in _NAMED if _compiled(_SIGNS).search(text) else ():
        text = _compiled(pattern).sub(_hide, text)
    return _compiled(_SHAPED, re.NOFLAG).sub(_hide_shape, text)


def mask_words(words: Sequence[str]) -> list[str]:
    """Mask the words of a command line, where an option's value may be a separate word.

    >>> mask_words(["evaluate", "--api-key", "abc", "suite"])
    ['evaluate', '--api-key', '***', 'suite']
    """
    masked: list[str] = []
    for before, word in zip(["", *words], words, strict=False):
        secret = _compiled(_OPTION).fullmatch(before) and not word.startswith("-")
        masked.append(MASK if secret else mask_secrets(word))
    return masked


def masking_notice(place: str) -> str:
    """Return the notice shown to users whose text was masked.

    >>> masking_notice("the command line")
    'what looks like a key in the command line is masked (***) wherever it is stored or shown. Keys belong in the environment.'
    """
    return f"what looks like a key in {place} is masked ({MASK}) wherever it is stored or shown. Keys belong in the environment."


def _hide(found: re.Match[str]) -> str:
    quote = found[2][0] if found[2][0] in "\"'" and found[2][-1] == found[2][0] else ""
    return f"{found[1]}{quote}{MASK}{quote}"


def _hide_shape(found: re.Match[str]) -> str:
    if found["whole"]:
        return MASK
    return f"{found['prefix']}{MASK}" if _looks_random(found["body"]) else found[0]


def _looks_random(body: str) -> bool:
    """Whether a string is unlikely to be a model name: a long unbroken segment, letters mixed with digits, or the word "secret".

    >>> [_looks_random(body) for body in ("model", "bert-base-v2", "gpt2-small-356M", "proj-aB3dE5gH7jK9mN1p", "abc123def456")]
    [False, False, False, True, True]
    """
    return any(rule(segment) for segment in re.findall(r"[A-Za-z0-9]+", body) for rule in _RULES)


_RULES: tuple[Callable[[str], bool], ...] = (
    lambda segment: len(segment) >= 16,
    lambda segment: len(segment) >= 10 and segment.isdigit(),
    lambda segment: len(segment) >= 8 and sum(map(str.isdigit, segment)) >= 3 and not segment.isdigit(),
    lambda segment: "secret" in segment.lower(),
)


def _known_values() -> list[str]:
    """Return the values of keys in the environment of this process."""
    return [
        value
        for name, value in os.environ.items()
        if len(value) >= SHORTEST_KNOWN and not value.startswith("/") and " " not in value and _compiled(_KEPT_IN).search(name)
    ]
