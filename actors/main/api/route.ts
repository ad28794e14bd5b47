import type { ChannelName } from '../../../src/domain/delivery/delivery.ts'
import type { Payload, Recognized } from '../../../src/domain/incident.ts'
import type { AdminRequest, AdminRoute } from '../../../src/http/contract.ts'
import type { Snapshot } from '../../../src/telemetry/snapshot.ts'
import type { JournalQueries } from '../../messages/journal-queries.ts'
import type { Ask } from '../../messages/query.ts'
import type { SendQueries } from '../../messages/send-queries.ts'
import type { StorageQueries } from '../../messages/storage-queries.ts'
import type { SystemSettings } from '../../wiring/settings.ts'
import type { Policy } from './noise/policy.ts'

export interface RouteDeps {
  readonly askStorage: Ask<StorageQueries>
  readonly askJournal: Ask<JournalQueries>
  readonly askSenders: Ask<SendQueries>
  observe(): Promise<Snapshot>
  /** The settings that run now. */
  settings(): SystemSettings
  /** Routes and schedules that run now. */
  policy(): Promise<Policy>
  /** The enabled channels. */
  channels(): readonly { readonly name: ChannelName }[]
  recognise(payload: Payload): Recognized
  /** Epoch milliseconds. */
  now(): number
}

/** Returns a route that answers 200 with JSON. */
export const route = <T>(
  method: AdminRoute['method'],
  path: string,
  answer: (request: AdminRequest) => T | Promise<T>,
): AdminRoute => ({ method, path, answer: async (request) => ({ status: 200, json: await answer(request) }) })
