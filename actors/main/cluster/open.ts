import type { Log } from '../../../src/telemetry/log.ts'
import type { PostgresStorage, SystemSettings } from '../../wiring/settings.ts'
import { createMember, type Member } from './member.ts'

/** Joins the replicas that share the database. Rejects when it cannot be reached or may not be used. */
export async function openMember(
  storage: PostgresStorage,
  replica: SystemSettings['replica'],
  log: Log,
): Promise<Member> {
  const member = createMember(storage, replica, log)
  await member.join()
  return member
}
