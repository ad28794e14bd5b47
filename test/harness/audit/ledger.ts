import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Provider, Reply } from '../../../src/simulator/index.ts'
import { admin, post } from '../requests.ts'
import { until } from '../until.ts'

interface Detail {
  readonly deliveries: readonly { readonly channel: string; readonly state: string; readonly may_duplicate: boolean }[]
  readonly oncall: { readonly state: string; readonly attempts: readonly { readonly may_duplicate: boolean }[] } | null
}
const isOver = ({ deliveries, oncall }: Detail) =>
  deliveries.every(({ state }) => state === 'sent') && (oncall === null || oncall.state === 'paged')

interface AuditResult {
  /** Incidents that were answered 201, or 200 when they came again with their key. */
  readonly accepted: number
  /** Incidents that were sent again, because nobody knew what had become of them. */
  readonly again: number
  /** Deliveries and pages that arrived more than once; all of them are marked. */
  readonly duplicates: number
}

const POSTERS = 8
const PAUSE_MS = 15

/** What was accepted, and what came of it. */
export class Ledger {
  readonly accepted = new Map<string, string>()
  /** Posted with a key, outcome unknown: to be sent again with it. */
  readonly #unknown = new Set<string>()
  readonly #again = new Set<string>()
  #posted = 0

  /** Posts until told to stop, or the service is gone, or so many are accepted; a refusal is tried again. */
  async load(url: string, signal: AbortSignal, count = 500): Promise<void> {
    const end = this.accepted.size + count
    const poster = async () => {
      while (!signal.aborted && this.accepted.size < end) {
        await this.#post(url).catch(() => new Promise((resolve) => setTimeout(resolve, 50)))
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
      }
    }
    await Promise.all(Array.from({ length: POSTERS }, poster))
  }

  /** Every other one has a key and comes again until it is known to be accepted. */
  async #post(url: string): Promise<void> {
    const [unknown] = this.#unknown
    const mark = unknown ?? `mark-${this.#posted++}-end`
    if (unknown !== undefined) this.#again.add(mark)
    this.#unknown.delete(mark)
    const keyed = unknown !== undefined || this.#posted % 2 === 0
    const id = await this.#accepted(url, mark, keyed).catch((error) => {
      if (keyed) this.#unknown.add(mark)
      throw error
    })
    if (id !== undefined) this.accepted.set(mark, id)
    else if (keyed) this.#unknown.add(mark)
  }

  /** Undefined: refused. */
  async #accepted(url: string, mark: string, keyed: boolean): Promise<string | undefined> {
    const headers: { [name: string]: string } = keyed ? { 'Idempotency-Key': mark } : {}
    const answer = await post(url, { title: mark, ServiceName: mark, Logs: 'x'.repeat(300) }, headers)
    await answer.arrayBuffer()
    if (answer.status === 503) return undefined
    assert.ok(answer.status === 201 || (keyed && answer.status === 200), `${mark} was answered ${answer.status}`)
    return answer.headers.get('x-incident-id') ?? assert.fail('an answer without X-Incident-Id')
  }

  /** Every accepted incident is on record once and with every sink; what came twice is marked. */
  async audit(url: string, sinks: readonly Sink[]): Promise<AuditResult> {
    const resend = async () => {
      if (this.#unknown.size > 0) await this.#post(url)
      return this.#unknown.size
    }
    await until(resend, (left) => left === 0)
    for (const sink of sinks)
      await until(
        () => this.#missing(sink),
        (left) => left.length === 0,
      )
    const rows = [...this.accepted]
    let duplicates = 0
    const poster = async () => {
      for (let row = rows.pop(); row; row = rows.pop()) duplicates += await this.#check(url, row, sinks)
    }
    await Promise.all(Array.from({ length: POSTERS }, poster))
    return { accepted: this.accepted.size, again: this.#again.size, duplicates }
  }

  /** How many of its deliveries and pages came more than once. */
  async #check(url: string, [mark, id]: readonly [string, string], sinks: readonly Sink[]): Promise<number> {
    const look = async () => (await admin(url, `/api/admin/incidents/${id}`)) as Detail
    const detail = await until(look, isOver)
    if (this.#again.has(mark)) {
      const { total } = (await admin(url, `/api/admin/incidents?q=${mark}`)) as { total: number }
      assert.equal(total, 1, `${mark} is on record ${total} times`)
    }
    const twice = sinks.filter(({ taken }) => (taken.get(mark) ?? 0) > 1)
    for (const { kind, taken } of twice)
      assert.ok(marked(detail, kind), `${mark} came ${taken.get(mark)} times to ${kind} and is not marked`)
    return twice.length
  }

  #missing({ taken }: Sink): string[] {
    return [...this.accepted.keys()].filter((mark) => !taken.has(mark))
  }
}

/** Whoever reads the incident sees that the delivery, or the page, may have arrived more than once. */
function marked({ deliveries, oncall }: Detail, kind: string): boolean {
  if (kind === PAGER) return oncall?.attempts.some(({ may_duplicate }) => may_duplicate) ?? false
  return deliveries.find(({ channel }) => channel === kind)?.may_duplicate ?? false
}

/** Kind of the provider that is sent pages, not messages. */
const PAGER = 'webhook'

export interface Sink {
  readonly kind: string
  /** How often it was sent each mark and may have kept it. */
  readonly taken: ReadonlyMap<string, number>
  /** Requests so far, whatever became of them. */
  readonly asked: number
  mend(): void
}

/** The provider fails in all the ways it has, as the dice say, until it is mended. */
export function failing(provider: Provider, roll: () => number): Sink {
  const taken = new Map<string, number>()
  let broken = true
  let asked = 0
  provider.script = ({ body }) => {
    asked++
    const reply = broken ? replyFor(roll()) : undefined
    const marks = reply?.status === undefined ? new Set(body.match(/mark-\d+-end/g)) : []
    for (const mark of marks) taken.set(mark, (taken.get(mark) ?? 0) + 1)
    return reply
  }
  return {
    kind: provider.kind,
    taken,
    get asked() {
      return asked
    },
    mend() {
      broken = false
    },
  }
}

function replyFor(rolled: number): Reply | undefined {
  if (rolled < 0.15) return { status: 500, body: 'oops' }
  if (rolled < 0.25) return { reset: true }
  if (rolled < 0.28) return { hang: true }
  if (rolled < 0.33) return { status: 429, headers: { 'retry-after': '0' }, body: 'slow down' }
  if (rolled < 0.6) return { after: pause(1_000 * (rolled - 0.33)) }
  return undefined
}
