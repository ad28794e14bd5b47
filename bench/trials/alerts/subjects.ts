import { SECRET } from '../../../test/harness/net/requests.ts'
import type { Server } from '../../servers/server.ts'
import { startAlertmanager, startService } from '../../servers/start.ts'

/** The two that are compared; both have alerts in memory, and only the service writes them to disk first. */
export const SUBJECTS = ['service', 'alertmanager'] as const
export type Subject = (typeof SUBJECTS)[number]

const BY_NAME = { route: { receiver: 'nobody', group_by: ['alertname'] }, receivers: [{ name: 'nobody' }] }
/** More than a load makes. */
const MAX_ALERTS = 1_000_000

/** Starts one without a receiver of messages. */
export const START: { readonly [subject in Subject]: () => Promise<Server> } = {
  service: () =>
    startService({ gateway_secret: SECRET, intake: { alertmanager: { enable: true, max_alerts: MAX_ALERTS } } }),
  alertmanager: () => startAlertmanager(BY_NAME),
}

/** Turns the order around from round to round: neither side always runs on what the other one left. */
export const inTurn = (round: number): readonly Subject[] => (round % 2 === 1 ? SUBJECTS : SUBJECTS.toReversed())

/** Ratio of the service to Alertmanager within each round, so that a slow phase of the machine affects both. */
export const ratios = (service: readonly number[], alertmanager: readonly number[]): number[] =>
  service.map((ours, at) => ours / (alertmanager[at] ?? Number.NaN))
