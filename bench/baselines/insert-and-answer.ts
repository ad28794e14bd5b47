import { App, type HttpResponse, us_socket_local_port } from 'uWebSockets.js'
import { Client } from 'pg'

/**
 * The bare front on a database: parses each body, inserts those that have gathered as the rows of one statement, and
 * answers when that is committed; one statement at a time. Argument: URL of the database. Prints its port.
 */
const ANSWER = '{"status":"Incident created"}'
const MOST_ROWS = 256

const client = new Client({ connectionString: process.argv[2] })
await client.connect()
await client.query('CREATE TABLE bare (seq bigserial PRIMARY KEY, at timestamptz DEFAULT now(), content text)')

let waiting: { readonly content: string; answer(): void }[] = []
let inserts = 0
let isInserting = false

async function insertWaiting(): Promise<void> {
  if (isInserting) return
  isInserting = true
  while (waiting.length > 0) {
    const batch = waiting.slice(0, MOST_ROWS)
    waiting = waiting.slice(MOST_ROWS)
    await client.query(
      insertOf(batch.length),
      batch.map(({ content }) => content),
    )
    inserts++
    for (const { answer } of batch) answer()
  }
  isInserting = false
}

/** A statement that is prepared once for each number of rows. */
function insertOf(rows: number) {
  const values = Array.from({ length: rows }, (_, at) => `($${at + 1})`).join()
  return { name: `insert ${rows}`, text: `INSERT INTO bare (content) VALUES ${values}` }
}

function take(res: HttpResponse, body: Buffer, isAborted: () => boolean): void {
  const content = body.toString()
  const payload: unknown = JSON.parse(content)
  if (typeof payload !== 'object') return void res.close()
  waiting.push({
    content,
    answer() {
      if (isAborted()) return
      res.cork(() => {
        res.writeStatus('201 Created').writeHeader('Content-Type', 'application/json').end(ANSWER)
      })
    },
  })
  setImmediate(insertWaiting)
}

App()
  .get('/inserts', (res) => {
    res.end(String(inserts))
  })
  .post('/api/incidents', (res) => {
    let aborted = false
    let body: Buffer | undefined
    res.onAborted(() => {
      aborted = true
    })
    res.onData((chunk, isLast) => {
      body = body ? Buffer.concat([body, Buffer.from(chunk)]) : Buffer.from(chunk.slice(0))
      if (isLast && !aborted) take(res, body, () => aborted)
    })
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (!socket) process.exit(1)
    console.log(JSON.stringify({ port: us_socket_local_port(socket) }))
  })
