import type { LogSource, SourceDeps } from './contract.ts'
import { createElasticsearchSource, type ElasticsearchOptions } from './elasticsearch.ts'
import { createFileSource, type FileOptions } from './file.ts'
import { createLokiSource, type LokiOptions } from './loki.ts'
import { createPushSource } from './push.ts'

/** An entry of `agent.sources`. Its options are in the field named like its type. */
export interface SourceOptions {
  readonly name: string
  readonly type: keyof typeof SOURCES
  readonly file: FileOptions
  readonly loki: LokiOptions
  readonly elasticsearch: ElasticsearchOptions
}

/** Factories of log sources by type. */
export const SOURCES = {
  file: (options: SourceOptions, tools: SourceDeps): LogSource => createFileSource(options.file, tools),
  http: () => createPushSource(),
  loki: (options: SourceOptions, tools: SourceDeps): LogSource => createLokiSource(options.loki, tools),
  elasticsearch: (options: SourceOptions, tools: SourceDeps): LogSource =>
    createElasticsearchSource(options.elasticsearch, tools),
}
