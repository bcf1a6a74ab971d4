// A small agent with bugs that can be switched on: node agent.mjs BUG. It speaks
// Anthropic's messages, unstreamed.
import fs from 'node:fs';
import path from 'node:path';

const bug = process.argv[2] ?? '';
const tool = { name: 'set_todos', input_schema: { type: 'object', properties: { todos: { type: 'array' } } } };
let messages = [{ role: 'user', content: 'fix the tests' }];
if (bug === 'assistant-first') messages.unshift({ role: 'assistant', content: 'Hello.' });
let todos = [];
let last = '', times = 0;

function read(items) {
  const list = [], contents = new Set();
  let active = 0;
  for (const i of items) {
    if (typeof i !== 'object' || i === null) throw new Error('an item is no object');
    for (const name of Object.keys(i)) {
      if (!['content', 'status'].includes(name) || typeof i[name] !== 'string' || !i[name].isWellFormed()) throw new Error('an item has a member that it should not have: ' + name);
    }
    const normal = (i.content ?? '').trim().split(/\s+/).join(' ');
    if (normal === '' && bug !== 'blank') throw new Error('an item says nothing');
    if (!['pending', 'in_progress', 'completed', 'cancelled'].includes(i.status) && bug !== 'any-status') throw new Error('unknown status ' + i.status);
    if (contents.has(normal) && bug !== 'duplicates') throw new Error('an item is there twice');
    if (i.status === 'in_progress') active++;
    contents.add(normal);
    i.content = todos.find((o) => o.content.split(/\s+/).join(' ') === normal)?.content ?? (i.content ?? '').trim();
    if (bug !== 'drops-done' || i.status !== 'completed') list.push(i);
  }
  if (active > 1) throw new Error('several items are in progress');
  return list;
}

function write(name, input) {
  if (name !== tool.name) throw new Error('there is no tool ' + name);
  if (bug === 'half-call' && !Array.isArray(input?.todos)) input = { todos: [] };
  if (!Array.isArray(input?.todos) || Object.keys(input).length > 1) throw new Error('the arguments hold no todos');
  if (input.todos.length === 0 && bug === 'refuses-empty') throw new Error('the list is empty');
  let list = read(input.todos);
  if (bug === 'appends') list = [...todos, ...list];
  if (bug === 'cuts') list = list.slice(0, 2);
  todos = list;
  return 'The plan is now ' + JSON.stringify({ todos });
}

function carryOut(answer) {
  messages.push({ role: 'assistant', content: answer.content });
  const results = [], again = [], more = [];
  for (const c of answer.content.filter((b) => b.type === 'tool_use')) {
    let result;
    try {
      result = write(c.name, c.input);
    } catch (err) {
      result = 'Error: ' + err.message;
      if (bug === 'error-clears') todos = [];
      if (bug === 'no-result') continue;
    }
    const file = path.join(process.env.HOME, '.small', 'plan.json');
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, JSON.stringify({ todos }));
    results.push({ type: 'tool_result', tool_use_id: bug === 'wrong-id' ? c.id + 'x' : c.id, content: result });
    again.push({ ...c, id: c.id + '-again' });
    more.push({ type: 'tool_result', tool_use_id: c.id + '-again', content: result });
  }
  messages.push({ role: 'user', content: results.length ? results : 'go on' });
  if (bug === 'carries-out-twice') messages.push({ role: 'assistant', content: again }, { role: 'user', content: more });
}

async function ask() {
  const response = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': process.env.ANTHROPIC_API_KEY, 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: 'm', max_tokens: 4096, messages, tools: [tool] }),
  });
  if (!response.ok) throw new Error('status ' + response.status);
  const answer = await response.json();
  if (answer.stop_reason === 'max_tokens' && bug !== 'half-call') throw new Error('the answer is not whole');
  if (!Array.isArray(answer.content) || answer.content.length === 0) throw new Error('the answer is empty');
  return answer;
}

for (let turn = 0, failures = 0; turn < 1000; turn++) {
  let answer;
  try {
    answer = await ask();
  } catch (err) {
    if (bug === 'silent') process.exit(0);
    if (bug === 'hangs' && /terminated|JSON/.test(err.message)) await new Promise((done) => setTimeout(done, 1e6));
    if (failures++ < 2) continue;
    console.log('the model cannot be reached: ' + err.message);
    process.exit(1);
  }
  failures = 0;
  if (!answer.content.some((b) => b.type === 'tool_use')) {
    console.log(answer.content.map((b) => b.text ?? '').join(''));
    if (bug === 'loops') continue;
    process.exit(bug === 'exit-code' ? 1 : 0);
  }
  if (bug === 'gives-up' && answer.content.some((b) => b.type === 'text')) {
    console.log('unexpected text');
    process.exit(1);
  }
  const text = JSON.stringify(answer.content.find((b) => b.type === 'tool_use').input);
  times = text === last ? times + 1 : 1;
  last = text;
  if (bug === 'stops' && times === 5) process.exit(0);
  carryOut(answer);
  if ((answer.usage?.input_tokens ?? 0) > 100000) {
    messages = [{ role: 'user', content: 'What was done before was summarised.' + (bug === 'forgets' ? '' : ' The plan: ' + JSON.stringify(todos)) }];
  }
}
process.exit(1);
