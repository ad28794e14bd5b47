/**
 * The script of every worker thread. Node options of a process that embeds the system do not apply to it. A thread keeps
 * little from one message to the next: a larger young generation would be memory without use.
 */
export const WORKER_SCRIPT = {
  script: new URL('./worker.ts', import.meta.url),
  options: { execArgv: ['--disable-warning=ExperimentalWarning'], resourceLimits: { maxYoungGenerationSizeMb: 12 } },
}

/** The script of the thread of one rehearsal. */
export const REHEARSAL_SCRIPT = { ...WORKER_SCRIPT, script: new URL('./rehearsal/worker.ts', import.meta.url) }
