import { pageText, type Text, type TextKey } from '../../pages/texts/text.js'
import type { AccountItem, AccountPart } from '../../pages/view.js'
import type { ResolvedProvider } from '../../providers/provider.js'
import { dated, shownBrowser, shownNetwork } from '../../sign-in/account-part.js'
import { LIST_SECURITY_EVENTS } from '../../sign-in/config.js'
import type { Caller } from '../../sign-in/operation.js'
import type { SecurityEvent, SecurityEventType } from '../../sign-in/security-event.js'

/** How many the page shows. */
const SHOWN = 20

type ShownType = Exclude<SecurityEventType, 'limit-reached' | 'account-deleted' | 'second-factor-guessed'>
type ShownEvent = SecurityEvent & { readonly type: ShownType }

/**
 * What the page says of each. A try that is refused is nobody's, and of an account that is gone nothing is left. Wrong codes are there one
 * by one already.
 */
const TEXTS: Readonly<Record<ShownType, TextKey>> = {
  'sign-in': 'securityEvents.signIn',
  'sign-in-failed': 'securityEvents.signInFailed',
  'second-factor-failed': 'securityEvents.secondFactorFailed',
  'acting-refused': 'securityEvents.actingRefused',
  'sign-out': 'securityEvents.signOut',
  'session-ended': 'securityEvents.sessionEnded',
  'token-issued': 'securityEvents.tokenIssued',
  'token-revoked': 'securityEvents.tokenRevoked',
  'account-linked': 'securityEvents.accountLinked',
  'account-unlinked': 'securityEvents.accountUnlinked',
  'passkey-added': 'securityEvents.passkeyAdded',
  'passkey-removed': 'securityEvents.passkeyRemoved',
  'password-changed': 'mail.notice.changed',
  'password-set': 'mail.notice.changed',
  'password-removed': 'mail.notice.removedPassword',
  'address-change-asked': 'securityEvents.addressAsked',
  'address-added': 'mail.notice.addressNew',
  'address-changed': 'mail.notice.address',
  'address-removed': 'mail.notice.addressGone',
  'primary-address-changed': 'mail.notice.addressPrimary',
  'second-factor-added': 'secondFactor.added',
  'second-factor-replaced': 'secondFactor.replaced',
  'second-factor-removed': 'mail.notice.secondFactorGone',
  'second-factor-reset-asked': 'securityEvents.resetAsked',
  'second-factor-kept': 'mail.notice.secondFactorStays',
  'recovery-code-used': 'mail.notice.recoveryCode',
  'recovery-codes-renewed': 'securityEvents.codesRenewed',
  'browser-trusted': 'securityEvents.trusted',
  'browser-trust-ended': 'securityEvents.trustEnded',
  'user-disabled': 'securityEvents.disabled',
  'acting-began': 'securityEvents.actingBegan',
  'acting-ended': 'securityEvents.actingEnded',
}

/** What has happened to the account of the visitor lately. */
export async function securityEventsPart({ config, read }: Caller): Promise<AccountPart | null> {
  const list = config.services.get(LIST_SECURITY_EVENTS)
  const { userId } = await read()
  if (list === null || userId === null) return null
  const events = await list(String(userId))
  // Another version of Latchkey may have stored others.
  const known = events.filter((event): event is ShownEvent => Object.hasOwn(TEXTS, event.type)).slice(0, SHOWN)
  const nameOf = (id: string) => nameOfWay(config.providers.get(id)) ?? id
  return {
    title: pageText('securityEvents.title'),
    none: pageText('securityEvents.none'),
    items: known.map((event) => itemOf(event, nameOf)),
    actions: [],
  }
}

/** What somebody signed in with. The names of ways that are no other site are in English, or those of a service that mails. */
function nameOfWay(provider: ResolvedProvider | undefined): Text | string | undefined {
  if (provider?.type === 'email') return pageText('field.email')
  if (provider?.type === 'credentials' && provider.name === 'Password') return pageText('field.password')
  if (provider?.type === 'webauthn' && provider.name === 'Passkey') return pageText('securityEvents.passkey')
  return provider?.name
}

function itemOf(event: ShownEvent, nameOf: (provider: string) => Text | string): AccountItem {
  const { type, at, count, provider, amr, factors, network } = event
  // A passkey that is unlocked is two factors in one step, whether or not somebody has turned on a second one.
  const hasTwoSteps = factors === 2 && (amr.length === 0 || amr.includes('mfa'))
  return {
    name: pageText(TEXTS[type]),
    facts: [
      ...dated('securityEvents.on', new Date(at), true),
      ...(count > 1 ? [pageText('securityEvents.count', { count: String(count) })] : []),
      // Of a passkey, the text says it.
      ...(provider === null || type === 'passkey-added' ? [] : [nameOf(provider)]),
      ...(hasTwoSteps ? [pageText('secondFactor.title')] : []),
      ...[shownBrowser(event)].filter(Boolean),
      ...shownNetwork(network),
    ],
    actions: [],
  }
}
