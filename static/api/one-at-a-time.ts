/** Runs `work` one at a time; calls while it runs are one more run after it. It must not reject. */
export function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let again = false
  const run = async () => {
    do {
      again = false
      await work()
    } while (again)
    running = undefined
  }
  return () => {
    if (running === undefined) running = run()
    else again = true
    return running
  }
}
