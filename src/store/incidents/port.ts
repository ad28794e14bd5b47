import { openDeliveryList } from '../deliveries/list.ts'
import type { StoreParts } from '../parts.ts'
import { openIncidentList } from '../search/incident-list.ts'
import { openIncidentDetail, openIncidentRecord } from './read.ts'

/** Reads of what is applied. Store thread. A file that cannot be read throws SQLite's own error. */
export const openIncidentPort = (context: StoreParts) => ({
  list: openIncidentList(context),
  detail: openIncidentDetail(context),
  record: openIncidentRecord(context),
  deliveries: openDeliveryList(context),
})
