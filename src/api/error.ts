import { z } from 'zod'

export const ErrorAnswer = z.object({ error: z.string().describe('The cause and what to do about it') })
