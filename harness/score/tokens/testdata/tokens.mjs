// Writes tokens.json: token counts by OpenAI's own tiktoken, the Rust core
// compiled to WebAssembly, as the npm package "tiktoken" ships it.
//
//   npm install tiktoken@1.0.22 && node tokens.mjs > tokens.json
//
// The first strings are those of the OpenAI Cookbook ("How to count tokens
// with tiktoken") and of the tests and README of tiktoken, whose counts are
// published; the others are here to cover more kinds of text.
import { get_encoding } from "tiktoken";

const emoji = "👩‍👩‍👧‍👦 🇩🇪🇫🇷 👍🏽 e\u0301";
const strings = [
  ["OpenAI Cookbook", "tiktoken is great!"],
  ["OpenAI Cookbook", "antidisestablishmentarianism"],
  ["OpenAI Cookbook", "2 + 2 = 4"],
  ["OpenAI Cookbook", "お誕生日おめでとう"],
  ["tiktoken, README", "hello world"],
  ["tiktoken, tests", "rer"],
  ["tiktoken, tests", "'rer"],
  ["tiktoken, tests", "today\n "],
  ["tiktoken, tests", "today\n \n"],
  ["tiktoken, tests", "today\n  \n"],
  ["tiktoken, tests", " \x850"],
  ["tiktoken, tests", "👍"],
  ["tiktoken, tests", "hello <|endoftext|>"],
  ["English", ""],
  ["English", "We know what we are, but know not what we may be."],
  ["English", "It's the planner's job: don't repeat what WE'VE done, I'll say it TWICE."],
  ["English", "The quick brown fox jumps over the lazy dog. ".repeat(40)],
  ["Chinese", "计划修改失败，请重新规划。"],
  ["Chinese", "第一步：读取文件；第二步：修改代码；第三步：运行测试。"],
  ["Chinese", "春眠不觉晓，处处闻啼鸟。夜来风雨声，花落知多少。".repeat(20)],
  ["Japanese, Korean", "計画を立て直してください。계획을 다시 세우세요."],
  ["Russian, Arabic, Hindi", "План изменён. تم تغيير الخطة. योजना बदल गई है।"],
  ["code", "func (s *Server) Close() error {\n\treturn s.listener.Close()\n}\n"],
  ["code", "    if x == 1234567890:\n        return None  # TODO\r\n\r\n\r\n"],
  ["code", "SELECT * FROM plans WHERE id='s1' AND done=1; -- 100%\n"],
  ["JSON", '{"type":"PlanPatch","remove_steps":["s2"],"add_steps":[{"id":"s4","dependencies":["s1","s3"]}]}'],
  ["JSON", '[\n  {\n    "id": "call_1",\n    "arguments": "{\\"path\\": \\"a\\\\b\\"}"\n  }\n]'],
  ["emoji", emoji],
  ["emoji", "🚀".repeat(100)],
  ["white space", "a   b\t\tc\n\n\n   d \u00a0\u3000e"],
  ["white space", " ".repeat(1000)],
  ["white space", "a\n \n\n\t\nb !\n \n\t \r\n"],
  ["white space", " \n".repeat(300) + "\u3000\n\u3000\n"],
  ["numbers", "3.14159265358979323846 2026-11-21T11:45:29Z 0xDEADBEEF ١٢٣٤"],
  ["hostile", "a".repeat(10000)],
  ["hostile", "计".repeat(3000)],
  ["hostile", "=-".repeat(2000) + "\n".repeat(500)],
];

const encodings = { o200k_base: get_encoding("o200k_base"), cl100k_base: get_encoding("cl100k_base") };
const counts = strings.map(([source, text]) => {
  const row = { source, text };
  for (const [name, encoding] of Object.entries(encodings)) row[name] = encoding.encode(text, [], []).length;
  return row;
});
console.log(JSON.stringify(counts, null, 1));
