import diagnostics from 'node:diagnostics_channel'
import type { TestContext } from 'node:test'
import type { Worker, WorkerOptions } from 'node:worker_threads'
import { Link } from '../../../src/kernel/link.ts'
import type { ThreadPlan } from '../../../src/kernel/supervision/supervised.ts'
import { Supervisor } from '../../../src/kernel/supervision/supervisor.ts'
import { TurnScheduler } from '../../../src/kernel/turn-scheduler.ts'
import { HeldClock } from './held-clock.ts'

interface Spec {
  readonly name: string
  /** Name of a file in fixtures. */
  readonly fixture: string
  boot?(incarnation: number): unknown
  readonly peers?: readonly string[]
  readonly options?: WorkerOptions
}

export const one = { name: 'one', fixture: 'obeys-queries.ts' }
export const two = { name: 'two', fixture: 'obeys-queries.ts' }
/** Peers of each other; only one plan names the other. */
export const pair = [
  { ...one, peers: ['two'], boot: () => ({ peers: ['two'] }) },
  { ...two, boot: () => ({ peers: ['one'] }) },
]

/** A supervisor over fixtures, with its reports as lines to wait for. All threads end with the test. */
export function supervise(t: TestContext, specs: readonly Spec[]) {
  const clock = new HeldClock()
  const scheduler = new TurnScheduler()
  const links = new Map(specs.map(({ name }) => [name, new Link(name, scheduler)]))
  const journal = lines()
  const errors: (Error | undefined)[] = []
  const workers: Worker[] = []
  const created = (message: unknown) => workers.push((message as { worker: Worker }).worker)
  diagnostics.subscribe('worker_threads', created)
  const supervisor = new Supervisor(
    specs.map((spec) => planOf(spec, links)),
    clock,
    {
      threadUp: (thread, restarts) => journal.write(`${thread} up ${restarts}`),
      threadDown(thread, error, restartInMs) {
        errors.push(error)
        journal.write(`${thread} down ${restartInMs}`)
      },
    },
  )
  t.after(async () => {
    diagnostics.unsubscribe('worker_threads', created)
    await Promise.all(workers.map((worker) => worker.terminate()))
    for (const { name } of specs) await supervisor.stop(name, 1).catch(() => {})
    for (const link of links.values()) link.detach()
  })
  return {
    supervisor,
    clock,
    scheduler,
    errors,
    journal,
    link: (name: string) => links.get(name) ?? fail(name),
    ask: (thread: string, kind: string, more: object = {}) =>
      supervisor.ask(thread, 'actor', { kind, ...more }, 60_000),
    states: () => supervisor.states().map(({ name, state }) => `${name} ${state}`),
    /** Number of workers that run. */
    alive: () => workers.filter(({ threadId }) => threadId !== -1).length,
    /** Fires the backoff of the thread's n-th death and waits until it is up again. */
    async revive(name: string, times = 1, delayMs = 100) {
      ;(await clock.timer(delayMs))()
      await journal.read(`${name} up ${times}`)
    },
  }
}

function planOf({ name, fixture, boot, peers = [], options = {} }: Spec, links: ReadonlyMap<string, Link>): ThreadPlan {
  let incarnations = 0
  return {
    name,
    peers,
    script: new URL(`../fixtures/${fixture}`, import.meta.url),
    link: links.get(name) ?? fail(name),
    boot: () => boot?.(++incarnations) ?? {},
    options,
  }
}

/** A log whose lines can be waited for. */
function lines() {
  const written: string[] = []
  let waiting: { readonly line: string; readonly resolve: () => void }[] = []
  return {
    written,
    write(line: string) {
      written.push(line)
      for (const { resolve } of waiting.filter((each) => each.line === line)) resolve()
      waiting = waiting.filter((each) => each.line !== line)
    },
    read: (line: string) =>
      written.includes(line) ? Promise.resolve() : new Promise<void>((resolve) => waiting.push({ line, resolve })),
  }
}

const fail = (name: string): never => {
  throw new Error(`no thread is called ${name}`)
}
