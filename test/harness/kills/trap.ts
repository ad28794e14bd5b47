import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { StatementSync } from 'node:sqlite'
import { folder } from '../config-file.ts'

/** A point of time: the commit of the next transaction that runs a statement with this text. */
export interface CommitPoint {
  /** Part of a statement, without parameters. */
  readonly statement: string
  /** `before`: the transaction has no effect; `after`: it has, and nobody was told. */
  readonly side: 'before' | 'after'
}

/** A process that ends by SIGKILL at a point, on SQLite and on PostgreSQL. */
interface Trap {
  /** Environment of the process. */
  readonly env: NodeJS.ProcessEnv
  /** Works at once, for one time. */
  set(point: CommitPoint): void
}

export function trap(): Trap {
  const file = join(folder(), 'trap.json')
  return {
    env: { NODE_OPTIONS: `--disable-warning=ExperimentalWarning --import=${import.meta.url}`, TRAP_FILE: file },
    set: (point) => writeFileSync(file, JSON.stringify(point)),
  }
}

/** Runs in the process and in each of its threads. A test that imports this file gets the exports only. */
if (process.env.NODE_OPTIONS?.includes(import.meta.url)) watch(process.env.TRAP_FILE ?? '')

function watch(file: string): void {
  let isMet = false

  /** Returns the point when these statements commit it. */
  function reached(statements: readonly string[]): CommitPoint | undefined {
    if (!existsSync(file)) return undefined
    const point: CommitPoint = JSON.parse(readFileSync(file, 'utf8'))
    if (statements.some((sql) => sql.startsWith('BEGIN'))) isMet = false
    isMet ||= statements.some((sql) => sql.includes(point.statement))
    return isMet && statements.includes('COMMIT') ? point : undefined
  }

  function die(): void {
    rmSync(file)
    process.kill(process.pid, 'SIGKILL')
  }

  for (const verb of ['run', 'get', 'all'] as const) {
    const original: (...values: never[]) => unknown = StatementSync.prototype[verb]
    Object.assign(StatementSync.prototype, {
      [verb](this: StatementSync, ...values: never[]) {
        const point = reached([this.sourceSQL])
        if (point?.side === 'before') die()
        const result = original.apply(this, values)
        if (point) die()
        return result
      },
    })
  }

  /** Statements of a connection to PostgreSQL by the name under which it prepared them. */
  const prepared = new Map<string, string>()
  const { write } = Socket.prototype
  Object.assign(Socket.prototype, {
    write(this: Socket, ...sent: Parameters<typeof write>) {
      if (!(sent[0] instanceof Uint8Array)) return write.apply(this, sent)
      const text = Buffer.from(sent[0]).toString('latin1')
      for (const [, name = '', sql = ''] of text.matchAll(/(s\d+)\0([A-Z][^\0]+)\0/g)) prepared.set(name, sql)
      const bound = Array.from(text.matchAll(/\0(s\d+)\0/g), ([, name = '']) => prepared.get(name) ?? '')
      const control = Array.from(text.matchAll(/\0(BEGIN|COMMIT)\0/g), ([, sql = '']) => sql)
      const point = reached([...control, ...bound])
      if (point?.side === 'before') die()
      if (point) this.prependOnceListener('data', die)
      return write.apply(this, sent)
    },
  })
}
