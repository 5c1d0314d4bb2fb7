import type { AdapterUser } from '../../adapters/adapter.js'
import { CredentialsSignin, withoutDetails } from '../../kernel/errors.js'
import { textOf } from '../../kernel/json-object.js'
import { withParams } from '../../pages/action-urls.js'
import { isRemembered } from '../../pages/form-field.js'
import { pageText } from '../../pages/texts/text.js'
import { requireEnabled } from '../../sessions/may-be-used.js'
import { addressPerson } from '../../sign-in/ask-signin.js'
import { type PageForm, showForm } from '../../sign-in/form-page.js'
import { type Outcome, redirect } from '../../sign-in/outcome.js'
import { signIn } from '../../sign-in/sign-in.js'
import type { Action, Visit } from '../../sign-in/visit.js'
import type { NewPassword } from '../../users/identity.js'
import { hashPassword } from './hash.js'
import { serviceIn } from './operations.js'
import { askForm, chooseForm, refused } from './pages.js'
import { identified, replacedBy } from './password-sign-in.js'
import type { PasswordLink, PasswordService } from './service.js'

/** GET password/choose: the page that a mailed link opens. The link still works afterwards: mail scanners open every link. */
export const showChoose: Action = async (visit) => {
  const token = textOf(visit.query.get('token'))
  const own = await ownPage(visit, 'choose', { token })
  if (own !== null) return own
  const service = await serviceIn(visit.config)
  const link = token === '' ? null : await service.links.look(token)
  // The form after a temporary password is sent from where that was entered, and never opened.
  return link !== null && !link.isAfterTemporary && (await ownerOf(visit, service, link))
    ? showForm(visit, formOf(visit, service, { token, link }))
    : unusable(visit, service)
}

/** POST password/choose: stores the password, ends the other sessions of its owner, and signs them in. */
export const postChoose: Action = async (visit) => {
  const service = await serviceIn(visit.config)
  const { links } = service
  const token = textOf(visit.fields['token'])
  const link = token === '' ? null : await links.look(token)
  const found = link && (await ownerOf(visit, service, link))
  if (link === null || found === null) return unusable(visit, service)
  const { owner } = found
  // Before a password is hashed, which takes long: the link works until one is stored.
  if ((await links.countTry(token, MOST_TRIES)) > MOST_TRIES) {
    await links.take(token)
    return unusable(visit, service, 'refusal.tooMany.title')
  }
  const password = textOf(visit.fields['newPassword'])
  const { userId, email } = link
  const refusal = await service.refusalFor(password, { userId, email, name: owner?.name })
  if (refusal !== null)
    return showForm(visit, formOf(visit, service, { token, link }), refused(refusal, service.policy.minLength))
  const hash = await hashPassword(password)
  const newPassword = { forUser: userId, email, hash, confirms: owner !== null && !owner.emailVerified }
  try {
    return await signIn(visit, signInOf(visit, service, link, { owner, newPassword }))
  } catch (error) {
    if (error instanceof CredentialsSignin) return await unusable(visit, service)
    throw error
  } finally {
    await settleLink(service, { token, link, newPassword }).catch((fault) =>
      visit.config.logger.error(withoutDetails(fault), visit.source),
    )
  }
}

/** How often a link may be tried, also with passwords that are refused. */
const MOST_TRIES = 10

/**
 * Ends a link that has chosen the password. If more is asked of them first, they are sent elsewhere, or the store fails, they can use it
 * again, also if their sign-in has made a user, or has confirmed the address.
 */
async function settleLink(
  { links, passwords, store }: PasswordService,
  chosen: { readonly token: string; readonly link: PasswordLink; readonly newPassword: NewPassword },
): Promise<void> {
  const { token, link, newPassword } = chosen
  const user = await store.getUserByEmail(link.email)
  const userId = user ? String(user.id) : null
  if (userId === null || (link.userId ?? userId) !== userId) return
  const version = await passwords.versionOf(userId)
  const isChanged = userId !== link.userId || version !== link.version
  if ((await passwords.find(userId))?.hash === newPassword.hash) await links.take(token)
  else if (isChanged && replacedBy(newPassword, link.version).includes(version))
    await links.give(token, userId, (kept) => ({ ...kept, userId, version }))
}

/** The sign-in of whoever chooses: with passwords if they have entered a temporary one, and otherwise with the mail that they have read. */
function signInOf(
  visit: Visit,
  service: PasswordService,
  { email, isAfterTemporary, version }: PasswordLink,
  { owner, newPassword }: { readonly owner: AdapterUser | null; readonly newPassword: NewPassword },
) {
  if (isAfterTemporary && owner) {
    const { identity, ...result } = identified(visit, service, owner, { checkedFrom: visit.config.now(), version })
    return { ...result, identity: { ...identity, newPassword } }
  }
  const identity = { ...addressPerson(email, service.provider, owner), passwordVersion: version, newPassword }
  return { kind: 'identity', identity, isRemembered: isRemembered(visit.fields) } as const
}

/**
 * Who has the address of a link: null for nobody. No object if the link does not count any more: it dies with every change of the
 * password or of the address (PWD-08), and one that makes a user when there is one.
 *
 * @throws {AccessDenied} for a disabled user, of whom nothing is to be stored
 */
async function ownerOf(
  { config }: Visit,
  { store, passwords }: PasswordService,
  { email, userId, version, isAfterTemporary }: PasswordLink,
): Promise<{ readonly owner: AdapterUser | null } | null> {
  const owner = (await store.getUserByEmail(email)) ?? null
  if (owner === null || userId === null) return owner === null && userId === null ? { owner } : null
  if (config.refusesDisabledUsers) requireEnabled(owner)
  if (String(owner.id) !== userId || (isAfterTemporary && !owner.emailVerified)) return null
  return (await passwords.versionOf(userId)) === version ? { owner } : null
}

const formOf = (
  { fields }: Visit,
  { policy }: PasswordService,
  { token, link }: { readonly token: string; readonly link: PasswordLink },
): PageForm => {
  const { email, isAfterTemporary = false } = link
  return chooseForm({ token, email, isAfterTemporary, isRemembered: isRemembered(fields) }, policy.minLength)
}

/** The link was used already, is older than an hour, or the password or the address has changed: another one can be mailed. */
const unusable = (visit: Visit, { policy }: PasswordService, why?: 'refusal.tooMany.title'): Promise<Outcome> =>
  showForm(visit, askForm(), { ...refused('link', policy.minLength), ...(why && { message: pageText(why) }) })

/**
 * Leads to the page of the application; null if it has none.
 *
 * @param form which one it is to show
 */
export async function ownPage(
  visit: Visit,
  form: 'ask' | 'new' | 'choose' | 'change',
  params: Readonly<Record<string, string>> = {},
): Promise<Outcome | null> {
  const own = visit.urls.ownPage('password')
  if (own === undefined) return null
  return redirect(withParams(own, { form, ...params, callbackUrl: await visit.returnTarget() }, visit.origin))
}
