import { test } from 'node:test'
import { newPostgresServer } from '../../harness/postgres.ts'
import { until } from '../../harness/until.ts'
import { opened } from '../settings.ts'
import { startAppenders } from './appenders.ts'
import { newTables } from './support.ts'
import { assertWhole } from './whole.ts'

test('appenders go on at the synchronous standby when the primary is killed, and no answered incident is lost', async (t) => {
  const primary = await newPostgresServer()
  if ('missing' in primary) return t.skip(primary.missing)
  t.after(() => primary.stop())
  if (primary.noStandby) return t.skip(primary.noStandby)
  const { url } = await newTables(t, primary)
  const standby = await primary.standby('second')
  t.after(() => standby.crash())
  await primary.configure({ synchronous_standby_names: "'second'" })
  await until(
    async () => (await primary.sql("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).length === 1,
  )
  const { host } = new URL(url)
  const both = url.replace(host, `${host},127.0.0.1:${standby.port}`)
  const appenders = startAppenders(t, { url: both, count: 3 })
  const more = async (incidents: number) => {
    const before = appenders.answered.size
    await until(() => appenders.answered.size > before + incidents)
  }
  await more(300)
  await primary.kill()
  await standby.promote()
  await more(300)
  await appenders.stop()
  const port = new URL(url).port
  assertWhole(opened(t, url.replace(`:${port}/`, `:${standby.port}/`)), appenders)
})
