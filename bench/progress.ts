import { styleText } from 'node:util'

const { stderr } = process
let shownAt = 0
/** Least time between lines when standard error is no terminal. */
const LINE_EVERY_MS = 10_000

/** Shows progress on standard error: one changing line on a terminal, else a line every ten seconds. */
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
