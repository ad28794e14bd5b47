import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { IncidentDetail } from '../../../src/api/incident.ts'
import type { SilenceCreated } from '../../../src/api/noise/silence-requests.ts'
import { CodedError } from '../../../src/domain/errors.ts'
import type { Payload } from '../../../src/domain/incident.ts'
import { labelsOf, recognise } from '../../../src/intake/recognise.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import type { Content } from '../../../src/mcp/answer.ts'
import type { McpToken } from '../../../src/mcp/options.ts'
import type { AskAdmin } from '../../../src/mcp/tools.ts'
import { isConfigured } from '../../../src/oncall/index.ts'
import { anyAlertFits, compileCondition, fits } from '../../../src/policy/condition.ts'
import { SubjectReader } from '../../../src/policy/fields.ts'
import { MatchCache } from '../../../src/policy/matcher.ts'
import type { Ask } from '../../messages/query.ts'
import type { StorageQueries, TokenAct, TokenActed } from '../../messages/storage-queries.ts'
import type { SystemSettings } from '../../wiring/settings.ts'
import { silenceOf } from '../api/noise/silence-request.ts'

interface ActingDeps {
  readonly askStorage: Ask<StorageQueries>
  settings(): SystemSettings
  readonly clock: Pick<Clock, 'now' | 'elapsed'>
  /** A problem was resolved by hand: its alert is muted at the door of the Alertmanager API. */
  personResolved(fingerprint: string): void
  /** Counts an action that was done. */
  confirmed(action: string): void
}

/** An action that was shown and waits for its confirmation. */
interface Shown extends Pick<TokenAct, 'action' | 'id'> {
  readonly shown: string
  /** Newest incident of the problem. */
  readonly incident: string
  readonly what: string
  readonly token: string
  /** Monotonic milliseconds. */
  readonly until: number
  readonly minutes: number
  readonly comment: string
}

const HANDLE_MS = 120_000
const HANDLE_BYTES = 16
const MOST_HANDLES = 1_000
const MOST_MINUTES = 240

const id = z.int().min(1).describe('Number of a problem')

/** Tools of the scope `act`: three show what they would do, and `confirm` does it. */
export const ACT_TOOLS = {
  acknowledge: {
    about: 'Previews an acknowledgement; pages stay as they are. Show the sentence to the user, then confirm',
    input: z.strictObject({ id }),
  },
  silence: {
    about: 'Previews a silence of one problem; as acknowledge',
    input: z.strictObject({ id, minutes: z.int().min(1).max(MOST_MINUTES), comment: z.string().min(1).max(500) }),
  },
  resolve: {
    about: 'Previews the end of a problem by hand; as acknowledge',
    input: z.strictObject({ id }),
  },
  confirm: {
    about: 'Does what a preview showed, within 2 minutes, once; what is its sentence, letter by letter',
    input: z.strictObject({
      handle: z.string().max(64),
      what: z.string().max(500),
      note: z.string().max(2_000).exactOptional(),
    }),
  },
} as const

type Confirmed = z.output<(typeof ACT_TOOLS)['confirm']['input']>

/** Opens previews and their confirmation. Handles are in memory: a restart forgets them. */
export function openActing({ askStorage, settings, clock, personResolved, confirmed }: ActingDeps) {
  const handles = new Map<string, Shown>()

  /** Returns the sentence and the handle of an action. Rejects with not_found, bad_parameter, action_refused. */
  async function preview(
    token: McpToken,
    { action, id, minutes = 0, comment = '' }: Pick<TokenAct, 'action' | 'id'> & { minutes?: number; comment?: string },
    ask: AskAdmin,
  ): Promise<Content> {
    if (action === 'silence') mustNotPage(token, settings())
    const { mayStopPages } = token
    const { problem, shown, pages } = foundOf(
      await askStorage({ kind: 'tokenAct', action, id, by: byOf(token), mayStopPages }),
    )
    const incident = problem.last_incident_id
    await mustBeOf(token, incident, ask)
    const what = sentenceOf({ action, id, minutes, token }, problem, pages)
    const handle = randomBytes(HANDLE_BYTES).toString('base64url')
    const now = clock.elapsed()
    for (const [key, { until }] of handles) if (until <= now || handles.size >= MOST_HANDLES) handles.delete(key)
    const until = now + HANDLE_MS
    handles.set(handle, { action, id, shown, what, incident, minutes, comment, token: token.name, until })
    return { own: { handle, what, valid_s: HANDLE_MS / 1_000 } }
  }

  /** Does an action that was shown. Of two calls with one handle one finds it. Rejects with confirm_stale as well. */
  async function confirm(token: McpToken, given: Confirmed, ask: AskAdmin): Promise<Content> {
    const found = handles.get(given.handle)
    if (found === undefined || found.until <= clock.elapsed() || found.token !== token.name)
      throw new CodedError('confirm_stale')
    if (given.what !== found.what) throw new CodedError('bad_parameter', 'what is not the sentence of the preview')
    if (given.note && !settings().brief.enable)
      throw new CodedError('bad_parameter', 'brief.enable is false: no note is kept')
    handles.delete(given.handle)
    const { action, id, shown, incident, minutes, comment } = found
    // A reload may have changed what the token may do.
    if (action === 'silence') mustNotPage(token, settings())
    await mustBeOf(token, incident, ask)
    const by = byOf(token)
    const acted = foundOf(
      await askStorage({ kind: 'tokenAct', action, id, by, mayStopPages: token.mayStopPages, shown }),
    )
    const silence = action === 'silence' ? await addSilence({ id, minutes, comment, by }) : undefined
    if (action === 'resolve') personResolved(acted.problem.fingerprint)
    confirmed(action)
    const note = { problem: id, text: given.note ?? '', by }
    const isNoted =
      !given.note || (await askStorage({ kind: 'brief.addNote', note }).catch(() => undefined)) !== undefined
    const { state, acked_at } = acted.problem
    const made = silence && { silence: silence.silence.id, ends_at: silence.silence.ends_at }
    return { own: { done: action, problem: id, state, acked_at, ...made, ...(!isNoted && { note: 'not kept' }) } }
  }

  /** Never broad: storage refuses one that would hold more than half of all incidents. */
  async function addSilence(given: {
    id: number
    minutes: number
    comment: string
    by: string
  }): Promise<SilenceCreated> {
    const { id, minutes, comment, by } = given
    const { settings: silence } = await silenceOf(
      { problem: id, for: `${minutes}m`, owner: 'token', comment },
      { now: clock.now(), problem: (number) => askStorage({ kind: 'namedProblem', name: { number } }) },
    )
    return askStorage({ kind: 'addSilence', settings: { ...silence, owner: by }, broad: false })
  }

  return { preview, confirm }
}

const byOf = ({ name }: McpToken) => `mcp:${name}`

type Found = Extract<TokenActed, { readonly problem: unknown }>

/** Throws not_found, confirm_stale, bad_parameter, action_refused. */
function foundOf(acted: TokenActed): Found {
  if (acted.kind === 'unknown') throw new CodedError('not_found', 'no problem has this number')
  if (acted.kind === 'stale') throw new CodedError('confirm_stale')
  if (acted.kind === 'over') throw new CodedError('bad_parameter', 'the problem does not fire')
  if (acted.kind === 'ready' || acted.kind === 'done') return acted
  throw new CodedError('action_refused', 'it would end a page that is to come, or an escalation: a person may do that')
}

/** A silence holds the timers of pages too. Throws action_refused. */
function mustNotPage({ mayStopPages }: McpToken, { oncall, oncallRules }: SystemSettings): void {
  if (mayStopPages || (!isConfigured(oncall) && oncallRules === undefined)) return
  throw new CodedError('action_refused', 'a pager is configured, and a silence would hold pages: a person may do that')
}

/** Throws action_refused for a problem whose newest incident does not fit `act_on`. */
async function mustBeOf({ actOn }: McpToken, incident: string, ask: AskAdmin): Promise<void> {
  if (actOn.length === 0) return
  const params = { id: incident }
  const { content, source } = await ask<IncidentDetail>('GET /api/admin/incidents/:id', { params })
  const payload = content as Payload
  const subject = { ...recognise(payload), source, content: Buffer.from(JSON.stringify(payload)) }
  const reader = new SubjectReader(subject, labelsOf)
  const conditions = actOn.map((condition) => compileCondition(condition, new MatchCache()))
  const onLabels = conditions.filter(({ part }) => part.kind === 'label')
  if (conditions.every((each) => fits(each, reader)) && anyAlertFits(onLabels, reader)) return
  throw new CodedError('action_refused', 'act_on of the token does not fit this problem')
}

const countOf = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Holds no words of a sender: the client shows it to its user. */
function sentenceOf(
  { action, id, minutes, token }: Pick<Shown, 'action' | 'id' | 'minutes'> & { readonly token: McpToken },
  { level, opened_at, firing }: { readonly level: string; readonly opened_at: string; readonly firing: number },
  pages: number,
): string {
  const about = `problem ${id} (${level}, ${countOf(firing, 'firing incident')} since ${opened_at}) as ${byOf(token)}`
  if (action === 'silence') return `Silence ${about} for ${minutes} minutes.`
  if (action === 'resolve')
    return `Resolve ${about}.${pages > 0 ? ` This ends ${countOf(pages, 'page')} to come.` : ''}`
  if (pages === 0) return `Acknowledge ${about}.`
  return `Acknowledge ${about}. ${countOf(pages, 'page')} to come ${token.mayStopPages ? 'will end' : 'will go out as planned'}.`
}
