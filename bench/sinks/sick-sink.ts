import { App, type HttpResponse, us_socket_local_port } from 'uWebSockets.js'

/**
 * Three providers of which two are sick until `GET /heal`: `/chatws` takes messages and never answers, `/msgapp` refuses three of ten, `/officechat`
 * is well. Each keeps how often it was given a message, known by the number in `"n<number>e"`. `GET /after/N` answers when the healthy one
 * has N different ones, `GET /report` tells of each provider how many it has and which it was given more than once. Prints its port.
 */
const REPLIES: { readonly [name: string]: string } = {
  chatws: '{"ok":true,"ts":"1700000000.000001"}',
  msgapp: '{"ok":true,"result":{"message_id":1}}',
  officechat: '',
}
const given = new Map(Object.keys(REPLIES).map((name) => [name, new Map<number, number>()]))
const hanging = new Set<HttpResponse>()
let state: 'sick' | 'well' = 'sick'
let refusals = 0
let waiting: { readonly after: number; readonly res: HttpResponse }[] = []

function take(name: string, body: string): void {
  const mark = Number(/n(\d+)e/.exec(body)?.[1] ?? -1)
  const marks = given.get(name)
  marks?.set(mark, (marks.get(mark) ?? 0) + 1)
  const healthy = given.get('officechat')?.size ?? 0
  const due = waiting.filter(({ after }) => healthy >= after)
  waiting = waiting.filter(({ after }) => healthy < after)
  for (const { res } of due) res.cork(() => res.end())
}

function answer(res: HttpResponse, name: string, body: string): void {
  if (state === 'sick' && name === 'msgapp' && refusals++ % 10 < 3) {
    res.cork(() => res.writeStatus('500 Internal Server Error').end('not now'))
    return
  }
  take(name, body)
  if (state === 'sick' && name === 'chatws') hanging.add(res)
  else res.cork(() => res.writeHeader('Content-Type', 'application/json').end(REPLIES[name]))
}

App()
  .get('/after/:count', (res, req) => {
    res.onAborted(() => {})
    waiting.push({ after: Number(req.getParameter(0)), res })
  })
  .get('/heal', (res) => {
    state = 'well'
    for (const each of hanging) each.close()
    res.end()
  })
  .get('/report', (res) => {
    const report = Array.from(given, ([name, marks]) => {
      const repeated = Array.from(marks).filter(([, times]) => times > 1)
      return [name, { marks: marks.size, repeated: repeated.map(([mark]) => mark) }]
    })
    res.end(JSON.stringify(Object.fromEntries(report)))
  })
  .post('/*', (res, req) => {
    const name = req.getUrl().split('/')[1] ?? ''
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
