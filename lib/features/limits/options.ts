import type { BodyFields } from '../../kernel/body.js'
import { object } from '../../kernel/object-shape.js'
import { call, either, limit, off, type Shape } from '../../kernel/shape.js'
import type { Awaitable } from '../../providers/provider.js'
import type { LimitKind } from '../../sign-in/flow.js'

/** How often something may be tried: a token bucket. */
export interface Rate {
  /** Tries that may follow each other without a pause. */
  readonly atOnce: number
  /** Further tries in each hour. */
  readonly perHour: number
}

/** A try, as `limits.mayTry` sees it before a password, a code or a link is looked at. */
export interface Attempt {
  /** What is tried, as the members of `limits` name it. */
  readonly kind: LimitKind
  /** Id of the provider; null where a page of the mount is asked, such as the one that mails a link for a password. */
  readonly provider: string | null
  /** The names that were entered; each is counted. None for a link that a mail has brought. */
  readonly accounts: readonly string[]
  /** The network of the client, such as `203.0.113.0/24`; null if nothing trustworthy knows it. */
  readonly network: string | null
  /** Whether somebody has signed in to these accounts with this browser before. */
  readonly isKnownBrowser: boolean
  /** Seconds after which the limits allow the next try; 0 if they allow this one. */
  readonly retryAfter: number
  /** What was submitted, such as the answer to a CAPTCHA. It has the password as well: log nothing of it. */
  readonly fields: BodyFields
}

/** How often people may try what others could try in their place. */
export interface LimitsOptions {
  /**
   * Passwords, mailed tokens that the application makes and, counted apart, codes of a second factor. By default 10 at once and
   * then 12 an hour for an account, 100 at once and then 300 an hour for a network. A hundred failures in a row close an account
   * for 30 days, or until its owner comes in. The browsers that it knows have counts like these for themselves, all together.
   */
  guesses?: { account?: Partial<Rate>; network?: Partial<Rate> }
  /** Mails with links or codes. By default 5 at once and then 6 an hour for a recipient, 50 and 60 for a network. */
  mails?: { account?: Partial<Rate>; network?: Partial<Rate> }
  /**
   * What nobody can guess: passkeys, mailed links, changes of connected accounts. By default 300 at once and then 3600 an hour
   * for a network.
   */
  requests?: { network?: Partial<Rate> }
  /**
   * Says what an account is called in the fields of a sign-in that your `authorize` checks. By default each of the fields `email`,
   * `username`, `login`, `user`, `name` and `phone` that the provider declares is one, else its first field that is no
   * password; of fields that are not declared, those with such a name. Case, accents and blanks make no difference to a limit.
   *
   * @returns null for a try that is counted by its network alone
   */
  accountOf?: (fields: BodyFields, provider: string) => string | null
  /**
   * Judges a try before anything secret in it is looked at, for a CAPTCHA or rules of your own. `true` lets it through, also
   * over a limit, and is then not counted; `false` refuses it with 403; a string redirects there, through the `redirect`
   * callback; undefined leaves it to the limits. What it throws is a fault, and nothing is tried.
   */
  mayTry?: (attempt: Attempt) => Awaitable<boolean | string | undefined>
}

const tries: Shape<number> = {
  expected: 'a number, whole and at least 1',
  fits: (value) => Number.isSafeInteger(value) && (value as number) >= 1,
  isPublic: true,
}

const rate = object<Partial<Rate>>({ atOnce: tries, perHour: tries })
const both = object<{ account?: Partial<Rate>; network?: Partial<Rate> }>({ account: rate, network: rate })

export const limitsShape = either(
  off,
  object<LimitsOptions>({
    guesses: both,
    mails: both,
    requests: object<{ network?: Partial<Rate> }>({ network: rate }),
    accountOf: call,
    mayTry: limit(call),
  }),
)

/** The rates of a configuration. */
export const ratesOf = ({ guesses, mails, requests }: LimitsOptions) => ({
  guesses: ratesOfGuesses(guesses),
  codes: ratesOfGuesses(guesses),
  mails: { account: rateOf(mails?.account, 5, 6), network: rateOf(mails?.network, 50, 60) },
  requests: { account: null, network: rateOf(requests?.network, 300, 3600) },
})

const ratesOfGuesses = (given: LimitsOptions['guesses']) => ({
  account: rateOf(given?.account, 10, 12),
  network: rateOf(given?.network, 100, 300),
})

/** A member that is undefined has its default too: a number that is none would limit nothing. */
function rateOf(given: Partial<Rate> = {}, usuallyAtOnce: number, usuallyPerHour: number): Rate {
  const { atOnce = usuallyAtOnce, perHour = usuallyPerHour } = given
  return { atOnce, perHour }
}
