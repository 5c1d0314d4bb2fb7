import { OPERATIONS } from '../compose.js'
import { setPassword, verifyPassword } from '../features/password/operations.js'
import {
  deleteUser,
  disableUser,
  enableUser,
  exportUser,
  inviteUser,
  revokeInvitation,
} from '../features/people/operations.js'
import { resetSecondFactor } from '../features/second-factor/operations.js'
import { listSecurityEvents } from '../features/security-events/operations.js'
import { comesWithBearer } from '../kernel/bearer-token.js'
import { MissingCSRF } from '../kernel/errors.js'
import type { Config } from '../sign-in/config.js'
import { checkSender, refuseForgeable } from '../sign-in/csrf-token.js'
import { type Caller, carryOut, type FormProof, type Operation, optionsIn } from '../sign-in/operation.js'
import { revokeAllSessions } from '../sign-in/session-operations.js'
import type { OperationName, Operator, Visitor } from './visitor.js'

// What the functions of frameworks need of features beside the operations.
export { beginLink, checkLinkOptions, type LinkOptions } from '../features/linking/links.js'

/** The compiler cannot see that the operation and its arguments belong to the same name. */
const operationOf = <Name extends OperationName>(name: Name) =>
  OPERATIONS[name] as unknown as Operation<Parameters<Visitor[Name]>, Awaited<ReturnType<Visitor[Name]>>>

export const OPERATION_NAMES = Object.keys(OPERATIONS) as OperationName[]

/** How an operation is called: `unlinkAccount(req, config, account, options)`. */
export const callOf = (name: OperationName, ...before: string[]): string =>
  `${name}(${[...before, ...OPERATIONS[name].parameters].join(', ')})`

type Operations = {
  readonly [Name in keyof Operator]: (config: Config, ...args: Parameters<Operator[Name]>) => ReturnType<Operator[Name]>
}

const WITHOUT_REQUEST: Operations = {
  revokeAllSessions,
  setPassword,
  verifyPassword,
  inviteUser,
  revokeInvitation,
  disableUser,
  enableUser,
  deleteUser,
  exportUser,
  resetSecondFactor,
  listSecurityEvents,
}

/**
 * What code of the application does without a request.
 *
 * @param configFor gives the configuration for a function of this name, or throws
 */
export function operatorOf(configFor: (name: keyof Operator) => Config): Operator {
  const names = Object.keys(WITHOUT_REQUEST) as (keyof Operator)[]
  const bound = names.map((name) => {
    const run = WITHOUT_REQUEST[name] as (config: Config, ...args: unknown[]) => Promise<unknown>
    return [name, async (...args: unknown[]) => run(configFor(name), ...args)]
  })
  return Object.fromEntries(bound) as Operator
}

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
  const operation = operationOf(name)
  const { check, changes, parameters } = operation
  const options = optionsIn(parameters, args)
  if (changes) requireThisOrigin(caller, (options as FormProof | undefined)?.csrfToken)
  check?.(options, call)
  return carryOut(operation, caller, args)
}

/**
 * A page of another site can send a form with the visitor's cookies, so the request must prove where it is from: by the token
 * of a form, or by the word of the browser.
 */
function requireThisOrigin({ config, context, method }: Caller, csrfToken: unknown): void {
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
