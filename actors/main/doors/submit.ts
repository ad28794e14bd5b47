import { CodedError } from '../../../src/domain/errors.ts'
import type { Payload, Source } from '../../../src/domain/incident.ts'
import type { IntakeAnswer, Submit } from '../../../src/http/contract.ts'
import type { Clock } from '../../../src/kernel/clock.ts'
import type { NamedProblem } from '../../../src/store/ports/problems.ts'

interface DoorIntake {
  readonly source: Source
  /** A repetition of the key is not stored again. With a space it is none that a webhook can have. */
  readonly key?: string
  /** Parts of the request that have no effect, for operators. */
  readonly warnings?: readonly string[] | undefined
}

/** Incidents that are on disk, by the id of the first. */
interface Committed {
  readonly id: string
}

/**
 * Commits incidents, all or none, in their order. Resolves once they are on disk. While ingest is full it waits up to 3 s
 * for room, because senders drop what is refused. Rejects with a CodedError, such as `ingest_full` or `storage_down`.
 *
 * @param payloads not empty
 */
export type DoorSubmit = (intake: DoorIntake, payloads: readonly Payload[]) => Promise<Committed>

/**
 * Returns the key of the end of a problem, so that requests that ask for it together are one incident. It names the latest
 * incident: one that comes in between can be ended, too.
 */
export const endOf = ({ lastId }: Pick<NamedProblem, 'lastId'>): string => `end of ${lastId}`

const WAIT_MS = 3_000
const LOOK_EVERY_MS = 50
/** Requests that may wait for room. Further ones are refused at once. */
const MAX_WAITING = 64

export function createDoorSubmit({ submit, clock }: { readonly submit: Submit; readonly clock: Clock }): DoorSubmit {
  let waiting = 0

  function offer({ source, key, warnings }: DoorIntake, body: Buffer): Promise<Committed> | undefined {
    const { promise, resolve, reject } = Promise.withResolvers<Committed>()
    const answer = (result: IntakeAnswer) => {
      if (result.kind === 'refused') reject(new CodedError(result.code))
      else resolve({ id: result.id })
    }
    const overrides = warnings && { warnings }
    const submitted = submit({ format: 'json', source, key, overrides, receivedAt: clock.now(), answer }, body)
    if (submitted === 'ingest_full') return undefined
    if (submitted === 'invalid') reject(new Error('a door submitted incidents that ingest does not take'))
    else if (submitted !== 'taken') reject(new CodedError(submitted))
    return promise
  }

  async function whenRoom(intake: DoorIntake, body: Buffer): Promise<Committed> {
    const until = clock.elapsed() + WAIT_MS
    while (clock.elapsed() < until) {
      await new Promise<void>((resolve) => void clock.setTimer(LOOK_EVERY_MS, resolve))
      const committed = offer(intake, body)
      if (committed !== undefined) return committed
    }
    throw new CodedError('ingest_full')
  }

  return async (intake, payloads) => {
    const body = Buffer.from(JSON.stringify(payloads.length === 1 ? payloads[0] : payloads))
    const committed = offer(intake, body)
    if (committed !== undefined) return committed
    if (waiting >= MAX_WAITING) throw new CodedError('ingest_full')
    waiting++
    try {
      return await whenRoom(intake, body)
    } finally {
      waiting--
    }
  }
}
