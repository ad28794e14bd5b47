import { SQLITE } from '../store/contract/engine.ts'
import { turnContract } from '../store/contract/turns.ts'

/** Three times the walks of the fast ring. */
turnContract({ ...SQLITE, runs: 60 })
