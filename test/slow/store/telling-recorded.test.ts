import { tellsAsRecorded } from '../../store/telling/recorded.ts'

tellsAsRecorded(50)
