import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

/** Niceness of a thread of this process, from /proc. */
const nicenessOf = (thread: string) =>
  Number(readFileSync(`/proc/${thread}/stat`, 'utf8').split(') ')[1]?.split(' ')[16])

test('a thread lowers its own priority, not that of the process', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux has priorities of threads')
  const module = new URL('../../../actors/wiring/priority.ts', import.meta.url)
  const script = `
    import { parentPort } from 'node:worker_threads'
    import { readlinkSync } from 'node:fs'
    import { lowerPriority } from '${module}'
    lowerPriority()
    parentPort.postMessage(readlinkSync('/proc/thread-self'))
    parentPort.once('message', () => {})`
  const before = nicenessOf('self')
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`))
  const [thread] = await once(worker, 'message')
  const niceness = nicenessOf(thread)
  await worker.terminate()
  assert.deepEqual([niceness, nicenessOf('self')], [Math.min(19, before + 5), before])
})
