// Telephone numbers and addresses in words a person wrote for the boundary table, as links one can tap.
// The same rules as ella/conversation/links.py; for those texts only. Text stays text: nothing here is parsed as markup.

import { forTextsOnly, shortNumbers } from "./page.js";

const LINK =
  /(?<address>https:\/\/[^\s<>"'«»“”]+)|(?<number>(?<![\p{L}\p{N}_.,:/+-])\+?(?:[0-9]|\([0-9]{1,5}\))(?:[ .\u00a0-]?(?:[0-9]|\([0-9]{1,5}\)))*(?![\p{L}\p{N}_:/-]))/gu;

export function putWithLinks(element, text) {
  element.replaceChildren();
  let end = 0;
  for (const found of text.matchAll(LINK)) {
    const shown = found.groups.address ? found[0].replace(/[.,;:!?)\]}…]+$/, "") : found[0];
    const href = found.groups.address ? shown : telephone(shown);
    if (!href) continue;
    const link = document.createElement("a");
    link.href = href;
    link.textContent = shown;
    element.append(text.slice(end, found.index), link);
    end = found.index + shown.length;
  }
  element.append(text.slice(end));
}

function telephone(shown) {
  const digits = shown.replace(/[^0-9+]/g, "");
  const count = digits.replace("+", "").length;
  const scheme = forTextsOnly.includes(digits) ? "sms" : "tel";
  const isOne = (count >= 3 && count <= 15) || shortNumbers.includes(digits);
  return isOne ? `${scheme}:${digits}` : "";
}
