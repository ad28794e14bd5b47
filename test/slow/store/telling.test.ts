import { holds } from '../../store/telling/property.ts'
import { tellsAsRecorded } from '../../store/telling/recorded.ts'

holds(150, 20_300_102)
tellsAsRecorded(200)
