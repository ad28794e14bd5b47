import { holds } from '../../store/telling/property.ts'

holds(12, 20_300_102)
