// The words in which docs/providers/ says what providers do with tokens. scripts/provider-docs.ts writes the pages.
import type { ResolvedTokenFacts } from '../lib/providers/resolve-endpoints.js'
import type { RefreshFacts } from '../lib/providers/token-facts.js'

/** What stands for an absent fact, if the documentation of the provider was read for it, and if it was not. */
const UNKNOWN = { read: 'not documented', unread: 'not known' } as const
type Unknown = (typeof UNKNOWN)[keyof typeof UNKNOWN]

const SETTING = 'a setting there'

/** The heads of the columns that {@link tokenCells} fills. */
export const TOKEN_HEADS: readonly string[] = [
  'refresh token',
  'new one at each use',
  'access token',
  'revocation',
  'sign-out there',
]

/** Whether anything is known. */
export const hasFacts = (facts: ResolvedTokenFacts): boolean => Object.values(facts).some((fact) => fact !== undefined)

/**
 * The facts of a provider in words, one for each of {@link TOKEN_HEADS}.
 *
 * @param isRead whether the documentation of the provider was read for them
 */
export function tokenCells(facts: ResolvedTokenFacts, isRead: boolean): readonly string[] {
  const unknown = isRead ? UNKNOWN.read : UNKNOWN.unread
  return [
    refreshInWords(facts.refresh, unknown),
    rotationInWords(facts, unknown),
    lifetimeInWords(facts.accessTokenSeconds, unknown),
    revocationInWords(facts.revocation, unknown),
    signOutInWords(facts, unknown),
  ]
}

/** What the columns mean, for the page with the table. */
export const TOKEN_LEGEND = `Latchkey stores the tokens of a sign-in with the account, if there is an adapter. It does not refresh or revoke them.
The table says how an application can do it, as the documentation of the provider has it. "${UNKNOWN.read}" means that
this documentation was read and does not say it; the page of the provider has the source. "${UNKNOWN.unread}" means that
nobody looked.

- _Refresh token_: the scope or the parameters of \`authorization\` with which the provider gives one. "${SETTING}"
  means that a setting or an approval of your app at the provider decides.
- _New one at each use_: store the new refresh token before you use its access token, because the old one may not work
  any more.
- _Revocation_: \`RFC 7009\`, or a form of the provider's own.
- _Sign-out there_: OpenID Connect RP-Initiated Logout, or a form of the provider's own. "back-channel" means that the
  provider tells your app when a person signs out elsewhere.

If your provider is set differently, say so with the member \`tokenFacts\` of the provider.`

function refreshInWords(refresh: RefreshFacts | undefined, unknown: Unknown): string {
  if (refresh === undefined) return unknown
  if (refresh === 'setting') return SETTING
  if (typeof refresh === 'string') return refresh
  const params = Object.entries(refresh.params ?? {}).map(([name, value]) => `${name}=${value}`)
  return [...(refresh.scope === undefined ? [] : [refresh.scope]), ...params].map((text) => `\`${text}\``).join(', ')
}

function rotationInWords({ refresh, rotates, graceSeconds }: ResolvedTokenFacts, unknown: Unknown): string {
  if (refresh === 'never') return 'no refresh token'
  if (rotates === undefined) return unknown
  if (rotates === 'setting') return SETTING
  if (rotates === 'sometimes') return rotates
  if (!rotates) return 'no'
  if (graceSeconds === Number.POSITIVE_INFINITY) return 'yes; the old one still works'
  if (graceSeconds === 'setting') return 'yes; how long the old one works is a setting there'
  return graceSeconds ? `yes; the old one works for ${inWords(graceSeconds)}` : 'yes'
}

function lifetimeInWords(seconds: number | 'setting' | undefined, unknown: Unknown): string {
  if (seconds === undefined) return unknown
  if (seconds === 'setting') return SETTING
  return seconds === Number.POSITIVE_INFINITY ? 'does not expire' : inWords(seconds)
}

function revocationInWords(revocation: ResolvedTokenFacts['revocation'], unknown: Unknown): string {
  if (revocation === undefined) return unknown
  if (revocation === null) return 'no'
  if (revocation.dialect === undefined) return `an endpoint, form ${unknown}`
  return revocation.dialect === 'rfc7009' ? 'RFC 7009' : 'own form'
}

function signOutInWords({ endSession, backChannelLogout }: ResolvedTokenFacts, unknown: Unknown): string {
  const own = endSession?.returnParam === 'post_logout_redirect_uri' ? 'OpenID Connect' : 'own form'
  const words = endSession ? own : endSession === null ? 'no' : unknown
  return backChannelLogout === true ? `${words}; back-channel` : words
}

const UNITS = [
  ['year', 31_536_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const

/** `7200` as `2 hours`: in the largest unit of which it is a whole number. */
function inWords(seconds: number): string {
  const [unit, length] = UNITS.find(([, each]) => seconds % each === 0) ?? ['second', 1]
  const count = seconds / length
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
