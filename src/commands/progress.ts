import { isatty } from 'node:tty'

const STANDARD_ERROR = 2
const WIDTH = 40

/** Draws a progress bar on standard error; does nothing when that is no terminal. */
export function progressBar(total: number): { at(done: number): void; done(): void } {
  if (!isatty(STANDARD_ERROR) || total === 0) return { at() {}, done() {} }
  return {
    at(done) {
      const share = Math.min(1, done / total)
      const filled = Math.round(share * WIDTH)
      const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled)
      process.stderr.write(`\r${bar} ${Math.floor(share * 100)} %`)
    },
    done: () => process.stderr.write('\r\x1b[K'),
  }
}
