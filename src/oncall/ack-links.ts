import { createHmac, timingSafeEqual } from 'node:crypto'

/** A link works for a week after the incident was created. */
const VALID_MS = 7 * 24 * 3_600_000

/** `forged`: the signature is wrong. `expired`: the signature is right and the link is too old. */
export type LinkState = 'valid' | 'forged' | 'expired'

/** Returns the path and query of the acknowledge link; always the same for the same incident and key. */
export function ackPath(key: Uint8Array, { id, createdAt }: { id: string; createdAt: number }): string {
  const exp = String(Math.floor((createdAt + VALID_MS) / 1_000))
  return `/api/ack/${encodeURIComponent(id)}?exp=${exp}&sig=${signatureOf(key, id, exp)}`
}

/** Checks the signature of a link first, and then its age: without a valid signature the answer is always `forged`. */
export function checkLink(key: Uint8Array, { id, query }: { id: string; query: string }, now: number): LinkState {
  const given = new URLSearchParams(query)
  const [exp = '', ...moreTimes] = given.getAll('exp')
  const [sig = '', ...moreSignatures] = given.getAll('sig')
  if (moreTimes.length > 0 || moreSignatures.length > 0) return 'forged'
  if (!equalInConstantTime(sig, signatureOf(key, id, exp))) return 'forged'
  return Number(exp) * 1_000 > now ? 'valid' : 'expired'
}

/** Signs id and expiry. The signed text is unambiguous, because an id holds no dot. */
function signatureOf(key: Uint8Array, id: string, exp: string): string {
  return createHmac('sha256', key).update(`ack.${id}.${exp}`).digest('hex')
}

/** Takes the same time wherever the texts differ. */
function equalInConstantTime(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}
