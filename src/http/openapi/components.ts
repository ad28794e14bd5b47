import type { z } from 'zod'
import { AgentStatus } from '../../api/agent/agent.ts'
import { DetectCall, DetectCallDetail } from '../../api/agent/detect-call.ts'
import { LogService } from '../../api/agent/log-service.ts'
import { PatternRecord } from '../../api/agent/pattern.ts'
import { ShadowEvent } from '../../api/agent/shadow-event.ts'
import { AnswerRecord } from '../../api/answer.ts'
import { AttemptRecord } from '../../api/attempt.ts'
import { ChannelRecord } from '../../api/channel.ts'
import { DeliveryRecord } from '../../api/delivery.ts'
import { ErrorAnswer } from '../../api/error.ts'
import { channelName } from '../../api/fields.ts'
import { IncidentDetail, IncidentRecord } from '../../api/incident.ts'
import { DestinationRecord } from '../../api/noise/destination.ts'
import { DigestDetail, DigestProblem, DigestRecord } from '../../api/noise/digest.ts'
import { Explanation } from '../../api/noise/explain.ts'
import { ProblemDetail, ProblemRecord } from '../../api/noise/problem.ts'
import { RouteRecord } from '../../api/noise/route.ts'
import { SilenceDetail, SilencePreview, SilenceRecord } from '../../api/noise/silence.ts'
import { SilenceRequest } from '../../api/noise/silence-requests.ts'
import { Stats } from '../../api/stats.ts'

/** Schemas that the document names and refers to. */
export const COMPONENTS: { readonly [name: string]: z.ZodType } = {
  Error: ErrorAnswer,
  Incident: IncidentRecord,
  IncidentDetail,
  Attempt: AttemptRecord,
  Delivery: DeliveryRecord,
  Digest: DigestRecord,
  DigestDetail,
  DigestProblem,
  Problem: ProblemRecord,
  ProblemDetail,
  Answer: AnswerRecord,
  Destination: DestinationRecord,
  Route: RouteRecord,
  Explanation,
  Silence: SilenceRecord,
  SilenceDetail,
  SilencePreview,
  SilenceRequest,
  Channel: ChannelRecord,
  Stats,
  Pattern: PatternRecord,
  Service: LogService,
  ShadowEvent,
  DetectCall,
  DetectCallDetail,
  AgentStatus,
  ChannelName: channelName,
}
