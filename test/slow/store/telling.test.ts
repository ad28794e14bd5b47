import { survives } from '../../store/telling/crashes.ts'
import { holds } from '../../store/telling/property.ts'
import { tellsAsRecorded } from '../../store/telling/recorded.ts'

holds(40, 20_300_102)
survives(23)
tellsAsRecorded(200)
