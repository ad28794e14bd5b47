import type { AddressInfo, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerSession } from 'smtp-server'
import type { Received, Reply } from './exchange.ts'
import type { HttpOptions } from './http.ts'
import { type Provider, RequestRecorder } from './provider.ts'

/** With `tls` it offers STARTTLS. */
export interface SmtpOptions extends Pick<HttpOptions, 'port' | 'tls'> {
  /** The login that is needed; absent: none is. */
  readonly login?: { readonly user: string; readonly pass: string }
}

/**
 * Starts a mail server. A queued reply is taken when a mail begins; the script is asked when its source has arrived.
 */
export async function startSmtp(options: SmtpOptions): Promise<Provider> {
  const recorder = new RequestRecorder()
  const sockets = new Set<Socket>()
  const server = serverOf(recorder, { ...options, cut: (port) => socketFrom(sockets, port)?.resetAndDestroy() })
  server.on('error', () => {})
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.server.once('error', reject)
      server.server.listen(port, '127.0.0.1', resolve)
    })
  const cutAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  await listen(options.port ?? 0)
  const { port } = server.server.address() as AddressInfo
  return Object.assign(recorder, {
    kind: 'email',
    port,
    url: `smtp://127.0.0.1:${port}`,
    async down() {
      const closed = new Promise((resolve) => server.server.close(resolve))
      cutAll()
      await closed
    },
    up: () => listen(port),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(resolve))
      cutAll()
      await closed
      recorder.end('email')
    },
  })
}

function socketFrom(sockets: ReadonlySet<Socket>, port: number): Socket | undefined {
  return [...sockets].find(({ remotePort }) => remotePort === port)
}

type Done = (error?: Error | null) => void

interface ServerOptions extends SmtpOptions {
  /** Cuts the connection from that port. */
  cut(remotePort: number): void
}

function serverOf(recorder: RequestRecorder, { tls, login, cut }: ServerOptions): SMTPServer {
  /** The queued reply for the current mail of each session. */
  const taken = new Map<string, Reply | undefined>()
  const queuedFor = (stage: Reply['stage'], { id }: SMTPServerSession) => {
    const reply = taken.get(id)
    return (reply?.stage ?? 'data') === stage ? reply : undefined
  }
  async function follow(reply: Reply | undefined, session: SMTPServerSession, done: Done): Promise<void> {
    await reply?.after
    if (reply?.hang) return
    if (reply?.reset) cut(session.remotePort)
    else done((reply?.status ?? 250) < 400 ? null : refusal(reply))
  }
  const counting =
    (mail: Received, done: Done): Done =>
    (error) => {
      if (!error) {
        recorder.posts++
        recorder.taken.push(mail)
      }
      done(error)
    }
  return new SMTPServer({
    ...tls,
    disabledCommands: tls ? [] : ['STARTTLS'],
    authOptional: login === undefined,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    closeTimeout: 1,
    logger: false,
    onAuth({ username = '', password = '' }, _session, done) {
      if (username === login?.user && password === login.pass) return done(null, { user: username })
      // Repeats the password: tests look for it in outcomes and logs.
      done(refusal({ status: 535, body: `no login ${username} with ${password}` }))
    },
    onMailFrom(_address, session, done) {
      taken.set(session.id, recorder.takeQueued())
      follow(queuedFor('mail', session), session, done)
    },
    onRcptTo({ address }, session, done) {
      const reply = queuedFor('rcpt', session)
      const meant = reply?.recipients?.includes(address) ?? true
      follow(meant ? reply : undefined, session, done)
    },
    onData(stream, session, done) {
      buffer(stream)
        .then(async (source) => {
          const mail = await read(source, session)
          await follow(recorder.record(mail, queuedFor('data', session)), session, counting(mail, done))
        })
        .catch(done)
    },
    onClose({ id }) {
      taken.delete(id)
    },
  })
}

function refusal({ status, body = 'refused' }: Reply = {}): Error {
  return Object.assign(new Error(typeof body === 'string' ? body : JSON.stringify(body)), { responseCode: status })
}

async function read(source: Buffer, { envelope }: SMTPServerSession): Promise<Received> {
  const mail = await PostalMime.parse(source)
  const recipients = envelope.rcptTo.map(({ address }) => address)
  const headers: { [name: string]: string } = {}
  for (const { key, value } of mail.headers) headers[key] = value
  const text = [mail.subject, mail.text, mail.html].filter(Boolean).join('\n')
  return { method: 'MAIL', path: '/', url: '/', headers, body: source.toString(), json: undefined, text, recipients }
}
