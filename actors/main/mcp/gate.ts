import { CodedError } from '../../../src/domain/errors.ts'
import { bearerOf, LoginThrottle } from '../../../src/http/auth.ts'
import type { PublicRequest } from '../../../src/http/contract.ts'
import { KeyRing } from '../../../src/http/credentials.ts'
import type { McpToken } from '../../../src/mcp/options.ts'
import { openTokenBucket, type Rate } from '../../../src/telemetry/rate-limit.ts'
import type { SystemSettings } from '../../wiring/settings.ts'
import { authenticate, type DoorDeps, DoorError, perSettings } from '../doors/door.ts'

export type GateDeps = Pick<DoorDeps, 'log' | 'clock' | 'settings'>

const CALLS: Rate = { burst: 20, everyMs: 1_000 }
const HOUR_MS = 3_600_000
/** Further rates of single tools. */
const OF_TOOLS: { readonly [tool: string]: Rate } = {
  rehearse: { burst: 2, everyMs: HOUR_MS / 2 },
  confirm: { burst: 20, everyMs: HOUR_MS / 20 },
}
const AT_ONCE = 16
const AT_ONCE_OF_TOKEN = 4
const BUSY_RETRY_SECONDS = 1

/** Lets requests in: known tokens, from no foreign page, not too many. */
export function openGate({ settings, clock, log }: GateDeps) {
  // Not that of the doors: a client with an old token must not keep alerts of its address out.
  const throttle = new LoginThrottle(() => clock.elapsed())
  const ring = perSettings(
    settings,
    ({ mcp }) => new KeyRing(new Map(mcp.tokens.map(({ name, token }) => [name, token]))),
  )
  const buckets = new Map<string, () => number>()
  const busy = new Map<string, number>()
  let all = 0

  /** Takes a token from a bucket. Throws too_many_calls. */
  function spend(key: string, rate: Rate): void {
    const take = buckets.get(key) ?? openTokenBucket(rate, clock)
    buckets.set(key, take)
    const waitMs = take()
    if (waitMs > 0) throw new DoorError('too_many_calls', undefined, { retrySeconds: Math.ceil(waitMs / 1_000) })
  }

  return {
    /** Returns the caller. Throws not_found, origin_forbidden, unauthorized, too_many_attempts. */
    admit(request: PublicRequest): McpToken {
      const { mcp, publicHost } = settings()
      if (mcp.tokens.length === 0) throw new CodedError('not_found')
      if (!mayAsk(request.headers.origin ?? '', { ...mcp, publicHost })) throw new CodedError('origin_forbidden')
      return authenticate({ throttle, log }, request, () => {
        const name = ring().nameOf(bearerOf(request.headers.authorization ?? ''))
        return mcp.tokens.find((token) => token.name === name)
      })
    },
    /** Runs a request of the caller. Rejects with mcp_full, too_many_calls. */
    async within<T>({ name }: McpToken, work: () => Promise<T>): Promise<T> {
      const own = busy.get(name) ?? 0
      if (all >= AT_ONCE) throw new DoorError('mcp_full', undefined, { retrySeconds: BUSY_RETRY_SECONDS })
      if (own >= AT_ONCE_OF_TOKEN)
        throw new DoorError('too_many_calls', 'the token has 4 calls at once', { retrySeconds: BUSY_RETRY_SECONDS })
      spend(name, CALLS)
      all++
      busy.set(name, own + 1)
      try {
        return await work()
      } finally {
        all--
        busy.set(name, (busy.get(name) ?? 1) - 1)
      }
    },
    /** Throws too_many_calls when the token uses a tool more often than that may be. */
    spendOn(tool: string, { name }: McpToken): void {
      const rate = OF_TOOLS[tool]
      if (rate !== undefined) spend(`${name} ${tool}`, rate)
    },
  }
}

type Allowed = Pick<SystemSettings['mcp'], 'origins'> & Pick<SystemSettings, 'publicHost'>

/** A browser names the origin of the page; programs name none. */
function mayAsk(origin: string, { origins, publicHost }: Allowed): boolean {
  if (origin === '' || origins.includes(origin)) return true
  if (!URL.canParse(origin)) return false
  const { hostname, host } = new URL(origin)
  if (/^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)) return true
  return publicHost !== '' && new URL(publicHost).host === host
}
