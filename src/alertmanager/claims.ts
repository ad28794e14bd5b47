/**
 * One sender says that the alert fires, until a time. Claims that ended are kept for 20 min: a sender repeats for 15 min that
 * an alert is resolved, which must not end what others claim since.
 */
export interface Claim {
  /** '': unknown, after a start. */
  readonly sender: string
  /** By the monotonic clock, milliseconds. */
  until: number
  /** The end comes from `resolve_timeout`: a shorter one replaces it. */
  readonly isGuessed: boolean
  /** A sender said that it is over. */
  isEnded?: boolean
}

/** Also how long resolved alerts are kept, milliseconds. */
export const KEPT_MS = 20 * 60_000
const MAX_CLAIMS = 4
const HOUR_MS = 3_600_000

/**
 * Returns the claims with one that is new or repeated, at most four. It replaces that of the start and the sender's own, which
 * gets shorter only if its end was a guess; of four others it replaces the one that ends first.
 */
export function withClaim(claims: readonly Claim[], claim: Claim, elapsed: number): Claim[] {
  const others: Claim[] = []
  let kept = claim
  for (const each of claims) {
    if (each.sender === claim.sender) {
      if (each.until > claim.until && !each.isGuessed) kept = each
    } else if (each.sender !== '' && each.until > elapsed - KEPT_MS) others.push(each)
  }
  while (others.length >= MAX_CLAIMS) others.splice(firstToEnd(others), 1)
  others.push(kept)
  return others
}

const firstToEnd = (claims: readonly Claim[]) =>
  claims.reduce((first, { until }, at) => (until < (claims[first]?.until ?? Infinity) ? at : first), 0)

/** Returns the claim that lasts longest. */
export function lastToEnd(claims: readonly Claim[]): Claim | undefined {
  let last = claims[0]
  for (const claim of claims) if (claim.until > (last?.until ?? 0)) last = claim
  return last
}

/**
 * A sender says that the alert is over: its claim ends, and that of a sender without one ends all. After a start it is not
 * known whether it had one, so others have half of the time that a claim is valid to say that the alert fires. Returns true
 * when no claim is left.
 */
export function endClaim(
  { claims, validMs }: { readonly claims: Claim[]; readonly validMs: number },
  sender: string,
  elapsed: number,
): boolean {
  const own = claims.find((claim) => claim.sender === sender)
  const unknown = claims.find((claim) => claim.sender === '')
  const ended = own ?? unknown
  if (ended === undefined) return true
  const until = own === undefined ? elapsed + Math.min(validMs, HOUR_MS) / 2 : elapsed
  Object.assign(ended, { until: Math.min(ended.until, until), isEnded: true })
  if (own === undefined && claims.length <= MAX_CLAIMS)
    claims.push({ sender, until: elapsed, isGuessed: false, isEnded: true })
  return claims.every((claim) => claim.until <= elapsed)
}
