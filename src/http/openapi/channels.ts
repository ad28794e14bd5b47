import { ChannelList, PauseAnswer, ResumeAnswer, TestMessageAnswer, TestMessageRequest } from '../../api/channel.ts'
import { json, type Operation, ok } from './operation.ts'

const AT = '/api/admin/channels/:name'

export const CHANNELS: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/admin/channels',
    tag: 'channels',
    summary: 'All channels with their health',
    answers: ok(ChannelList, 'All channels, enabled or not'),
  },
  {
    method: 'post',
    path: `${AT}/pause`,
    tag: 'channels',
    summary: 'Pause a channel: its deliveries stay on disk until it is resumed',
    answers: ok(PauseAnswer),
    errors: ['storage_down', 'storage_full'],
  },
  {
    method: 'post',
    path: `${AT}/resume`,
    tag: 'channels',
    summary: 'Resume a channel',
    answers: ok(ResumeAnswer),
    errors: ['storage_down', 'storage_full'],
  },
  {
    method: 'post',
    path: `${AT}/test`,
    tag: 'channels',
    summary: 'Send a test message',
    body: json(TestMessageRequest),
    answers: ok(TestMessageAnswer, 'The result'),
    errors: ['bad_parameter'],
  },
]
