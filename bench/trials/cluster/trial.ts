import { chmodSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { newPostgresServer } from '../../../test/harness/postgres.ts'
import type { CaseOptions, Tables, TrialOptions } from '../../report.ts'
import { type AcceptCase, measureAccept } from './accept.ts'
import { type AppendCase, measureAppend } from './append.ts'
import { type DeliveredCase, measureDelivered } from './delivered.ts'
import { measureIdle } from './idle.ts'
import { measureTakeOver } from './take-over.ts'

/** Replicas on one PostgreSQL server. All of them, the server and the generators share the machine's cores. */
export const title = 'cluster'

type Case =
  | ({ readonly kind: 'accept' } & AcceptCase)
  | ({ readonly kind: 'append' } & AppendCase)
  | ({ readonly kind: 'delivered' } & DeliveredCase)
  | { readonly kind: 'take-over'; readonly rounds: number }
  | { readonly kind: 'idle'; readonly seconds: number }

/** As many incidents as a service keeps on files by default; and more than a case posts. */
const [FEW, ALL] = [1_000, 1_000_000]

export function cases({ quick }: CaseOptions): Case[] {
  if (quick)
    return [
      { kind: 'append', appenders: 1, batch: 64, rounds: 1, seconds: 1 },
      { kind: 'accept', connections: 64, kept: FEW, rounds: 1, seconds: 1, warmUpSeconds: 2 },
      { kind: 'take-over', rounds: 1 },
    ]
  return [
    ...[1, 3].flatMap((appenders) =>
      [1, 16, 64, 256].map((batch): Case => ({ kind: 'append', appenders, batch, rounds: 3, seconds: 2 })),
    ),
    { kind: 'accept', connections: 64, kept: FEW, rounds: 3, seconds: 2, warmUpSeconds: 20 },
    { kind: 'accept', connections: 256, kept: FEW, rounds: 3, seconds: 2, warmUpSeconds: 20 },
    { kind: 'accept', connections: 64, kept: ALL, rounds: 3, seconds: 2, warmUpSeconds: 20 },
    { kind: 'delivered', incidents: 5_000, rounds: 3 },
    { kind: 'take-over', rounds: 6 },
    { kind: 'idle', seconds: 10 },
  ]
}

export async function run(options: TrialOptions, one: Case): Promise<Tables> {
  // The server runs as another user, who must reach its directory.
  chmodSync(tmpdir(), statSync(tmpdir()).mode | 0o011)
  const server = await newPostgresServer({ shared_buffers: '256MB', max_wal_size: '2GB' })
  if ('missing' in server) throw new Error(server.missing)
  try {
    switch (one.kind) {
      case 'accept':
        return await measureAccept(options, server, one)
      case 'append':
        return await measureAppend(options, server, one)
      case 'delivered':
        return await measureDelivered(options, server, one)
      case 'take-over':
        return await measureTakeOver(options, server, one)
      case 'idle':
        return await measureIdle(server, one)
      default:
        return one satisfies never
    }
  } finally {
    await server.stop()
  }
}
