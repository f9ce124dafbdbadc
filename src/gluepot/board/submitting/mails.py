"""E-mail notifications to teams, in each recipient's language, sent by a worker."""

from django.conf import settings
from django.core.mail import EmailMessage
from django.utils.translation import gettext as _
from django.utils.translation import override

from gluepot.board.accounts.models import Membership
from gluepot.board.server.addresses import in_language
from gluepot.board.submitting.models import Upload
from gluepot.tasks.declarations import load_suite

SITE = "site"
"""Key of the fact that holds the board's address."""


def notify_team(upload: Upload, letter: str, **facts: str) -> None:
    """Queue an e-mail within the transaction of the event that it announces."""
    from gluepot.board.submitting.tasks import send

    suite = f"{load_suite(upload.suite).title} {upload.version}"
    known = {"name": upload.name, "suite": suite, "key": str(upload.key), "reason": upload.reason}
    send.defer(team=upload.team_id, letter=letter, facts=known | facts)


def mail_team(team: int, letter: str, facts: dict[str, str]) -> None:
    """Send a separate e-mail to each active member, so that no address is disclosed to others."""
    members = Membership.objects.filter(team=team, member__is_active=True).values_list("member__email", "member__language")
    for address, language in members:
        with override(language):
            subject, text = compose(letter, _plain(facts), language)
        EmailMessage(" ".join(subject.split()), text, settings.DEFAULT_FROM_EMAIL, [address]).send()


def _plain(facts: dict[str, str]) -> dict[str, str]:
    """Collapse whitespace in all facts: user input must not inject headers or paragraphs."""
    return {name: " ".join(value.split()) for name, value in facts.items()}


def compose(letter: str, facts: dict[str, str], language: str) -> tuple[str, str]:
    """Return subject and body of an e-mail."""
    subject, text = _words(letter)
    page = in_language(f"/submissions/{facts['key']}", language)
    if site := settings.SITE_ADDRESS:
        page = f"{site.rstrip('/')}{page}"
    lines = [text % facts, *([_("The reason: %(reason)s") % facts] if facts.get("reason") else []), page, settings.SITE_NAME]
    return subject % facts, "\n\n".join(lines) + "\n"


def _words(letter: str) -> tuple[str, str]:
    words = {
        "verified": (
            _("“%(name)s” was verified and waits for review"),
            _("Your submission “%(name)s” to %(suite)s passed all checks. A moderator reviews it; a second e-mail brings the decision."),
        ),
        "published": (_("“%(name)s” is published"), _("Your submission “%(name)s” to %(suite)s is on the board now.")),
        "rejected": (
            _("“%(name)s” was not published"),
            _("Your submission “%(name)s” to %(suite)s was not published. You can fix it and submit it for review again."),
        ),
        "failed": (
            _("“%(name)s” could not be scored"),
            _("Your submission “%(name)s” to %(suite)s could not be scored. It cost no slot of your quota."),
        ),
        "ended": (
            _("“%(name)s” ran and came to no score"),
            _("Your program “%(name)s” was run on %(suite)s and came to no score. What it used of your quota stays used."),
        ),
        "refused": (
            _("“%(name)s” is not run"),
            _("A moderator does not let your program “%(name)s” run on %(suite)s. It cost no slot of your quota."),
        ),
        "rescored": (
            _("“%(name)s” was rescored"),
            _("The data or the scorer of %(suite)s changed, and the scores of “%(name)s” with it. The old ones stay on its page."),
        ),
        "resubmit": (
            _("“%(name)s” does not fit the new version"),
            _("There is a new version of %(suite)s, and the answers of “%(name)s” do not fit it. Please send new ones."),
        ),
    }
    return words[letter]
