import { getAccessToken, linkUrl } from '../features/linking/links.js'
import { listAccounts, unlinkAccount } from '../features/linking/operations.js'
import { listPasskeys, removePasskey, renamePasskey } from '../features/passkeys/operations.js'
import { MissingCSRF } from '../kernel/errors.js'
import { requireRecent } from '../sessions/recent-auth.js'
import { comesWithBearer } from '../sign-in/bearer-request.js'
import { checkSender, refuseForgeable } from '../sign-in/csrf-token.js'
import {
  type Asked,
  type Caller,
  type FormProof,
  type Operation,
  type RecentSignIn,
  refuseSignedOut,
} from '../sign-in/operation.js'
import { issueToken, listSessions, revokeOtherSessions, revokeSession } from './sessions.js'
import type { OperationName, Visitor } from './visitor.js'

/** Every operation there is. The edges are made of this table. */
export const OPERATIONS: {
  readonly [Name in OperationName]: Operation<Parameters<Visitor[Name]>, Awaited<ReturnType<Visitor[Name]>>>
} = {
  listSessions,
  revokeSession,
  revokeOtherSessions,
  issueToken,
  listAccounts,
  unlinkAccount,
  linkUrl,
  getAccessToken,
  listPasskeys,
  renamePasskey,
  removePasskey,
}

export const OPERATION_NAMES = Object.keys(OPERATIONS) as OperationName[]

/** How an operation is called: `unlinkAccount(req, config, account, options)`. */
export const callOf = (name: OperationName, ...before: string[]): string =>
  `${name}(${[...before, ...OPERATIONS[name].parameters].join(', ')})`

/**
 * Does something for code of the application.
 *
 * @param call how the application calls it, for its mistakes
 */
export async function perform<Name extends OperationName>(
  name: Name,
  caller: Caller,
  args: Parameters<Visitor[Name]>,
  call = callOf(name),
): Promise<Awaited<ReturnType<Visitor[Name]>>> {
  const { check, changes } = OPERATIONS[name]
  const options = optionsIn(name, args)
  if (changes) requireOwnPage(caller, (options as FormProof | undefined)?.csrfToken)
  check?.(options, call)
  return act(name, caller, args)
}

/** Does something for a request that is known to come from a page of the application, such as a form with its token. */
export async function act<Name extends OperationName>(
  name: Name,
  caller: Caller,
  args: Parameters<Visitor[Name]>,
): Promise<Awaited<ReturnType<Visitor[Name]>>> {
  const operation = OPERATIONS[name] as unknown as Operation<
    Parameters<Visitor[Name]>,
    Awaited<ReturnType<Visitor[Name]>>
  >
  const { forAnybody, recent, letsPass, run, requires } = operation
  const { config, context } = caller
  requires?.(config)
  const reading = await caller.read()
  const sessions = config.schemeFor(context.origin).sessions
  const asked: Asked = { ...caller, reading, sessions, userId: () => reading.userId ?? refuseSignedOut() }
  if (!forAnybody && reading.session === null) refuseSignedOut()
  if (recent !== undefined && !letsPass?.(asked, ...args)) {
    const { maxAuthAge = config.recentAuthAge } = (optionsIn(name, args) ?? {}) as RecentSignIn
    requireRecent(reading, maxAuthAge, config.now, recent)
  }
  return run(asked, ...args)
}

/** What the application says of the call. */
const optionsIn = (name: OperationName, args: readonly unknown[]): unknown =>
  args[OPERATIONS[name].parameters.length - 1]

/**
 * A page of another site can send a form with the visitor's cookies, so the request must prove where it is from: by the token
 * of a form, or by the word of the browser.
 */
function requireOwnPage({ config, context, method }: Caller, csrfToken: unknown): void {
  const { origin, source, cookies } = context
  const request = { config, method, origin, source, header: (name: string) => context.header(name) }
  if (csrfToken === undefined) {
    checkSender(request)
    return
  }
  refuseForgeable(request)
  const { csrf, schemeFor } = config
  const isOfForm = csrf?.verify(cookies, schemeFor(origin).specs.csrfToken, csrfToken) ?? true
  if (!isOfForm && !comesWithBearer(request)) throw new MissingCSRF('The CSRF token is not that of the cookie.')
}
