import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { CaseMessage, CaseRequest } from './case-protocol.ts'
import type { Curve, Tables } from './report.ts'

/** Result of one case. */
type Outcome =
  | { readonly kind: 'done'; readonly tables: Tables; readonly curves: readonly Curve[] }
  | { readonly kind: 'failed'; readonly error: string }

export interface CaseDeps {
  /** Called for each case. The case fails when the signal aborts. */
  deadline(): AbortSignal
  progress(what: string): void
}

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))

/** Runs a case in a fresh process. When it resolves, that process and all that it started have ended. Never rejects. */
export function runCase(request: CaseRequest, { deadline, progress }: CaseDeps): Promise<Outcome> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', CHILD, JSON.stringify(request)], {
    // A process group, so that servers that the case leaves behind are killed with it.
    detached: true,
    env: { ...process.env, TMPDIR: request.options.scratch },
    stdio: ['ignore', 2, 2, 'ipc'],
  })
  const endGroup = () => endGroupOf(child.pid)
  process.once('exit', endGroup)
  const ended = deadline()
  ended.addEventListener('abort', endGroup, { once: true })
  const curves: Curve[] = []
  let last: CaseMessage | undefined
  child.on('message', (message: CaseMessage) => {
    if (message.kind === 'progress') progress(message.what)
    else if (message.kind === 'curve') curves.push(message.curve)
    else last = message
  })
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ kind: 'failed', error: error.message }))
    child.once('close', (code, signal) => {
      ended.removeEventListener('abort', endGroup)
      process.off('exit', endGroup)
      endGroup()
      if (last?.kind === 'tables') resolve({ kind: 'done', tables: last.tables, curves })
      else if (last?.kind === 'failed') resolve({ kind: 'failed', error: last.error })
      else if (ended.aborted) resolve({ kind: 'failed', error: 'it did not end in time' })
      else resolve({ kind: 'failed', error: `its process ended with ${signal ?? code} without a result` })
    })
  })
}

/** Kills a process group; no-op when it is empty. */
function endGroupOf(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL')
  } catch {
    return
  }
}
