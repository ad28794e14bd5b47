import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** How the database writes down what this account is of. */
const CODES = { chatws: 0, msgapp: 1, officechat: 3 } as const
export type ChannelName = keyof typeof CODES

/** What the sick sink tells of each provider. */
export type SinkReport = {
  readonly [name in ChannelName]: { readonly marks: number; readonly repeated: readonly number[] }
}

/** Of each channel, the numbers of the incidents whose delivery says that it may have come twice. */
function flags(dataDir: string): (name: ChannelName) => Set<number> {
  const db = new DatabaseSync(join(dataDir, 'tocsin.db'), { readOnly: true })
  const flagged = db.prepare(
    `SELECT substr(c.bytes, i.content_start + 1, i.content_bytes) AS content FROM deliveries d
     JOIN incidents i ON i.seq = d.incident JOIN contents c ON c.first = (SELECT max(first) FROM contents WHERE first <= i.seq)
     WHERE d.channel = ? AND d.may_duplicate = 1`,
  )
  const numbersOf = (name: ChannelName) =>
    new Set(
      flagged
        .all(CODES[name])
        .map(({ content }) => Number(/n(\d+)e/.exec(String(Buffer.from(content as Uint8Array)))?.[1])),
    )
  const all = { chatws: numbersOf('chatws'), msgapp: numbersOf('msgapp'), officechat: numbersOf('officechat') }
  db.close()
  return (name) => all[name]
}

interface DeliveredRun {
  readonly report: SinkReport
  readonly dataDir: string
  /** That each channel was to get. */
  readonly count: number
}

/** What is missing, what came twice, and what of that the database does not know of. */
export function auditDeliveries({ report, dataDir, count: all }: DeliveredRun, channels: readonly ChannelName[]) {
  const flagged = flags(dataDir)
  const sum = (count: (name: ChannelName) => number) => channels.reduce((total, name) => total + count(name), 0)
  return {
    lost: sum((name) => all - report[name].marks),
    repeated: sum((name) => report[name].repeated.length),
    unflagged: sum((name) => report[name].repeated.filter((mark) => !flagged(name).has(mark)).length),
  }
}
