import { z } from 'zod'
import { duration, flag, oneOf } from '../fields.ts'

/** `noise.storm`: defaults of all channels. `noise.repeats`: messages about problems that fire already. */
export const noise = z
  .object({
    storm: z.object({ enable: flag(true), within: duration('60s', 10_000) }),
    repeats: z.object({ mode: oneOf(['each', 'fold']), remind: duration('4h', 60_000) }),
  })
  .transform(({ storm, repeats }) => ({
    storm: { enable: storm.enable, withinMs: storm.within },
    repeats: { mode: repeats.mode, remindMs: repeats.remind },
  }))
