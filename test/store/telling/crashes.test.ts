import { survives } from './crashes.ts'

survives(10_000)
