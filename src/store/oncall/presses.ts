import type { GatewayPage } from '../../domain/delivery/dispatch.ts'
import { PAGE_PROBLEMS } from '../../domain/delivery/notice.ts'
import type { GatewayReport, PageAction } from '../../domain/oncall.ts'
import type { StoreContext } from '../engine/context.ts'
import type { Write } from '../engine/transaction.ts'
import type { OncallChange } from '../ports/oncall.ts'
import type { AskedProblem, PersonalPage, PressedPage } from '../ports/oncall-pages.ts'
import type { Problems } from '../problems/problems.ts'
import type { PageRow } from './page-rows.ts'
import type { StoredRun } from './run-rows.ts'
import type { Runs } from './runs.ts'

interface PressDeps {
  readonly write: Write
  readonly runs: Runs
  readonly problems: Pick<Problems, 'numbered' | 'flush'>
  /** With its row in the ledger. `key`: of the person. */
  acknowledge(problem: number, by: { readonly key: string; readonly name: string }): readonly OncallChange[] | undefined
}

/** Detail of the pages whose person cannot take the problem. */
const DECLINED = 'declined'
const isDeclined = ({ detail }: PageRow) => detail?.startsWith(DECLINED) === true

/** What a person does who answers a call. */
const ACTIONS: { readonly [state in GatewayReport['state']]?: PageAction } = {
  acknowledged: 'acknowledge',
  declined: 'decline',
}

interface Press {
  readonly action: PageAction
  readonly person: string
  /** Those that the message told. */
  readonly pages: readonly PageRow[]
}

const NOTHING: readonly OncallChange[] = []

/**
 * Answers of people, and reports of gateways, about messages that were sent. Store thread. `press` and `reported` are durable
 * when they return, and throw `storage_full`, `storage_down`.
 */
export function openPresses({ db }: Pick<StoreContext, 'db'>, deps: PressDeps) {
  const { write, runs, problems } = deps
  const { rules, rows, pageRows } = runs
  const wordsOf = db.query<{ words: string | null }>('SELECT words FROM notices WHERE number = ?')

  const nameOf = (key: string) => rules.people.get(key)?.name ?? key

  /** Returns the runs that a message to a person counts. */
  function countedBy(message: number) {
    const pages = pageRows.ofMessage(message)
    const person = pages[0]?.person
    if (person == null) return undefined
    const counted = [...new Set(pages.map(({ run }) => run))].flatMap((run) => rows.find(run) ?? [])
    return { pages, person, counted }
  }

  function askedOf({ problem: number, run, endedAt }: StoredRun): AskedProblem[] {
    const problem = problems.numbered(number)
    if (problem === undefined) return []
    const { id, title, service, severity, openedAt: since, lastId: incidentId } = problem
    const by = run.phase === 'acknowledged' && run.ack !== undefined ? { by: nameOf(run.ack.by) } : {}
    return [{ problem: id, title, service, severity, since, incidentId, over: endedAt !== null, ...by }]
  }

  function view(message: number): PersonalPage | undefined {
    const found = countedBy(message)
    if (found === undefined || found.counted.length === 0) return undefined
    const asked = found.counted.flatMap(askedOf)
    return { person: nameOf(found.person), problems: asked.slice(0, 4 * PAGE_PROBLEMS) }
  }

  /** Returns whether a run heard the press. */
  function pressed(
    { id, problem, run, endedAt }: StoredRun,
    { action, person, pages }: Press,
  ): readonly OncallChange[] | undefined {
    if (endedAt !== null || run.phase === 'acknowledged') return undefined
    if (action === 'acknowledge') return deps.acknowledge(problem, { key: person, name: nameOf(person) })
    const own = pages.filter((page) => page.run === id)
    // Another person was asked meanwhile, who has the full time.
    const last = pageRows.ofRun(id).at(-1)
    if (!own.some(({ round, step }) => round === last?.round && step === last.step)) return undefined
    if (own.some(isDeclined)) return undefined
    for (const page of own) pageRows.reported(page, DECLINED)
    pageRows.replace(id, person, DECLINED)
    runs.decline(problem, person)
    return NOTHING
  }

  function press(message: number, action: PageAction) {
    const found = countedBy(message)
    if (found === undefined || found.counted.length === 0)
      return { pressed: { kind: 'unknown' } as const, oncall: NOTHING }
    const changes = runs.personal.together(() => found.counted.map((stored) => pressed(stored, { action, ...found })))
    const isOver = found.counted.every(({ endedAt }) => endedAt !== null)
    const kind = changes.some((change) => change !== undefined) ? 'done' : isOver ? 'over' : 'already'
    const page = view(message) ?? { person: nameOf(found.person), problems: [] }
    return { pressed: { kind, ...page } satisfies PressedPage, oncall: changes.flatMap((change) => change ?? []) }
  }

  /** Returns the number of the message with an id of a call of the gateway. */
  function messageOf(gateway: string, id: string): number | undefined {
    const [, number, secret] = /^(\d{1,15})-([0-9a-f]{32})$/.exec(id) ?? []
    const { gateway: call }: Partial<Pick<GatewayPage, 'gateway'>> = JSON.parse(
      wordsOf.get(Number(number ?? 0))?.words ?? '{}',
    )
    return call !== undefined && call.id === secret && call.name === gateway ? Number(number) : undefined
  }

  return {
    /** `message`: its number. Undefined: there is none, or its runs were deleted. */
    view,
    /** Acknowledges as the person of the message, for all that it counts, or declines. Once: a repetition is `already`. */
    press: (message: number, action: PageAction) => write(() => press(message, action)),
    /** Runs the next step of the run of a problem at once; false: it has none. */
    escalate: (problem: number, by: string): boolean =>
      write(() => {
        // The answer is the record of the problem.
        problems.flush()
        return runs.escalate(problem, by)
      }),
    /**
     * Takes what a gateway says of the page with its id; undefined: that gateway got none with the id. `failed` brings the next
     * way of the person forward, `acknowledged` and `declined` press as the person. A repetition changes nothing.
     */
    reported({ gateway, id, state, detail }: GatewayReport) {
      return write(() => {
        const message = messageOf(gateway, id)
        if (message === undefined) return undefined
        if (state === 'failed') {
          runs.settled(message, 'dead', detail)
          return { oncall: NOTHING }
        }
        const action = ACTIONS[state]
        const { oncall } = action === undefined ? { oncall: NOTHING } : press(message, action)
        // A report may come twice, and late: what was declined stays so.
        for (const page of pageRows.ofMessage(message))
          if (state === 'declined' || !isDeclined(page))
            pageRows.reported(page, detail === '' ? state : `${state}: ${detail}`)
        return { oncall }
      })
    },
  }
}
