// replanbench in node --test and in vitest: a test for each cause and each other failure, and
// one for everything else of a kind, such as the scenarios that pass.
//
//     node --test                                 # the whole gate of replanbench.yaml
//     node --test --test-name-pattern="done"      # the tests with such names; vitest run -t done
//     REPLANBENCH_ARGS="--cases 500" node --test
//
// replanbench.yaml next to this file configures the engine and the tests. Failures in
// its list of known failures (`known`) are skipped. Reading this file does not run the
// gate: the names come from the last run, which .replanbench keeps. What that run did
// not name is in the test "new findings".
//
// With fast-check, add properties on generated cases of your own dialect to the end of this
// file (a file that imports it runs its tests again):
//
//     import fc from "fast-check"; // in a file of your own: import { caseNames, draw } from "./replanbench.test.mjs";
//     test("a property", { timeout: 60_000 }, () => fc.assert(fc.asyncProperty(caseNames(fc), async (name) => {
//       const { broken } = await draw(name); // or a property of its case and result.outcome
//       if (broken.length > 0) throw new Error(broken.join("\n"));
//     })));
//
// fast-check shrinks by dropping traits. replanbench replay --minimize NAME --config
// replanbench.yaml shrinks the rest.
import { execFile, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const { test, expect } = await import(process.env.VITEST ? "vitest" : "node:test");
const FILE = fileURLToPath(import.meta.url);
const HERE = dirname(FILE);
const RUN = resolve(expect?.getState().testPath ?? process.argv[1] ?? "") === FILE; // not imported by another test
const KEPT = join(HERE, ".replanbench");
const SHOWN = 10; // new findings, known scenarios, and scenarios that no cause explains, that are shown
const MORE = "more failing scenarios";
const KNOWN = "more known scenarios";
const LONGEST = 3_600_000; // milliseconds that a test may take: the first one runs the gate

let ran;

/** The findings of the gate, which runs once: status and failure by name; or a text that says why there are none. */
async function gate() {
  const found = await (ran ??= run());
  if (!(found instanceof Error)) return found;
  ran = "the gate could not run"; // one test says why
  throw found;
}

/** Does not block: vitest reports an error if a test lets it wait for a minute. */
async function run() {
  const more = (process.env.REPLANBENCH_ARGS ?? "").split(" ").filter(Boolean);
  const args = ["check", "--quiet", "--format", "json", ...more];
  const options = { cwd: HERE, encoding: "utf8", maxBuffer: 1 << 30 };
  const { error, stdout, stderr } = await new Promise((done) => {
    const finish = (error, stdout, stderr) => done({ error, stdout, stderr });
    execFile(process.env.REPLANBENCH ?? "replanbench", args, options, finish);
  });
  if (error?.code === "ENOENT") return "the program replanbench is not installed";
  if (error && typeof error.code !== "number") return error;
  if (error?.code > 1) return told(new Error(stderr.trim().split("\n").slice(-8).join("\n"))); // it could not run
  const list = [...findings(JSON.parse(stdout))];
  mkdirSync(KEPT, { recursive: true });
  writeFileSync(join(KEPT, "report.json"), stdout);
  writeFileSync(join(KEPT, "names.json"), JSON.stringify(list.map(([name, label]) => [name, label])));
  return new Map(list.map(([name, , status, what]) => [name, { status, what }]));
}

/** The names of the last run, with the sentences of causes. */
function keptNames() {
  try {
    return JSON.parse(readFileSync(join(KEPT, "names.json"), "utf8"));
  } catch {
    return [];
  }
}

/** An error that shows what it says, and no stack: the fault is not in this file. */
function told(error) {
  error.stack = error.message;
  return error;
}

/** A text on one line, cut to a width. */
function short(text, width = 200) {
  const line = String(text).split(/\r?\n/).join(" ");
  return line.length <= width ? line : line.slice(0, width - 1) + "…";
}

/** The text of a failure. */
function shown(f) {
  const found = f.title?.split("\nCase ")[0].split("\n") ?? []; // without the case
  const lines = [[f.id, f.message].filter(Boolean).join(": "), ...found];
  const { dialect, profile, ...members } = f.evidence?.case ?? {};
  for (const name in members) lines.push(name.padEnd(8) + "  " + JSON.stringify(members[name]));
  for (const d of (f.differences ?? []).slice(0, 3)) {
    lines.push(`at ${d.at || "the outcome"}: expected ${short(d.want, 80)}, got ${short(d.got, 80)}`);
  }
  const cut = lines.filter(Boolean).map((line) => short(line));
  if (cut.some((line) => line.includes("…"))) cut.push("complete in " + join(KEPT, "report.json"));
  return [...cut, "reproduce: " + f.reproduce].join("\n");
}

/** The name, the label, the status and the failure of each test. Causes come first. */
function* findings(r) {
  const failures = new Map(r.failures.filter((f) => !f.advisory).map((f) => [f.id, f]));
  const take = (name) => {
    const f = failures.get(name);
    failures.delete(name);
    return f;
  };
  const rest = {}; // the names of what has no test of its own, by the name of their test
  const add = (test, name) => (rest[test] ??= []).push(name);
  let shown = 0, known = 0;
  for (const { dialect, causes, groups, coverage } of r.fuzz?.campaigns ?? []) {
    const ways = groups.flatMap((g) => [g.check, ...Object.keys(g.beside ?? {})]);
    const broken = new Set(ways.map((way) => way.split(" ")[0])); // also together with a worse failure, or not judged
    for (const c of causes) {
      const name = [dialect, c.class, c.id].join("/");
      const label = name + " " + short(c.sentence, 80);
      const f = take(name);
      yield f ? [name, label, "fail", { evidence: { case: c.example }, ...f }] : [name, label, "known", c.sentence];
    }
    for (const [check, n] of Object.entries(coverage.checks)) {
      if (broken.has(check)) continue; // the tests of causes report it
      add(`${dialect}/${n ? "other checks" : "checks without a case"}`, check);
    }
  }
  for (const s of r.scenarios?.results ?? []) {
    const f = take(s.id);
    if (f && shown++ < SHOWN) yield [s.id, s.id, "fail", f];
    else if (f) add(MORE, s.id);
    else if (s.status === "pass") add("other scenarios", s.id);
    else if (s.status === "known" && known++ < SHOWN) yield [s.id, s.id, "known", s.reason];
    else if (s.status === "known") add(KNOWN, s.id);
    else if (s.status !== "unsupported") add("scenarios that a cause explains", s.id);
  }
  for (const [name, f] of failures) yield [name, name, "fail", f];
  for (const [name, list] of Object.entries(rest)) {
    const text = short(list.join(", "), 60);
    if (name === MORE) yield [name, name, "fail", { id: name, message: text, reproduce: "replanbench check" }];
    else if (name === KNOWN) yield [name, name, "known", text];
    else yield [name, name, name.includes("other ") ? "pass" : `${list.length} not judged`, text];
  }
}

const names = RUN ? keptNames() : [];
for (const [name, label] of names) {
  test(label, async (t) => {
    const found = await gate();
    if (typeof found === "string") return t.skip(found);
    const { status, what } = found.get(name) ?? { status: "pass" }; // it no longer occurs
    if (typeof what === "object") throw told(new Error(shown(what)));
    if (status !== "pass") t.skip([status, what].filter(Boolean).join(": "));
  }, LONGEST);
}

// What the last run did not name; in the first run, that is everything.
if (RUN) test("new findings", async (t) => {
  const found = await gate();
  if (typeof found === "string") return t.skip(found);
  const named = new Set(names.map(([name]) => name));
  const fresh = [...found].filter(([name, { what }]) => !named.has(name) && typeof what === "object");
  if (fresh.length === 0) return;
  const texts = fresh.slice(0, SHOWN).map(([, { what }]) => shown(what));
  if (fresh.length > SHOWN) texts.push(`${fresh.length - SHOWN} more are in ${join(KEPT, "report.json")}`);
  throw told(new Error([...texts, "The next run has a test for each."].join("\n\n")));
}, LONGEST);

/**
 * An arbitrary of fast-check: names of cases of replanbench's generators, by seed, index
 * and a subset of the traits, of which a case has at most `most`.
 */
export function caseNames(fc, dialect = undefined, most = 3) {
  const options = { cwd: HERE, encoding: "utf8", input: "" };
  const { stdout, stderr } = spawnSync(process.env.REPLANBENCH ?? "replanbench", ["engine", "draw"], options);
  if (!stdout) throw told(new Error(stderr));
  const { traits } = JSON.parse(stdout);
  const name = dialect ?? Object.keys(traits)[0];
  const subset = fc.uniqueArray(fc.constantFrom(...traits[name]), { maxLength: most });
  const parts = fc.tuple(fc.constant(name), fc.nat(9999), fc.nat(9999), subset.map((list) => list.join("+")));
  return parts.map((list) => list.join(":"));
}

let drawer;

/** The case of that name: name, case, the engine's result, and broken, a list of sentences. */
export async function draw(name) {
  drawer ??= startDrawer();
  const answer = await drawer(name);
  if (answer.error) throw told(new Error(answer.error));
  return answer;
}

function startDrawer() {
  const program = process.env.REPLANBENCH ?? "replanbench";
  const child = spawn(program, ["engine", "draw"], { cwd: HERE, stdio: ["pipe", "pipe", "inherit"] });
  const waiting = [];
  let rest = "";
  const idle = () => [child, child.stdin, child.stdout].forEach((handle) => handle.unref());
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const answer = JSON.parse(line);
      if (!answer.traits) waiting.shift().resolve(answer);
    }
    if (waiting.length === 0) idle();
  });
  child.on("close", () => {
    const ended = told(new Error("replanbench engine draw has ended: see its standard error"));
    for (const { reject } of waiting.splice(0)) reject(ended);
  });
  return (name) =>
    new Promise((resolve, reject) => {
      [child, child.stdin, child.stdout].forEach((handle) => handle.ref());
      waiting.push({ resolve, reject });
      child.stdin.write(name + "\n");
    });
}
