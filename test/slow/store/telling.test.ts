import { holds } from '../../store/telling/property.ts'

holds(8, 20_300_102)
