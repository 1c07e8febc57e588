// Everything works without this file: links and forms do the work. It only saves the reader some reloading.

// Times: in the zone of the browser; the title keeps the one that the page was written with.
const zone = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZoneName: "short" });
for (const time of document.querySelectorAll("time[datetime]")) {
  const at = new Date(time.dateTime);
  if (isNaN(at)) continue;
  time.title = time.textContent;
  time.textContent = zone.format(at);
}

// A run: fetch the page again when something happened, and put its live part in place.
const live = document.getElementById("live");
if (live) {
  const stream = new EventSource(live.dataset.events);
  let busy = false, again = false;
  const refresh = async () => {
    if (busy) { again = true; return; }
    busy = true;
    try {
      const page = await (await fetch(location.href, { headers: { accept: "text/html" } })).text();
      const fresh = new DOMParser().parseFromString(page, "text/html").getElementById("live");
      if (fresh) {
        // What the reader has unfolded stays so.
        const open = [...live.querySelectorAll("details")].map((one) => one.open);
        live.replaceChildren(...fresh.childNodes);
        live.querySelectorAll("details").forEach((one, at) => { if (open[at]) one.open = true; });
      } else location.reload();
    } catch { /* the service is away; the stream connects again by itself */ }
    setTimeout(() => { busy = false; if (again) { again = false; refresh(); } }, 400);
  };
  for (const kind of ["state", "progress", "verdict", "log"]) stream.addEventListener(kind, refresh);
  stream.addEventListener("end", () => { stream.close(); location.reload(); });
  // Refused, as with too many open pages: the browser does not connect again by itself.
  stream.addEventListener("error", () => { if (stream.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 5000); });
}

// A counterexample: arrow keys follow the links "previous" and "next".
addEventListener("keydown", (event) => {
  const rel = { ArrowLeft: "prev", ArrowRight: "next" }[event.key];
  if (!rel || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const at = event.target;
  if (at.closest("input, textarea, select")) return;
  const scrolls = at.closest(".scroll");
  if (scrolls && scrolls.scrollWidth > scrolls.clientWidth) return;
  const link = document.querySelector(`a[rel=${rel}]`);
  if (link) { event.preventDefault(); location.assign(link.href); }
});

// A wide table of values: the cycle in question is in view.
for (const head of document.querySelectorAll(".scroll th.current")) {
  const box = head.closest(".scroll");
  box.scrollLeft = Math.max(0, head.offsetLeft + head.offsetWidth - box.clientWidth);
}

// A form of requirements: a moment after the last change, shows how its sentences are read.
const form = document.querySelector("form[data-preview]");
if (form) {
  const say = (words) => { document.getElementById("preview-state").textContent = words; };
  let timer, request;
  const show = async () => {
    request?.abort();
    const own = request = new AbortController();
    try {
      const answer = await fetch(form.dataset.preview, { method: "POST", body: new URLSearchParams(new FormData(form)), signal: own.signal });
      if (!answer.ok) throw new Error(answer.status);
      const part = new DOMParser().parseFromString(await answer.text(), "text/html");
      const blanks = document.getElementById("blanks"), fresh = part.getElementById("blanks");
      // The fields of the same sentence stay: someone types in them.
      if (blanks && fresh.dataset.kind !== blanks.dataset.kind) blanks.replaceWith(fresh);
      document.getElementById("preview").replaceWith(part.getElementById("preview"));
    } catch (error) {
      if (own === request && error.name !== "AbortError") say("Not read: the service did not answer. The sentences below are older.");
    }
  };
  const changed = (event) => {
    clearTimeout(timer);
    say("Reading …");
    timer = setTimeout(show, event.target.id === "b-kind" ? 0 : 600);
  };
  for (const kind of ["input", "change"]) form.addEventListener(kind, changed);
}
