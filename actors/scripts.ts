/** The script of every worker thread. Node options of a process that embeds the system do not apply to it. */
export const WORKER_SCRIPT = {
  script: new URL('./worker.ts', import.meta.url),
  options: { execArgv: ['--disable-warning=ExperimentalWarning'] },
}

/** The script of the thread of one rehearsal. */
export const REHEARSAL_SCRIPT = { ...WORKER_SCRIPT, script: new URL('./rehearsal/worker.ts', import.meta.url) }
