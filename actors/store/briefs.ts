import { setImmediate as afterMail } from 'node:timers/promises'
import type { Brief } from '../../src/api/brief.ts'
import type { Clock } from '../../src/kernel/clock.ts'
import type { BriefPort } from '../../src/store/brief/part.ts'
import type { Answers } from '../messages/query.ts'
import type { StorageQueries } from '../messages/storage-queries.ts'
import type { PublishedProgress } from './apply-progress.ts'
import type { MaintenanceTask } from './maintenance.ts'

/** A section that would begin later is left out. */
const DEADLINE_MS = 250
const KEPT_MS = 5_000
const MAX_KEPT = 64
/** Beside logs, which have 4 KiB. */
const MAX_BYTES = 12 * 1_024
/** Steps of a section are together until it has taken this long; then turns go on. */
const STEP_MS = 4

const NOTHING: Omit<Brief, 'at' | 'problem' | 'late' | 'unapplied'> = {
  ...{
    notified: [],
    page: null,
    similar: [],
    notes: [],
    silences: [],
    nearby: null,
    logs: [],
    changes: [],
    runbook: [],
  },
  before: { count: 0, days: 30, shortest_ms: null, median_ms: null, longest_ms: null, openings: [] },
}

interface BriefsDeps {
  /** Undefined: no history is kept. */
  readonly store: BriefPort | undefined
  readonly published: Pick<PublishedProgress, 'soon' | 'unapplied'>
  readonly clock: Pick<Clock, 'elapsed'>
}

/** Answers questions about the history of problems. One brief is computed at a time, in steps between turns, and kept for 5 s. */
export function openBriefs({ store, published, clock }: BriefsDeps) {
  const kept = new Map<string, { readonly at: number; readonly brief: Promise<Brief | undefined> }>()
  let last: Promise<unknown> = Promise.resolve()

  async function compute(id: number, opening: number | undefined): Promise<Brief | undefined> {
    await published.soon()
    const found = store?.sections(id, opening)
    if (found === undefined) return undefined
    const began = clock.elapsed()
    let stepAt = began
    async function pause() {
      if (clock.elapsed() - stepAt < STEP_MS) return
      await afterMail()
      stepAt = clock.elapsed()
    }
    let brief: Brief = { ...found.head, ...NOTHING, late: [], unapplied: published.unapplied() }
    for (const { name, read } of found.sections) {
      if (clock.elapsed() - began >= DEADLINE_MS) brief = { ...brief, late: [...brief.late, name] }
      else brief = { ...brief, ...(await read(pause)) }
      await pause()
    }
    return bounded(brief)
  }

  function of(id: number, opening: number | undefined): Promise<Brief | undefined> {
    const [key, now] = [`${id} ${opening ?? ''}`, clock.elapsed()]
    for (const [name, { at }] of kept) if (at < now - KEPT_MS || kept.size >= MAX_KEPT) kept.delete(name)
    const known = kept.get(key)
    if (known !== undefined) return known.brief
    const brief = last.then(() => compute(id, opening))
    // A problem that is unknown now may be stored soon.
    last = brief.then(
      (found) => found ?? kept.delete(key),
      () => kept.delete(key),
    )
    kept.set(key, { at: now, brief })
    return brief
  }

  /** A person who wrote a note wants to see it. */
  function changed<T>(result: T): T {
    kept.clear()
    return result
  }

  return {
    'brief.of': ({ id, opening }) => of(id, opening),
    'brief.notes': ({ problem }) => store?.notes(problem),
    'brief.addNote': ({ note }) => changed(store?.addNote(note)),
    'brief.removeNote': ({ id }) => changed(store?.removeNote(id) ?? false),
    'brief.changes': () => store?.changes() ?? [],
    'brief.addChange': ({ change }) => changed(store?.addChange(change)),
  } satisfies Partial<Answers<StorageQueries>>
}

/** Leaves out sections, those that say least first, until the brief has at most 12 KiB. */
function bounded(brief: Brief): Brief {
  let fitting = brief
  for (const name of ['runbook', 'changes', 'silences', 'similar', 'notes'] as const) {
    if (Buffer.byteLength(JSON.stringify(fitting)) <= MAX_BYTES) break
    fitting = { ...fitting, [name]: [], late: [...fitting.late, name] }
  }
  return fitting
}

const WORDS_AT_ONCE = 64
const WORDS_PAUSE_MS = 100
const IDLE_MS = 1_000
const DISK_PAUSE_MS = 5_000

/** Gives words to new openings: at most 64 rows each time, and not while there are none. */
export function briefWordsTask(
  store: Pick<BriefPort, 'readWords' | 'written'>,
  clock: Pick<Clock, 'elapsed'>,
): MaintenanceTask {
  let read = -1
  let dueAt = clock.elapsed()
  return {
    name: 'words of openings',
    due: () => (store.written() === read ? undefined : dueAt),
    run() {
      try {
        const written = store.written()
        const isFull = store.readWords(WORDS_AT_ONCE) === WORDS_AT_ONCE
        if (!isFull) read = written
        dueAt = clock.elapsed() + (isFull ? WORDS_PAUSE_MS : IDLE_MS)
      } catch {
        // The disk refuses: others report it.
        dueAt = clock.elapsed() + DISK_PAUSE_MS
      }
    },
  }
}
