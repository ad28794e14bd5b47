import { testGroup } from '../groups.ts'

await testGroup('security')
