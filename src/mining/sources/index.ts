import type { SourceOptions } from '../options.ts'
import type { LogSource, SourceDeps } from './contract.ts'
import { createElasticsearchSource } from './elasticsearch.ts'
import { createFileSource } from './file.ts'
import { createLokiSource } from './loki.ts'
import { otlpReader } from './otlp.ts'
import { createPushSource } from './push.ts'

type CreateSource = (options: SourceOptions, deps: SourceDeps) => LogSource

/** Factories of log sources by type. */
export const SOURCES: { readonly [type in SourceOptions['type']]: CreateSource } = {
  file: ({ file }, deps) => createFileSource(file, deps),
  http: () => createPushSource(),
  otlp: ({ otlp }) => createPushSource(otlpReader(otlp)),
  loki: ({ loki }, deps) => createLokiSource(loki, deps),
  elasticsearch: ({ elasticsearch }, deps) => createElasticsearchSource(elasticsearch, deps),
}
