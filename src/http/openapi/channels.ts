import { ChannelList, PauseAnswer, ResumeAnswer, TestMessageAnswer, TestMessageRequest } from '../../api/channel.ts'
import { json, type Operation, ok, operationsOf } from './operation.ts'

const channels = operationsOf('channels')

const AT = '/api/admin/channels/:name'

export const CHANNELS: readonly Operation[] = [
  channels('get', '/api/admin/channels', {
    summary: 'All channels with their health',
    answers: ok(ChannelList, 'All channels, enabled or not'),
  }),
  channels('post', `${AT}/pause`, {
    summary: 'Pause a channel: its deliveries stay on disk until it is resumed',
    answers: ok(PauseAnswer),
    errors: ['storage_down', 'storage_full'],
  }),
  channels('post', `${AT}/resume`, {
    summary: 'Resume a channel',
    answers: ok(ResumeAnswer),
    errors: ['storage_down', 'storage_full'],
  }),
  channels('post', `${AT}/test`, {
    summary: 'Send a test message',
    body: json(TestMessageRequest),
    answers: ok(TestMessageAnswer, 'The result'),
    errors: ['bad_parameter'],
  }),
]
