import { describeValue, isRecord } from '../kernel/describe-value.js'
import { OAuthProfileParseError, withoutDetails } from '../kernel/errors.js'
import { isFirstTime, type Log } from '../kernel/logger.js'
import { membersOf, withoutUndefined } from '../kernel/objects.js'
import { parseAddress } from './mail/address.js'
import { firstText, usableId } from './profile-mapping.js'
import type { Profile, TokenSet, User, VerifiedEmailCallback } from './provider-object.js'

/** A resolved provider, as far as its users go. */
interface MappingProvider {
  readonly id: string
  readonly verifiedEmail: VerifiedEmailCallback<Profile>
}

const MAX_EMAIL_LENGTH = 320

/**
 * The most characters of the members that everything shows or keeps. The default token of a session has all three, and must fit
 * into cookies that proxies let pass: a picture in it is a small one, or an address.
 */
const MOST_CHARACTERS: ReadonlyMap<string, number> = new Map([
  ['name', 255],
  ['email', MAX_EMAIL_LENGTH],
  ['image', 2048],
])
/** Of any other text: what a column of the type `text` holds in MySQL. */
const MOST_BYTES = 65_535

/** Warns once for each provider and member: visitors can cause it. */
export const noteLeftOut =
  ({ warn }: Pick<Log, 'warn'>, provider: { readonly id: string }) =>
  (member: string, reason: string): void => {
    if (isFirstTime(provider, `unusable ${member}`)) warn('unusable-member', { provider: provider.id, member, reason })
  }

/** Is told which member was left out, and why. */
type NoteLeftOut = ReturnType<typeof noteLeftOut>

/** The members of a user or an account without texts that no store could keep: they are no reason to keep a person out. */
export function withoutUnusable<T extends object>(members: T, note: NoteLeftOut): T {
  const entries = Object.entries(members).filter(([name, value]) => {
    const reason = typeof value === 'string' ? whyUnusable(name, value) : null
    if (reason !== null) note(name, reason)
    return reason === null
  })
  return Object.fromEntries(entries) as T
}

function whyUnusable(name: string, text: string): string | null {
  const most = MOST_CHARACTERS.get(name)
  if (most !== undefined && text.length > most) return `it has ${text.length} characters, and at most ${most} are kept`
  if (text.length > MOST_BYTES / 4 && Buffer.byteLength(text) > MOST_BYTES)
    return `it has more than ${MOST_BYTES} bytes`
  return text.includes('\0') ? 'it has a NUL character' : null
}

/** A member that is a text: a number is one, and a blank text is none. */
function memberText(name: string, value: unknown, note: NoteLeftOut): string | null {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value === 'string') return value.trim() === '' ? null : value
  note(name, `it is ${describeValue(value)}, not a text`)
  return null
}

/**
 * Checks what `profile()` of a provider returned. A name, address or picture that is no text, or that no store could keep, is
 * left out. The address of the user is in the normal form in which mailed links have it.
 *
 * @throws {OAuthProfileParseError} if it is not a user, or has no usable id; or if `verifiedEmail` of the provider throws
 */
export function checkMappedUser(provider: MappingProvider, mapped: unknown, profile: Profile, note: NoteLeftOut) {
  const refused = (what: string) =>
    new OAuthProfileParseError(`Provider "${provider.id}": profile() gave ${what}`, { provider: provider.id })
  if (!isRecord(mapped)) throw refused(`no user, but ${describeValue(mapped)}.`)
  const members: Record<string, unknown> = { ...membersOf(mapped) }
  const accountId = usableId(members['id'])
  if (accountId === null) {
    throw refused('no id. It must give the id that the account has for ever, such as sub; a text or a number.')
  }
  for (const name of MOST_CHARACTERS.keys()) if (name in members) members[name] = memberText(name, members[name], note)
  const user: User = { ...withoutUnusable(members, note), id: accountId }
  if (typeof user.email !== 'string') return { user, accountId, isEmailVerified: false }
  const email = normalAddress(user.email)
  return { user: { ...user, email }, accountId, isEmailVerified: isVerified(provider, email, profile) }
}

/** The same for all spellings of one address (ACCT-08). */
const normalAddress = (email: string): string => parseAddress(email) ?? email.toLowerCase()

/**
 * The same for the spellings of one mailbox only, in capitals or not; null where folding makes the address that of another one:
 * whoever has verified the mailbox of wide letters has not verified that of plain ones.
 */
export function mailboxOf(email: string): string | null {
  if (email.length > MAX_EMAIL_LENGTH) return null
  const local = email.trim().slice(0, email.trim().lastIndexOf('@'))
  return local.normalize('NFKC') === local ? normalAddress(email) : null
}

/**
 * Whether the provider has verified the address of the user. `profile()` may have chosen another address than the one that
 * the provider has verified.
 */
function isVerified({ id, verifiedEmail }: MappingProvider, email: string, profile: Profile): boolean {
  if (email === '') return false
  let verified: unknown
  try {
    verified = verifiedEmail(profile)
  } catch (error) {
    throw new OAuthProfileParseError(`Provider "${id}": verifiedEmail() threw.`, {
      err: withoutDetails(error),
      provider: id,
    })
  }
  return typeof verified === 'string' && mailboxOf(verified) === email
}

/** The user of a profile with the claims of OpenID Connect: `sub` (or `id`), `name`, `email`, `picture`. Absent ones are left out. */
export const defaultProfile = (profile: Profile): User =>
  withoutUndefined({
    id: profile.sub ?? profile.id ?? undefined,
    name: firstText(profile.name, profile.nickname, profile.preferred_username) ?? undefined,
    email: profile.email,
    image: profile.picture,
  })

/** The tokens that are stored with an account by default. */
export const defaultAccount = (tokens: TokenSet): TokenSet =>
  withoutUndefined({
    access_token: tokens.access_token,
    id_token: tokens.id_token,
    refresh_token: tokens.refresh_token,
    expires_at: tokens.expires_at,
    scope: tokens.scope,
    token_type: tokens.token_type,
    session_state: tokens.session_state,
  })
