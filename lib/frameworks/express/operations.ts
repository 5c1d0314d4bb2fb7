import type { AuthConfig, ConfigSource } from '../../config/options.js'
import type { Engine } from '../../engine/engine.js'
import { engineOfObject } from '../../engine/engines.js'
import { keepOutOfSharedCaches } from '../../kernel/answer-headers.js'
import { InvalidConfiguration } from '../../kernel/errors.js'
import { incomingFromNode } from '../../kernel/node-request.js'
import { appendCookies } from '../../kernel/node-response.js'
import type { Caller } from '../../sign-in/operation.js'
import type { RevocationOptions } from '../../sign-in/session-operations.js'
import { Visit } from '../../sign-in/visit.js'
import { beginLink, callOf, checkLinkOptions, type LinkOptions, operatorOf, perform } from '../../visitor/operations.js'
import type { OperationName, Operator, Visitor } from '../../visitor/visitor.js'
import { engineOf, type MiddlewareRequest, type MiddlewareResponse } from './middleware.js'
import { requestContextOf } from './public-origin.js'
import { forgetSession, readSession } from './request-session.js'
import { answerRoute, submitForm } from './submitted-form.js'

/** A member of {@link Visitor} for a request of Express, Connect or Node. */
type ForRequest<Name extends OperationName> = (
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
  ...args: Parameters<Visitor[Name]>
) => ReturnType<Visitor[Name]>

/** A request of Express, whose visitor asks for what is theirs. */
export function callerOf(req: MiddlewareRequest, engine: Engine): Caller {
  const { config } = engine
  const context = requestContextOf(req, config)
  const mount = { origin: context.origin, basePath: config.basePath }
  return {
    config,
    context,
    method: req.method,
    read: () => readSession(req, engine),
    visit: () => new Visit(incomingFromNode(req, config.strippedPrefix), mount, config),
  }
}

/** Does what a member of {@link Visitor} does, for a request of Express. */
export async function performFor<Name extends OperationName>(
  name: Name,
  req: MiddlewareRequest,
  source: ConfigSource<MiddlewareRequest>,
  args: Parameters<Visitor[Name]>,
) {
  const call = callOf(name, 'req', 'config')
  return perform(name, callerOf(req, await engineOf(req, source, call)), args, call)
}

const forRequest = <Name extends OperationName>(name: Name): ForRequest<Name> =>
  ((req, source, ...args) => performFor(name, req, source, args)) as ForRequest<Name>

/**
 * Where the signed-in user of a request is signed in: {@link Visitor.listSessions}.
 *
 * @example
 * app.get('/devices', async (req, res) => res.json(await listSessions(req, config)))
 */
export const listSessions: ForRequest<'listSessions'> = forRequest('listSessions')

/**
 * Ends one session of the signed-in user, such as one on a lost device: {@link Visitor.revokeSession}. If it is the session of
 * the request, the user is signed out here: the answer deletes the cookies, unless it has been sent.
 *
 * @param id as {@link listSessions} gives it; what a form brought can be handed on as it is
 * @returns false when the user has no such session: it has ended, it is that of another user, or there never was one
 * @throws {SignOutError} when the store could not end the session of the request. The cookies are deleted, but a copy of them
 *   may still be good
 * @example
 * app.post('/devices/end', async (req, res) => res.json(await revokeSession(req, config, req.body.id)))
 */
export async function revokeSession(
  req: MiddlewareRequest,
  config: ConfigSource<MiddlewareRequest>,
  id: string,
  options?: RevocationOptions,
): Promise<boolean> {
  const call = callOf('revokeSession', 'req', 'config')
  const engine = await engineOf(req, config, call)
  const caller = callerOf(req, engine)
  const { isRevoked, cookies, fault } = await perform('revokeSession', caller, [id, options], call)
  // As it was read before: with a bearer token, there are no cookies to show that it was the session of the request.
  if (id === (await caller.read()).id) {
    const { res } = req
    forgetSession(req, res, engine, caller.context.origin)
    if (res && !res.headersSent) {
      appendCookies(res, cookies)
      keepOutOfSharedCaches(res)
    }
  }
  if (fault) throw fault
  return isRevoked
}

/**
 * Ends all sessions of the signed-in user but that of the request: {@link Visitor.revokeOtherSessions}.
 *
 * @example
 * await revokeOtherSessions(req, config, { maxAuthAge: Infinity }) // in the route that has just changed the password
 */
export const revokeOtherSessions: ForRequest<'revokeOtherSessions'> = forRequest('revokeOtherSessions')

function engineWithoutRequest(config: AuthConfig, call: string): Engine {
  if (typeof config !== 'function') return engineOfObject(config, { call })
  throw new InvalidConfiguration(
    `${call} has no request, so it needs the configuration itself and not a function that ` +
      'chooses one. Call it with the configuration of each tenant that the user belongs to.',
  )
}

/**
 * A member of {@link Operator} for a configuration, which is no function: there is no request that it could choose one for.
 */
type WithConfig<Name extends keyof Operator> = (
  config: AuthConfig,
  ...args: Parameters<Operator[Name]>
) => ReturnType<Operator[Name]>

/** What {@link Operator} has, for one configuration. */
export const operatorFor = (config: AuthConfig): Operator =>
  operatorOf((name) => engineWithoutRequest(config, `${name}(config, …)`).config)

const withConfig = <Name extends keyof Operator>(name: Name): WithConfig<Name> =>
  (async (config, ...args) =>
    (operatorFor(config)[name] as (...args: unknown[]) => unknown)(...args)) as WithConfig<Name>

/** Ends all sessions of a user, in every browser and program: {@link Operator.revokeAllSessions}. */
export const revokeAllSessions: WithConfig<'revokeAllSessions'> = withConfig('revokeAllSessions')

/**
 * Stores a password of a user, for somebody who was invited, or for an import: {@link Operator.setPassword}.
 *
 * @example
 * await setPassword(config, { userId: user.id, password: randomUUID(), mustChange: true })
 */
export const setPassword: WithConfig<'setPassword'> = withConfig('setPassword')

/**
 * Whether a password is that of a user: {@link Operator.verifyPassword}.
 *
 * @example
 * const isOwner = await verifyPassword(config, { userId: session.user.id, password: req.body.password })
 */
export const verifyPassword: WithConfig<'verifyPassword'> = withConfig('verifyPassword')

/**
 * Invites somebody by mail: {@link Operator.inviteUser}.
 *
 * @example
 * await inviteUser(config, { email: 'grace@acme.example', user: { role: 'editor' } })
 */
export const inviteUser: WithConfig<'inviteUser'> = withConfig('inviteUser')

/**
 * Takes an invitation back: {@link Operator.revokeInvitation}.
 *
 * @example
 * await revokeInvitation(config, 'grace@acme.example')
 */
export const revokeInvitation: WithConfig<'revokeInvitation'> = withConfig('revokeInvitation')

/**
 * Keeps a user out, and ends their sessions: {@link Operator.disableUser}.
 *
 * @example
 * await disableUser(config, user.id)
 */
export const disableUser: WithConfig<'disableUser'> = withConfig('disableUser')

/**
 * Lets a disabled user in again: {@link Operator.enableUser}.
 *
 * @example
 * await enableUser(config, user.id)
 */
export const enableUser: WithConfig<'enableUser'> = withConfig('enableUser')

/**
 * Deletes a user with all that is theirs: {@link Operator.deleteUser}.
 *
 * @example
 * const left = await deleteUser(config, user.id)
 */
export const deleteUser: WithConfig<'deleteUser'> = withConfig('deleteUser')

/**
 * Takes away the second factor of somebody who has lost it: {@link Operator.resetSecondFactor}.
 *
 * @example
 * await resetSecondFactor(config, { userId: user.id, after: 24 * 60 * 60 })
 */
export const resetSecondFactor: WithConfig<'resetSecondFactor'> = withConfig('resetSecondFactor')

/**
 * What is stored about a person, without any secret: {@link Operator.exportUser}.
 *
 * @example
 * res.json(await exportUser(config, session.user.id))
 */
export const exportUser: WithConfig<'exportUser'> = withConfig('exportUser')

/**
 * What has happened to the account of a user, the newest first: {@link Operator.listSecurityEvents}.
 *
 * @example
 * res.json(await listSecurityEvents(config, session.user.id))
 */
export const listSecurityEvents: WithConfig<'listSecurityEvents'> = withConfig('listSecurityEvents')

/**
 * Issues a token for a script or a mobile app of the signed-in user: {@link Visitor.issueToken}.
 *
 * @example
 * const { token } = await issueToken(req, config, { maxAge: 30 * 24 * 60 * 60, name: 'Backup' })
 */
export const issueToken: ForRequest<'issueToken'> = forRequest('issueToken')

/**
 * The accounts of the signed-in user at providers: {@link Visitor.listAccounts}.
 *
 * @example
 * app.get('/accounts', async (req, res) => res.json(await listAccounts(req, config)))
 */
export const listAccounts: ForRequest<'listAccounts'> = forRequest('listAccounts')

/**
 * Removes an account of the signed-in user: {@link Visitor.unlinkAccount}.
 *
 * @example
 * app.post('/accounts/remove', async (req, res) => res.json(await unlinkAccount(req, config, req.body.id)))
 */
export const unlinkAccount: ForRequest<'unlinkAccount'> = forRequest('unlinkAccount')

/**
 * The URL of the page where the signed-in user adds their account at a provider: {@link Visitor.linkUrl}.
 *
 * @example
 * res.render('accounts', { add: await linkUrl(req, config, 'github', { redirectTo: '/accounts' }) })
 */
export const linkUrl: ForRequest<'linkUrl'> = forRequest('linkUrl')

const START_LINK = 'startLink(req, res, config, provider, options)'

/**
 * Begins to add an account of the signed-in user at a provider, from a route of the application. It sends the answer: a
 * redirect. If it throws, it sends nothing.
 *
 * A request that changes something, such as POST, must come from a page of this origin, and goes to the provider at once.
 * A link leads to the page that asks first. Nobody is signed in by it, and the session stays as it is.
 *
 * @param provider id
 * @throws {MissingCSRF} when a request that changes something may come from another site
 * @throws {RecentSignInRequired} when the user must sign in again first
 * @throws {AuthError} as {@link Visitor.linkUrl}, or when the answer has been sent
 * @example
 * app.post('/accounts/add', (req, res) => startLink(req, res, config, 'github', { redirectTo: '/accounts' }))
 */
export async function startLink(
  req: MiddlewareRequest,
  res: MiddlewareResponse,
  config: ConfigSource<MiddlewareRequest>,
  provider: string,
  options: LinkOptions = {},
): Promise<void> {
  checkLinkOptions(options, START_LINK)
  const engine = await engineOf(req, config, START_LINK)
  await answerRoute(req, res, engine, START_LINK, async (request, onFailure) => {
    const begun = await beginLink(callerOf(req, engine), provider, options)
    return 'url' in begun
      ? { url: begun.url, cookies: [] }
      : submitForm(request, begun.target, begun.fields, { onFailure })
  })
}

/**
 * An access token of the signed-in user for the API of a provider: {@link Visitor.getAccessToken}.
 *
 * @example
 * const google = await getAccessToken(req, config, 'google')
 * if (google?.status === 'ok') await fetch(api, { headers: { authorization: `Bearer ${google.accessToken}` } })
 */
export const getAccessToken: ForRequest<'getAccessToken'> = forRequest('getAccessToken')

/**
 * The e-mail addresses of the signed-in user: {@link Visitor.listAddresses}.
 *
 * @example
 * app.get('/addresses', async (req, res) => res.json(await listAddresses(req, config)))
 */
export const listAddresses: ForRequest<'listAddresses'> = forRequest('listAddresses')

/**
 * The passkeys of the signed-in user: {@link Visitor.listPasskeys}.
 *
 * @example
 * app.get('/passkeys', async (req, res) => res.json(await listPasskeys(req, config)))
 */
export const listPasskeys: ForRequest<'listPasskeys'> = forRequest('listPasskeys')

/**
 * Renames a passkey of the signed-in user: {@link Visitor.renamePasskey}.
 *
 * @example
 * const { credentialID, name } = req.body
 * res.json(await renamePasskey(req, config, { credentialID, name }))
 */
export const renamePasskey: ForRequest<'renamePasskey'> = forRequest('renamePasskey')

/**
 * Removes a passkey of the signed-in user: {@link Visitor.removePasskey}.
 *
 * @example
 * const { signal } = await removePasskey(req, config, { credentialID: req.body.credentialID })
 * res.json(signal) // for forgetPasskey(signal) of latchkey/client
 */
export const removePasskey: ForRequest<'removePasskey'> = forRequest('removePasskey')

/**
 * Removes the password of the signed-in user, and ends their other sessions: {@link Visitor.removePassword}.
 *
 * @throws {RequestRefused} 404 when they have none; 409 when it is their last way to sign in
 * @example
 * app.post('/account/password/remove', async (req, res) => {
 *   await removePassword(req, config)
 *   res.redirect('/account')
 * })
 */
export const removePassword: ForRequest<'removePassword'> = forRequest('removePassword')

/**
 * The parts of the account page of the signed-in user, for a page in the layout of the application: {@link Visitor.renderAccount}.
 *
 * @example
 * app.get('/me', requireAuth(config), async (req, res) => {
 *   const { parts, done, message } = await renderAccount(req, config, { csrfToken: await csrfToken(req, res, config) })
 *   res.render('me', { parts, done, message })
 * })
 */
export const renderAccount: ForRequest<'renderAccount'> = forRequest('renderAccount')
