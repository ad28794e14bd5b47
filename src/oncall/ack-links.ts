import { createHmac, timingSafeEqual } from 'node:crypto'

/** A link works for a week after the incident was created, or the message to a person was sent. */
const VALID_MS = 7 * 24 * 3_600_000

/** What a link is for: the id of `page` is the number of a message to a person. A link of one purpose is forged for the others. */
type Purpose = keyof typeof PATHS
const PATHS = { ack: '/api/ack', answer: '/api/answer', page: '/api/ack/page' } as const

/** `forged`: the signature is wrong. `expired`: the signature is right and the link is too old. */
export type LinkState = 'valid' | 'forged' | 'expired'

interface Linked {
  readonly id: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Number of its problem, which the link acknowledges when retention has deleted the incident. */
  readonly problem?: number | undefined
}

/** Returns the path and query of a link; always the same for the same incident, purpose and key. */
export function linkPath(key: Uint8Array, { id, createdAt, problem }: Linked, purpose: Purpose = 'ack'): string {
  const exp = String(Math.floor((createdAt + VALID_MS) / 1_000))
  const of = problem === undefined ? '' : `&problem=${problem}`
  return `${PATHS[purpose]}/${encodeURIComponent(id)}?exp=${exp}${of}&sig=${signatureOf(key, { purpose, id, exp, problem })}`
}

/** Returns the number of the problem in a valid link; undefined: links of earlier versions had none. */
export function problemIn(query: string): number | undefined {
  const problem = new URLSearchParams(query).get('problem')
  return problem === null ? undefined : Number(problem)
}

/** Checks the signature of a link first, and then its age: without a valid signature the answer is always `forged`. */
export function checkLink(key: Uint8Array, { id, query, purpose = 'ack' }: GivenLink, now: number): LinkState {
  const given = new URLSearchParams(query)
  const [exp = '', ...moreTimes] = given.getAll('exp')
  const [sig = '', ...moreSignatures] = given.getAll('sig')
  const [problem, ...moreProblems] = given.getAll('problem')
  if (moreTimes.length + moreSignatures.length + moreProblems.length > 0) return 'forged'
  if (!equalInConstantTime(sig, signatureOf(key, { purpose, id, exp, problem }))) return 'forged'
  return /^\d+$/.test(exp) && Number(exp) * 1_000 > now ? 'valid' : 'expired'
}

interface GivenLink {
  readonly id: string
  readonly query: string
  readonly purpose?: Purpose
}

interface Signed extends Pick<GivenLink, 'id'> {
  readonly purpose: Purpose
  readonly exp: string
  readonly problem?: number | string | undefined
}

/** Signs purpose, id, expiry and problem. The signed text is unambiguous, because none of them holds a dot. */
function signatureOf(key: Uint8Array, { purpose, id, exp, problem }: Signed): string {
  const text = [purpose, id, exp, ...(problem === undefined ? [] : [problem])].join('.')
  return createHmac('sha256', key).update(text).digest('hex')
}

/** Takes the same time wherever the texts differ. */
export function equalInConstantTime(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}
