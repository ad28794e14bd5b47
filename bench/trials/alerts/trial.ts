import { generator } from '../../load/closed-loop.ts'
import type { CaseOptions, Tables, TrialOptions } from '../../report.ts'
import { hasAlertmanager } from '../../servers/start.ts'
import { type AcceptCase, measureAccept } from './accept.ts'
import { type AgainCase, measureAgain } from './again.ts'
import { type GroupsCase, measureGroups } from './groups.ts'
import { measureTold, type ToldCase } from './told.ts'

/** The Alertmanager API beside Alertmanager, which answers without writing to disk. */
export const title = 'alerts'

type Case =
  | ({ readonly kind: 'accept' } & AcceptCase)
  | ({ readonly kind: 'groups' } & GroupsCase)
  | ({ readonly kind: 'told' } & ToldCase)
  | ({ readonly kind: 'again' } & AgainCase)

/** Share of Alertmanager's rate that is promised. */
const ACCEPTED = [
  { alerts: 'new', perRequest: 1, leastRatio: 2 },
  { alerts: 'new', perRequest: 64, leastRatio: 1.2 },
  { alerts: 're-sent', perRequest: 256, leastRatio: 1 },
] as const

export function cases({ quick }: CaseOptions): Case[] {
  const again: Case = { kind: 'again', times: quick ? 2 : 60, rounds: quick ? 1 : 5, seconds: quick ? 1 : 4 }
  if (!isComplete()) return [again]
  return [
    ...ACCEPTED.map((each): Case => ({ kind: 'accept', ...each, rounds: quick ? 1 : 5, seconds: quick ? 1 : 2 })),
    { kind: 'groups', reads: quick ? 4 : 20, rounds: quick ? 1 : 3 },
    { kind: 'told', alerts: quick ? 20 : 200, rounds: quick ? 1 : 3 },
    again,
  ]
}

const isComplete = () => hasAlertmanager() && generator === 'wrk'

export const leftOut = () =>
  isComplete() ? '' : 'Alertmanager or wrk is not installed (Debian: prometheus-alertmanager, wrk)'

export async function run(options: TrialOptions, one: Case): Promise<Tables> {
  switch (one.kind) {
    case 'accept':
      return await measureAccept(options, one)
    case 'groups':
      return await measureGroups(options, one)
    case 'told':
      return await measureTold(options, one)
    case 'again':
      return await measureAgain(options, one)
    default:
      return one satisfies never
  }
}
