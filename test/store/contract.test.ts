import { POSTGRES, SQLITE } from './contract/engine.ts'
import { turnContract } from './contract/turns.ts'
import { ON_FILES } from './database.ts'

turnContract('skip' in ON_FILES ? POSTGRES : SQLITE)
