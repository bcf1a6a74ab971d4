"use strict";
// The page stands without this script; it filters, sorts, copies, and opens what the
// address names.
(() => {
  const causes = [...document.querySelectorAll("details.cause")];
  const form = document.querySelector("form.filter");
  const names = ["class", "state", "suite", "dialect", "engine"];

  // The address holds what is filtered, so that it can be sent to others.
  function filter() {
    const want = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    const words = (want.get("q") ?? "").toLowerCase();
    let shown = 0;
    for (const cause of causes) {
      const fits = names.every((name) => !want.has(name) || cause.dataset[name] === want.get(name));
      cause.hidden = !fits || (words !== "" && !(cause.words ??= cause.textContent.toLowerCase()).includes(words));
      if (!cause.hidden) shown++;
    }
    form.elements.shown.value = shown === causes.length ? "" : `${shown} of ${causes.length}`;
    const query = want.size > 0 ? "?" + want : location.pathname;
    history.replaceState(null, "", query + location.hash);
  }

  if (form) {
    for (const [name, value] of new URLSearchParams(location.search))
      if (["q", ...names].includes(name) && form.elements[name]) form.elements[name].value = value;
    if (location.search) filter();
    form.addEventListener("input", filter);
    form.addEventListener("submit", (e) => e.preventDefault());
  }

  // What the address names is opened, with all that is round it.
  function open() {
    let at = document.getElementById(location.hash.slice(1));
    if (at?.matches("section")) at = at.querySelector("details.part") ?? at;
    for (let e = at; e; e = e.parentElement) if (e.matches("details")) e.open = true;
    at?.scrollIntoView();
  }
  addEventListener("hashchange", open);
  if (location.hash) open();

  // The cause that was opened last stands in the address, and its command can be
  // copied.
  function opened(cause) {
    if (cause.open) history.replaceState(null, "", "#" + cause.id);
    const code = cause.querySelector(".again code");
    if (!cause.open || !code || code.nextElementSibling) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(code); // the reader copies it
      }
    });
    code.after(" ", button, " ");
  }

  // A cell sorts as the number that it begins with, or as text.
  const value = (row, i) => {
    const text = row.cells[i].textContent.trim();
    const number = parseFloat(text.replace(/,/g, ""));
    return Number.isNaN(number) ? text.toLowerCase() : number;
  };
  const compare = (a, b) =>
    typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;

  function sortable(table) {
    const body = table.tBodies[0];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const up = head.getAttribute("aria-sort") !== "ascending";
        heads.forEach((h) => h.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", up ? "ascending" : "descending");
        const rows = [...body.rows].map((row) => [value(row, i), row]);
        rows.sort((a, b) => (up ? 1 : -1) * compare(a[0], b[0]));
        body.append(...rows.map((r) => r[1]));
      });
    });
  }
  document.querySelectorAll("table.sortable").forEach(sortable);

  // What is wider than the page can be moved by keys as well.
  const reach = (scrolls) => {
    for (const e of scrolls) if (e.scrollWidth > e.clientWidth) e.tabIndex = 0;
  };
  reach(document.querySelectorAll("details.part[open] > details.table[open] .scroll"));
  document.addEventListener("toggle", ({ target }) => {
    reach(target.querySelectorAll(":scope > .scroll, :scope > .body > .scroll, :scope > .body figure, :scope > details[open] > .scroll"));
    if (target.matches(".cause")) opened(target);
  }, true);
  document.documentElement.dataset.ready = "yes";
})();
