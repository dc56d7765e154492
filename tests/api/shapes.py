"""Reading the API's one error shape, and insisting on it."""

from typing import Any


def errors_of(response: Any) -> list[dict[str, Any]]:
    assert response.headers["Content-Type"] == "application/json"
    body = response.json()
    assert set(body) - {"turn"} == {"type", "errors"}
    assert body["type"] in {"validation_error", "client_error", "server_error"}
    assert body["errors"]
    for error in body["errors"]:
        assert set(error) == {"code", "detail", "attr"}
        assert error["detail"]
    return list(body["errors"])


def only_error(response: Any) -> dict[str, Any]:
    (error,) = errors_of(response)
    return error


def field_errors(response: Any) -> dict[str, list[str]]:
    """Field → codes, of a 400."""
    assert response.json()["type"] == "validation_error"
    found: dict[str, list[str]] = {}
    for error in errors_of(response):
        found.setdefault(error["attr"], []).append(error["code"])
    return found
