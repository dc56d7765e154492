// One message and its reply on the page: a list item whose pattern the server rendered (templates/conversation/turn.html).

import { putWithLinks } from "./links.js";
import { dayOf, dayWords, exactWords, timeWords, word } from "./page.js";

const pattern = document.getElementById("turn").content;
const dayPattern = document.getElementById("day").content;
const aloud = document.getElementById("aloud");
const LONG_WAIT_MS = 10_000;
const ALOUD_KEPT = 20;
const IN_WORK = ["queued", "running"];
const longWaits = new WeakMap();

export class Turn {
  static fresh(clientId) {
    const turn = new Turn(pattern.querySelector("li").cloneNode(true));
    turn.element.dataset.clientId = clientId;
    turn.part("unanswered").elements.client_id.value = clientId;
    return turn;
  }

  static of = (element) => new Turn(element);

  constructor(element) {
    this.element = element;
  }

  get clientId() {
    return this.element.dataset.clientId;
  }

  get status() {
    return this.element.dataset.status;
  }

  get text() {
    return this.part("asked").querySelector(".words").textContent;
  }

  part(name) {
    return this.element.querySelector(`[data-part="${name}"]`);
  }

  /** The server holds what the person wrote. Her words begin anew, also where some of them were here before. */
  opened({ turn, message, disclosure }) {
    this.#stands(turn, message, disclosure);
    this.beginsAnew = true;
    this.waiting(this.#standsInLine() ? "in_line" : "writing");
  }

  /** The next of her words; each piece is a finished sentence, and read out as one. */
  append(text) {
    const reply = this.part("reply");
    const words = reply.querySelector(".words");
    if (this.beginsAnew) words.textContent = "";
    this.beginsAnew = false;
    words.append(text);
    reply.hidden = false;
    this.#wait(true);
    readOut(text);
  }

  /** These words stand in the place of all that came so far. */
  replace(text) {
    if (this.part("reply").querySelector(".words").textContent === text) return;
    this.beginsAnew = true;
    this.append(text);
  }

  settled({ turn, reply, disclosure }) {
    this.#stands(turn, null, disclosure);
    this.#say("reply", reply, turn.outcome?.startsWith("boundary_"));
    this.#wait(false);
    this.part("unanswered").hidden = true;
    this.#nextInLine();
  }

  /** Not answered; what she had begun to say counts no more. */
  failed(why) {
    this.element.dataset.status = "failed";
    this.part("reply").hidden = true;
    this.part("reply").querySelector(".words").textContent = "";
    this.#wait(false);
    this.#unanswered(why);
    this.#nextInLine();
    readOut(why);
  }

  waiting(name) {
    this.element.dataset.status = "running";
    this.part("unanswered").hidden = true;
    this.#wait(true, name);
  }

  /** From a row of the API's list: one of the turn's two messages. */
  listed(message) {
    if (message.role === "ella") {
      this.#say("reply", message, message.turn_outcome?.startsWith("boundary_"));
      return;
    }
    this.#stands({ id: message.turn, status: message.turn_status }, message, message.disclosure);
    if (message.turn_status === "failed") this.#unanswered(word("interrupted"));
  }

  /** How the turn stands, what the person wrote, and the house's note where one was due. */
  #stands(turn, message, disclosure) {
    this.element.dataset.turn = turn.id;
    this.element.dataset.status = turn.status;
    if (message) this.#say("asked", message);
    if (!disclosure) return;
    this.part("disclosure").querySelector("span").textContent = disclosure.text;
    this.part("disclosure").hidden = false;
  }

  #unanswered(why) {
    this.part("unanswered").querySelector("p").textContent = why;
    this.part("unanswered").hidden = false;
  }

  #wait(waits, name = "writing") {
    const waiting = this.part("waiting");
    clearTimeout(longWaits.get(waiting));
    waiting.textContent = word(name);
    waiting.hidden = !waits;
    if (!waits || name !== "writing") return;
    longWaits.set(waiting, setTimeout(() => (waiting.textContent = word("writing_long")), LONG_WAIT_MS));
  }

  #standsInLine() {
    const turns = [...this.element.parentElement.querySelectorAll(".turn")];
    return turns.slice(0, turns.indexOf(this.element)).some((one) => IN_WORK.includes(one.dataset.status));
  }

  #nextInLine() {
    const next = this.element.nextElementSibling;
    if (next?.matches(".turn") && IN_WORK.includes(next.dataset.status)) Turn.of(next).waiting("writing");
  }

  #say(name, { text, created_at }, fromTable = false) {
    const said = this.part(name);
    const words = said.querySelector(".words");
    said.classList.toggle("from-table", fromTable);
    if (fromTable) putWithLinks(words, text);
    else words.textContent = text;
    stamp(said.querySelector("time"), new Date(created_at));
    said.hidden = false;
  }
}

/** The heading a day's turns stand under. */
export function dayHeading(moment) {
  const heading = dayPattern.querySelector("li").cloneNode(true);
  const time = heading.querySelector("time");
  time.dateTime = dayOf(moment);
  time.textContent = dayWords(moment);
  return heading;
}

function stamp(time, moment) {
  time.dateTime = moment.toISOString();
  time.title = exactWords(moment);
  time.textContent = timeWords(moment);
}

/** For a screen reader, after what it is saying now. */
export function readOut(text) {
  if (!text.trim()) return;
  const line = document.createElement("p");
  line.textContent = text;
  aloud.append(line);
  while (aloud.childElementCount > ALOUD_KEPT) aloud.firstElementChild.remove();
}
