import { survives } from './crashes.ts'

survives(211)
