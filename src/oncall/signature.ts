import { createHmac, timingSafeEqual } from 'node:crypto'

/** A signature is refused when it is older, or that far in the future. */
const VALID_S = 300

interface Signing {
  readonly secret: string
  /** Epoch milliseconds. */
  readonly now: number
}

/** Returns the value of `X-Tocsin-Signature`: HMAC-SHA256 over `<seconds>.<body>`. */
export function signatureOf(body: string | Uint8Array, { secret, now }: Signing): string {
  const seconds = Math.floor(now / 1_000)
  return `t=${seconds},v1=${macOf(body, secret, seconds)}`
}

/** Returns whether `header` signs the body with the secret, at most five minutes ago. No header is right for an empty secret. */
export function isSigned(header: string, body: Uint8Array, { secret, now }: Signing): boolean {
  const [, seconds = '', mac = ''] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header) ?? []
  if (secret === '' || mac === '' || Math.abs(now / 1_000 - Number(seconds)) > VALID_S) return false
  return timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(body, secret, seconds)))
}

const macOf = (body: string | Uint8Array, secret: string, seconds: number | string) =>
  createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')
