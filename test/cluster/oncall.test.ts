import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { KILL_POINTS, oncallProviders, playOncall } from '../harness/kills/oncall.ts'
import { trap } from '../harness/kills/trap.ts'
import { skip, startCluster } from './cluster.ts'

test('the leader is killed at each point of an escalation: what was answered is kept, and each message arrives, a second copy marked', {
  skip,
}, async (t) => {
  const providers = await oncallProviders(t)
  const traps = [trap(), trap()]
  const cluster = await startCluster(t, {
    config: providers.config,
    envOf: (nth) => traps[nth]?.env ?? {},
  })
  for (const name of Object.keys(KILL_POINTS))
    await t.test(name, async () => {
      const leader = await cluster.nextLeader()
      const other = cluster.replicas.find((each) => each !== leader) ?? assert.fail()
      const replaced = once(leader.child, 'exit').then(() => cluster.nextLeader(leader))
      const { set } = traps[cluster.replicas.indexOf(leader)] ?? assert.fail()
      await playOncall(
        name,
        { url: () => other.url, set, kill: () => leader.child.kill('SIGKILL'), replaced },
        providers,
      )
      await leader.start()
    })
})
