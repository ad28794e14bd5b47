import { styleText } from 'node:util'

const { stderr } = process
let shownAt = 0
/** Where lines cannot be written over, one now and then will do. */
const LINE_EVERY_MS = 10_000

/** What is going on, on standard error: one line that changes, or, where that is no terminal, a line from time to time. */
export const progressLine = {
  progress(what: string): void {
    if (stderr.isTTY) return void stderr.write(`\r\u001b[K${styleText('dim', what.slice(0, stderr.columns - 1))}`)
    const now = performance.now()
    if (now - shownAt < LINE_EVERY_MS) return
    shownAt = now
    stderr.write(`${what}\n`)
  },
  done(what: string): void {
    stderr.write(stderr.isTTY ? `\r\u001b[K${what}\n` : `${what}\n`)
  },
}
