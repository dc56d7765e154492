"""
A real house and a real browser. Every test is somebody new, and a page that complains in its console fails its test:
that is also how a violated content policy shows.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Error, Page, sync_playwright

from tests.house import House, Visitor
from tests.standin import StandIn

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
# Nothing that phones home, and nothing a machine without a screen lacks.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 15_000


@pytest.fixture(scope="session")
def house() -> Iterator[House]:
    # A dead runner is noticed within two seconds, so that a test need not wait for it.
    with House(env={"TURN_LEASE_S": "2"}) as house:
        yield house


@pytest.fixture
def standin(house: House) -> StandIn:
    house.standin.reset()
    return house.standin


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass
class Visits:
    """Browser windows of one test, each with a person of its own, and what their pages complained about."""

    house: House
    browser: Browser
    complaints: list[str] = field(default_factory=list)
    windows: list[BrowserContext] = field(default_factory=list)

    def window(
        self, *, width: int = 1280, height: int = 800, dark: bool = False, scripts: bool = True, touch: bool = False
    ) -> Page:
        window = self.browser.new_context(
            base_url=self.house.url,
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
            has_touch=touch,
            is_mobile=touch,
            locale="en-GB",
        )
        window.set_default_timeout(PATIENCE_MS)
        self.windows.append(window)
        page = window.new_page()
        page.on("console", self._heard)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(f"dialog: {dialog.message}"))
        return page

    def chat(
        self,
        visitor: Visitor | None = None,
        *,
        width: int = 1280,
        height: int = 800,
        dark: bool = False,
        scripts: bool = True,
        touch: bool = False,
    ) -> Page:
        """A window of somebody (somebody new, unless told otherwise) who has logged in and sees the chat."""
        visitor = visitor or self.house.visitor()
        page = self.window(width=width, height=height, dark=dark, scripts=scripts, touch=touch)
        page.goto("/")
        page.get_by_label("User name").fill(visitor.username)
        page.get_by_label("Password").fill(visitor.password)
        page.get_by_role("button", name="Log in").click()
        page.get_by_label("Write to Ella").wait_for()
        page.wait_for_load_state("load")  # the scripts too
        return page

    def _heard(self, message: ConsoleMessage) -> None:
        # A request that failed is noted by the browser itself; the tests look at what the page makes of it.
        if message.type == "error" and "Failed to load resource" not in message.text:
            self.complaints.append(message.text)


@pytest.fixture
def visits(house: House, browser: Browser, standin: StandIn) -> Iterator[Visits]:
    visits = Visits(house, browser)
    yield visits
    for window in visits.windows:
        try:
            window.close()
        except Error as error:
            visits.complaints.append(str(error))
    assert visits.complaints == []
