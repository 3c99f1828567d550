"use strict";
// What a keyboard adds: the file can be read without. Nothing here is made of what a fixture holds.
(() => {
  const keys = document.getElementById("keys");
  const enabled = document.getElementById("keys-on");
  const tools = document.getElementById("tools");
  const all = (selector) => Array.from(document.querySelectorAll(selector));

  const reveal = (element) => {
    for (let at = element; at; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true;
  };

  const go = (stop) => {
    reveal(stop.parentElement);
    const summary = stop.querySelector("summary");
    summary.focus({ preventScroll: true });
    summary.scrollIntoView({ block: "start" });
  };

  const step = (by) => {
    const stops = all("details.stop");
    if (!stops.length) return;
    const here = document.activeElement;
    const own = stops.findIndex((stop) => stop.querySelector("summary") === here);
    if (own >= 0) return go(stops[Math.min(Math.max(own + by, 0), stops.length - 1)]);
    // From anywhere else: the next stop after the focus, or before it.
    const after = stops.findIndex((stop) => here.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_FOLLOWING);
    const next = here === document.body ? 0 : after < 0 ? stops.length : after;
    go(stops[Math.min(Math.max(by > 0 ? next : next - 1, 0), stops.length - 1)]);
  };

  const setAll = (open) => all("main details").forEach((one) => { one.open = open; });
  const show = () => { if (!keys.open) keys.showModal(); };

  const actions = {
    j: () => step(1),
    k: () => step(-1),
    o: () => setAll(true),
    c: () => setAll(false),
    "?": show,
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || keys.open) return;
    if (event.target instanceof HTMLInputElement || (!enabled.checked && event.key !== "?")) return;
    const act = Object.hasOwn(actions, event.key) ? actions[event.key] : null;
    if (!act) return;
    event.preventDefault();
    act();
  });

  const arrive = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!(target instanceof HTMLDetailsElement)) return;
    target.open = true;
    go(target);
  };
  addEventListener("hashchange", arrive);
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest("a[href^='#']");
    if (link && link.hash === location.hash) setTimeout(arrive);
  });

  for (const [text, act] of [["Open all", actions.o], ["Close all", actions.c], ["Keys (?)", show]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    button.addEventListener("click", act);
    tools.append(button, " ");
  }
  document.getElementById("keys-close").addEventListener("click", () => keys.close());
  addEventListener("beforeprint", () => all("details.stop").forEach((one) => reveal(one)));
  arrive();
})();
