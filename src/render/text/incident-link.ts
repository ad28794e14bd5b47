/** Plain text that leads a person to an incident: its page of the dashboard, or its id when no address is known. */
export function incidentLink(publicHost: string, incidentId: string): string {
  if (publicHost === '') return `incident ${incidentId}`
  return `${publicHost.replace(/\/+$/, '')}/#/incidents/${encodeURIComponent(incidentId)}`
}
