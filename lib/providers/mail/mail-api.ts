import { createBackChannel } from '../../kernel/back-channel.js'
import type { ProviderFunction } from '../oauth-provider.js'
import {
  customFetch,
  type EmailUserConfig,
  type MailingEmailConfig,
  type MailMessage,
  type SendVerificationRequestParams,
} from '../provider-object.js'
import { recipient, type Sender, senderOf } from './address.js'

/** One mail, checked: a single recipient, a sender, and what it says. */
export interface Mail {
  readonly to: string
  readonly from: Sender
  readonly message: MailMessage
  /** The link in it. */
  readonly url: string
  /** The code in it; undefined for none. */
  readonly code: string | undefined
}

type Key = { readonly apiKey: string }

/** A mail service with an HTTP API, as data. */
export interface MailApi<Own extends object> {
  readonly id: string
  readonly name: string
  /** Where a mail is posted to. */
  readonly endpoint: string | ((mail: Mail, options: Own) => string)
  /** How the application shows who it is. */
  readonly headers: (options: Key & Own) => Readonly<Record<string, string>>
  /** What is posted: a form as it is, anything else as JSON. */
  readonly body: (mail: Mail, options: Own) => FormData | object
  /** Options without which nothing can be sent, beside the key. */
  readonly requires?: readonly (keyof Own & string)[]
  /** Further options that may be given. */
  readonly takes?: readonly (keyof Own & string)[]
  /** Whether an answer of success says in its body that the mail was refused after all. */
  readonly refuses?: (answer: Readonly<Record<string, unknown>>) => boolean
}

/** The function of a mail service. Its key comes from `AUTH_{ID}_KEY` unless given. */
export function mailApi<Own extends object = Record<never, never>>(
  api: MailApi<Own>,
): ProviderFunction<EmailUserConfig & Partial<Own>, MailingEmailConfig> {
  const send = sender(api)
  const make = (options: EmailUserConfig & Partial<Own> = {}): MailingEmailConfig => ({
    id: api.id,
    name: api.name,
    type: 'email',
    sendVerificationRequest: send,
    // An application that sends links itself sends other mails itself, too.
    ...(options.sendVerificationRequest ? {} : { sendNotification: send }),
    knownOptions: [...(api.requires ?? []), ...(api.takes ?? [])],
    requires: options.sendVerificationRequest ? [] : ['apiKey', ...(api.requires ?? [])],
    options,
  })
  return make as ProviderFunction<EmailUserConfig & Partial<Own>, MailingEmailConfig>
}

/** `Authorization` with a bearer token (RFC 6750 §2.1). */
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** `Authorization` with a name and a password (RFC 7617). */
export const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})

/** What mails have in common. */
export type Sending = Pick<SendVerificationRequestParams, 'identifier' | 'url' | 'code' | 'provider' | 'message'>

/** The message that a sender was handed. */
export function messageOf({ message, provider }: Sending): MailMessage {
  if (message) return message
  throw new TypeError(`Provider "${provider.id}" was called without a message. Give it { subject, html, text }.`)
}

function sender<Own extends object>(api: MailApi<Own>) {
  return async (params: Sending): Promise<void> => {
    const { identifier, url, code, provider } = params
    const options = provider as unknown as Key & Own
    const mail: Mail = {
      to: recipient(identifier),
      from: senderOf(provider.from, url),
      message: messageOf(params),
      url,
      code,
    }
    const post = createBackChannel({ fetch: provider[customFetch], provider: provider.id })
    const body = api.body(mail, options)
    const isForm = body instanceof FormData
    const answer = await post(typeof api.endpoint === 'string' ? api.endpoint : api.endpoint(mail, options), {
      method: 'POST',
      headers: { ...(isForm ? {} : { 'content-type': 'application/json' }), ...api.headers(options) },
      body: isForm ? body : JSON.stringify(body),
    })
    // The answer itself stays out of the error: services repeat the mail in it, and so the link.
    if (!answer.ok || (api.refuses && (await refuses(answer, api.refuses)))) {
      throw new Error(`Provider "${provider.id}": ${api.name} did not take the mail and answered ${answer.status}.`)
    }
  }
}

async function refuses(answer: Response, judge: (body: Readonly<Record<string, unknown>>) => boolean) {
  const body: unknown = await answer.json().catch(() => null)
  return typeof body === 'object' && body !== null && judge(body as Record<string, unknown>)
}
