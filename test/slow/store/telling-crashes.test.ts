import { survives } from '../../store/telling/crashes.ts'

survives(97)
