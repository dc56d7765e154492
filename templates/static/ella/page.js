// What the server told this page when it was made: who is here, on which clock, where to post, and the page's words.

const page = JSON.parse(document.getElementById("page").textContent);

export const { person, messages, limit, newest } = page;
export const forTextsOnly = page.for_texts_only;
export const shortNumbers = page.short_numbers;
export const earlierUrl = page.earlier;

/** The sentence of that name, with its {…} filled in. */
export function word(name, values = {}) {
  return page.words[name].replace(/\{(\w+)\}/g, (_, key) => values[key]);
}

// The server's clock is the one that counts, and a device's may be wrong by hours.
const behind = Date.parse(page.now) - Date.now();
export const now = () => new Date(Date.now() + behind);

const zone = { timeZone: page.timezone };
const format = (options) => new Intl.DateTimeFormat("en-GB", { ...zone, ...options });
const time = format({ hour: "2-digit", minute: "2-digit" });
const exact = format({ dateStyle: "full", timeStyle: "long" });
const iso = new Intl.DateTimeFormat("en-CA", { ...zone, year: "numeric", month: "2-digit", day: "2-digit" });
const weekday = format({ weekday: "long" });
const monthDay = format({ day: "numeric", month: "long" });

export const timeWords = (moment) => time.format(moment);
export const exactWords = (moment) => exact.format(moment);

/** The calendar day of a moment on the person's clock, as in 2026-03-03. */
export const dayOf = (moment) => iso.format(moment);

/** Today, Yesterday, Tuesday 3 March, and with its year once that is another one. */
export function dayWords(moment) {
  const days = Math.round((Date.parse(dayOf(now())) - Date.parse(dayOf(moment))) / 86_400_000);
  if (days === 0) return word("today");
  if (days === 1) return word("yesterday");
  const day = `${weekday.format(moment)} ${monthDay.format(moment)}`;
  const year = dayOf(moment).slice(0, 4);
  return year === dayOf(now()).slice(0, 4) ? day : `${day} ${year}`;
}

/** The token of the form, fresh: logging in elsewhere changes it under an open page. */
export function csrfToken() {
  const kept = /(?:^|;\s*)csrftoken=([^;]+)/.exec(document.cookie);
  return kept ? decodeURIComponent(kept[1]) : document.querySelector("[name=csrfmiddlewaretoken]").value;
}
