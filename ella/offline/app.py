"""
The stand-in model server: a small ASGI app that speaks the Anthropic Messages wire, so that the real SDK can be
used with no key and no network.

    python -m uvicorn ella.offline.app:app --host 127.0.0.1 --port 8765

It holds everything in memory and knows nothing of Django, of the database or of the people in it. It must never
pass for a language model: its first page says what it is.
"""

from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from ella.offline.batches_api import (
    MAX_BATCH_BYTES,
    batch_results,
    cancel_batch,
    create_batch,
    delete_batch,
    list_batches,
    retrieve_batch,
)
from ella.offline.control import control_routes
from ella.offline.errors import ErrorType, ProviderError, new_id
from ella.offline.exchange import CONNECTION, Exchange, provider_endpoint
from ella.offline.failures import Reach
from ella.offline.messages_api import count_tokens, create_message
from ella.offline.models import MODELS, rules_for
from ella.offline.pages import page, read_limit
from ella.offline.state import StandInState, pace_from_environment

_HOME = (Path(__file__).parent / "texts" / "home.txt").read_text(encoding="utf-8")


class StandIn(Starlette):
    """Starlette, keeping hold of the server's own `send`, through which a failure may close the connection."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[CONNECTION] = send
        await super().__call__(scope, receive, send)


async def home(_: Request) -> Response:
    return PlainTextResponse(_HOME)


async def health(_: Request) -> Response:
    return JSONResponse({"status": "ok", "language_model": False})


async def not_found(_: Request, __: Exception) -> Response:
    return ProviderError(ErrorType.NOT_FOUND, "Not found").response(new_id("req"))


async def list_models(exchange: Exchange) -> Response:
    query = exchange.http.query_params
    rows = sorted((model.as_json() for model in MODELS.values()), key=lambda row: str(row["created_at"]), reverse=True)
    limit = read_limit(query.get("limit"))
    return await exchange.send_json(
        page(rows, after_id=query.get("after_id"), before_id=query.get("before_id"), limit=limit)
    )


async def retrieve_model(exchange: Exchange) -> Response:
    name = exchange.http.path_params["model_id"]
    rules = rules_for(name)
    if rules is None:
        raise ProviderError(ErrorType.NOT_FOUND, f"model: {name}")
    return await exchange.send_json(rules.as_json())


def create_app() -> Starlette:
    """A stand-in with a memory of its own."""
    answered = (Reach.REQUEST, Reach.ANSWER, Reach.WIRE)
    batches = "/v1/messages/batches"
    routes = [
        Route("/", home),
        Route("/health", health),
        Route("/v1/messages", provider_endpoint(create_message, reaches=answered), methods=["POST"]),
        Route("/v1/messages/count_tokens", provider_endpoint(count_tokens), methods=["POST"]),
        Route(batches, provider_endpoint(create_batch, body_limit=MAX_BATCH_BYTES), methods=["POST"]),
        Route(batches, provider_endpoint(list_batches)),
        Route(batches + "/{batch_id}", provider_endpoint(retrieve_batch)),
        Route(batches + "/{batch_id}", provider_endpoint(delete_batch), methods=["DELETE"]),
        Route(batches + "/{batch_id}/cancel", provider_endpoint(cancel_batch), methods=["POST"]),
        Route(batches + "/{batch_id}/results", provider_endpoint(batch_results)),
        Route("/v1/models", provider_endpoint(list_models)),
        Route("/v1/models/{model_id}", provider_endpoint(retrieve_model)),
        *control_routes(),
    ]
    standin = StandIn(routes=routes, exception_handlers={404: not_found, 405: not_found})
    standin.state.standin = StandInState(pace_from_environment())
    return standin


app = create_app()
