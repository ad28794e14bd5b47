import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { configFile, folder } from '../../harness/config-file.ts'
import { post } from '../../harness/net/requests.ts'
import { twoChannels } from '../../harness/providers.ts'
import { startTestSystem } from '../../harness/system.ts'
import { until } from '../../harness/until.ts'

const MAX_BACKLOG = 40

test('a full backlog is answered 503 with Retry-After; what was accepted arrives, and then there is room again', async (t) => {
  const { flow, alert } = await twoChannels(t)
  const healed = Promise.withResolvers<void>()
  flow.script = () => ({ after: healed.promise })
  const dir = folder()
  const storage = { file: { data_dir: join(dir, 'data'), max_backlog: MAX_BACKLOG } }
  const { url } = await startTestSystem(t, configFile(dir, { alert: { officechat: alert.officechat }, storage }))
  const accepted: string[] = []
  for (let n = 0; n < MAX_BACKLOG + 10; n++) {
    const mark = `mark-${n}-end`
    const { status, headers } = await post(url, { ServiceName: mark })
    if (status === 201) accepted.push(mark)
    else assert.deepEqual([status, Number(headers.get('retry-after')) > 0], [503, true])
  }
  assert.equal(accepted.length, MAX_BACKLOG)

  healed.resolve()
  for (const mark of accepted) await flow.waitFor(({ body }) => body.includes(mark))
  await until(async () => (await post(url, { ServiceName: 'afterwards' })).status === 201)
})
