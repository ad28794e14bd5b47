import { z } from 'zod'
import { AnswerPage } from '../../api/answer.ts'
import { Brief, ChangeList, NoteList, NoteRecord, NoteRequest } from '../../api/brief.ts'
import { paging } from '../../api/fields.ts'
import { Done, NotedRequest, OperatorRequest } from '../../api/incident.ts'
import { DigestDetail, DigestPage, DigestPlacePage } from '../../api/noise/digest.ts'
import { ExplainRequest, Explanation } from '../../api/noise/explain.ts'
import { HeartbeatDetail, HeartbeatList } from '../../api/noise/heartbeat.ts'
import { ProblemDetail, ProblemPage, ProblemRecord } from '../../api/noise/problem.ts'
import { Rehearsal, RehearsalRequest } from '../../api/noise/rehearsal.ts'
import { FatigueReport } from '../../api/noise/report.ts'
import { RouteTable } from '../../api/noise/route.ts'
import { SilenceDetail, SilencePage, SilencePreview, SilenceRecord } from '../../api/noise/silence.ts'
import { SilenceChange, SilenceCreated, SilenceRequest } from '../../api/noise/silence-requests.ts'
import { SloReport } from '../../api/noise/slo.ts'
import { RunRecord } from '../../api/oncall/run.ts'
import { ANSWER_RESULTS, ANSWER_WAYS } from '../../domain/answer.ts'
import { SOURCES, STATUSES } from '../../domain/incident.ts'
import { DISK, json, type Operation, ok, operationsOf, pages } from './operation.ts'

const noise = operationsOf('noise', '/api/admin/')

/** Routes about who is notified of what, in which way, and what is held. */
export const NOISE: readonly Operation[] = [
  noise('get digests', 'List digests, newest first', {
    ...pages(DigestPage, {
      open: z.boolean().exactOptional().describe('Only those of storms that last, or that are over'),
      destination: z.string().exactOptional().describe('`chatws`, or `chatws:payments` for one beside the default'),
    }),
  }),
  noise('get digests/:number', 'One digest with its problems, updates and the text that was sent last', {
    answers: ok(DigestDetail, 'The digest'),
  }),
  noise('get digests/:number/incidents', 'The incidents of a digest, in order of their place', {
    query: z.object({
      ...paging,
      cursor: z
        .string()
        .exactOptional()
        .describe('`next_cursor` of the page before, or a place: the page begins behind it'),
    }),
    answers: ok(DigestPlacePage, 'A page'),
  }),
  noise('get problems', 'List problems: those that fire first, then the latest first', {
    ...pages(ProblemPage, {
      q: z.string().exactOptional().describe('Part of the title, the service or the fingerprint'),
      status: z.enum(STATUSES).exactOptional(),
      severity: z.string().exactOptional().describe('The word of the latest incident'),
      service: z.string().exactOptional(),
      source: z.enum(SOURCES).exactOptional(),
      acknowledged: z.boolean().exactOptional(),
    }),
  }),
  noise('get problems/:id', 'One problem with its latest incidents', { answers: ok(ProblemDetail, 'The problem') }),
  noise('post problems/:id/ack', 'Acknowledge a problem: its latest incident and all that page for it', {
    body: json(NotedRequest),
    answers: ok(ProblemRecord, 'The problem as it is now'),
    errors: DISK,
  }),
  noise('post problems/:id/resolve', 'Resolve a problem and all its incidents', {
    body: json(NotedRequest),
    answers: ok(ProblemRecord, 'The problem as it is now'),
    errors: DISK,
  }),
  noise('post problems/:id/escalate', 'Run the next step of the escalation of a problem at once', {
    body: json(OperatorRequest),
    answers: ok(RunRecord, 'The run as it is now'),
    errors: DISK,
  }),
  noise(
    'get problems/:id/brief',
    'What is known of a problem: who was notified, earlier times, similar ones, notes, what happened beside it',
    {
      description: '`id`: its number, or the id of an incident, as for its notes. Only with `brief.enable`, likewise.',
      query: z.object({ opening: z.int().min(1).exactOptional().describe('Number of an earlier time that it fired') }),
      answers: ok(Brief, 'The brief, at most 16 KiB; kept for 5 s'),
    },
  ),
  noise('get problems/:id/notes', 'What people wrote about a problem, newest first', {
    answers: ok(NoteList, 'The notes'),
  }),
  noise('post problems/:id/notes', 'Write a note about a problem; nobody is notified', {
    body: json(NoteRequest),
    answers: ok(NoteRecord, 'The note'),
    errors: DISK,
  }),
  noise('delete notes/:id', 'Delete a note', { answers: ok(Done), errors: DISK }),
  noise('get changes', 'The newest changes, at most 100', { answers: ok(ChangeList, 'The changes') }),
  noise('get answers', 'What people did to problems, and from where, latest first', {
    ...pages(AnswerPage, {
      problem: z.int().min(1).exactOptional().describe('Number of the problem'),
      by: z.string().exactOptional().describe('Name or id of the actor, or key of the person in `people`'),
      via: z.enum(ANSWER_WAYS).exactOptional(),
      result: z.enum(ANSWER_RESULTS).exactOptional(),
    }),
  }),
  noise('get routes', 'The rules of `routes` in their order, with their hits and those that are never reached', {
    answers: ok(RouteTable, 'All rules'),
  }),
  noise('get incidents/:id/explain', 'Who was notified of an incident, and why', {
    answers: ok(Explanation, 'Every decision, in order'),
  }),
  noise('post explain', 'What would be done with a payload; it is not stored and nothing is sent', {
    body: json(ExplainRequest),
    answers: ok(Explanation, 'Every decision, in order'),
  }),
  noise('post rehearsals', 'Play stored incidents under a proposed configuration; nothing is sent', {
    body: json(RehearsalRequest),
    answers: { 202: { description: 'It has begun', content: json(Rehearsal) } },
    errors: ['routes_invalid', 'rehearsal_busy', 'shutting_down'],
  }),
  noise('get rehearsals/:id', 'A rehearsal with its progress, and its result when it has ended', {
    answers: ok(Rehearsal, 'The rehearsal'),
  }),
  noise('get heartbeats', 'The heartbeats of the configuration, and whether they beat', {
    answers: ok(HeartbeatList, 'All heartbeats'),
  }),
  noise('get heartbeats/:name', 'One heartbeat with the output of its last ping', {
    answers: ok(HeartbeatDetail, 'The heartbeat'),
  }),
  noise('get report', 'How many notifications people got: messages and pages by hour, nights, the loudest problems', {
    query: z.object({
      hours: z
        .int()
        .min(1)
        .max(2160)
        .default(168)
        .describe('Time until now; at most the newest 100,000 incidents count'),
      time_zone: z.string().default('UTC').describe('Of the nights, such as `Europe/Berlin`'),
    }),
    answers: ok(FatigueReport, 'The report'),
  }),
  noise('get slo', 'How long it took until incidents were notified, by channel, severity and way', {
    answers: ok(SloReport, 'Since the start'),
  }),
  noise('get silences', 'List silences: active ones, then scheduled ones, then those that ended last', {
    ...pages(SilencePage, {
      state: z.enum(['active', 'scheduled', 'ended']).exactOptional(),
    }),
  }),
  noise('post silences', 'Make a silence', {
    description: 'It begins at once, unless `starts_at` or `schedule` says otherwise.',
    body: json(SilenceRequest),
    answers: { 201: { description: 'The silence, and what it would have held', content: json(SilenceCreated) } },
    errors: ['silence_too_broad', ...DISK],
  }),
  noise('post silences/preview', 'What a silence would have held in the last 24 hours; nothing is made', {
    body: json(SilenceRequest),
    answers: ok(SilencePreview, 'Its effect'),
  }),
  noise('get silences/:id', 'One silence with the problems that it holds', {
    answers: ok(SilenceDetail, 'The silence'),
  }),
  noise('patch silences/:id', 'Extend or shorten a silence, or change its owner or comment', {
    body: json(SilenceChange),
    answers: ok(SilenceRecord, 'The silence'),
    errors: ['silence_expired', ...DISK],
  }),
  noise('delete silences/:id', 'End a silence now; what it holds is sent, and its record stays', {
    query: z.object({ by: z.string().exactOptional().describe('The person who ends it') }),
    answers: ok(SilenceRecord, 'The silence'),
    errors: ['silence_expired', ...DISK],
  }),
]
