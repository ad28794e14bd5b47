import type { ChannelName } from '../../../src/domain/delivery/delivery.ts'

/** What to look at while the provider refuses the way back of presses. */
const REMEDIES: { readonly [name in ChannelName]?: string } = {
  chatws:
    'Look at token and answers.app_token: the app token begins with xapp- and has the scope connections:write, Socket Mode is on, and neither is revoked.',
  msgapp: 'Look at token, and whether another program polls this bot or has set its webhook: a bot has one of them.',
}

/** Says what to do. */
export const Refused = ({ channel }: { readonly channel: ChannelName }) => (
  <div class="channel-error stack gap-1 small" role="status">
    <h3>People cannot answer from its messages</h3>
    <p>{REMEDIES[channel] ?? 'Look at the credentials of the channel.'}</p>
    <p>It is tried again within five minutes, and at once when the configuration is loaded anew.</p>
  </div>
)
