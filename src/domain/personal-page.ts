/** What a person does with a message: takes the problems, or cannot, so that the next step of the escalation runs. */
export type PageAction = 'acknowledge' | 'decline'

/** States that a gateway reports of a page. */
export const REPORTED = ['delivered', 'answered', 'acknowledged', 'declined', 'failed'] as const

export interface GatewayReport {
  /** Name of the gateway. */
  readonly gateway: string
  /** Id of the page, as it was posted. */
  readonly id: string
  readonly state: (typeof REPORTED)[number]
  /** On one line, at most 200 characters; '': none was given. */
  readonly detail: string
}
