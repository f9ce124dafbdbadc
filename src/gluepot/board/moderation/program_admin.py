"""Review of submitted programs in the admin: their content, and the permission to run with its reason."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join

from gluepot.board.submitting.models import SubmittedProgram
from gluepot.board.submitting.programs.permission import allow, refuse
from gluepot.board.submitting.programs.settings import all_seconds, run_limits
from gluepot.board.submitting.states import State, StateError
from gluepot.programs.limits import MIB


class PermissionForm(forms.ModelForm):  # type: ignore[type-arg]
    """Decision whether a program may run, with its reason; bound to the digest of the displayed content."""

    decision = forms.ChoiceField(
        label="Decision", choices=[("", "–"), ("allow", "let it run"), ("refuse", "do not run it")], required=False
    )
    why = forms.CharField(label="Reason, for the trail; of a refusal its team is told", widget=forms.Textarea, required=False)
    seen = forms.CharField(widget=forms.HiddenInput, required=False)

    class Meta:
        model = SubmittedProgram
        fields: tuple[str, ...] = ()

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.fields["seen"].initial = self.instance.digest

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        if found.get("decision") and not (found.get("why") or "").strip():
            self.add_error("why", "The decision needs a reason.")
        if found.get("decision") and self.instance.upload.state != State.PROPOSED:
            self.add_error("decision", "This does not wait for permission.")
        return found


@admin.register(SubmittedProgram)
class SubmittedProgramAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Submitted programs and their permission to run."""

    form = PermissionForm
    list_display = ("name", "suite", "team", "kind", "permission", "words")
    list_filter = ("permission", "kind", "upload__suite")
    search_fields = ("upload__name", "upload__team__name", "digest")
    ordering = ("permission", "-pk")
    facts = ("words", "kind", "digest", "contents", "tasks", "limits", "suite", "team", "private_page", "permission", "reason", "decided")
    readonly_fields = facts
    fieldsets = ((None, {"fields": ("decision", "why", "seen")}), ("What would be run", {"fields": facts}))

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[SubmittedProgram]:
        return SubmittedProgram.objects.select_related("upload", "upload__team")

    @admin.display(description="Name")
    def name(self, program: SubmittedProgram) -> str:
        return program.upload.name

    @admin.display(description="Suite")
    def suite(self, program: SubmittedProgram) -> str:
        return f"{program.upload.suite} {program.upload.version}"

    @admin.display(description="Team")
    def team(self, program: SubmittedProgram) -> str:
        return program.upload.team.name

    @admin.display(description="Tasks")
    def tasks(self, program: SubmittedProgram) -> str:
        return ", ".join(one["task"] for one in program.upload.tasks)

    @admin.display(description="Files")
    def contents(self, program: SubmittedProgram) -> str:
        """Return a link to download all files, and each file's name, size and hash."""
        if not program.files:
            return "none"
        rows = ((one["name"], f"{one['size']:,}", one["sha256"]) for one in program.files)
        listed = format_html_join("", "<br>{}, {} bytes, SHA-256 <code>{}</code>", rows)
        return format_html('<a href="/submissions/{}/program">all of them (zip)</a>{}', program.upload.key, listed)

    @admin.display(description="Limits")
    def limits(self, program: SubmittedProgram) -> str:
        most = run_limits(all_seconds())
        sizes = f"{(most.memory or 0) // MIB:,} MiB of memory, {(most.disk or 0) // MIB:,} MiB of temporary files"
        return f"{all_seconds() / 60:,.0f} minutes of all runs together; {sizes}, {most.processes} processes; no network"

    @admin.display(description="Private page")
    def private_page(self, program: SubmittedProgram) -> str:
        return format_html('<a href="/submissions/{}">{}</a>', program.upload.key, program.upload.get_state_display())

    def save_model(self, request: HttpRequest, obj: SubmittedProgram, form: Any, change: bool) -> None:
        given, who = form.cleaned_data, str(request.user.pk)
        try:
            if given.get("decision") == "allow":
                allow(obj, who, given["seen"], given["why"])
            elif given.get("decision") == "refuse":
                refuse(obj, who, given["seen"], given["why"])
        except StateError as error:
            self.message_user(request, str(error), messages.ERROR)
