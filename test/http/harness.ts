import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import type { TestContext } from 'node:test'
import type { Payload } from '../../src/domain/incident.ts'
import type { FrontOptions, Intake, IntakeAnswer, Submit } from '../../src/http/contract.ts'
import { createFront } from '../../src/http/front.ts'
import { Tickets } from '../../src/http/tickets.ts'
import { Validator } from '../../src/validate/validator.ts'

export const ID = '018f0000-0000-7000-8000-000000000001'
export const SECRET = 'a gateway secret'

export interface Answer {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}
interface RequestOptions {
  readonly method?: string
  readonly headers?: http.OutgoingHttpHeaders
  readonly body?: string | Uint8Array
}
/** A request as it was submitted, with the text of each incident. */
export interface TakenIntake extends Omit<Intake, 'answer'> {
  readonly texts: readonly string[]
}
export const payloadsOf = ({ texts }: TakenIntake): Payload[] => texts.map((text) => JSON.parse(text))

export interface Served {
  readonly front: ReturnType<typeof createFront>
  readonly port: number
  /** Submitted intakes, in order. */
  readonly intakes: TakenIntake[]
  /** Fields of logged errors. */
  readonly errors: object[]
  readonly warnings: object[]
  ask(path: string, options?: RequestOptions): Promise<Answer>
  /** Posts JSON to /api/incidents. `headers` replace the Content-Type. */
  post(body: string | Uint8Array, headers?: http.OutgoingHttpHeaders): Promise<Answer>
}

const known = (names: readonly string[], ids: readonly (readonly [id: string, name: string | null])[] = []) => ({
  names,
  ids: new Map(ids),
  enabled: true,
})
/** Destinations that the parameters of a request choose among. */
export const TARGETS = {
  officechat: known(['qc', 'ops']),
  chatws: known(
    ['night'],
    [
      ['C0NIGHT', 'night'],
      ['C0MAIN', null],
    ],
  ),
  messenger: known([], [['w1+abc==', null]]),
  email: known(['boss'], [['boss@example.com,cto@example.com', 'boss']]),
  msgapp: { ...known(['dev'], [['-100200', 'dev']]), accepts: /^-?\d{1,20}$/ },
  workchat: { ...known(['qa']), enabled: false },
  pagerduty: known(['db']),
  incident_io: known(['dba'], [['src-dba', 'dba']]),
  aws_incident_manager: known(['infra']),
  servicenow: known([]),
}

/** Creates a front, which does not listen yet. */
export const frontOf = (over: Partial<FrontOptions> = {}) =>
  createFront({
    maxBodyBytes: 1024 * 1024,
    intakeToken: '',
    gatewaySecret: SECRET,
    parameters: { targets: TARGETS, pager: 'pagerduty', strict: false },
    submit: () => 'ingest_full',
    ready: async () => [],
    admin: [],
    publicRoutes: [],
    tickets: new Tickets(() => performance.now()),
    tail: { join: () => assert.fail('no test joins the tail') },
    log: { warn() {}, error() {} },
    ...over,
  })

/** Starts a front on a free port. Its submit accepts everything and answers `created` in a later turn. */
export async function serve(t: TestContext, over: Partial<FrontOptions> = {}): Promise<Served> {
  const intakes: TakenIntake[] = []
  const errors: object[] = []
  const warnings: object[] = []
  const front = frontOf({
    submit: takeAll(intakes),
    log: { warn: (fields) => warnings.push(fields), error: (fields) => errors.push(fields) },
    ...over,
  })
  t.after(() => front.close())
  const port = await front.listen('127.0.0.1', 0)
  const ask = (path: string, options?: RequestOptions) => request(port, path, options)
  const post = (
    body: string | Uint8Array,
    headers: http.OutgoingHttpHeaders = { 'Content-Type': 'application/json' },
  ) => ask('/api/incidents', { method: 'POST', body, headers })
  return { front, port, intakes, errors, warnings, ask, post }
}

function request(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body }: RequestOptions = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const req = http.request({ host: '127.0.0.1', port, path, method, headers, agent: false }, async (res) => {
      const chunks: Buffer[] = []
      for await (const chunk of res) chunks.push(chunk)
      resolve({ status: res.statusCode ?? 0, headers: res.headers, text: Buffer.concat(chunks).toString() })
    })
    req.on('error', reject)
    req.end(body)
  })
}

/** A TCP connection on which a test writes raw bytes. */
export class Wire {
  readonly socket: net.Socket
  #seen = ''
  #watchers: (() => void)[] = []
  closed = false

  constructor(socket: net.Socket) {
    this.socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      this.#seen += text
      this.#notify()
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      this.closed = true
      this.#notify()
    })
  }

  static async open(t: TestContext, port: number): Promise<Wire> {
    const wire = new Wire(net.connect(port, '127.0.0.1'))
    t.after(() => wire.socket.destroy())
    await once(wire.socket, 'connect')
    return wire
  }

  write(text: string | Uint8Array): void {
    this.socket.write(text)
  }

  /** Resolves with the statuses of the first `count` complete answers, or of fewer when the connection closes. */
  async statuses(count: number): Promise<number[]> {
    while (statusesIn(this.#seen).length < count && !this.closed) await this.#change()
    return statusesIn(this.#seen)
  }

  async end(): Promise<void> {
    while (!this.closed) await this.#change()
  }

  get seen(): string {
    return this.#seen
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#watchers.push(resolve))
  }
  #notify(): void {
    for (const wake of this.#watchers.splice(0)) wake()
  }
}

function statusesIn(seen: string): number[] {
  const statuses: number[] = []
  for (let rest = seen; ; ) {
    const head = /^HTTP\/1\.1 (\d{3})[\s\S]*?\r\n\r\n/.exec(rest)
    if (!head) return statuses
    const length = Number(/content-length: *(\d+)/i.exec(head[0])?.[1] ?? 0)
    if (rest.length < head[0].length + length) return statuses
    statuses.push(Number(head[1]))
    rest = rest.slice(head[0].length + length)
  }
}

export const errorOf = (answer: Answer): string => JSON.parse(answer.text).error

/** A submit that accepts all valid bodies, and answers `created` in a later turn. */
export function takeAll(intakes: TakenIntake[]): Submit {
  const validator = new Validator()
  return (intake, body) => {
    const valid = validator.add(body, intake.format)
    if (valid === undefined) return 'invalid'
    const { key, overrides, origin, source, format, receivedAt } = intake
    intakes.push({ texts: takeTexts(validator, valid.lengths), format, source, key, overrides, origin, receivedAt })
    setImmediate(() => intake.answer({ kind: 'created', id: ID, count: valid.many ? valid.lengths.length : undefined }))
    return 'taken'
  }
}

function takeTexts(validator: Validator, lengths: readonly number[]): string[] {
  return lengths.map((length) => {
    const text = Buffer.from(validator.first(length)).toString()
    validator.drop(length)
    return text
  })
}

/** A submit that gives each request this result, in a later turn. */
export const answering =
  (resultOf: (intake: Intake) => IntakeAnswer): Submit =>
  (intake) => {
    setImmediate(() => intake.answer(resultOf(intake)))
    return 'taken'
  }

/** A submit that accepts everything; the test calls the collected `answers`. */
export function heldSubmit() {
  const answers: ((answer: IntakeAnswer) => void)[] = []
  const watchers: (() => void)[] = []
  return {
    answers,
    submit: ((intake) => {
      answers.push((result) => intake.answer(result))
      for (const wake of watchers.splice(0)) wake()
      return 'taken'
    }) satisfies Submit as Submit,
    async waitFor(count: number): Promise<void> {
      while (answers.length < count) await new Promise<void>((resolve) => watchers.push(resolve))
    },
  }
}
