import { ON_FILES } from '../database.ts'
import { tellsAsRecorded } from './recorded.ts'

tellsAsRecorded('skip' in ON_FILES ? 4 : 1)
