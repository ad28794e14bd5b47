import { SQLITE } from './contract/engine.ts'
import { turnContract } from './contract/turns.ts'

for (const engine of [SQLITE]) turnContract(engine)
