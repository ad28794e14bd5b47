import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Curve } from '../../../bench/report.ts'
import type { Server } from '../../../bench/servers/server.ts'

/** What became of the incidents that were posted. */
export interface OpenLoopResult {
  readonly accepted: number
  readonly refused: number
  /** Until the last answer. */
  readonly seconds: number
  /** Milliseconds by percentile from the time an incident was to be posted to its answer. */
  readonly curve: Curve['points']
}

interface OpenLoopRate {
  /** 0: as many as are answered, a closed loop. */
  readonly perSecond: number
  readonly seconds: number
}

const SCRIPT = fileURLToPath(new URL('./open-loop-client.ts', import.meta.url))

/** Posts incidents of a kilobyte that carry their time, from a process of its own. */
export async function postOpenLoop(
  { port }: Pick<Server, 'port'>,
  { perSecond, seconds }: OpenLoopRate,
): Promise<OpenLoopResult> {
  const args = [SCRIPT, `http://127.0.0.1:${port}/api/incidents`, String(perSecond), String(seconds)]
  const { stdout } = await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', ...args])
  return JSON.parse(stdout)
}
