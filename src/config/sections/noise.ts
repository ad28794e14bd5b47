import { z } from 'zod'
import { duration, flag } from '../fields.ts'

/** `noise.storm`: defaults of all channels. */
export const noise = z
  .object({ storm: z.object({ enable: flag(true), within: duration('60s', 10_000) }) })
  .transform(({ storm }) => ({ storm: { enable: storm.enable, withinMs: storm.within } }))
