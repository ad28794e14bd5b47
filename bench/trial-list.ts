interface TrialEntry {
  /** `named`: too long for a run of all trials, except in short form. */
  readonly run: 'always' | 'named'
  /** Shown in the help text and on the page of results. */
  readonly about: string
  /** Place of its module; default: `trials/<name>.ts`. */
  readonly module?: string
}

/** Trials by name, in the order in which they run. */
export const TRIALS: { readonly [name: string]: TrialEntry } = {
  start: { run: 'always', about: 'time until ready, the first delivery, and memory when idle' },
  ingest: {
    run: 'always',
    about: 'incidents accepted and on disk, beside a front that only answers and beside Alertmanager',
  },
  pipeline: { run: 'always', about: 'deliveries to 1, 3 and 6 sinks, beside a bare HTTP loop' },
  latency: { run: 'always', about: 'time to the answer and to the delivery, at fixed rates' },
  handout: { run: 'always', about: 'time from the commit to the hand-out, at fixed rates' },
  unapplied: { run: 'always', about: 'details asked during a flood, and a start with a million unapplied incidents' },
  isolation: { run: 'always', about: 'a healthy channel alone, and beside one that hangs and one that fails' },
  storm: { run: 'named', about: 'what channels receive of storms, and when all is notified: 20 minutes' },
  oncall: { run: 'always', about: 'memory of armed timers, and lateness of pages' },
  answer: { run: 'always', about: 'from a press of a button in a message to its record on disk' },
  tail: { run: 'always', about: 'cost of live-tail clients that read' },
  'tail-deaf': { run: 'always', about: 'cost of live-tail clients that never read' },
  alerts: {
    run: 'always',
    about: 'the Alertmanager API, beside Alertmanager',
    module: 'trials/alerts/trial.ts',
  },
  scale: { run: 'always', about: 'incidents accepted by one, two and four fronts' },
  render: { run: 'always', about: 'templates on one thread' },
  'render-pool': { run: 'always', about: 'templates through the pool of render threads' },
  store: { run: 'always', about: 'work of the store thread, by kind of transaction' },
  search: { run: 'always', about: 'lists and full-text search over a million incidents' },
  retrieval: {
    run: 'always',
    about: 'similar problems that a brief names, right and wrong ones',
    module: 'trials/retrieval/trial.ts',
  },
  brief: {
    run: 'named',
    about: 'a brief with 250,000 openings stored, and what briefs cost: 10 minutes',
    module: 'trials/brief/trial.ts',
  },
  growth: { run: 'always', about: 'CPU time per incident on an empty and on a large database' },
  mine: { run: 'always', about: 'the log agent: memory and speed with ever new words' },
  cluster: {
    run: 'named',
    about: 'one and three replicas on PostgreSQL, and take-overs',
    module: 'trials/cluster/trial.ts',
  },
  soak: { run: 'named', about: 'memory and latency over ten minutes at 70 % of capacity' },
}

/** Address of the module of a trial. */
export const moduleOf = (name: string) =>
  new URL(TRIALS[name]?.module ?? `trials/${name}.ts`, new URL('./', import.meta.url)).href
