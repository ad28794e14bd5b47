import { App, type HttpResponse, us_socket_local_port } from 'uWebSockets.js'
import { sinceMark } from '../../test/harness/load/due-time.ts'
import { Latencies } from '../../test/harness/load/latencies.ts'
import { startMail } from './mail.ts'

/**
 * Stands for the providers, as cheaply as can be: takes any POST with a success, in the words of the first part of its path. `GET /after/N`
 * answers when N messages have come in all, with the bytes of the last one; `GET /forget` starts counting anew, `GET /smtp` tells the port for mail. A path that ends in `/timed`
 * also notes how long ago the message was to be sent, which is in its text (`mark.ts`); `GET /times` tells that and forgets it. Prints its port.
 */
const REPLIES: { readonly [name: string]: string } = {
  chatws: '{"ok":true,"ts":"1700000000.000001"}',
  msgapp: '{"ok":true,"result":{"message_id":1}}',
  officechat: '',
  messenger: '{"status":0,"status_message":"ok","message_token":1}',
  workchat: '{"code":0,"msg":"success"}',
}

let count = 0
let bytes = 0
let times = new Latencies()
let waiting: { readonly after: number; readonly res: HttpResponse }[] = []

function tell(): void {
  const due = waiting.filter(({ after }) => count >= after)
  if (due.length === 0) return
  waiting = waiting.filter(({ after }) => count < after)
  for (const { res } of due) res.cork(() => res.end(JSON.stringify({ count, bytes })))
}

function came(size: number): void {
  bytes = size
  count++
  tell()
}
const smtpPort = await startMail(() => came(bytes))

function note(text: string): void {
  const ago = sinceMark(text)
  if (ago !== undefined) times.add(ago)
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
  .get('/smtp', (res) => void res.end(JSON.stringify({ port: smtpPort })))
  .get('/times', (res) => {
    res.end(JSON.stringify({ count: times.count, curve: times.curve() }))
    times = new Latencies()
  })
  .post('/*', (res, req) => {
    const path = req.getUrl()
    const says = REPLIES[path.split('/')[1] ?? ''] ?? ''
    const timed = path.endsWith('/timed')
    let received = 0
    res.onAborted(() => {})
    res.onData((chunk, isLast) => {
      received += chunk.byteLength
      if (timed) note(Buffer.from(chunk).toString('latin1'))
      if (!isLast) return
      res.cork(() => res.writeHeader('Content-Type', 'application/json').end(says))
      came(received)
    })
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (!socket) process.exit(1)
    console.log(JSON.stringify({ port: us_socket_local_port(socket) }))
  })
