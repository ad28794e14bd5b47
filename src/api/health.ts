import { z } from 'zod'

export const AliveAnswer = z.object({ status: z.literal('ok') })
export const ReadyAnswer = z.object({ status: z.literal('ready') })
