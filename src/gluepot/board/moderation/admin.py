"""Moderation in Django's admin: review queue, decisions, blocks, suspicions, audit log."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html

from gluepot.board.accounts.models import Member
from gluepot.board.moderation import program_admin as program_admin  # registers its admin
from gluepot.board.moderation import system_admin as system_admin
from gluepot.board.moderation.audit import record
from gluepot.board.moderation.models import AuditEvent
from gluepot.board.submitting.models import FactSheet, Suspicion
from gluepot.board.submitting.publication.decisions import approve, reject
from gluepot.board.submitting.states import StateError


class ReadOnly(admin.ModelAdmin):  # type: ignore[type-arg]
    """Model admin without adding and deleting."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class DecisionForm(forms.ModelForm):  # type: ignore[type-arg]
    """Decision on publication, with the reason of a rejection."""

    decision = forms.ChoiceField(
        label="Decision",
        choices=[("", "–"), ("approve", "publish"), ("reject", "reject")],
        required=False,
    )
    why = forms.CharField(label="Reason, which its team is told", widget=forms.Textarea, required=False)

    class Meta:
        model = FactSheet
        fields: tuple[str, ...] = ()

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        if found.get("decision") == "reject" and not (found.get("why") or "").strip():
            self.add_error("why", "A rejection needs a reason.")
        if found.get("decision") and self.instance.state != FactSheet.State.REVIEW:
            self.add_error("decision", "This is not in review.")
        return found


@admin.register(FactSheet)
class FactSheetAdmin(ReadOnly):
    """Review queue of submitted metadata."""

    form = DecisionForm
    list_display = ("name", "suite", "team", "state", "made", "suspicions")
    list_filter = ("state", "upload__suite")
    search_fields = ("name", "upload__team__name")
    ordering = ("-state", "made")
    readonly_fields = (*FactSheet.SHOWN, "suite", "team", "private_page", "suspicions")
    fieldsets = (
        (None, {"fields": ("decision", "why")}),
        ("Fact sheet", {"fields": (*FactSheet.SHOWN, "suite", "team", "private_page", "suspicions")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[FactSheet]:
        return FactSheet.objects.exclude(state=FactSheet.State.DRAFT).select_related("upload", "upload__team")

    @admin.display(description="Suite")
    def suite(self, sheet: FactSheet) -> str:
        return f"{sheet.upload.suite} {sheet.upload.version}"

    @admin.display(description="Team")
    def team(self, sheet: FactSheet) -> str:
        return sheet.upload.team.name

    @admin.display(description="Private page")
    def private_page(self, sheet: FactSheet) -> str:
        return format_html('<a href="/submissions/{}">{}</a>', sheet.upload.key, sheet.upload.get_state_display())

    @admin.display(description="Suspicions")
    def suspicions(self, sheet: FactSheet) -> int:
        return sheet.upload.suspicions.filter(settled=False).count()

    def save_model(self, request: HttpRequest, obj: FactSheet, form: Any, change: bool) -> None:
        decision, who = form.cleaned_data.get("decision"), str(request.user.pk)
        try:
            if decision == "approve":
                approve(obj, who)
            elif decision == "reject":
                reject(obj, who, form.cleaned_data["why"])
        except StateError as error:
            self.message_user(request, str(error), messages.ERROR)


class MemberForm(forms.ModelForm):  # type: ignore[type-arg]
    """Permissions of a member; a block requires a reason."""

    why = forms.CharField(label="Reason, for the trail", widget=forms.Textarea(attrs={"rows": 3}), required=False)

    class Meta:
        model = Member
        fields = ("is_active", "is_staff", "is_superuser")

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        if "is_active" in self.changed_data and not found.get("is_active") and not (found.get("why") or "").strip():
            self.add_error("why", "A block needs a reason.")
        return found


@admin.register(Member)
class MemberAdmin(ReadOnly):
    """Members, to be blocked (their sessions and keys end immediately) or made moderators."""

    form = MemberForm
    list_display = ("email", "name", "is_active", "is_staff", "date_joined")
    list_filter = ("is_active", "is_staff")
    search_fields = ("email", "name")
    fields = ("email", "name", "is_active", "why", "is_staff", "is_superuser", "date_joined", "last_login")
    readonly_fields = ("email", "name", "date_joined", "last_login")

    def save_model(self, request: HttpRequest, obj: Member, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        record(
            str(request.user.pk),
            "changed an account",
            f"account {obj.pk}",
            changed={name: getattr(obj, name) for name in form.changed_data if name != "why"},
            reason=form.cleaned_data.get("why", ""),
        )


@admin.register(Suspicion)
class SuspicionAdmin(ReadOnly):
    """Suspected copies and label probing."""

    list_display = ("kind", "upload", "team", "other", "other_team", "evidence", "made", "settled")
    list_filter = ("kind", "settled")
    fields = ("kind", "upload", "team", "other", "other_team", "evidence", "made", "settled")
    readonly_fields = ("kind", "upload", "team", "other", "other_team", "evidence", "made")
    ordering = ("settled", "-made")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Suspicion]:
        return Suspicion.objects.select_related("upload__team", "other__team")

    @admin.display(description="Team")
    def team(self, found: Suspicion) -> str:
        return found.upload.team.name

    @admin.display(description="The other one's team")
    def other_team(self, found: Suspicion) -> str:
        """Return the other team, or the published system whose answers were copied."""
        return found.other.team.name if found.other else found.details.get("system", "")

    @admin.display(description="What was seen")
    def evidence(self, found: Suspicion) -> str:
        """Return the share of equal answers or a description of the pattern, by task."""
        tasks = found.details.get("tasks", {})
        return "; ".join(f"{task}: {f'{said:.1%} the same' if isinstance(said, float) else said}" for task, said in tasks.items())

    def save_model(self, request: HttpRequest, obj: Suspicion, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        record(str(request.user.pk), "settled a suspicion" if obj.settled else "opened a suspicion", str(obj.upload.key))


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnly):
    """The audit log, read-only."""

    list_display = ("at", "actor", "action", "subject")
    list_filter = ("action",)
    search_fields = ("subject", "actor")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
