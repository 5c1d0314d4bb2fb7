import type { CookieChange } from '../../kernel/cookies.js'
import { equalInConstantTime, sha256Base64url } from '../../kernel/digest.js'
import { inMinutes, validityMessage } from '../../kernel/one-time.js'
import { TRANSACTION_LIFETIME_SECONDS } from '../../oauth/times.js'
import type { ResolvedOAuthProvider } from '../../providers/provider.js'
import type { CookieRequest } from '../../sign-in/cookies.js'
import type { FoundTransaction } from '../../sign-in/transaction-cookies.js'
import type { CookieReading } from '../../sign-in/transaction-kinds.js'
import type { CheckName } from './dependencies.js'
import { OAUTH_TRANSACTION, type OAuthDependencies } from './dependencies.js'
import { InvalidCheck, SignInExpired } from './errors.js'

/** A sign-in at a provider, from the authorization request to the callback. */
export interface AuthorizationTransaction {
  /** The one-time value of each check that is on. */
  readonly values: Readonly<Partial<Record<CheckName, string>>>
  readonly redirectUri: string
  /** When it began, milliseconds since the epoch. */
  readonly begunAt: number
  /** The issuer it was begun with; null for plain OAuth without one. */
  readonly issuer: string | null
  /** Seconds; set when `max_age` was asked for. */
  readonly maxAge: number | undefined
  /** The ways of signing in, one of which the ID token must name, or any if there are none; set when that was demanded. */
  readonly acr?: readonly string[] | undefined
  /** Where the visitor goes once signed in; undefined when it is too long to be kept. */
  readonly returnTarget: string | undefined
  /** As `Identity.initiator`. */
  readonly initiator: string | null
  /**
   * Digest of the session in which it was begun to add an account to a user. Then its end signs nobody in. Null for a
   * sign-in.
   */
  readonly linkSessionDigest: string | null
  /** The link request, as it came; undefined for none, and when it is too long to be kept. */
  readonly linkRequest?: string | undefined
  /** Whether the visitor asked to stay signed in. */
  readonly isRemembered: boolean
}

/** Characters of the digest that are the id: half of 256 bits, which are as good as random. */
const ID_LENGTH = 22
/** Keeps the cookie within the 4096 bytes that browsers take; a longer target is in the callback-url cookie alone. */
const MAX_RETURN_TARGET_LENGTH = 1024
/** Characters of the return target and the link request together. The request has the return target in it, encrypted. */
const MAX_LINK_LENGTH = 2000
const CHECKS = ['state', 'pkce', 'nonce'] as const satisfies readonly CheckName[]
const COOKIE_KEYS = { state: 'state', pkce: 'pkceCodeVerifier', nonce: 'nonce' } as const

/** What one cookie holds. The names are short because browsers and proxies limit the sum of all cookies. */
interface CookieContent {
  /** The one-time value. */
  readonly v: string
  /** Provider. */
  readonly p: string
  /** Id of the transaction. */
  readonly a: string
  /** Begun at, in seconds since the epoch. */
  readonly t: number
  /** What is kept once per transaction, in its first cookie. */
  readonly m?: {
    /** Checks. */
    readonly c: readonly CheckName[]
    /** Redirect URI. */
    readonly r: string
    /** Issuer. */
    readonly i: string | null
    /** Maximum age. */
    readonly x?: number | undefined
    /** Ways of signing in. */
    readonly q?: readonly string[] | undefined
    /** Return target. */
    readonly u?: string | undefined
    /** Initiator. */
    readonly b?: string | undefined
    /** Session in which a link was begun. */
    readonly s?: string | undefined
    /** Link request. */
    readonly l?: string | undefined
    /** 1 if the visitor asked to stay signed in. */
    readonly k?: 1 | undefined
  }
}

type Dependencies = Pick<OAuthDependencies, 'transactions' | 'now'>

/** The id is not secret. */
const referenceTo = (state: string, { responseMode }: ResolvedOAuthProvider) => {
  const id = sha256Base64url(state).slice(0, ID_LENGTH)
  return { kind: OAUTH_TRANSACTION, id, isAnsweredCrossSite: responseMode === 'form_post' }
}

/** The cookies of a new transaction, one for each check. */
export function saveTransaction(
  request: CookieRequest,
  provider: ResolvedOAuthProvider,
  state: string,
  transaction: Omit<AuthorizationTransaction, 'begunAt'>,
  { transactions, now }: Dependencies,
): readonly CookieChange[] {
  const { values, returnTarget, linkRequest } = transaction
  const reference = referenceTo(state, provider)
  const used = CHECKS.filter((check) => values[check] !== undefined)
  // Members that are undefined are not in the JSON of the cookie.
  const kept: CookieContent['m'] = {
    c: used,
    r: transaction.redirectUri,
    i: transaction.issuer,
    x: transaction.maxAge,
    q: transaction.acr,
    u: returnTarget === undefined || returnTarget.length > MAX_RETURN_TARGET_LENGTH ? undefined : returnTarget,
    b: transaction.initiator ?? undefined,
    s: transaction.linkSessionDigest ?? undefined,
    l: linkRequest !== undefined && fits(linkRequest, returnTarget) ? linkRequest : undefined,
    k: transaction.isRemembered ? 1 : undefined,
  }
  const base = { p: provider.id, a: reference.id, t: Math.floor(now() / 1000) }
  const contents = used.map((check, index): [string, CookieContent] => [
    COOKIE_KEYS[check],
    { v: values[check] ?? '', ...base, ...(index === 0 ? { m: kept } : {}) },
  ])
  return transactions.open(request, {
    ...reference,
    contents: Object.fromEntries(contents),
    lifetimeSeconds: TRANSACTION_LIFETIME_SECONDS,
  })
}

const fits = (linkRequest: string, returnTarget = ''): boolean =>
  linkRequest.length + Math.min(returnTarget.length, MAX_RETURN_TARGET_LENGTH) <= MAX_LINK_LENGTH

/** What the browser has of the transaction that a state belongs to. */
export const findTransaction = (
  request: CookieRequest,
  provider: ResolvedOAuthProvider,
  state: string,
  { transactions }: Pick<OAuthDependencies, 'transactions'>,
): FoundTransaction => transactions.find(request, referenceTo(state, provider))

/**
 * The transaction that an answer with this state belongs to.
 *
 * @param state null when the answer has none; then it is refused, with all checks
 * @param found what {@link findTransaction} gave for the state; undefined without a state
 * @throws {SignInExpired} when it has expired, or begins later by this machine's clock; {@link InvalidCheck} when the
 *   browser has nothing of it, or a value is missing, damaged, or of another provider or transaction
 */
export function requireTransaction(
  provider: ResolvedOAuthProvider,
  state: string | null,
  found: FoundTransaction | undefined,
): AuthorizationTransaction {
  const refused = (why: string) => new InvalidCheck(`Provider "${provider.id}": ${why}`)
  if (state === null || !found) {
    throw refused('the answer has no state. It is always sent, and RFC 6749 §4.1.2 obliges providers to give it back.')
  }
  const { id, readings } = found
  const all = Object.values(readings)
  if (all.length === 0) {
    const why = `no sign-in of this browser is open that the answer belongs to. It was finished, was ended when somebody signed out, took longer than ${inMinutes(TRANSACTION_LIFETIME_SECONDS)}, began in another browser, or its cookies are blocked. Start again.`
    throw refused(why)
  }
  const contents = all.map(contentOf)
  if (!contents.every((content) => content?.p === provider.id && content.a === id)) throw reasonOfRefusal(all, provider)

  const kept = contents.find((content) => content?.m)?.m
  const values: Partial<Record<CheckName, string>> = {}
  for (const check of CHECKS) {
    const content = contentOf(readings[COOKIE_KEYS[check]])
    if (content) values[check] = content.v
  }
  const demanded = new Set([...(kept?.c ?? []), ...provider.checks])
  if (!kept || [...demanded].some((check) => values[check] === undefined)) {
    throw refused('a one-time cookie of this sign-in is missing. Start again.')
  }
  if (values.state !== undefined && !equalInConstantTime(values.state, state)) {
    throw refused('the state of the answer is not the one that was sent.')
  }
  return {
    values,
    redirectUri: kept.r,
    begunAt: (contents[0]?.t ?? 0) * 1000,
    issuer: kept.i,
    maxAge: kept.x,
    acr: kept.q,
    returnTarget: kept.u,
    initiator: kept.b ?? null,
    linkSessionDigest: kept.s ?? null,
    linkRequest: kept.l,
    isRemembered: kept.k === 1,
  }
}

const contentOf = (reading: CookieReading | undefined): CookieContent | null =>
  reading?.state === 'valid' ? (reading.content as CookieContent) : null

/** The error for a transaction with a cookie that cannot be read, or that belongs to another transaction. */
function reasonOfRefusal(readings: readonly CookieReading[], { id }: ResolvedOAuthProvider): InvalidCheck {
  for (const reading of readings) {
    if (reading.state !== 'out-of-time') continue
    const why = validityMessage(reading.outOfTime, TRANSACTION_LIFETIME_SECONDS)
    const isFault = reading.outOfTime.state === 'not-yet'
    return new SignInExpired(`Provider "${id}": the sign-in ${why}. Start again.`, { isFault })
  }
  const why = readings.some(({ state }) => state === 'unknown-secret')
    ? 'was made with a secret that this process does not have'
    : 'is damaged, or is of another sign-in'
  return new InvalidCheck(`Provider "${id}": a one-time cookie ${why}. Start again.`)
}
