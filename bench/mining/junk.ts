import { AnomalyDetector } from '../../src/mining/detect/anomaly-detector.ts'

/**
 * Mines generated lines: `junk.ts LINES TOKENS`. Each line of one of several kinds holds one of TOKENS distinct words.
 * Prints time, memory and patterns as JSON.
 */
const [lines = 0, tokens = 0] = process.argv.slice(2).map(Number)

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz'
const TICK_LINES = 20_000

/** Letters only, so that no mask replaces it as a value. */
function word(n: number): string {
  let text = ''
  for (let rest = n + 26 ** 4; rest > 0; rest = Math.floor(rest / 26)) text += ALPHABET[rest % 26]
  return text
}

/**
 * Kinds of lines whose other words agree, so that the miner soon takes the junk word for a value. `HOSTILE` kinds, one
 * line in `RARE`, are new patterns each time.
 */
const KINDS: readonly ((junk: string, n: number) => string)[] = [
  (junk) => `session of ${junk} was closed by the peer`,
  (junk, n) => `user ${junk} asked for page ${n} of ${n * 7}`,
  (junk, n) => `2026-05-12T09:00:00.${100 + (n % 900)}Z INFO cache: key ${junk} evicted after ${n % 100} ms`,
]
const HOSTILE: readonly ((junk: string, n: number) => string)[] = [
  (junk) => `${junk}`,
  (junk) => `${junk} ${junk}x and ${junk}y went on`,
  (junk, n) => `job ${n} failed: ${junk}Exception in ${junk}`,
]
const RARE = 20

function line(n: number): string {
  const junk = word(n % tokens)
  const kinds = n % RARE === 0 ? HOSTILE : KINDS
  return kinds[n % kinds.length]?.(junk, n) ?? ''
}

const detector = new AnomalyDetector({
  miner: { maxPatterns: 10_000 },
  catalog: { autoPromoteAfter: 50, spikeZ: 3, spikeMinFrequency: 5, spikeMinBaselineCount: 20 },
  renotifyMs: 3_600_000,
  newServiceGraceMs: 0,
})

let peak = 0
const startedAt = performance.now()
for (let n = 0; n < lines; n++) {
  detector.observe({ text: line(n), source: 'junk', service: 'junk', rule: '' }, n)
  if (n % TICK_LINES === 0) {
    detector.closeTick(n, n < lines / 2 ? 'training' : 'detect')
    peak = Math.max(peak, process.memoryUsage.rss())
  }
}
const seconds = (performance.now() - startedAt) / 1_000
const { patterns, merged, evicted } = detector.counts()
console.log(
  JSON.stringify({
    lines,
    'distinct junk words': tokens,
    'largest resident memory, MiB': Math.round(peak / 2 ** 20),
    patterns,
    merged,
    evicted,
    'lines/s': Math.round(lines / seconds),
  }),
)
