import type { Stats } from '../../src/api/stats.ts'
import { admin } from '../../test/harness/net/requests.ts'
import type { Server } from './server.ts'

/**
 * Asks an operator's route of a service that was started with the gateway secret `SECRET`. Throws on any status but
 * 2xx.
 */
export const askAdmin = async <T>(server: Server, path: string) => (await admin(server.url, `/api/admin${path}`)) as T

export const stats = (server: Server) => askAdmin<Stats>(server, '/stats')

/** Pauses a channel, which keeps its deliveries on disk, or resumes it. */
export const setChannel = (server: Server, channel: string, action: 'pause' | 'resume') =>
  admin(server.url, `/api/admin/channels/${channel}/${action}`, 'POST')
