import { AnomalyDetector } from '../../../src/mining/detect/anomaly-detector.ts'
import { line, OPTIONS } from '../lines.ts'

/** Run by memory.test.ts in a process with little memory. The lines hold new words, at one index or at every index. */
const LINES = 100_000
const TICK_LINES = 50_000

const word = (n: number) =>
  Array.from(n.toString(26), (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join('')

const detector = new AnomalyDetector(OPTIONS)
for (let n = 0; n < LINES; n++) {
  const junk = `${word(n)}${'y'.repeat(200)}`
  detector.observe(line(n % 4 === 0 ? `${junk} ${junk}x ${junk}z` : `session of ${junk} was closed by peer ${n}`), n)
  if (n % TICK_LINES === TICK_LINES - 1) detector.closeTick(n, 'detect')
}
console.log(JSON.stringify(detector.counts()))
