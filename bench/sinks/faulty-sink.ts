import { App, type HttpResponse, us_socket_local_port } from 'uWebSockets.js'
import { providerIn, SUCCESS } from './replies.ts'

/**
 * Three providers, of which two fail until `GET /heal`: `/chatws` accepts messages and never answers, `/msgapp` answers
 * three of ten with 500, `/officechat` works. Each counts its messages by the number in `n<number>e`. `GET /after/N`
 * answers when `/officechat` has N different ones, `GET /report` returns a `SinkReport`. Prints its port.
 */
const messages = new Map(['chatws', 'msgapp', 'officechat'].map((name) => [name, new Map<number, number>()]))
const hanging = new Set<HttpResponse>()
let state: 'failing' | 'healed' = 'failing'
let msgappRequests = 0
let waiting: { readonly after: number; readonly res: HttpResponse }[] = []

function count(name: string, body: string): void {
  const number = Number(/n(\d+)e/.exec(body)?.[1] ?? -1)
  const counts = messages.get(name)
  counts?.set(number, (counts.get(number) ?? 0) + 1)
  const healthy = messages.get('officechat')?.size ?? 0
  const due = waiting.filter(({ after }) => healthy >= after)
  waiting = waiting.filter(({ after }) => healthy < after)
  for (const { res } of due) res.cork(() => res.end())
}

function answer(res: HttpResponse, name: string, body: string): void {
  if (state === 'failing' && name === 'msgapp' && msgappRequests++ % 10 < 3) {
    res.cork(() => res.writeStatus('500 Internal Server Error').end('not now'))
    return
  }
  count(name, body)
  if (state === 'failing' && name === 'chatws') hanging.add(res)
  else res.cork(() => res.writeHeader('Content-Type', 'application/json').end(SUCCESS[name] ?? ''))
}

App()
  .get('/after/:count', (res, req) => {
    res.onAborted(() => {})
    waiting.push({ after: Number(req.getParameter(0)), res })
  })
  .get('/heal', (res) => {
    state = 'healed'
    for (const each of hanging) each.close()
    res.end()
  })
  .get('/report', (res) => {
    const report = Array.from(messages, ([name, counts]) => {
      const repeated = Array.from(counts).filter(([, times]) => times > 1)
      return [name, { messages: counts.size, repeated: repeated.map(([number]) => number) }]
    })
    res.end(JSON.stringify(Object.fromEntries(report)))
  })
  .post('/*', (res, req) => {
    const name = providerIn(req.getUrl())
    let body = ''
    res.onAborted(() => void hanging.delete(res))
    res.onData((chunk, isLast) => {
      body += Buffer.from(chunk).toString('latin1')
      if (isLast) answer(res, name, body)
    })
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (!socket) process.exit(1)
    console.log(JSON.stringify({ port: us_socket_local_port(socket) }))
  })
