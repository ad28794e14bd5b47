import { SQLITE } from '../store/contract/engine.ts'
import { turnContract } from '../store/contract/turns.ts'

/** More walks than in the fast ring. */
turnContract({ ...SQLITE, runs: 25 })
