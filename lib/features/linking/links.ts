import type { BodyFields } from '../../kernel/body.js'
import { isSafeMethod } from '../../kernel/csrf.js'
import { object } from '../../kernel/object-shape.js'
import { linkPageAddress, linkPath } from '../../kernel/return-target.js'
import { anything } from '../../kernel/shape.js'
import { scopeShape } from '../../sessions/session.js'
import { mappedTarget } from '../../sign-in/find-return-target.js'
import { type Asked, type Caller, type Operation, optional, refuseSignedOut } from '../../sign-in/operation.js'
import { noProvider, refererOf } from '../../sign-in/sign-in-form.js'
import { userDigest } from '../../users/initiator.js'
import { createLinkRequests } from './link-request.js'

/** What a link asks the provider for, and where it leads. */
export interface LinkOptions {
  /** What the provider is asked for beside its configured scope: words with one blank between them (RFC 6749 §3.3). */
  readonly scope?: string | undefined
  /** Where the visitor goes afterwards: a path or URL, which the `redirect` callback maps. */
  readonly redirectTo?: string | undefined
}

/** What a link asks for, as far as the options do not say it. */
export interface WantedLink extends LinkOptions {
  /** Whether a refresh token is wanted. */
  readonly offline?: boolean
}

export const checkLinkOptions = optional(object<LinkOptions>({ scope: scopeShape, redirectTo: anything }))

export const linkUrl: Operation<[provider: string, options?: LinkOptions], string> = {
  parameters: ['provider', 'options'],
  check: checkLinkOptions,
  forAnybody: true,
  run: (asked, provider, options = {}) => linkPageOf(asked, provider, options),
}

/** How code of the application begins to add an account: at the page that asks, or as the form of this page does. */
export async function beginLink(
  caller: Caller,
  provider: string,
  options: LinkOptions,
): Promise<{ readonly url: string } | { readonly target: string; readonly fields: BodyFields }> {
  const { basePath } = caller.config
  const asked = { ...caller, reading: await caller.read() }
  if (isSafeMethod(caller)) return { url: await linkPageOf(asked, provider, options) }
  return { target: linkPath(basePath, provider), fields: await fieldsOf(asked, provider, options) }
}

/** URL of the page where the visitor adds an account, or allows more there. */
export async function linkPageOf(
  asked: Pick<Asked, 'config' | 'context' | 'reading'>,
  provider: string,
  wanted: WantedLink,
) {
  const fields = await fieldsOf(asked, provider, wanted)
  return asked.context.origin + linkPageAddress(asked.config.basePath, provider, fields)
}

/**
 * The fields of the form of that page. A link with a scope, or for a refresh token, is for the signed-in user only.
 *
 * @throws {RequestRefused} 404 if there is no such provider; 401 if the link needs a user and nobody is signed in
 */
async function fieldsOf(
  { config, context, reading }: Pick<Asked, 'config' | 'context' | 'reading'>,
  provider: string,
  { scope, offline = false, redirectTo }: WantedLink,
): Promise<{ readonly request: string } | { readonly callbackUrl: string }> {
  const { providers, secrets, now, strippedPrefix } = config
  if (!providers.has(provider)) throw noProvider(provider, providers)
  const page = redirectTo ?? refererOf(context.header('referer'), context.origin, `${strippedPrefix}/`)
  const callbackUrl = await mappedTarget(page, config, context.origin)
  if (scope === undefined && !offline) return { callbackUrl }
  const id = reading.userId ?? refuseSignedOut()
  const asked = { provider, userDigest: userDigest({ id }), scope: scope ?? null, offline, callbackUrl }
  return { request: await createLinkRequests(secrets, now).make(asked) }
}
