// Sending a message and following its turn. The same client_id again continues the same turn, so every doubt (a line
// that broke, a page that was loaded again) is answered by posting once more.

import { eventsOf } from "./event-stream.js";
import { csrfToken, messages, word } from "./page.js";

const ANSWERS_WITHIN_MS = 20_000;
const LOOK_AGAIN_AFTER_MS = [1_000, 3_000, 6_000, 12_000];

/**
 * Why something was not sent, in words for the person. `passing`: it may well go through in a moment. `remedy`: the id of
 * a link on the page that helps.
 */
export class NotSent extends Error {
  constructor(why, { passing = false, remedy = "" } = {}) {
    super(why);
    this.passing = passing;
    this.remedy = remedy;
  }
}

/**
 * Post a message and tell its turn (turn.js) what happens until it is settled. `turnFor` makes or finds the turn once the
 * server holds the message. Throws NotSent if it never came to that; what goes wrong afterwards is told on the turn.
 */
export async function sayAndFollow({ text, clientId, turnFor }) {
  let turn = null;
  for (let again = 0; ; again += 1) {
    try {
      for await (const { name, data } of await post(text, clientId)) {
        if (name === "turn") (turn ??= turnFor(data)).opened(data);
        else if (name === "delta") turn.append(data.text);
        else if (name === "replace") turn.replace(data.text);
        else if (name === "done") return turn.settled(data);
        else if (name === "error") return turn.failed(data.errors[0].detail);
      }
      throw new NotSent(word("line_broke"), { passing: true });
    } catch (error) {
      const why = reason(error);
      if (!turn || why.remedy) throw why;
      if (!why.passing || again >= LOOK_AGAIN_AFTER_MS.length) return turn.failed(why.message);
      turn.waiting("look_again");
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_AFTER_MS[again]));
    }
  }
}

function reason(error) {
  if (error instanceof NotSent) return error;
  if (!(error instanceof TypeError)) console.error(error); // a TypeError is how a broken line shows
  return new NotSent(word("line_broke"), { passing: true });
}

async function post(text, clientId) {
  const line = new AbortController();
  const patience = setTimeout(() => line.abort(), ANSWERS_WITHIN_MS);
  let response;
  try {
    response = await fetch(messages, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "text/event-stream", "X-CSRFToken": csrfToken() },
      body: JSON.stringify({ text, client_id: clientId }),
      signal: line.signal,
    });
  } catch {
    throw new NotSent(word(navigator.onLine ? "unreachable" : "offline"), { passing: true });
  } finally {
    clearTimeout(patience);
  }
  if (!response.ok) throw await refusal(response);
  return eventsOf(response.body);
}

async function refusal(response) {
  const { status } = response;
  if (status === 401) return new NotSent(word("logged_out"), { remedy: "log-in" });
  if (status === 403) return new NotSent(word("page_too_old"), { remedy: "load-again" });
  if (status === 404) return new NotSent(word("not_found"));
  if (status === 409) return new NotSent(word("sent_otherwise"));
  if (status === 429) {
    const seconds = Number(response.headers.get("Retry-After")) || 1;
    return new NotSent(word("slow_down", { seconds }));
  }
  if (status >= 500) return new NotSent(word("fault"), { passing: true });
  const told = await response.json().catch(() => null);
  return new NotSent(told?.errors?.[0]?.detail ?? word("not_readable"));
}
