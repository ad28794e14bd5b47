import type { ErrorCode } from '../../src/domain/errors.ts'
import {
  encodeRequests,
  headerOf,
  keyedRequests,
  readFrameCounts,
  readFrameHeader,
  readFrameOptions,
  readFrameRequests,
} from '../../src/domain/frame.ts'
import type { Commit, Committed, RequestResult } from '../messages/ingest-journal.ts'
import type { Keys } from './keys.ts'
import type { Quota } from './quota.ts'

type Batch = Pick<Commit, 'front' | 'batch' | 'frame'>

/** Result of a request, or the reference to the request of the same group that claims its key. */
type Decision = RequestResult | { readonly kind: 'repeats'; readonly key: string }

/** A commit with the part of it that is written. */
interface Plan<C extends Batch> {
  readonly commit: C
  /** The requests to write; undefined: none. */
  readonly frame: Uint8Array<ArrayBuffer> | undefined
  /** Parallel to the requests; absent when all are to be created. */
  readonly decisions?: readonly Decision[]
}

/** Plans the commits of one group, in order: they share the quota, and a key is claimed once. */
export class GroupPlan<C extends Batch> {
  readonly #quota: Quota
  readonly #keys: Pick<Keys<C>, 'find' | 'claim'>
  readonly #claimed = new Set<string>()
  readonly plans: Plan<C>[] = []

  constructor(quota: Quota, keys: Pick<Keys<C>, 'find' | 'claim'>) {
    this.#quota = quota
    this.#keys = keys
  }

  /** `known`: ids by the keys that were looked up. Throws when the frame cannot be read. */
  add(commit: C, known: ReadonlyMap<string, string>): void {
    const { frame } = commit
    const { incidents, keyed } = headerOf(frame)
    this.plans.push(!keyed && this.#quota.takesAll(incidents) ? { commit, frame } : this.#planEach(commit, known))
  }

  #planEach(commit: C, known: ReadonlyMap<string, string>): Plan<C> {
    const { frame } = commit
    const options = readFrameOptions(frame)
    const decisions = readFrameCounts(frame).map((count, request) =>
      this.#decide(options.get(request)?.key, count, known),
    )
    if (decisions.every(isCreated)) return { commit, frame }
    return { commit, decisions, frame: selectRequests(frame, (request) => isCreated(decisions[request])) }
  }

  #decide(key: string | undefined, incidents: number, known: ReadonlyMap<string, string>): Decision {
    if (key !== undefined) {
      const id = this.#keys.find(key) ?? known.get(key)
      if (id !== undefined) return { kind: 'duplicate', id }
      if (this.#claimed.has(key)) return { kind: 'repeats', key }
    }
    if (!this.#quota.takes(incidents)) return { kind: 'refused', code: 'backlog_full' }
    if (key !== undefined) this.#claimed.add(key)
    return { kind: 'created' }
  }

  get frames(): Uint8Array<ArrayBuffer>[] {
    return this.plans.flatMap(({ frame }) => frame ?? [])
  }

  /** The frames are on disk: claims the keys, returns the answers. */
  committed(): Committed[] {
    for (const { frame } of this.plans)
      if (frame !== undefined) for (const request of keyedRequests(frame)) this.#keys.claim(request)
    return this.plans.map(({ commit, frame, decisions }) => {
      const { first, idPrefix } = frame === undefined ? NOTHING_CREATED : headerOf(frame)
      const answer = { kind: 'committed', front: commit.front, batch: commit.batch, first, idPrefix } as const
      return decisions === undefined ? answer : { ...answer, results: decisions.map((each) => this.#resultOf(each)) }
    })
  }

  #resultOf(decision: Decision): RequestResult {
    if (decision.kind !== 'repeats') return decision
    const id = this.#keys.find(decision.key)
    return id === undefined ? { kind: 'refused', code: 'internal' } : { kind: 'duplicate', id }
  }

  /** The disk refused the frames: only duplicates of earlier requests have an answer. */
  refused(code: ErrorCode): Committed[] {
    return this.plans.map(({ commit, decisions }) => {
      const answer = refusal(commit, code)
      const results = answer.results?.map((result, at) => {
        const decision = decisions?.[at]
        return decision?.kind === 'duplicate' || decision?.kind === 'refused' ? decision : result
      })
      return results === undefined ? answer : { ...answer, results }
    })
  }
}

/** Returns the idempotency keys of a frame. */
export const keysOfFrame = (frame: Uint8Array): string[] =>
  [...readFrameOptions(frame).values()].flatMap(({ key }) => key ?? [])

const NOTHING_CREATED = { first: 0, idPrefix: '' }
const isCreated = (decision: Decision | undefined) => decision?.kind === 'created'

/** Returns the answer that refuses all requests; without results when the frame cannot be read. */
export function refusal({ front, batch, frame }: Batch, code: ErrorCode): Committed {
  const requests = readFrameHeader(frame)?.requests ?? 0
  const results = Array.from({ length: requests }, (): RequestResult => ({ kind: 'refused', code }))
  return { kind: 'committed', front, batch, ...NOTHING_CREATED, results }
}

/** Returns a frame with those requests of a frame, not sealed, whose position `keep` accepts; undefined for none. */
function selectRequests(frame: Uint8Array, keep: (request: number) => boolean): Uint8Array<ArrayBuffer> | undefined {
  const requests = readFrameRequests(frame).filter((_, request) => keep(request))
  if (requests.length === 0) return undefined
  return encodeRequests(
    requests.map(({ receivedAt, incidents, ...options }) => ({
      receivedAt,
      bodies: incidents.map(({ body }) => body),
      options,
    })),
  )
}
