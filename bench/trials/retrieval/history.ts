import { wordsOf } from '../../../src/brief/words.ts'
import { randomFrom } from '../../../test/harness/random.ts'

/** Ways in which openings of one family differ, and in which others resemble them. */
export const KINDS = ['renamed rules', 'other hosts', 'moved services', 'look-alikes', 'same words elsewhere'] as const

/** One time that a problem fired. A family has one cause, and often several problems. */
export interface Fired {
  readonly family: number
  readonly kind: string
  readonly problem: number
  readonly title: string
  readonly service: string
  readonly words: Uint32Array
}

const NOUNS =
  'disk memory queue certificate replication connection pod heap cache index backup login checkout invoice search upload export session lock thread partition broker gateway resolver scheduler ingress volume snapshot token payment refund shipment webhook catalog pricing profile inventory ledger mailbox'.split(
    ' ',
  )
const SYMPTOMS =
  'high low slow full failing down lagging saturated expiring rejected stalled leaking throttled missing corrupt delayed refused timeout unhealthy restarting'.split(
    ' ',
  )
/** Words of a renamed rule in place of its old ones. The others stay. */
const OTHER_WORDS = new Map(
  Object.entries({
    ...{ high: 'elevated', slow: 'degraded', down: 'unavailable', failing: 'errors', full: 'exhausted', low: 'short' },
    ...{ lagging: 'behind', refused: 'denied', timeout: 'deadline', restarting: 'crashlooping', missing: 'absent' },
    ...{ corrupt: 'damaged', stalled: 'stuck', throttled: 'limited', delayed: 'late', unhealthy: 'sick' },
    ...{ disk: 'storage', memory: 'ram', connection: 'connections', pod: 'container', login: 'authentication' },
    ...{ payment: 'card', lock: 'mutex', cache: 'redis', queue: 'rabbit', certificate: 'tls', replication: 'replica' },
    ...{ index: 'lucene', backup: 'dump', search: 'query', gateway: 'proxy', resolver: 'dns', volume: 'mount' },
  }),
)
const QUALIFIERS = [
  'for several minutes',
  'in production',
  'above threshold',
  'rate',
  'latency',
  'usage',
  'pool',
  'percentile',
]
const SERVICES = Array.from({ length: 40 }, (_, at) => `${NOUNS[at]}-${['api', 'worker', 'db', 'edge'][at % 4]}`)

interface Family {
  readonly number: number
  readonly kind: string
  readonly noun: string
  readonly symptom: string
  readonly qualifier: string
  /** Qualifier after a renaming. */
  readonly later: string
  readonly service: string
  /** Service after it has moved. */
  readonly next: string
  readonly style: number
  readonly isLabelled: boolean
  readonly born: number
  /** When its rule is renamed or its service moves; 0 to 1. */
  readonly turnsAt: number
}

/**
 * Returns a made-up history of openings in order of time. Look-alikes share service and noun with two other families,
 * `same words elsewhere` noun and symptom. A fifth of the titles begin with the service, two fifths name the host, and a
 * third of the families have no labels.
 */
export function historyOf(seed: number, count: number): Fired[] {
  const random = randomFrom(seed)
  const of = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const families: Family[] = []
  for (let drawn = 0; families.length < count / 12; drawn++) {
    const kind = KINDS[drawn % KINDS.length] ?? ''
    const first = { noun: of(NOUNS), symptom: of(SYMPTOMS), service: of(SERVICES), style: Math.floor(random() * 5) }
    const alike = kind === 'look-alikes' || kind === 'same words elsewhere' ? 3 : 1
    for (let nth = 0; nth < alike; nth++)
      families.push({
        ...{ number: families.length, kind, ...first },
        ...(kind === 'look-alikes' && { symptom: of(SYMPTOMS) }),
        ...(kind === 'same words elsewhere' && { service: of(SERVICES) }),
        ...{ qualifier: of(QUALIFIERS), later: of(QUALIFIERS), next: of(SERVICES), isLabelled: random() < 2 / 3 },
        ...{ born: random() < 0.6 ? 0 : random(), turnsAt: random() },
      })
  }
  const numbers = new Map<string, number>()
  const fired = Array.from({ length: count }, () => {
    const family = families[Math.floor(random() ** 2 * families.length)] as Family
    return { family, at: family.born + random() * (1 - family.born) }
  })
  return fired.sort((one, other) => one.at - other.at).map(({ family, at }) => opened(family, at >= family.turnsAt))

  function opened(family: Family, hasTurned: boolean): Fired {
    const isRenamed = hasTurned && family.kind === 'renamed rules'
    const service = hasTurned && family.kind === 'moved services' ? family.next : family.service
    const host = `${service.slice(0, 3)}${Math.floor(random() * (family.kind === 'other hosts' ? 30 : 2))}`
    const word = (name: string) => (isRenamed ? (OTHER_WORDS.get(name) ?? name) : name)
    const [noun, symptom] = [word(family.noun), word(family.symptom)]
    const qualifier = isRenamed ? family.later : family.qualifier
    const title = titleOf({ noun, symptom, service, host, qualifier }, family.style + Number(isRenamed))
    const rule = camel(`${noun} ${symptom} ${qualifier}`)
    const labels = family.isLabelled
      ? {
          alertname: rule,
          job: service,
          namespace: service.slice(0, -3),
          env: 'live',
          instance: `${host}:9100`,
          pod: `${host}-${Math.floor(random() * 1e6)}`,
        }
      : {}
    const fingerprint = `${title} ${service} ${family.isLabelled ? host : ''} ${family.number}`
    const problem = numbers.get(fingerprint) ?? numbers.size + 1
    numbers.set(fingerprint, problem)
    return { family: family.number, kind: family.kind, problem, title, service, words: wordsOf(title, labels) }
  }
}

interface Words {
  readonly noun: string
  readonly symptom: string
  readonly service: string
  readonly host: string
  readonly qualifier: string
}

function titleOf({ noun, symptom, service, host, qualifier }: Words, style: number): string {
  const titles = [
    camel(`${noun} ${symptom} ${qualifier}`),
    `${noun} ${symptom} on ${host}: ${qualifier}`,
    `[${service}] ${noun} ${qualifier} is ${symptom}`,
    `${qualifier}: ${noun} ${symptom} on ${host}.example.net`,
    `${noun} is ${symptom} (${qualifier})`,
  ]
  return titles[style % titles.length] ?? ''
}

const camel = (text: string) => text.replace(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase())
