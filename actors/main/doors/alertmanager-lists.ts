import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Texts } from '../../../src/alertmanager/body.ts'
import {
  type AlertQuery,
  type AlertStatus,
  alertJson,
  compareLabels,
  groupJson,
  readAlertQuery,
} from '../../../src/alertmanager/views.ts'
import type { PublicAnswer } from '../../../src/http/contract.ts'
import type { AlertReads, AlertView } from './alert-reads.ts'
import type { AlertRules } from './alert-rules.ts'
import { openAlertStates } from './alert-status.ts'
import { type DoorDeps, DoorError } from './door.ts'

/** Alerts that are read before other work has its turn. */
const SLICE = 256
const MAX_BYTES = 64 * 1024 * 1024

/** An alert that a reader asks for. */
interface Found {
  readonly view: AlertView
  readonly status: AlertStatus
  readonly receivers: readonly string[]
  readonly json: string
}

interface Group {
  readonly receiver: string
  readonly labels: Texts
  readonly found: Found[]
}

interface ListDeps extends Pick<DoorDeps, 'askStorage' | 'clock'> {
  readonly reads: AlertReads
  rules(): Promise<AlertRules>
}

/** Lists of the alerts that fire. They reject with BadRequest. */
export function openAlertLists({ reads, rules, askStorage, clock }: ListDeps) {
  const statesOf = openAlertStates()

  async function find(search: URLSearchParams) {
    await reads.loaded()
    const current = await rules()
    const query = readAlertQuery(search, current.receivers)
    const applied = await reads.settled()
    const silences = await askStorage({ kind: 'plainSilences', live: true })
    const alerts = reads.firing()
    const stateOf = statesOf({ silences, alerts, applied }, current)
    const found: Found[] = []
    const bytes = boundedBytes()
    for (const [at, view] of alerts.entries()) {
      if (at > 0 && at % SLICE === 0) await nextTurn()
      if (!query.fits(view.labels)) continue
      const receivers = current.receiversOf(view, clock.now())
      if (!query.hasReceiver(receivers)) continue
      const status = stateOf(view)
      if (!query.hasState(status)) continue
      const json = alertJson(view, status, receivers)
      bytes.add(json)
      found.push({ view, status, receivers, json })
    }
    return { found, query, current }
  }

  return {
    async alerts(search: URLSearchParams): Promise<PublicAnswer> {
      const { found } = await find(search)
      return listAnswer(found.map(({ json }) => json))
    },
    async groups(search: URLSearchParams): Promise<PublicAnswer> {
      const { found, query, current } = await find(search)
      const groups = [...(await grouped(found, query, current))].sort(
        (a, b) => compareLabels(a.labels, b.labels) || (a.receiver < b.receiver ? -1 : 1),
      )
      const bytes = boundedBytes()
      const shown = groups
        .filter(({ found: members }) => query.muted || members.some(({ status }) => status.state !== 'suppressed'))
        .map(({ receiver, labels, found: members }) => {
          for (const { json } of members) bytes.add(json)
          return `${groupJson(receiver, labels)}${members.map(({ json }) => json).join(',')}]}`
        })
      return listAnswer(shown)
    },
  }
}

/** An alert is in a group of each of its receivers that is asked for. */
async function grouped(
  found: readonly Found[],
  { hasReceiver }: AlertQuery,
  rules: AlertRules,
): Promise<Iterable<Group>> {
  const groups = new Map<string, Group>()
  for (const [at, each] of found.entries()) {
    if (at > 0 && at % SLICE === 0) await nextTurn()
    for (const receiver of each.receivers.filter((name) => hasReceiver([name]))) {
      const labels = rules.groupOf(each.view, receiver)
      const key = JSON.stringify([receiver, Object.entries(labels)])
      const group = groups.get(key) ?? { receiver, labels, found: [] }
      group.found.push(each)
      groups.set(key, group)
    }
  }
  return groups.values()
}

function boundedBytes() {
  let left = MAX_BYTES
  return {
    add(json: string): void {
      left -= json.length
      if (left < 0) throw new DoorError('bad_parameter', 'the list is larger than 64 MiB: use a filter')
    },
  }
}

const listAnswer = (texts: readonly string[]): PublicAnswer => ({
  status: 200,
  body: `[${texts.join(',')}]\n`,
  headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
})
