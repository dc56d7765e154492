// The page people write to Ella on, made pleasant: words arrive as she finds them, and what is being written survives a
// reload. Everything it does, the plain form does too; it decides nothing.

import { dayOf, earlierUrl, limit, messages, newest, person, word } from "./page.js";
import { NotSent, sayAndFollow } from "./posting.js";
import { Turn, dayHeading, readOut } from "./turn.js";

const talk = document.getElementById("talk");
const telling = document.getElementById("telling");
const earlier = document.getElementById("earlier");
const NEAR_THE_END_PX = 120;
const COUNT_FROM = 0.9;

// --- Where one stands in the page ---------------------------------------------------------------------------------------

const newer = document.getElementById("newer");
const toTheEnd = () => window.scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
const atTheEnd = () =>
  document.documentElement.scrollHeight - window.innerHeight - window.scrollY < NEAR_THE_END_PX;

/** Change the page below; whoever reads the end of it stays at the end, whoever reads further up is left alone. */
function below(change) {
  const follow = atTheEnd();
  const result = change();
  if (follow) toTheEnd();
  else if (newer) newer.hidden = false;
  return result;
}

/** Change the page above without moving what is being read. */
function above(change) {
  const mark = talk.querySelector(".turn");
  const before = mark.getBoundingClientRect().top;
  change();
  window.scrollBy({ top: mark.getBoundingClientRect().top - before, behavior: "instant" });
}

// --- Turns that change while one looks ----------------------------------------------------------------------------------

/** A turn whose every change keeps the reader's place. */
function followed(turn) {
  return new Proxy(turn, {
    get(target, name) {
      const value = target[name];
      return typeof value === "function" ? (...given) => below(() => value.apply(target, given)) : value;
    },
  });
}

function placeNew(data) {
  const turn = Turn.fresh(data.turn.client_id);
  const moment = new Date(data.turn.created_at);
  document.getElementById("nothing-yet")?.remove();
  const days = talk.querySelectorAll(".day time");
  if (days[days.length - 1]?.dateTime !== dayOf(moment)) talk.append(dayHeading(moment));
  talk.append(turn.element);
  return followed(turn);
}

async function tryAgain(turn) {
  turn.waiting("writing");
  try {
    await sayAndFollow({ text: turn.text, clientId: turn.clientId, turnFor: () => followed(turn) });
  } catch (error) {
    turn.failed(error.message);
    tell(error.message, error);
  }
}

function mind(turn) {
  if (turn.status === "queued" || turn.status === "running") tryAgain(turn);
}

if (messages) {
  talk.addEventListener("submit", (event) => {
    event.preventDefault();
    tryAgain(Turn.of(event.target.closest(".turn")));
    document.getElementById("text")?.focus();
  });
  for (const element of talk.querySelectorAll(".turn")) mind(Turn.of(element));
}

// --- What is being written ----------------------------------------------------------------------------------------------

const writing = document.getElementById("writing");
const box = document.getElementById("text");
const button = writing?.querySelector("button");
const tooLong = document.getElementById("too-long");
const place = `ella:${person}:${messages}`;
let onItsWay = false;

const kept = {
  /** { text, sent, clientId }: what stands in the box; what of it was sent under which id and is not yet known to be held. */
  read: () => JSON.parse(sessionStorage.getItem(place) ?? "null") ?? { text: "", sent: "", clientId: "" },
  write: (draft) => sessionStorage.setItem(place, JSON.stringify(draft)),
  forget: () => sessionStorage.removeItem(place),
};

/** Beside the box. `remedy` is the id of the link that helps, where one does. */
function tell(why, { calm = false, remedy = "" } = {}) {
  if (!telling) return;
  telling.querySelector("span").textContent = why;
  for (const link of telling.querySelectorAll("a")) link.hidden = link.id !== remedy;
  telling.classList.toggle("calm", calm);
  telling.hidden = !why;
  readOut(why);
}

function grow() {
  const follow = atTheEnd();
  box.style.height = "auto";
  box.style.height = `${box.scrollHeight + box.offsetHeight - box.clientHeight}px`;
  const count = [...box.value].length;
  tooLong.hidden = count < limit * COUNT_FROM;
  tooLong.textContent = word("count", { count: count.toLocaleString("en"), limit: limit.toLocaleString("en") });
  if (follow) toTheEnd();
}

function busy(is) {
  onItsWay = is;
  button.setAttribute("aria-disabled", String(is));
  button.textContent = word(is ? "sending" : "send");
}

/** The server holds it: what stands in the box beyond it was typed meanwhile, and stays. */
function clearSent(text) {
  const rest = box.value.trimStart().startsWith(text) ? box.value.trimStart().slice(text.length).trimStart() : box.value;
  box.value = rest;
  kept.write({ text: rest, sent: "", clientId: "" });
  grow();
  toTheEnd();
}

async function send() {
  const text = box.value.trim();
  if (onItsWay) return;
  if (!text) return tell(word("empty"), { calm: true });
  if ([...text].length > limit) return tell(word("too_long", { limit: limit.toLocaleString("en") }));
  // The same words under the same id: if they did arrive the time before, this finds their turn.
  const before = kept.read();
  const clientId = before.sent === text ? before.clientId : newClientId();
  kept.write({ text: box.value, clientId, sent: text });
  busy(true);
  tell("");
  try {
    await sayAndFollow({
      text,
      clientId,
      turnFor: (data) => {
        const turn = placeNew(data);
        busy(false);
        clearSent(text);
        return turn;
      },
    });
  } catch (error) {
    busy(false);
    tell(error.message, error);
  }
}

/** crypto.randomUUID exists on secure origins only; a house may be tried out on a plain one. */
function newClientId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

if (writing && messages) {
  const draft = kept.read();
  const arrived = draft.clientId && talk.querySelector(`.turn[data-client-id="${CSS.escape(draft.clientId)}"]`);
  if (arrived && draft.text.trim() === draft.sent) kept.forget();
  else if (!box.value) box.value = draft.text;

  writing.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
    box.focus();
  });
  box.addEventListener("input", () => {
    kept.write({ ...kept.read(), text: box.value });
    grow();
  });
  // On a touch keyboard Enter makes a line; there is no Shift to hold.
  if (window.matchMedia("(pointer: fine)").matches) {
    document.getElementById("keys").hidden = false;
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      writing.requestSubmit();
    });
  }
  window.addEventListener("offline", () => tell(word("offline"), { calm: true }));
  window.addEventListener("online", () => tell(""));
  if (!navigator.onLine) tell(word("offline"), { calm: true });
  // The next one at this device must not find it.
  document.getElementById("leave").addEventListener("submit", kept.forget);
  grow();
}

// --- What was said earlier ----------------------------------------------------------------------------------------------

let next = earlierUrl;

async function fetchEarlier() {
  const response = await fetch(next, { headers: { Accept: "application/json" } });
  if (!response.ok) throw new NotSent(word("earlier_failed"));
  return response.json();
}

/** Newest first, as the API tells them; each goes to the top, under its day. */
function putOnTop(rows) {
  for (const row of rows) {
    const known = talk.querySelector(`.turn[data-turn="${CSS.escape(row.turn)}"]`);
    const turn = known ? Turn.of(known) : Turn.fresh(row.client_id);
    turn.listed(row);
    if (!known) standOnTop(turn.element, new Date(row.created_at));
  }
}

function standOnTop(element, moment) {
  const top = talk.firstElementChild;
  if (top?.classList.contains("day") && top.querySelector("time").dateTime === dayOf(moment)) {
    top.after(element);
    return;
  }
  talk.prepend(dayHeading(moment), element);
}

earlier?.addEventListener("click", async (event) => {
  if (!next || earlier.ariaBusy === "true") return;
  event.preventDefault();
  earlier.ariaBusy = "true";
  try {
    const found = await fetchEarlier();
    next = found.next;
    above(() => {
      putOnTop(found.results);
      earlier.parentElement.hidden = !next;
    });
  } catch {
    earlier.textContent = word("earlier_failed");
  } finally {
    earlier.ariaBusy = "false";
  }
});

if (earlier && newest && "IntersectionObserver" in window) {
  // Only once somebody scrolls up: at first the page may be too short to have anything above.
  const onSight = new IntersectionObserver(
    ([seen]) => seen.isIntersecting && window.scrollY < window.innerHeight && atTheEnd() === false && earlier.click(),
    { rootMargin: "200px 0px 0px" },
  );
  onSight.observe(earlier);
}

// --- The end of the page ------------------------------------------------------------------------------------------------

newer?.addEventListener("click", () => {
  toTheEnd();
  box?.focus({ preventScroll: true });
});
window.addEventListener("scroll", () => newer && atTheEnd() && (newer.hidden = true), { passive: true });
if (newest) {
  history.scrollRestoration = "manual";
  toTheEnd();
  if (window.matchMedia("(pointer: fine)").matches) box?.focus({ preventScroll: true });
}
