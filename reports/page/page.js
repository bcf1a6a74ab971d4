"use strict";
// The page stands without this script; it adds plots, sorting and filtering.
(() => {
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const root = document.getElementById("plots");
  const width = () => Math.min(1100, Math.max(320, document.body.clientWidth - 48));
  const unique = (list) => [...new Set(list)];
  // Names that are alike often differ at their ends.
  const short = (s) => (s.length > 40 ? s.slice(0, 24) + "…" + s.slice(-15) : s);
  const margin = (names) => 20 + 7.4 * Math.max(4, ...names.map((n) => short(n).length));
  const percent = (x) => (100 * x).toFixed(1) + " %";
  const label = { fontSize: "12px" };

  function draw(caption, options) {
    const figure = document.createElement("figure");
    figure.className = "plot";
    const text = document.createElement("figcaption");
    text.textContent = caption;
    const plot = Plot.plot({ width: width(), style: label, ...options });
    plot.setAttribute("role", "img");
    plot.setAttribute("aria-label", caption);
    figure.append(text, plot);
    root.append(figure);
    root.hidden = false;
  }

  function rates() {
    for (const panel of unique(figures.rates.map((d) => d.panel))) {
      const data = figures.rates.filter((d) => d.panel === panel);
      const names = unique(data.map((d) => d.name));
      draw(panel + ", with 95 % intervals", {
        height: 50 + 22 * names.length,
        marginLeft: margin(names),
        x: { domain: [0, 1], tickFormat: (x) => 100 * x + " %", label: null, grid: true },
        y: { domain: names, tickFormat: short, label: null },
        marks: [
          Plot.ruleY(data, { y: "name", x1: "low", x2: "high", stroke: "currentColor", strokeWidth: 2 }),
          Plot.dot(data, {
            y: "name", x: "value", fill: "var(--accent)", r: 5,
            title: (d) => `${d.name}: ${percent(d.value)} [${percent(d.low)}, ${percent(d.high)}], n = ${d.n}`,
          }),
        ],
      });
    }
  }

  const points = (x) => (x > 0 ? "+" : "") + (100 * x).toFixed(1);

  function forest() {
    const shades = { better: "var(--good)", worse: "var(--bad)" };
    for (const panel of unique(figures.forest.map((d) => d.panel))) {
      const data = figures.forest.filter((d) => d.panel === panel);
      const names = unique(data.map((d) => d.name));
      draw("What changed in the " + panel + ": differences in points, with 95 % intervals", {
        height: 50 + 24 * names.length,
        marginLeft: margin(names),
        x: { label: null, grid: true, tickFormat: points },
        y: { domain: names, tickFormat: short, label: null },
        marks: [
          Plot.ruleX([0], { stroke: "currentColor", strokeDasharray: "4 3" }),
          Plot.ruleY(data, { y: "name", x1: "low", x2: "high", stroke: "currentColor", strokeWidth: 2 }),
          Plot.dot(data, {
            y: "name", x: "value", fill: (d) => shades[d.verdict] ?? "currentColor", r: 5, symbol: "square",
            title: (d) => `${d.name}: ${points(d.value)} [${points(d.low)}, ${points(d.high)}], ${d.n} cases, ${d.verdict}`,
          }),
        ],
      });
    }
  }

  function codes() {
    if (figures.codes.length === 0) return;
    const names = unique(figures.codes.map((d) => d.y));
    draw("Why first replies were refused, by group", {
      height: 90 + 26 * names.length,
      marginLeft: margin(names),
      marginBottom: 45,
      x: { label: "first replies", grid: true },
      y: { domain: names, tickFormat: short, label: null },
      color: { legend: true, domain: unique(figures.codes.map((d) => d.x)).sort(), range: [...d3.schemeObservable10, ...d3.schemeSet3, ...d3.schemeDark2] },
      marks: [
        Plot.barX(figures.codes, { x: "n", y: "y", fill: "x", title: (d) => `${d.y}: ${d.x} ${d.n}` }),
        Plot.ruleX([0], { stroke: "currentColor" }),
      ],
    });
  }

  function heat(caption, data) {
    const rows = unique(data.map((d) => d.y));
    const columns = unique(data.map((d) => d.x)).sort();
    const most = Math.max(2, ...data.map((d) => d.n));
    draw(caption, {
      width: Math.min(width(), margin(rows) + 80 + 90 * columns.length),
      height: 140 + 20 * rows.length,
      marginLeft: margin(rows),
      marginTop: 130,
      x: { domain: columns, axis: "top", tickRotate: -45, label: null },
      y: { domain: rows, tickFormat: short, label: null },
      color: { type: "log", domain: [1, most], scheme: "blues", legend: true, label: "how many" },
      marks: [
        Plot.cell(data, { x: "x", y: "y", fill: "n", inset: 0.5, title: (d) => `${d.y}, ${d.x}: ${d.n}` }),
        Plot.text(data, {
          x: "x", y: "y", text: "n", fontSize: 10,
          fill: (d) => (Math.log(d.n) > 0.55 * Math.log(most) ? "white" : "black"),
        }),
      ],
    });
  }

  function trimming() {
    for (const panel of unique(figures.trim.map((d) => d.panel))) {
      const data = figures.trim.filter((d) => d.panel === panel);
      const names = unique(data.map((d) => d.policy));
      const tags = unique(data.map((d) => d.tag)).filter((t) => t !== "cut away");
      draw("Tokens that each policy keeps, by what they carry: " + panel, {
        height: 100 + 26 * names.length,
        marginLeft: margin(names),
        marginBottom: 45,
        x: { label: "tokens", grid: true, tickFormat: "s" },
        y: { domain: names, tickFormat: short, label: null },
        color: { domain: [...tags, "cut away"], range: [...d3.schemeTableau10.slice(0, tags.length), "#9996"], legend: true },
        marks: [
          Plot.barX(data, {
            x: "tokens", y: "policy", fill: "tag", order: [...tags, "cut away"],
            title: (d) => `${d.policy}, ${d.tag}: ${d.tokens} tokens`,
          }),
          Plot.ruleX([0], { stroke: "currentColor" }),
        ],
      });
    }
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
      button.textContent = head.textContent || "name";
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
    if (body.rows.length > 8) filter(table, body);
  }

  function filter(table, body) {
    const text = document.createElement("label");
    text.className = "filter";
    const input = document.createElement("input");
    input.type = "search";
    input.setAttribute("aria-label", "Filter " + titleOf(table));
    text.append("Filter", input);
    table.parentElement.before(text);
    input.addEventListener("input", () => {
      const want = input.value.toLowerCase();
      for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(want);
    });
  }

  const titleOf = (table) => document.getElementById(table.getAttribute("aria-labelledby"))?.textContent ?? "";

  // What is wider than the page can be moved by keys as well.
  function reachable(scroll) {
    if (scroll.scrollWidth <= scroll.clientWidth) return;
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-label", titleOf(scroll.firstElementChild));
  }

  document.querySelectorAll("table.sortable").forEach(sortable);
  document.querySelectorAll(".scroll").forEach(reachable);
  rates();
  forest();
  codes();
  for (const panel of unique(figures.faults.map((d) => d.panel)))
    heat("What came of each planted fault: " + panel, figures.faults.filter((d) => d.panel === panel));
  if (figures.kills.length > 0) heat("Which check found which defect (seeds)", figures.kills);
  trimming();
  document.documentElement.dataset.ready = "yes";
})();
