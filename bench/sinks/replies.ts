/** Success answers of the providers that a sink stands for, by the first part of the path. */
export const SUCCESS: { readonly [name: string]: string } = {
  chatws: '{"ok":true,"ts":"1700000000.000001"}',
  msgapp: '{"ok":true,"result":{"message_id":1}}',
  officechat: '',
  messenger: '{"status":0,"status_message":"ok","message_token":1}',
  workchat: '{"code":0,"msg":"success"}',
}

export const providerIn = (path: string) => path.split('/')[1] ?? ''
