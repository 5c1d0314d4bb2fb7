import type { Passkey, RemovalOptions, UserPasskeys } from '../accounts/passkeys.js'
import { checkCallOptions, checkSource } from '../config/check-call-options.js'
import type { ConfigSource } from '../config/options.js'
import { checkSender, refuseForgeable } from '../context/csrf-token.js'
import { Visit } from '../context/visit.js'
import type { Engine } from '../engine/engine.js'
import { MissingAdapter, MissingCSRF, RequestRefused } from '../errors.js'
import { headerOf, incomingFromNode } from '../http/node-request.js'
import { parseCookies } from '../http/request-cookies.js'
import { isRecent } from '../sessions/recent-auth.js'
import { object } from '../shapes/object-shape.js'
import { anything, flag, seconds } from '../shapes/shape.js'
import { engineOf } from './engine-of.js'
import type { MiddlewareRequest } from './middleware.js'
import { requireOrigin, sentRequestOf } from './public-origin.js'
import { readSession } from './request-session.js'
import { MAX_AGE } from './require-auth.js'

/** Which passkey to change, and the proof that a page of the application sent the request. */
export interface PasskeyChange {
  /** As {@link listPasskeys} gives it. */
  readonly credentialID: string
  /**
   * The token of the form, from the `csrf` action. Without one, the browser itself must say that the request comes from
   * this origin (`Sec-Fetch-Site` or `Origin`), as all current ones do.
   */
  readonly csrfToken?: unknown
}

/** How a passkey is removed. */
export interface PasskeyRemoval extends PasskeyChange, RemovalOptions {
  /**
   * Seconds since the visitor last proved who they are, at most; `session.recentAuthAge` by default, also where it is
   * undefined: a quarter of an hour. Otherwise a stranger at an open browser could lock its owner out. `Infinity` asks nothing.
   */
  readonly maxAuthAge?: number
}

/** A passkey that was removed, and what the page should signal to the browser. */
export interface RemovedPasskey {
  readonly passkey: Passkey
  /**
   * The argument of `PublicKeyCredential.signalUnknownCredential()`, after which the browser offers the passkey no
   * more.
   */
  readonly signal: { readonly rpId: string; readonly credentialId: string }
}

/** The signed-in user of a request, and the passkeys of the configuration. */
interface PasskeyOwner {
  readonly engine: Engine
  readonly passkeys: UserPasskeys
  readonly userId: string
  readonly authenticatedAt: number | null
  readonly origin: string
}

/** What a visitor sends is judged as theirs, by what asks for it; what the application says is checked here. */
const OF_THE_VISITOR = { credentialID: anything, csrfToken: anything }
const CHANGE = object<PasskeyChange & { readonly name: string }>({ ...OF_THE_VISITOR, name: anything })
const REMOVAL = object<PasskeyRemoval>(
  { ...OF_THE_VISITOR, signsInOtherwise: flag, maxAuthAge: seconds(1, { orInfinity: true }) },
  { misplaced: { maxAge: MAX_AGE } },
)

const userPasskeys = new WeakMap<Engine, UserPasskeys>()

/**
 * The passkeys of the signed-in user, the oldest first.
 *
 * @throws {RequestRefused} 401 when nobody is signed in
 * @throws {AuthError} when the configuration cannot work, or the store or the session fails
 */
export async function listPasskeys(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
): Promise<Passkey[]> {
  const call = 'listPasskeys(req, config)'
  const { passkeys, userId } = await ownerOf(req, config, call)
  return passkeys.list(userId)
}

/**
 * Renames a passkey of the signed-in user. For a route that is not reached with GET.
 *
 * @throws {RequestRefused} 401 when nobody is signed in, 404 when they have no such passkey, 400 for an unusable name
 * @throws {MissingCSRF} when nothing shows that a page of this origin asked
 * @throws {InvalidConfiguration} when a member is unknown or an option is of a wrong type
 */
export async function renamePasskey(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
  change: PasskeyChange & { readonly name: string },
): Promise<Passkey> {
  const call = 'renamePasskey(req, config, change)'
  checkSource(config, call)
  checkCallOptions(change, CHANGE, call)
  const owner = await ownerOf(req, config, call)
  const { credentialID, csrfToken, name } = change
  requireOwnPage(req, owner, csrfToken)
  return owner.passkeys.rename(owner.userId, textOf(credentialID), name)
}

/**
 * Removes a passkey of the signed-in user, who must have signed in recently (WEBAUTHN-22). For a route that is not
 * reached with GET.
 *
 * @throws {RequestRefused} 401 when nobody is signed in, 403 when they must sign in again first, 404 when they have no
 *   such passkey, 409 when it is their last way to sign in
 * @throws {MissingCSRF} when nothing shows that a page of this origin asked
 * @throws {InvalidConfiguration} when a member is unknown or an option is of a wrong type
 */
export async function removePasskey(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
  removal: PasskeyRemoval,
): Promise<RemovedPasskey> {
  const call = 'removePasskey(req, config, removal)'
  checkSource(config, call)
  checkCallOptions(removal, REMOVAL, call)
  const owner = await ownerOf(req, config, call)
  const { credentialID, csrfToken, signsInOtherwise, maxAuthAge } = removal
  requireOwnPage(req, owner, csrfToken)
  const { recentAuthAge, now } = owner.engine.config
  if (!isRecent(owner, maxAuthAge ?? recentAuthAge, now)) throw new RequestRefused(403, 'Sign in again first.')
  // Asked first: where a hook throws, the passkey must not be removed without the browser learning of it.
  const rpId = await relyingPartyId(req, owner)
  const passkey = await owner.passkeys.remove(owner.userId, textOf(credentialID), {
    signsInOtherwise: signsInOtherwise === true,
    source: req,
  })
  await owner.engine.config.notices?.send({
    kind: 'passkey-removed',
    userId: owner.userId,
    provider: null,
    origin: owner.origin,
    acceptLanguage: headerOf(req, 'accept-language'),
    source: req,
  })
  const credentialId = Buffer.from(passkey.credentialID, 'base64').toString('base64url')
  return { passkey, signal: { rpId, credentialId } }
}

async function ownerOf(
  req: MiddlewareRequest,
  source: ConfigSource<MiddlewareRequest>,
  call: string,
): Promise<PasskeyOwner> {
  const engine = await engineOf(req, source, call)
  const origin = requireOrigin(req, engine.config)
  const { store, providers: configured, logger } = engine.config
  if (!store) throw new MissingAdapter('Passkeys are kept by an adapter, and the configuration has none.')
  let passkeys = userPasskeys.get(engine)
  if (!passkeys) {
    const providers = [...configured.values()].map(({ settings }) => settings)
    const { createUserPasskeys } = await import('../accounts/passkeys.js')
    passkeys = createUserPasskeys({ store, providers, logger })
    userPasskeys.set(engine, passkeys)
  }
  const { userId, authenticatedAt } = await readSession(req, engine)
  if (userId === null) throw new RequestRefused(401, 'Sign in first.')
  return { engine, passkeys, userId, authenticatedAt, origin }
}

/** A page of another site can send a form with the visitor's cookies, so the request must prove where it is from. */
function requireOwnPage(req: MiddlewareRequest, { engine, origin }: PasskeyOwner, csrfToken: unknown): void {
  const request = sentRequestOf(req, engine.config)
  if (csrfToken === undefined) checkSender(request)
  else refuseForgeable(request)
  const { csrf, schemeFor } = engine.config
  const cookies = parseCookies(req.headers.cookie)
  if (csrfToken === undefined || !csrf || csrf.verify(cookies, schemeFor(origin).specs.csrfToken, csrfToken)) return
  throw new MissingCSRF('The CSRF token is not that of the cookie.')
}

/** The domain that the passkeys of the site are for, as their provider gives it for this request. */
async function relyingPartyId(req: MiddlewareRequest, { engine: { config }, origin }: PasskeyOwner): Promise<string> {
  const mount = { origin, basePath: config.basePath }
  const request = new Visit(incomingFromNode(req), mount, config)
  const flow = [...config.providers.values()].map(({ flow }) => flow).find(({ relyingPartyId }) => relyingPartyId)
  return flow?.relyingPartyId?.(request) ?? new URL(origin).hostname
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
