"""What looks like a key, a token or a password is masked wherever text is stored or shown; what only sounds like one stays readable.

Three things give a secret away: the name that stands before it (`--api-key …`, `?api_key=…`, `HF_TOKEN=…`), its place in an address
(`postgres://user:…@host`), and its own shape (`sk-…`, `hf_…`, `ghp_…`, `Bearer …`). What this process was given as a key in its
environment is known by its value.
"""

import os
import re
from collections.abc import Callable, Sequence
from functools import cache

MASK = "***"
SHORTEST_KNOWN = 12
"""Characters of a key in the environment below which its value may be an ordinary word."""

_OWNERS = "api|auth|access|bearer|hf|hub|huggingface|openai|github|gitlab|gh|oauth|refresh|session|secret|personal|private|id"
_NAME = (
    r"(?:api[-_]?key|(?:secret|access|private|auth|account|subscription|encryption|signing)[-_]?key(?:[-_]id)?"
    rf"|secret|password|passwd|passphrase|credentials?|(?<![A-Za-z0-9])(?:{_OWNERS})[-_]?token)"
)
"""How names of things end that are secret whatever they look like. A tokenizer's `pad_token`, `--max-tokens`, `--token-type` are none."""
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
"""Each with two groups: what stays, and the secret. The bounds keep the time proportional to the text, whatever a stranger wrote."""
_SIGNS = r"[=:\s]"
"""One of these stands before every secret that is named; a word without them is not worth compiling all these patterns for."""
_PREFIXES = r"sk[-_]|[pr]k_|gsk_|hf_|gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|nvapi-|r8_|pypi-|dop_v1_|xai-|npm_|pplx-|csk-|fw_"
_SHAPED = (
    rf"(?<![A-Za-z0-9])(?P<prefix>{_PREFIXES})(?P<body>[\w-]+)"
    r"|(?<![\w.-])(?P<whole>eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*|A[KS]IA[A-Z0-9]{16}\b|AIza[\w-]{30,}|ya29\.[\w-]{20,})"
)
_KEPT_IN = r"(?:_|^)(?:API_?KEY|TOKEN|SECRET|PASSWORD|ACCESS_KEY|SECRET_KEY)$"
"""Names of variables in the environment."""


@cache
def _compiled(pattern: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """Compiled when something is first masked: most commands start without."""
    return re.compile(pattern, flags)


def mask_secrets(text: str) -> str:
    """The text without its secrets.

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
    """The words of a command line; the value of `--api-key` is a word of its own.

    >>> mask_words(["evaluate", "--api-key", "abc", "suite"])
    ['evaluate', '--api-key', '***', 'suite']
    """
    masked: list[str] = []
    for before, word in zip(["", *words], words, strict=False):
        secret = _compiled(_OPTION).fullmatch(before) and not word.startswith("-")
        masked.append(MASK if secret else mask_secrets(word))
    return masked


def warn_of(place: str) -> str:
    """The notice for people whose text was masked.

    >>> warn_of("the command line")
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
    """Whether no person would call a model so: a long stretch without a break, letters mixed with digits, or a word that admits it.

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
    """Keys that are in this process's environment."""
    return [
        value
        for name, value in os.environ.items()
        if len(value) >= SHORTEST_KNOWN and not value.startswith("/") and " " not in value and _compiled(_KEPT_IN).search(name)
    ]
