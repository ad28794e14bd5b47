import { wordsOf } from '../../brief/words.ts'
import type { Sender } from '../../domain/incident.ts'
import { parseObject } from '../../text/json-object.ts'
import { inTransactions, type Write } from '../engine/transaction.ts'
import { PAYLOAD_SLICE, type PayloadSlice } from '../journal/payloads.ts'
import type { NoiseParts } from '../noise/noise.ts'
import { openBriefSections } from './brief.ts'
import { type BriefRules, openOpenings } from './openings.ts'
import { openOpeningReads } from './reads.ts'
import { openBriefRecords } from './records.ts'

interface Unread extends PayloadSlice {
  readonly id: number
  readonly title: string
  readonly sender: Sender | null
}

/** Opens the reads and writes about the history of problems. */
function openBriefPort(context: NoiseParts, rules: BriefRules, write: Write, writeWithoutFsync: Write) {
  const reads = openOpeningReads(context.db)
  const records = openBriefRecords(context, reads)
  return {
    written: () => context.openings?.written() ?? 0,
    stored: () => context.counts.problems.openings,
    sections: openBriefSections(context, reads),
    ...records.reads,
    ...inTransactions(write, records.actions),
    /** Gives the words to openings that have none, to at most `limit`; returns fewer when none are left. As `index`, without fsync. */
    readWords: openReadWords(context, rules, writeWithoutFsync),
  }
}

/** Payloads that one turn parses. Of a larger one the title is compared alone. */
const MAX_BYTES = 256 * 1_024

function openReadWords({ db, payloads }: NoiseParts, { labelsOf }: BriefRules, write: Write) {
  const unread = db.query<Unread>(
    `SELECT o.id, o.title, i.sender, coalesce(i.seq, 0) AS seq, ${PAYLOAD_SLICE} FROM openings o LEFT JOIN incidents i ON i.seq = o.id
     WHERE o.id > ? AND o.words IS NULL ORDER BY o.id LIMIT ?`,
  )
  const save = db.command('UPDATE openings SET words = ? WHERE id = ?')
  let through = 0

  function labelsIn({ sender, ...slice }: Unread): { readonly [name: string]: string } {
    const [sets = []] =
      sender === null || slice.content_bytes > MAX_BYTES
        ? []
        : labelsOf(sender, parseObject(Buffer.from(payloads.of(slice)).toString()) ?? {})
    const labels: object = Object.assign({}, ...sets.toReversed())
    return Object.fromEntries(
      Object.entries(labels).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
    )
  }

  return function readWords(limit: number): number {
    const found = unread.all(through, limit)
    if (found.length === 0) return 0
    const rows: Unread[] = []
    for (let bytes = 0, nth = 0; nth < found.length && (nth === 0 || bytes < MAX_BYTES); nth++) {
      const row = found[nth] as Unread
      rows.push(row)
      bytes += row.content_bytes ?? 0
    }
    write(() => {
      for (const row of rows) {
        const words = wordsOf(row.title, labelsIn(row))
        save.run(Buffer.from(words.buffer, words.byteOffset, words.byteLength), row.id)
      }
    })
    through = rows.at(-1)?.id ?? through
    return rows.length < found.length ? limit : rows.length
  }
}

/** The part of the store that keeps the history of problems. Only a configuration with `brief.enable` loads it. */
export const briefPart = { openOpenings, openBriefPort }
export type BriefPart = typeof briefPart
export type BriefPort = ReturnType<typeof openBriefPort>
