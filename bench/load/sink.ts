import { App, type HttpResponse, us_socket_local_port } from 'uWebSockets.js'

/**
 * Stands for the providers, as cheaply as can be: takes any POST with a success, in the words of the first part of its path. `GET /after/N`
 * answers when N messages have come in all, with the bytes of the last one; `GET /forget` starts counting anew. Prints its port.
 */
const SAYS: { readonly [name: string]: string } = {
  chatws: '{"ok":true,"ts":"1700000000.000001"}',
  msgapp: '{"ok":true,"result":{"message_id":1}}',
  officechat: '',
}

let count = 0
let bytes = 0
let waiting: { readonly after: number; readonly res: HttpResponse }[] = []

function tell(): void {
  const due = waiting.filter(({ after }) => count >= after)
  if (due.length === 0) return
  waiting = waiting.filter(({ after }) => count < after)
  for (const { res } of due) res.cork(() => res.end(JSON.stringify({ count, bytes })))
}

App()
  .get('/after/:count', (res, req) => {
    const after = Number(req.getParameter(0))
    res.onAborted(() => {
      waiting = waiting.filter((each) => each.res !== res)
    })
    waiting.push({ after, res })
    tell()
  })
  .get('/forget', (res) => {
    count = 0
    res.end()
  })
  .post('/*', (res, req) => {
    const says = SAYS[req.getUrl().split('/')[1] ?? ''] ?? ''
    let received = 0
    res.onAborted(() => {})
    res.onData((chunk, isLast) => {
      received += chunk.byteLength
      if (!isLast) return
      bytes = received
      count++
      res.cork(() => res.writeHeader('Content-Type', 'application/json').end(says))
      tell()
    })
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (!socket) process.exit(1)
    console.log(JSON.stringify({ port: us_socket_local_port(socket) }))
  })
