import type { Log } from '../../../src/telemetry/log.ts'
import type { SystemSettings } from '../../wiring/settings.ts'
import type { Member } from './member.ts'

/**
 * Joins the replicas that share the database, and loads their code only then. Rejects when the database cannot be reached or
 * may not be used.
 */
export async function openMember({ storage, replica }: SystemSettings, log: Log): Promise<Member | undefined> {
  if (storage.type === 'file') return undefined
  const { createMember } = await import('./member.ts')
  const member = createMember(storage, replica, log)
  await member.join()
  return member
}
