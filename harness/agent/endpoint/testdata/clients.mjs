// Asks the endpoint for every answer with the official clients, streamed and not,
// and prints what each of them read: node clients.mjs MODULES URL.
import { createRequire } from 'node:module';
import path from 'node:path';

const [modules, url] = process.argv.slice(2);
const require = createRequire(path.join(modules, 'x.js'));
const OpenAI = require('openai').default ?? require('openai');
const Anthropic = require('@anthropic-ai/sdk').default ?? require('@anthropic-ai/sdk');
const openai = new OpenAI({ apiKey: 'k', baseURL: url + '/v1', maxRetries: 0 });
const anthropic = new Anthropic({ apiKey: 'k', baseURL: url, maxRetries: 0 });

const chat = (r) => {
  const { message, finish_reason } = r.choices[0];
  const calls = (message.tool_calls ?? []).map((c) => [c.id, c.function.name, c.function.arguments]);
  return { text: message.content ?? '', refusal: message.refusal ?? '', calls, finish: finish_reason, usage: [r.usage.prompt_tokens, r.usage.completion_tokens] };
};
const responses = (r) => ({
  text: r.output_text,
  refusal: r.output.flatMap((o) => o.content ?? []).filter((p) => p.type === 'refusal').map((p) => p.refusal).join(''),
  calls: r.output.filter((o) => o.type === 'function_call').map((c) => [c.call_id, c.name, c.arguments]),
  finish: r.status, usage: [r.usage.input_tokens, r.usage.output_tokens],
});
const messages = (r) => ({
  text: r.content.filter((b) => b.type === 'text').map((b) => b.text).join(''), refusal: '',
  calls: r.content.filter((b) => b.type === 'tool_use').map((b) => [b.id, b.name, JSON.stringify(b.input)]),
  finish: r.stop_reason, usage: [r.usage.input_tokens, r.usage.output_tokens],
});

const user = [{ role: 'user', content: 'hi' }];
const ways = {
  'openai chat': async (model) => chat(await openai.chat.completions.create({ model, messages: user })),
  'openai chat stream': async (model) => chat(await openai.chat.completions.stream({ model, messages: user, stream_options: { include_usage: true } }).finalChatCompletion()),
  'openai responses': async (model) => responses(await openai.responses.create({ model, input: 'hi' })),
  'openai responses stream': async (model) => responses(await openai.responses.stream({ model, input: 'hi' }).finalResponse()),
  'anthropic': async (model) => messages(await anthropic.messages.create({ model, max_tokens: 99, messages: user })),
  'anthropic stream': async (model) => messages(await anthropic.messages.stream({ model, max_tokens: 99, messages: user }).finalMessage()),
};
for (const [way, ask] of Object.entries(ways)) {
  for (const model of process.argv.slice(4)) {
    let got;
    try {
      got = await ask(model);
    } catch (err) {
      got = { error: String(err) };
    }
    console.log(JSON.stringify({ way, model, ...got }));
  }
}
