// A coding agent in small: it asks the model, and its only tool is its plan.
const tool = {
  type: 'function',
  function: { name: 'set_todos', parameters: { type: 'object', properties: { todos: { type: 'array' } }, required: ['todos'] } },
};
const messages = [{ role: 'user', content: process.argv[2] ?? 'fix the tests' }];
let plan = [];

function setTodos(text) {
  let { todos } = JSON.parse(text.endsWith('}') ? text : text.slice(0, text.lastIndexOf('}') + 1) + ']}');
  plan = todos.filter((t) => t.status !== 'completed');
  return 'The plan: ' + JSON.stringify({ todos: plan });
}

for (;;) {
  const answer = await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer ' + process.env.OPENAI_API_KEY },
    body: JSON.stringify({ model: process.env.OPENAI_MODEL, messages, tools: [tool] }),
  });
  if (!answer.ok) process.exit(0);
  const { message } = (await answer.json()).choices[0];
  messages.push(message);
  if (!message.tool_calls) {
    console.log(message.content);
    break;
  }
  for (const call of message.tool_calls) {
    let content;
    try {
      content = setTodos(call.function.arguments);
    } catch (err) {
      content = 'Error: ' + err.message;
    }
    messages.push({ role: 'tool', tool_call_id: call.id, content });
  }
}
