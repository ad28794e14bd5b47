import { openDeliveryList } from '../deliveries/list.ts'
import type { StoreParts } from '../parts.ts'
import type { IncidentPort } from '../ports/incidents.ts'
import { openIncidentList } from '../search/incident-list.ts'
import { openIncidentDetail, openIncidentRecord } from './read.ts'

export const openIncidentPort = (context: StoreParts): IncidentPort => ({
  list: openIncidentList(context),
  detail: openIncidentDetail(context),
  record: openIncidentRecord(context),
  deliveries: openDeliveryList(context),
})
