import { tellsAsRecorded } from './recorded.ts'

tellsAsRecorded(4)
