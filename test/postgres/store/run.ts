import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { postgresServer } from '../../harness/postgres.ts'

/** Files of tests. `groups.ts` names those of a group; one process runs a group, and the schemas of its tests serve the next ones. */
const TESTS =
  'test/{groups/{store,outbox,noise,silences},actors/store/!(frame-queue|maintenance|paging),store/**/*.slow,slow/store/{answer-crashes,oncall-crashes,search,silences}}.test.ts'

/** Runs the tests of the store with PostgreSQL in the place of SQLite, or the files that are named. */
const server = await postgresServer()
if ('missing' in server) {
  console.error(`the tests of the store on PostgreSQL are left out: ${server.missing}`)
  process.exit(0)
}
const [...named] = process.argv.slice(2)
const files = named.length > 0 ? named : globSync(TESTS)
const flags = [
  '--disable-warning=ExperimentalWarning',
  '--import=./test/harness/tsx.js',
  '--test',
  '--test-reporter=spec',
  '--test-timeout=1800000',
  '--test-concurrency=2',
]
const child = spawn(process.execPath, [...flags, ...files], {
  stdio: 'inherit',
  env: { ...process.env, TOCSIN_TEST_POSTGRES: await server.database() },
})
const [code] = await once(child, 'exit')
await server.stop()
process.exit(code ?? 1)
