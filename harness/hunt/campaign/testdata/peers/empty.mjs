// An engine that gives every case the same plan: over standard input, or, with the argument
// http, behind a port that it prints. It appends its requests to the file $RECORD, if any.
import fs from 'node:fs'
import http from 'node:http'
import readline from 'node:readline'

const hello = { protocol: 1, engine: { name: 'empty', version: '1' }, window: 64, dialects: { planpatch: {} } }
const plan = { title: 't', steps: [{ id: 'a', description: 'A', dependencies: [], status: 'pending', tools_expected: [] }] }
const record = process.env.RECORD ? fs.openSync(process.env.RECORD, 'a') : 0

function answer(line) {
  const request = JSON.parse(line)
  if (record) fs.writeSync(record, line.trim() + '\n')
  const result = request.method === 'initialize' ? hello : { verdict: 'applied', plan }
  return JSON.stringify({ jsonrpc: '2.0', id: request.id, result }) + '\n'
}

if (process.argv.includes('http')) {
  const server = http.createServer((request, response) => {
    const parts = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      const body = answer(Buffer.concat(parts).toString())
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
      response.end(body)
    })
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
} else {
  readline.createInterface({ input: process.stdin }).on('line', (line) => {
    if (line.slice(0, 80).includes('"id"')) process.stdout.write(answer(line))
  })
}
