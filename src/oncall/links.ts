import { createHmac, timingSafeEqual } from 'node:crypto'

/** How long a link acknowledges: an incident that nobody has looked at for a week is nobody's. */
const VALID_MS = 7 * 24 * 3_600_000

/** `forged`: not as we made it. `expired`: ours, and too old. */
export type LinkState = 'valid' | 'forged' | 'expired'

/** Where the incident is acknowledged, below the public address; the same every time it is asked for. */
export function ackPath(key: Uint8Array, { id, createdAt }: { id: string; createdAt: number }): string {
  const exp = String(Math.floor((createdAt + VALID_MS) / 1_000))
  return `/api/ack/${encodeURIComponent(id)}?exp=${exp}&sig=${signatureOf(key, id, exp)}`
}

/** Whether the link with that id and query is one of ours. The signature is checked first: nothing is told to whoever has none. */
export function checkLink(key: Uint8Array, { id, query }: { id: string; query: string }, now: number): LinkState {
  const given = new URLSearchParams(query)
  const [exp = '', ...moreTimes] = given.getAll('exp')
  const [sig = '', ...moreSignatures] = given.getAll('sig')
  if (moreTimes.length > 0 || moreSignatures.length > 0) return 'forged'
  if (!equalInConstantTime(sig, signatureOf(key, id, exp))) return 'forged'
  return Number(exp) * 1_000 > now ? 'valid' : 'expired'
}

/** An id holds no dot, so no other id and time give the same text. */
function signatureOf(key: Uint8Array, id: string, exp: string): string {
  return createHmac('sha256', key).update(`ack.${id}.${exp}`).digest('hex')
}

/** In the same time wherever they differ. */
function equalInConstantTime(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === other.length && timingSafeEqual(one, other)
}
