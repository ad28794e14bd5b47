import { z } from 'zod'
import { ai } from '../../analysis/options.ts'
import { catalog, logSource, miner, preparation } from '../../mining/options.ts'
import { duration, flag, list, oneOf, text } from '../../settings/fields.ts'

/** `agent`: the log agent. */
export const agent = z
  .object({
    enable: flag(false),
    mode: oneOf(['training', 'shadow', 'detect']),
    poll_interval: duration('30s'),
    new_service_grace: duration('30m', 0),
    renotify: duration('1h'),
    /** Includes the sources of the file `sources_path`. */
    sources: list(logSource),
    sources_path: text(),
    ...preparation,
    miner,
    catalog,
    ai,
  })
  .transform(({ poll_interval, new_service_grace, renotify, sources_path: _path, service_patterns, ...raw }) => ({
    ...raw,
    pollIntervalMs: poll_interval,
    newServiceGraceMs: new_service_grace,
    renotifyMs: renotify,
    servicePatterns: service_patterns,
  }))
