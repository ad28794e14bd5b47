import { survives } from '../../store/telling/crashes.ts'
import { holds } from '../../store/telling/property.ts'
import { tellsAsRecorded } from '../../store/telling/recorded.ts'

holds(100, 20_300_102)
survives(11)
tellsAsRecorded(200)
