// Fills in the browser's time zone, so that nobody has to know what theirs is called. The form works without it.

const zone = document.querySelector("[name=timezone]");
if (zone && zone.value === "UTC") zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
