import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Texts } from '../../../src/alertmanager/body.ts'
import { lastToEnd } from '../../../src/alertmanager/claims.ts'
import type { Entry } from '../../../src/alertmanager/table.ts'
import {
  type AlertQuery,
  type AlertStatus,
  alertJson,
  compareLabels,
  groupJson,
  readAlertQuery,
} from '../../../src/alertmanager/views.ts'
import type { PublicAnswer, PublicRequest } from '../../../src/http/contract.ts'
import type { AlertRules } from './alert-rules.ts'
import { openAlertStates } from './alert-status.ts'
import type { Alerts } from './alerts.ts'
import { type DoorDeps, DoorError, textOfJson } from './door.ts'

/** Alerts that are read before other work has its turn. */
const SLICE = 256
const MAX_BYTES = 64 * 1024 * 1024
/** A reader waits so long to see what it has just sent. */
const SETTLE_MS = 2_000

/** An alert that a reader asks for. */
interface Found {
  readonly entry: Entry
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
  readonly alerts: Pick<Alerts, 'table' | 'whenLoaded'>
  rules(): Promise<AlertRules>
}

/** Lists of the alerts that fire, by Alertmanager's fingerprint. They reject with BadRequest; after 5 s without the table with `not_ready`. */
export function openAlertLists({ alerts, rules, askStorage, clock }: ListDeps) {
  const statesOf = openAlertStates()

  /** Resolves once all is applied that was committed before, or after two seconds. Returns the highest number that is. */
  async function settled(): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = clock.setTimer(SETTLE_MS, () => resolve(false))
    const caughtUp = askStorage({ kind: 'caughtUp' }).then(() => true)
    const isAll = await Promise.race([promise, caughtUp.catch(() => false)]).finally(() => timer.cancel())
    return isAll ? Infinity : await askStorage({ kind: 'applied' })
  }

  /** Returns the end of the claim that lasts longest, epoch milliseconds. */
  function endsAtOf({ claims, updatedAt }: Entry): number {
    const leftMs = (lastToEnd(claims)?.until ?? 0) - clock.elapsed()
    return leftMs > 0 ? Math.max(updatedAt, Math.round(clock.now() + leftMs)) : updatedAt
  }

  async function find({ query: given }: PublicRequest) {
    await alerts.whenLoaded()
    const current = await rules()
    const query = readAlertQuery(new URLSearchParams(given), current.receivers)
    const applied = await settled()
    const silences = await askStorage({ kind: 'plainSilences', live: true })
    const firing = [...alerts.table.entries.values()]
      .filter(({ state, claims }) => state !== 'resolved' && claims.length > 0)
      .sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1))
    const stateOf = statesOf({ silences, firing, applied }, current)
    const found: Found[] = []
    const bytes = boundedBytes()
    for (const [at, entry] of firing.entries()) {
      if (at > 0 && at % SLICE === 0) await nextTurn()
      if (!query.fits(entry.labels)) continue
      const receivers = current.receiversOf(entry, clock.now())
      if (!query.hasReceiver(receivers)) continue
      const status = stateOf(entry)
      if (!query.hasState(status)) continue
      const json = alertJson({ ...entry, endsAt: endsAtOf(entry) }, status, receivers)
      bytes.add(json)
      found.push({ entry, status, receivers, json })
    }
    return { found, query, current }
  }

  return {
    async alerts(request: PublicRequest): Promise<PublicAnswer> {
      const { found } = await find(request)
      return listAnswer(found.map(({ json }) => json))
    },
    async groups(request: PublicRequest): Promise<PublicAnswer> {
      const { found, query, current } = await find(request)
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
      const labels = rules.groupOf(each.entry, receiver)
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

const listAnswer = (texts: readonly string[]): PublicAnswer => textOfJson(200, `[${texts.join(',')}]\n`)
