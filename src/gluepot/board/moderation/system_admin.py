"""Systems in the admin, where duplicates are merged by a worker."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from gluepot.board.models import System
from gluepot.board.moderation.merging import merge_obstacle
from gluepot.board.submitting.tasks import merge


class MergeForm(forms.Form):
    """The system to keep, and the reason of the merge."""

    keep = forms.ModelChoiceField(System.objects.none(), label="Keep", widget=forms.RadioSelect, empty_label=None)
    reason = forms.CharField(label="Reason, for the trail", widget=forms.Textarea(attrs={"rows": 3}))

    def __init__(self, systems: QuerySet[System], *given: Any) -> None:
        super().__init__(*given)
        self.fields["keep"].queryset = systems  # type: ignore[attr-defined]
        self.fields["keep"].label_from_instance = lambda one: f"{one.name} ({one.slug})"  # type: ignore[attr-defined]


@admin.register(System)
class SystemAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Systems on the board, read-only except for merging."""

    list_display = ("name", "slug", "role", "team", "owner", "added")
    list_filter = ("role",)
    search_fields = ("name", "slug", "team")
    fields = readonly_fields = ("name", "slug", "role", "family", "parameters", "data_size", "team", "link", "owner", "added")
    actions = ("merge",)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.action(description="Merge: these are one system")
    def merge(self, request: HttpRequest, chosen: QuerySet[System]) -> HttpResponse | None:
        systems = chosen.order_by("pk")
        if why := merge_obstacle(list(systems)):
            self.message_user(request, why, messages.ERROR)
            return None
        form = MergeForm(systems, request.POST if "reason" in request.POST else None)
        if form.is_valid():
            kept = form.cleaned_data["keep"]
            others = [system.pk for system in systems if system.pk != kept.pk]
            merge.defer(into=kept.pk, others=others, moderator=str(request.user.pk), reason=form.cleaned_data["reason"])
            self.message_user(request, f"A worker makes them one: {kept.name}.")
            return None
        shown = {**self.admin_site.each_context(request), "title": "Merge systems", "form": form, "systems": systems}
        return TemplateResponse(request, "moderation/merge.html", shown)
