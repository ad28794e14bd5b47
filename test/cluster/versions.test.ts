import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { post } from '../harness/net/requests.ts'
import { twoChannels } from '../harness/providers.ts'
import { skip, startCluster } from './cluster.ts'

/** As a newer program leaves the tables, which only adds to them. Programs that know the version before may run on. */
const NEWER = `
ALTER TABLE tocsin.incidents ADD COLUMN of_newer text;
ALTER TABLE tocsin.dispatches ADD COLUMN of_newer bigint NOT NULL DEFAULT 0;
ALTER TABLE tocsin.problems ADD COLUMN of_newer text;
ALTER TABLE tocsin.process ADD COLUMN of_newer text;
ALTER TABLE tocsin.applied ADD COLUMN of_newer text;
ALTER TABLE tocsin.journal ADD COLUMN of_newer text;
ALTER TABLE tocsin.journal_head ADD COLUMN of_newer text;
ALTER TABLE tocsin.replicas ADD COLUMN of_newer text;
ALTER TABLE tocsin.leases ADD COLUMN of_newer text;
CREATE TABLE tocsin.of_newer (id bigint PRIMARY KEY);
UPDATE tocsin.schema_versions SET compatible_from = version, version = version + 1`

test('replicas run on with the tables of a newer program, unless it says that they cannot', { skip }, async (t) => {
  const { chat, flow, alert } = await twoChannels(t)
  const cluster = await startCluster(t, { config: { alert } })
  const { server, database, replicas } = cluster
  const [first, second] = replicas
  assert.ok(first && second)
  const arrives = async ({ url }: typeof first, title: string) => {
    const answer = await post(
      url,
      { title, ServiceName: title, severity: 'warning' },
      { 'Idempotency-Key': title.replaceAll(' ', '-') },
    )
    await answer.arrayBuffer()
    assert.equal(answer.status, 201)
    for (const provider of [chat, flow]) await provider.waitFor(({ body }) => body.includes(title))
  }
  for (const replica of replicas) await arrives(replica, `before at ${replica.name}`)

  await server.sql(NEWER, database)
  for (const replica of replicas) await arrives(replica, `during at ${replica.name}`)
  await second.end('SIGTERM')
  await second.start()
  await first.end('SIGKILL')
  await cluster.nextLeader(first)
  await arrives(second, 'after')

  await server.sql('UPDATE tocsin.schema_versions SET compatible_from = version', database)
  const refused = first.start()
  await assert.rejects(
    refused,
    /need a program that knows version \d+, this one knows versions up to \d+: run the newer program/,
  )
  if (first.child.exitCode === null) await once(first.child, 'exit')
  assert.equal(first.child.exitCode, 1)
  await arrives(second, 'beside')
})
