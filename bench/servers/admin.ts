import type { Stats } from '../../src/telemetry/stats.ts'
import type { Server } from './server.ts'

/** What services are started with whose operator is to be asked. */
export const SECRET = 'secret-of-the-bench'

/** Throws what a service that does not comply says. */
export async function admin<T>({ port }: Server, method: 'GET' | 'POST', path: string): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/admin${path}`, {
    method,
    headers: { 'X-Gateway-Secret': SECRET },
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as T
}

export const stats = (server: Server) => admin<Stats>(server, 'GET', '/stats')

/** Keeps the channel's deliveries on disk, or lets them go. */
export const setChannel = (server: Server, channel: string, how: 'pause' | 'resume') =>
  admin<unknown>(server, 'POST', `/channels/${channel}/${how}`)
