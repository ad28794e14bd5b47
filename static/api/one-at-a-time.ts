/** Runs `work` one at a time. Calls during a run cause one more run after it. `work` must not reject. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let rerun = false
  const run = async () => {
    do {
      rerun = false
      await work()
    } while (rerun)
    running = undefined
  }
  return () => {
    if (running === undefined) running = run()
    else rerun = true
    return running
  }
}
