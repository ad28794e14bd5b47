import type { IncidentDetail, IncidentPage } from '../../src/api/incident.ts'
import { Latencies } from '../../test/harness/load/latencies.ts'
import { until } from '../../test/harness/until.ts'
import { askAdmin } from '../servers/admin.ts'
import type { Server } from '../servers/server.ts'

const PAGE = 500

/** Returns the times from commit to hand-out of the newest incidents, by the ledger. Waits for their deliveries. */
export async function handOuts(service: Server, count: number): Promise<Latencies> {
  const latencies = new Latencies()
  for (const id of await newestIds(service, count)) latencies.add(await handOutMs(service, id))
  return latencies
}

async function newestIds(service: Server, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let cursor = ''; ids.length < count; ) {
    const page = await askAdmin<IncidentPage>(service, `/incidents?limit=${PAGE}${cursor}`)
    ids.push(...page.incidents.map(({ id }) => id))
    if (page.next_cursor === null) break
    cursor = `&cursor=${page.next_cursor}`
  }
  return ids.slice(0, count)
}

/** Waits for the attempt: the sink has the message before its settlement is on disk. */
async function handOutMs(service: Server, id: string): Promise<number> {
  const ask = async () => (await askAdmin<IncidentDetail>(service, `/incidents/${id}`)).deliveries[0]?.attempts[0]
  const attempt = await until(ask, (found) => found !== undefined)
  return Date.parse(attempt?.handed_out_at ?? '') - Date.parse(attempt?.committed_at ?? '')
}
