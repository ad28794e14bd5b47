import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { JsonFile } from '../../src/files/json-file.ts'
import type { Finding } from '../../src/mining/contract.ts'
import type { Cursor, LogSource } from '../../src/mining/sources/contract.ts'
import { PLACE } from '../harness/place.ts'

export function folder(t: TestContext): string {
  const dir = mkdtempSync(join(PLACE, 'tocsin-mining-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

const NEVER = new AbortController().signal

/** Follows a log source with a cursor, as the agent does. `restart` opens the source again with the stored cursor. */
export class LogFollower {
  cursor: Cursor | undefined
  readonly notes: string[] = []
  #source: LogSource
  readonly #open: () => LogSource

  constructor(t: TestContext, open: () => LogSource) {
    this.#open = open
    this.#source = open()
    t.after(() => this.#source.close?.())
  }

  async restart(): Promise<void> {
    await this.#source.close?.()
    this.#source = this.#open()
    if (this.cursor) this.cursor = JSON.parse(JSON.stringify(this.cursor))
  }

  /** Reads to the end and returns the texts. */
  async read(): Promise<string[]> {
    return (await this.events()).map(({ text }) => text)
  }

  async events() {
    const events = []
    for (let more = true; more; ) {
      const pulled = await this.#source.pull(this.cursor, NEVER)
      events.push(...pulled.events)
      this.cursor = pulled.cursor
      if (pulled.note !== undefined) this.notes.push(pulled.note)
      more = pulled.more
    }
    return events
  }
}

/** A JSON file in memory; it outlives the object that writes it. */
export function memoryFile(document?: object): JsonFile & { document: object | undefined } {
  const file = {
    document,
    load: () => file.document && JSON.parse(JSON.stringify(file.document)),
    save(next: object) {
      file.document = next
    },
  }
  return file
}

/** A finding of an unknown pattern with three lines. */
export function finding(id: string, over: Partial<Finding> = {}): Finding {
  const pattern: Finding['pattern'] = {
    id,
    template: `template of ${id}`,
    source: 'app',
    service: 'ledger',
    rule: 'default',
    firstSeenMs: 0,
    lastSeenMs: 0,
    count: 3,
    baselineFrequency: 0,
    verdict: 'unknown',
    knownBy: '',
    tags: [],
  }
  const counts = { frequency: 3, baseline: 0, count: 3, openedAtMs: 0 }
  return { kind: 'unknown', phase: 'opened', pattern, samples: [`sample of ${id}`], ...counts, ...over }
}
