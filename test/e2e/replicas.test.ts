import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skip, startCluster } from '../cluster/cluster.ts'
import { post, SECRET } from '../harness/net/requests.ts'
import { twoChannels } from '../harness/providers.ts'
import { seriousViolations, visit } from './browser.ts'

test('the dashboard of a follower shows the replicas, live statistics and what another accepted', {
  skip,
}, async (t) => {
  const { alert } = await twoChannels(t)
  const cluster = await startCluster(t, { config: { alert } })
  const leader = await cluster.nextLeader()
  const follower = cluster.replicas.find((each) => each !== leader) ?? assert.fail()
  const { page, complaints } = await visit(t, follower.url)
  await page.getByLabel('Gateway secret').fill(SECRET)
  await page.getByRole('button', { name: 'Sign in' }).click()
  const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Replicas' }) })
  await panel.getByText(`${leader.name} leads`).waitFor()
  await panel.getByRole('row', { name: new RegExp(`${leader.name} leader`) }).waitFor()
  await panel.getByRole('row', { name: new RegExp(`${follower.name} follower`) }).waitFor()
  await post(follower.url, { title: 'The books do not balance', severity: 'critical' })
  await page
    .getByRole('link', { name: /The books do not balance/ })
    .first()
    .waitFor()
  assert.deepEqual(await seriousViolations(page), [])
  assert.deepEqual(complaints, [])
})
