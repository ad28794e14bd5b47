import { App, type HttpResponse, us_socket_local_port } from 'uWebSockets.js'
import { msSinceDue } from '../../test/harness/load/due-time.ts'
import { Latencies } from '../../test/harness/load/latencies.ts'
import { startMailSink } from './mail-sink.ts'
import { providerIn, SUCCESS } from './replies.ts'

/**
 * Stands for all providers at the least cost: answers every POST with the success of the provider that the path names,
 * and takes mail. `GET /after/N` answers when N messages have arrived, with the bytes of the last one; `GET /count` says how many have. `GET /forget`
 * sets the count to 0. `GET /smtp` returns the port for mail. For a path that ends in `/timed` it records how late the
 * message is, by the due time in its text (`due-time.ts`); `GET /times` returns these latencies and deletes them.
 * Prints its port.
 */
let count = 0
let bytes = 0
let times = new Latencies()
let waiting: { readonly after: number; readonly res: HttpResponse }[] = []

function answerWaiting(): void {
  const due = waiting.filter(({ after }) => count >= after)
  if (due.length === 0) return
  waiting = waiting.filter(({ after }) => count < after)
  for (const { res } of due) res.cork(() => res.end(JSON.stringify({ count, bytes })))
}

function received(size: number): void {
  bytes = size
  count++
  answerWaiting()
}
const smtpPort = await startMailSink(() => received(bytes))

function recordTime(text: string): void {
  const lateMs = msSinceDue(text)
  if (lateMs !== undefined) times.add(lateMs)
}

App()
  .get('/after/:count', (res, req) => {
    const after = Number(req.getParameter(0))
    res.onAborted(() => {
      waiting = waiting.filter((each) => each.res !== res)
    })
    waiting.push({ after, res })
    answerWaiting()
  })
  .get('/forget', (res) => {
    count = 0
    res.end()
  })
  .get('/count', (res) => void res.end(JSON.stringify({ count })))
  .get('/smtp', (res) => void res.end(JSON.stringify({ port: smtpPort })))
  .get('/times', (res) => {
    res.end(JSON.stringify({ count: times.count, curve: times.curve() }))
    times = new Latencies()
  })
  .post('/*', (res, req) => {
    const path = req.getUrl()
    const reply = SUCCESS[providerIn(path)] ?? ''
    const timed = path.endsWith('/timed')
    let size = 0
    res.onAborted(() => {})
    res.onData((chunk, isLast) => {
      size += chunk.byteLength
      if (timed) recordTime(Buffer.from(chunk).toString('latin1'))
      if (!isLast) return
      res.cork(() => res.writeHeader('Content-Type', 'application/json').end(reply))
      received(size)
    })
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (!socket) process.exit(1)
    console.log(JSON.stringify({ port: us_socket_local_port(socket) }))
  })
