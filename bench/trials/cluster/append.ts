import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { PostgresServer } from '../../../test/harness/postgres.ts'
import { figure, measure, type Row, type Tables, type TrialOptions } from '../../report.ts'
import { engineCpuSeconds } from '../../servers/replicas.ts'
import type { AppenderPlan, Appending, Side } from './appender.ts'
import { sum } from './replicas.ts'

const TITLE =
  'cluster: incidents/s of 1 kB appended to the journal, beside bare inserts of the same batches over as many connections'

export interface AppendCase {
  readonly appenders: number
  /** Incidents of one append. */
  readonly batch: number
  readonly rounds: number
  readonly seconds: number
}

interface Appended {
  readonly perSecond: number
  /** Milliseconds of one append, median. */
  readonly medianMs: number
  readonly engineMicros: number
}

/** Measures threads that each append to the journal, or insert rows, over a connection of their own, in turn. */
export async function measureAppend(
  { progress }: TrialOptions,
  server: PostgresServer,
  { appenders, batch, rounds, seconds }: AppendCase,
): Promise<Tables> {
  const samples: { readonly journal: Appended; readonly bare: Appended }[] = []
  for (let round = 1; round <= rounds; round++) {
    progress(`${appenders} appenders, batches of ${batch}, round ${round} of ${rounds}`)
    const run = (side: Side) => append(server, appenders, { side, batch, seconds })
    samples.push({ journal: await run('journal'), bare: await run('bare') })
  }
  const row: Row = {
    appenders,
    batch,
    'journal/s': figure(
      samples.map(({ journal }) => journal),
      'perSecond',
      0,
    ),
    'bare inserts/s': figure(
      samples.map(({ bare }) => bare),
      'perSecond',
      0,
    ),
    ratio: measure(
      samples.map(({ journal, bare }) => journal.perSecond / bare.perSecond),
      2,
      { atLeast: 0.6 },
    ),
    'append ms': figure(
      samples.map(({ journal }) => journal),
      'medianMs',
      2,
    ),
    'insert ms': figure(
      samples.map(({ bare }) => bare),
      'medianMs',
      2,
    ),
    'engine CPU us/incident': figure(
      samples.map(({ journal }) => journal),
      'engineMicros',
      1,
    ),
    'engine CPU us/incident inserted': figure(
      samples.map(({ bare }) => bare),
      'engineMicros',
      1,
    ),
  }
  return { [TITLE]: [row] }
}

const SCRIPT = new URL('./appender.ts', import.meta.url)

async function append(server: PostgresServer, count: number, plan: Omit<AppenderPlan, 'url'>): Promise<Appended> {
  const url = await server.database()
  await once(new Worker(SCRIPT, { workerData: { ...plan, url, side: 'tables' } satisfies AppenderPlan }), 'exit')
  const before = await engineCpuSeconds(server)
  const results = await Promise.all(
    Array.from({ length: count }, async () => {
      const worker = new Worker(SCRIPT, { workerData: { ...plan, url } satisfies AppenderPlan })
      return (await once(worker, 'message'))[0] as Appending
    }),
  )
  const engineSeconds = (await engineCpuSeconds(server)) - before
  return {
    perSecond: sum(results.map(({ perSecond }) => perSecond)),
    medianMs: results[0]?.medianMs ?? 0,
    engineMicros: (engineSeconds * 1e6) / sum(results.map(({ incidents }) => incidents)),
  }
}
