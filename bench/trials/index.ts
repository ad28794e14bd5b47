/** Trials by name, in the order they are run in. `named`: too long for a run of all, except in short form. */
export const TRIALS: { readonly [name: string]: { readonly run: 'always' | 'named' } } = {
  start: { run: 'always' },
  ingest: { run: 'always' },
  pipeline: { run: 'always' },
  latency: { run: 'always' },
  isolation: { run: 'always' },
  oncall: { run: 'always' },
  tail: { run: 'always' },
  'tail-deaf': { run: 'always' },
  scale: { run: 'always' },
  runtime: { run: 'always' },
  render: { run: 'always' },
  'render-pool': { run: 'always' },
  store: { run: 'always' },
  search: { run: 'always' },
  growth: { run: 'always' },
  mine: { run: 'always' },
  soak: { run: 'named' },
}

/** Address of the module of a trial. */
export const moduleOf = (name: string) => new URL(`./${name}.ts`, import.meta.url).href
