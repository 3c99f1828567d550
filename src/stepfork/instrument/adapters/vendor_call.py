"""One call of a vendor's client: what is asked, what a replay makes of the recorded answer, what a live one tells."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from stepfork.instrument.adapters.http_forms import answer_of, event_response, json_response, raw_mode, request_body
from stepfork.instrument.adapters.opened import OpenCall
from stepfork.instrument.adapters.vendor_errors import bare_error, whole_error
from stepfork.instrument.adapters.vendor_streams import Watch, ending_class, watched_class
from stepfork.instrument.tagged import encode_arguments
from stepfork.providers.apis import MODEL_APIS, api_of
from stepfork.providers.shapes import dict_of, text_or_none
from stepfork.providers.sse import parse_events
from stepfork.trace.call import Asked


class _Sent(NamedTuple):
    """A request under way: the response is noted in ``responses`` when the client has it."""

    client: Any
    responses: list[Any]


_sent: ContextVar[_Sent | None] = ContextVar("stepfork_sent", default=None)


def note_response(client: Any, response: Any) -> None:
    """The client has a response: the call under way is told."""
    sent = _sent.get()
    if sent is not None and sent.client is client:
        sent.responses.append(response)


def asks_a_model(options: Any) -> bool:
    """Whether a request of these options is a model call that is known here."""
    return _api(options) in MODEL_APIS


def _api(options: Any) -> str:
    return api_of("", str(options.method), str(options.url).partition("?")[0])


class Asking(NamedTuple):
    """What a caller wants of `client`."""

    client: Any
    cast_to: Any
    options: Any
    stream: bool
    stream_class: Any

    def asked(self, provider: str) -> Asked:
        """The call as its session hears of it."""
        body = request_body(self.options)
        return Asked(
            type="llm_call",
            name="chat",
            arguments=encode_arguments(body),
            model=text_or_none(dict_of(body).get("model")),
            provider=provider,
            api=_api(self.options),
        )

    def answered(self, call: OpenCall) -> dict[str, Any]:
        """What `_process_response` makes the caller's answer of. Raises what the recorded call raised."""
        options = self.options.model_copy()  # the client changes it
        events = call.events()
        if events is None:
            if (error := call.error()) is not None:
                raise whole_error(error, self.client, options)
            response = json_response(self.client, options, call.result())
        else:
            named, whole = _api(options) != "chat_completions", call.end_of_stream() is None
            response = event_response(self.client, options, events, named=named, whole=whole)
        return {
            "cast_to": self.client._maybe_override_cast_to(self.cast_to, options),
            "options": options,
            "response": response,
            "stream": self.stream,
            "stream_cls": self._ending(call, options),
            "retries_taken": 0,
        }

    def _ending(self, call: OpenCall, options: Any) -> Any:
        end = call.end_of_stream()
        if end is None or self.stream_class is None:
            return self.stream_class
        return ending_class(self.stream_class, lambda: whole_error(end(), self.client, options))


class Watched:
    """A call that is being made: what came of it is told when it has."""

    def __init__(self, call: OpenCall, asking: Asking) -> None:
        self._call = call
        self._asking = asking
        self._responses: list[Any] = []
        self._watch = Watch(call.tape()) if asking.stream else None
        self.stream_class = asking.stream_class
        if self._watch is not None and self.stream_class is not None:
            self.stream_class = watched_class(self.stream_class, self._watch)

    @contextmanager
    def sending(self) -> Iterator[None]:
        """The client's own code runs here."""
        token = _sent.set(_Sent(self._asking.client, self._responses))
        try:
            with self._call.body():
                yield
        except BaseException as error:
            if self._watch is not None:
                self._watch.tape.failed(bare_error(error))
            elif self._responses:
                self.came()  # an answer that the caller's own parser refused: it will refuse it again
            else:
                self._call.raised(bare_error(error))
            raise
        finally:
            _sent.reset(token)

    def unread(self) -> Any:
        """The response, where the caller has it without its body having been read."""
        return self._responses[-1] if self._responses and raw_mode(self._asking.options) == "stream" else None

    def came(self) -> None:
        """The client has its answer, or the beginning of one."""
        if not self._responses:
            self._call.returned(None)  # something between has answered, as the vendor's middleware may
            return
        response = self._responses[-1]
        if self._watch is None:
            self._call.returned(answer_of(response))
        elif self.unread() is not None:
            for event in parse_events(response.text):
                self._watch.event(event)
            self._watch.tape.ended()
        else:
            self._watch.on_close(response)
