"""`api:NAME@URL`: a language model behind an OpenAI-compatible API, through chat or completions."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gluepot.answers import Entity
from gluepot.errors import WrongUse
from gluepot.models.api.client import Client
from gluepot.models.api.keys import key_for
from gluepot.models.api.remote import RemoteModel
from gluepot.models.api.spending import Spending
from gluepot.models.prompted import AnswerMethod, PromptingAdapter, PromptSettings
from gluepot.models.prompts.chat_options import read_options
from gluepot.tasks import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from gluepot.models.prompts.asking import Form
    from gluepot.records import Example, Prediction, Task


class ApiModel(PromptingAdapter):
    """Adapter that streams answers as they arrive."""

    def __init__(
        self,
        name: str,
        argument: str,
        seed: int,
        price: str = "0,0",
        budget: float | None = None,
        ledger: str = "",
        key_address: str = "",
        chat_option: str = "",
        **prompt_settings: Any,
    ) -> None:
        model, at, url = argument.partition("@http")
        if not (model and at):
            raise WrongUse(f"api:{argument}: write api:NAME@http://HOST:PORT/v1.")
        wanted = PromptSettings(**prompt_settings)
        if (wanted.form, wanted.answers) == ("instruct", "likelihood"):
            raise WrongUse("--answers likelihood: a server tells no likelihoods in a chat. Leave out --form instruct.")
        spending = Spending(price, budget, Path(ledger) if ledger else None)
        self.client = Client(model, f"http{url}", spending, key_for(f"http{url}", key_address))
        self.remote = RemoteModel(self.client, insists=wanted.answers == "first-token", chat_options=read_options(chat_option))
        super().__init__(self.remote, seed, wanted)

    def allows(self, way: AnswerMethod) -> bool:
        """Allow likelihoods only where the server echoes prompts with them; first-token log-probabilities show in its answers."""
        if way != "likelihood":
            return True
        if not self.remote.scores and self.prompt_settings.answers == way:
            raise WrongUse(f"{self.client.url} tells no likelihoods of prompts (echo with logprobs): leave out --answers likelihood.")
        return self.prompt_settings.form != "instruct" and self.remote.scores

    def _form(self, task: "Task", shots: "Sequence[Example]") -> "Form":
        """Choose completions where likelihoods are needed: servers return none for chats."""
        texts = isinstance(KINDS[task.kind].answer, Entity) and self.prompt_settings.answers == "auto"
        completed = (
            self.prompt_settings.form == "auto" and (texts or self.prompt_settings.answers == "likelihood") and self.allows("likelihood")
        )
        return "base" if completed else super()._form(task, shots)

    def stream(self, task: "Task", examples: "Sequence[Example]") -> "Iterator[Prediction]":
        return self.answer(task, examples)
