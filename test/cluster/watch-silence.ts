import type { AuditedProvider } from '../harness/audit/audited-provider.ts'

const LOOK_MS = 20

/** Measures the longest time without a message at a provider, until it is ended. */
export function watchSilence(provider: AuditedProvider) {
  let [seen, since, longest] = [provider.requests, performance.now(), 0]
  const look = () => {
    longest = Math.max(longest, performance.now() - since)
    if (provider.requests === seen) return
    seen = provider.requests
    since = performance.now()
  }
  const timer = setInterval(look, LOOK_MS)
  return {
    end(): number {
      look()
      clearInterval(timer)
      return longest
    },
  }
}
