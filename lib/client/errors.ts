/** The reasons of a {@link ClientError}. The codes never change. */
export type ClientErrorCode =
  /** Aborted by its `signal`, or by another ceremony on the same page. */
  | 'aborted'
  /** The application does not let this account in. */
  | 'access-denied'
  /** The passkey or the e-mail address belongs to another account. */
  | 'account-not-linked'
  /** The device has a passkey for this account already. */
  | 'already-registered'
  /** The visitor closed the browser's dialog, or had no passkey to choose. */
  | 'cancelled'
  /** The browser failed in a way that it does not explain. */
  | 'failed'
  /** No authenticator can do what it is asked for, such as verify the visitor. */
  | 'no-authenticator'
  /**
   * The browser does not allow passkeys here: the context is not secure, the page is at an IP address or at another
   * domain, or a policy of the page forbids them.
   */
  | 'not-allowed'
  /** Without the account the visitor could not sign in any more, so it was not removed. */
  | 'last-way-in'
  /**
   * The visitor is signed out in this browser, and the server could not end the session: a copy of it may still be
   * open.
   */
  | 'not-ended'
  /** The server does not know the passkey, or could not verify its answer. */
  | 'not-verified'
  /** The server could not be reached. */
  | 'offline'
  /** The server refused the request: a field is missing, nobody is signed in, or something was changed meanwhile. */
  | 'refused'
  /**
   * The visitor signed in too long ago to add or remove a way to sign in, or to end other sessions, and must first sign in again.
   */
  | 'sign-in-again'
  /** The server failed. */
  | 'server-error'
  /** Somebody signed in or out in this browser meanwhile, which ends every transaction that was begun before. */
  | 'session-changed'
  /** The visitor took too long. */
  | 'timed-out'
  /** There is no provider with that id. */
  | 'unknown-provider'
  /** The browser has no passkeys. */
  | 'unsupported'

/** What the functions of this module throw. The message is for developers. Choose the text for visitors by `code`. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly code: ClientErrorCode

  constructor(code: ClientErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/**
 * Refuses an option whose name the client does not know, for applications in JavaScript. A misspelt `basePath` would ask the
 * wrong server path, and a misspelt `redirectTo` would be sent as a field of the form.
 *
 * @param known the names of all options
 * @throws {TypeError} it names the option and the known names
 */
export function checkNames(options: object, known: readonly string[], call: string): void {
  if (typeof options !== 'object' || options === null) throw new TypeError(`${call} takes an object: { ${known[0]} }.`)
  const unknown = Object.keys(options).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const meant = known.find((name) => plain(name) === plain(unknown))
  const advice = meant === undefined ? `The options are: ${known.join(', ')}.` : `Did you mean ${meant}?`
  throw new TypeError(`${call} has no option "${unknown.slice(0, 40)}". ${advice}`)
}

/** Names that `redirectTo` has in other packages, in lower case and without dashes. */
const REDIRECTS = ['redirecturl', 'redirecturi', 'returnto']

/**
 * Refuses a name that is probably a misspelt option. All other names pass: each provider has fields of its own, and the
 * handler of a click is called with an event.
 *
 * @throws {TypeError}
 */
export function checkSpelling(names: Iterable<string>, known: readonly string[], call: string): void {
  for (const name of names) {
    if (known.includes(name)) continue
    const written = plain(name)
    const meant = REDIRECTS.includes(written) ? 'redirectTo' : known.find((each) => plain(each) === written)
    if (meant !== undefined) throw new TypeError(`${call} has no option "${name}". Did you mean ${meant}?`)
  }
}

const plain = (name: string) => name.toLowerCase().replace(/[-_]/g, '')
