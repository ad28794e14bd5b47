import { once } from 'node:events'
import { test } from 'node:test'
import { configFile, folder } from '../../harness/config-file.ts'
import { KILL_POINTS, oncallProviders, playOncall } from '../../harness/kills/oncall.ts'
import { trap } from '../../harness/kills/trap.ts'
import { startProcess } from '../../harness/process.ts'

test('kill -9 at each point of an escalation: what was answered is kept, and each message arrives, a second copy marked', async (t) => {
  const providers = await oncallProviders(t)
  const file = configFile(folder(), providers.config)
  const { env, set } = trap()
  let service = await startProcess(t, file, env)
  for (const name of Object.keys(KILL_POINTS))
    await t.test(name, async () => {
      const { child } = service
      const replaced = once(child, 'exit').then(async () => {
        service = await startProcess(t, file, env)
      })
      const victim = { url: () => service.url, set, kill: () => child.kill('SIGKILL'), replaced }
      await playOncall(name, victim, providers)
    })
})
