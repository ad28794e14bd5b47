import { payloadOf } from '../../../test/harness/load/payload.ts'
import { SECRET } from '../../../test/harness/net/requests.ts'
import type { Replica } from '../../servers/replicas.ts'

export const BODY_BYTES = 1_000
export const LEASE_MS = 5_000
const ROOM = 1_000_000

/** Configuration of replicas on a database, without a channel. */
export const configOn = (url: string) => ({
  gateway_secret: SECRET,
  storage: { type: 'postgres', postgres: { url, max_incidents: ROOM, max_backlog: ROOM, lease: `${LEASE_MS}ms` } },
})

/** Posts one incident. Throws unless it is accepted. */
export async function post(url: string): Promise<void> {
  const body = JSON.stringify(payloadOf(BODY_BYTES))
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(`${url}/api/incidents`, { method: 'POST', headers, body })
  if (response.status !== 201) throw new Error(`an incident was answered ${response.status}: ${await response.text()}`)
  await response.arrayBuffer()
}

/** Returns the replica that leads; undefined: none does. */
export async function leaderOf(replicas: readonly Replica[]): Promise<Replica | undefined> {
  const { replicas: rows } = await (replicas[0] as Replica).admin<{ replicas: { name: string; role: string }[] }>(
    '/replicas',
  )
  const name = rows.find(({ role }) => role === 'leader')?.name
  return replicas.find((replica) => replica.name === name)
}

export const stopAll = (replicas: readonly Replica[]) => Promise.all(replicas.map((replica) => replica.stop()))
export const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)
