import { within } from '../../kernel/awaitable.js'
import { EmailSignInError, UntrustedHost, withoutDetails } from '../../kernel/errors.js'
import { requestForCallback } from '../../kernel/incoming.js'
import { isVouchedFor } from '../../kernel/origin.js'
import { randomHex } from '../../kernel/random.js'
import { isRemembered } from '../../pages/form-field.js'
import type { MailInput, MailWriter } from '../../pages/mail.js'
import { inWords } from '../../pages/texts/words.js'
import { themeOfMails } from '../../pages/theme.js'
import { readIdentifier } from '../../providers/mail/identifier.js'
import type { MailMessage, SendVerificationRequestParams } from '../../providers/provider.js'
import { addressPerson, askForMail } from '../../sign-in/ask-signin.js'
import type { FlowStart } from '../../sign-in/flow.js'
import { pageAfterMail } from '../../sign-in/form-page.js'
import { acceptLanguageOf } from '../../sign-in/language.js'
import { codeLifetime, type MailRequest } from './dependencies.js'
import { deleteCode, expected, type MailedCode, makeCode, storeCode } from './mailed-code.js'
import { type Link, markBrowser, storedText, tokenHashes } from './requesting-browser.js'

/**
 * Sends a link, a code, or both to the address that was entered.
 *
 * @throws {UntrustedHost} when only the request says which host the link would lead to
 * @throws {EmailSignInError} when no address was entered, or the mail could not be sent
 * @throws {AccessDenied} when the `signIn` callback refuses or throws
 * @throws {AdapterError} when the store fails
 */
export async function sendLink(at: MailRequest): Promise<FlowStart> {
  const { request, provider, asksToRemember } = at
  if (!isVouchedFor(request.origin, at.origin)) throw unknownHost(provider.id, request.origin)
  const identifier = readIdentifier(provider, request.fields['email'])
  const { config } = request
  const user = (await at.store.getUserByEmail(identifier)) ?? null
  const elsewhere = await askForMail(config.callbacks.signIn, addressPerson(identifier, provider.id, user))
  if (elsewhere !== null) return { redirectTo: elsewhere }
  const link: Link = { identifier, token: await makeToken(at) }
  const code = provider.code ? makeCode() : null
  const remembers = asksToRemember && isRemembered(request.fields)
  const needsInvitation = user === null && !config.isSignUpOpen
  const hash = await storeAndSend(at, { ...link, code, needsInvitation }, remembers)
  return {
    url: pageAfterMail(request, provider.id),
    cookies: markBrowser(at, link, remembers, code && expected(code, hash)),
  }
}

/** What a mail holds; no code if it is null. */
interface Mailed extends Link {
  readonly code: MailedCode | null
  /** Whether nobody has the address, and not everybody may become a user. */
  readonly needsInvitation: boolean
}

async function makeToken({ provider }: MailRequest): Promise<string> {
  const { source, id } = provider
  if (!source.generateVerificationToken) return randomHex()
  let token: unknown
  try {
    token = await source.generateVerificationToken()
  } catch (error) {
    throw failed(id, 'generateVerificationToken() threw.', error)
  }
  if (typeof token === 'string' && token.trim().length >= SHORTEST_TOKEN) return token
  throw failed(id, `generateVerificationToken() gave no text of ${SHORTEST_TOKEN} characters or more.`)
}

/**
 * As long as the codes that people copy from a mail. The application must limit how often such a code can be guessed.
 */
const SHORTEST_TOKEN = 6

/**
 * Stores the token before the mail is sent, so that it is there when the link is followed, and what belongs to a code; deletes them
 * when sending fails.
 *
 * @returns the hash of the token, as it is stored
 */
async function storeAndSend(at: MailRequest, mailed: Mailed, remembers: boolean): Promise<string> {
  const { request, provider, store, secrets, logger, sendTimeoutMs } = at
  const { identifier, code } = mailed
  const text = storedText(mailed.token, remembers)
  const [token] = tokenHashes(text, provider, secrets)
  const expires = new Date(at.now() + provider.maxAge * 1000)
  await store.createVerificationToken({ identifier, token, expires })
  if (code) await storeCode(at, code)
  try {
    const params = await describe(at, mailed, expires)
    const sending = (async () => provider.source.sendVerificationRequest(params))()
    await within(sending, sendTimeoutMs, () => tooSlow(sendTimeoutMs))
  } catch (error) {
    try {
      await store.useVerificationToken({ identifier, token })
      if (code) await deleteCode(at, code)
    } catch (fault) {
      logger.error(fault as Error, request.incoming.source)
    }
    throw failed(provider.id, 'the mail could not be sent.', error)
  }
  return token
}

async function describe(
  at: MailRequest,
  { identifier, token, code, needsInvitation }: Mailed,
  expires: Date,
): Promise<SendVerificationRequestParams> {
  const { request, provider, theme, writeMail } = at
  const { incoming, origin, mountUrl, fields } = request
  const query = new URLSearchParams({ callbackUrl: await request.returnTarget(), token, email: identifier })
  const link = provider.code === 'only' ? null : `${mountUrl}/callback/${provider.id}?${query}`
  const { host } = new URL(origin)
  return {
    identifier,
    token: link === null ? '' : token,
    url: link ?? pageAfterMail(request, provider.id),
    ...(code && { code: code.text }),
    // A copy, since a `Date` can be changed and the store has this object.
    expires: new Date(expires),
    provider: provider.source,
    theme: themeOfMails(theme),
    request: requestForCallback(incoming, origin, fields),
    message: await signInMail(writeMail, {
      url: link,
      code: code && { text: code.text, lifetimeSeconds: codeLifetime(provider) },
      needsInvitation,
      host,
      lifetimeSeconds: provider.maxAge,
      acceptLanguage: acceptLanguageOf(request),
    }),
  }
}

interface SignInMailInput extends MailInput {
  /** The link; null for none. */
  readonly url: string | null
  /** Of the link; without one, of the code. */
  readonly lifetimeSeconds: number
  readonly code?: { readonly text: string; readonly lifetimeSeconds: number } | null
  readonly needsInvitation?: boolean
}

/**
 * The mail with a sign-in link, a code, or both. The person who requested it typed nothing of it: it does not even contain the
 * address. The code is neither in the subject nor in the preview, which locked screens show, and logs of mail servers.
 */
export const signInMail = (
  write: MailWriter,
  { url, code = null, lifetimeSeconds, needsInvitation = false, ...input }: SignInMailInput,
): Promise<MailMessage> =>
  write(input, 'signin', ({ say, language }) => {
    const lifetime = inWords(lifetimeSeconds, language)
    const leadOfLink = needsInvitation ? 'mail.leadInvited' : 'mail.signIn.lead'
    const lead = say(url === null ? 'mail.signIn.leadCode' : leadOfLink, { lifetime })
    return {
      subject: say('mail.signIn.subject'),
      url: url ?? '',
      code: code?.text ?? '',
      orCode: url && code ? say('mail.signIn.orCode', { lifetime: inWords(code.lifetimeSeconds, language) }) : '',
      lifetime,
      preview: url === null ? lead : say('mail.signIn.preview', { lifetime }),
      lead,
      button: say('mail.signIn.button'),
    }
  })

const tooSlow = (milliseconds: number) => new Error(`sendVerificationRequest() did not end within ${milliseconds} ms`)

const unknownHost = (provider: string, origin: string) =>
  new UntrustedHost(
    `Provider "${provider}": no link was mailed, since only the request says that ${origin} is this application. Set \`url\` or AUTH_URL to its public ` +
      'URL, or `hosts` to its public hosts. Without these, links lead to this machine only (localhost).',
  )

const failed = (provider: string, what: string, error?: unknown) =>
  new EmailSignInError(`Provider "${provider}": ${what}`, {
    ...(error === undefined ? {} : { err: withoutDetails(error) }),
    provider,
    isFault: true,
  })
