// replanbench in node --test and in vitest: a test for each scenario, check and cause.
//
//     node --test                                 # the whole gate of replanbench.yaml
//     node --test --test-name-pattern="done"      # the tests with such names; vitest run -t done
//     REPLANBENCH_ARGS="--cases 500" node --test
//
// replanbench.yaml next to this file configures the engine and the tests. Failures
// in its list of known failures (`known`) are skipped.
import { spawnSync } from "node:child_process";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

const { test } = await import(process.env.VITEST ? "vitest" : "node:test");

/** Runs the gate, once for all tests. */
function report() {
  const more = (process.env.REPLANBENCH_ARGS ?? "").split(" ").filter(Boolean);
  const args = ["check", "--quiet", "--format", "json", ...more];
  const run = spawnSync(process.env.REPLANBENCH ?? "replanbench", args, {
    cwd: dirname(fileURLToPath(import.meta.url)),
    encoding: "utf8",
    maxBuffer: 1 << 30,
  });
  if (run.error?.code === "ENOENT") return undefined;
  if (run.error) throw run.error;
  if (run.status > 1) throw told(new Error(run.stderr.trim())); // the gate could not run
  return JSON.parse(run.stdout);
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

function failed(f) {
  const lines = [f.message, f.title];
  const { plan, replies } = f.evidence?.case ?? {};
  if (plan) lines.push("plan      " + JSON.stringify(plan));
  if (replies) lines.push("replies   " + JSON.stringify(replies));
  for (const d of (f.differences ?? []).slice(0, 3)) {
    lines.push("at " + (d.at || "the outcome"), "expected  " + d.want, "got       " + d.got);
  }
  const shown = lines.filter(Boolean).map((line) => short(line));
  return told(new Error([...shown, "reproduce: " + f.reproduce].join("\n")));
}

/** The tests: name, status, and what to tell. Causes come first. */
function* tests(r) {
  const failures = new Map(r.failures.filter((f) => !f.advisory).map((f) => [f.id, f]));
  const take = (name) => {
    const f = failures.get(name);
    failures.delete(name);
    return f;
  };
  for (const { dialect, causes, coverage } of r.fuzz?.campaigns ?? []) {
    for (const c of causes) {
      const name = [dialect, c.class, c.id].join("/");
      const f = take(name);
      yield [name + " " + short(c.sentence, 80), f ? "fail" : "known", f ?? c.sentence];
    }
    for (const [check, n] of Object.entries(coverage.checks)) {
      if (causes.some((c) => c.check === check)) continue; // its causes report it
      yield [dialect + "/" + check, n ? "pass" : "not_run", "it had no case"];
    }
  }
  for (const s of r.scenarios?.results ?? []) {
    if (s.status !== "unsupported") yield [s.id, s.status, take(s.id) ?? s.reason];
  }
  for (const [name, f] of failures) yield [name, "fail", f];
}

const found = report();
if (!found) test.skip("the program replanbench is not installed", () => {});
for (const [name, status, what] of found ? tests(found) : []) {
  if (typeof what === "object") {
    test(name, () => {
      throw failed(what);
    });
  } else if (status === "pass") {
    test(name, () => {});
  } else {
    test.skip(`${name} (${[status.replace("_", " "), what].filter(Boolean).join(": ")})`, () => {});
  }
}
