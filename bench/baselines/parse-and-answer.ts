import { App, us_socket_local_port } from 'uWebSockets.js'

/** The bare front: the same HTTP server as the service, which only parses the body and answers. Prints its port. */
const ANSWER = '{"status":"Incident created"}'

App()
  .post('/api/incidents', (res) => {
    let aborted = false
    let body: Buffer | undefined
    res.onAborted(() => {
      aborted = true
    })
    res.onData((chunk, isLast) => {
      body = body ? Buffer.concat([body, Buffer.from(chunk)]) : Buffer.from(chunk.slice(0))
      if (!isLast || aborted) return
      const payload: unknown = JSON.parse(body.toString())
      if (typeof payload !== 'object') return void res.close()
      res.cork(() => {
        res.writeStatus('201 Created').writeHeader('Content-Type', 'application/json').end(ANSWER)
      })
    })
  })
  .listen('127.0.0.1', 0, (socket) => {
    if (!socket) process.exit(1)
    console.log(JSON.stringify({ port: us_socket_local_port(socket) }))
  })
