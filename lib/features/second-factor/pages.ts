import { DEMANDED } from '../../pages/action-urls.js'
import { donePage, forbiddenPage } from '../../pages/error.js'
import { type FormField, formField, TICKED } from '../../pages/form-field.js'
import { pageText } from '../../pages/texts/text.js'
import { type FormRefused, type PageForm, SESSIONS_ENDED } from '../../sign-in/form-page.js'
import type { Totp } from './totp.js'

/**
 * Why a form was refused: a wrong code, an address that nobody has confirmed, an app that was offered too long ago, a rule, or a change
 * since it was shown.
 */
export type FactorRefusal = 'wrong' | 'unconfirmed' | 'expired' | 'required' | 'changed'

const TEXTS = {
  wrong: 'secondFactor.error.wrong',
  unconfirmed: 'secondFactor.error.unconfirmed',
  expired: 'secondFactor.error.expired',
  required: 'secondFactor.error.required',
  changed: 'secondFactor.codes.kept',
} as const

export const refusedFactor = (reason: FactorRefusal): FormRefused => ({
  error: 'SecondFactor',
  reason,
  status: 422,
  field: reason === 'wrong' ? CODE : undefined,
  message: pageText(TEXTS[reason]),
})

/** Name of the field for a code. */
export const CODE = 'code'
/** Name of the checkbox with which a browser is not asked again. */
export const TRUST = 'trust'
/** Name of the field of a form whose code also stores the password that was chosen. */
export const CHOSEN = 'chosen'
/** Name of the field that says which state of a second factor a form is about. */
export const VERSION = 'version'
/** In the query, for the form that takes a recovery code. */
export const RECOVERY = 'recovery'

const codeField = (isRecovery: boolean): FormField => ({
  ...formField(
    CODE,
    'second-factor',
    isRecovery
      ? { autocomplete: 'off', autocapitalize: 'characters', spellcheck: false, required: true }
      : { autocomplete: 'one-time-code', inputmode: 'numeric', required: true },
  ),
  label: pageText(isRecovery ? 'secondFactor.recoveryCode' : 'field.code'),
})

const trustField = (seconds: number, isTicked: boolean): FormField => ({
  ...formField(TRUST, 'second-factor', { type: 'checkbox', value: TICKED, checked: isTicked }),
  label: pageText('secondFactor.trust', { time: { seconds } }),
})

/** What the form that asks for a second factor offers. */
interface Asked {
  /** Whether there is an app; otherwise a passkey is asked for. */
  readonly hasApp: boolean
  readonly isRecovery: boolean
  /** What a code of the app is for: a sign-in, more in a session, or that the app is not taken away. */
  readonly purpose: 'app' | 'again' | 'keep'
  /** Where somebody came from who is signed in; undefined where nobody knows, or that page would send them here once more. */
  readonly backUrl: string | undefined
  /** Seconds for which the browser can be trusted; 0 if it cannot. */
  readonly trustedFor: number
  /** Whether the person has ticked that already. */
  readonly isTicked: boolean
  /** Whether a password waits to be stored. */
  readonly isChosen: boolean
  /** Absent without an app as well: then another way to sign in is asked for. */
  readonly passkeyButton: PageForm['passkeyButton']
  readonly links: PageForm['links']
}

/** Asks for a code of the app, for a recovery code, or for a passkey. */
export const factorForm = ({
  hasApp,
  isRecovery,
  purpose,
  backUrl,
  trustedFor,
  isTicked,
  isChosen,
  passkeyButton,
  links,
}: Asked): PageForm => ({
  path: isRecovery ? `second-factor?${RECOVERY}` : 'second-factor',
  title: pageText('secondFactor.title'),
  lead: pageText(LEADS[isRecovery ? 'recovery' : hasApp ? purpose : passkeyButton ? 'passkey' : 'other']),
  submit: hasApp ? pageText('secondFactor.submit') : null,
  fields: hasApp ? [codeField(isRecovery), ...(trustedFor > 0 ? [trustField(trustedFor, isTicked)] : [])] : [],
  ...(isChosen && { hidden: [[CHOSEN, TICKED]], ...PASSWORD_WAITS }),
  passkeyButton,
  links,
  leads: backUrl === undefined ? 'home' : 'back',
  backUrl,
})

/** Of a form whose code also stores the password that was chosen. */
export const PASSWORD_WAITS = { more: pageText('secondFactor.savesPassword') }

const LEADS = {
  app: 'secondFactor.lead',
  again: 'secondFactor.leadAgain',
  keep: 'secondFactor.leadKeep',
  recovery: 'secondFactor.leadRecovery',
  passkey: 'secondFactor.leadPasskey',
  other: 'secondFactor.leadOther',
} as const

/**
 * Shows what an app must read, and asks for its first code.
 *
 * @param leads back for who wants an app; the others must have one, and read why
 */
export const addForm = (
  totp: Totp,
  offered: { secret: string; sealed: string; url: string; replaces: boolean },
  leads: PageForm['leads'],
): PageForm => ({
  path: leads === 'home' ? `second-factor/add?${DEMANDED}` : 'second-factor/add',
  title: pageText(offered.replaces ? 'secondFactor.replace.title' : 'secondFactor.add.title'),
  lead: pageText(
    offered.replaces
      ? 'secondFactor.replace.lead'
      : leads === 'back'
        ? 'secondFactor.add.lead'
        : 'secondFactor.add.leadRequired',
  ),
  submit: pageText('secondFactor.add.submit'),
  fields: [codeField(false)],
  hidden: [['secret', offered.sealed]],
  qrCode: { ...totp.qrCode(offered.url), url: offered.url, secret: offered.secret.replace(/.{4}(?=.)/g, '$& ') },
  ...(leads && { leads }),
})

/** Asks whether to remove the second factor. */
export const REMOVE_FACTOR: PageForm = {
  path: 'second-factor/remove',
  title: pageText('secondFactor.remove.title'),
  lead: pageText('secondFactor.remove.lead'),
  submit: pageText('secondFactor.remove.title'),
  removes: true,
  leads: 'back',
}

/**
 * Asks whether to make other recovery codes.
 *
 * @param version of the second factor
 */
export const renewForm = (version: number): PageForm => ({
  path: 'second-factor/codes',
  title: pageText('secondFactor.codes.title'),
  lead: pageText('secondFactor.codes.lead'),
  submit: pageText('secondFactor.codes.submit'),
  hidden: [[VERSION, String(version)]],
  leads: 'back',
})

/**
 * For somebody who follows a link of a mail to another person.
 *
 * @param ways as those of {@link forbiddenPage}
 */
export const otherAccountPage = (ways: Pick<Parameters<typeof forbiddenPage>[0], 'otherAccountUrl' | 'homeUrl'>) => ({
  ...forbiddenPage({ stop: null, ...ways }),
  text: pageText('secondFactor.ofAnother'),
})

/** For somebody who wants to keep a second factor that was taken away by then. */
export const factorGonePage = ({ addUrl, homeUrl }: { readonly addUrl: string; readonly homeUrl: string }) => ({
  ...donePage({ ...FACTOR_GONE, icon: 'expired', host: new URL(homeUrl).host, continueUrl: addUrl }),
  link: { url: addUrl, text: pageText('secondFactor.add.title') },
  others: [{ url: homeUrl, text: pageText('error.home') }],
})

/** What the page says that shows recovery codes, which nobody sees a second time. */
export const FACTOR_ADDED = {
  title: pageText('secondFactor.added'),
  text: pageText('secondFactor.codes.keep'),
  ...SESSIONS_ENDED,
}
/** For somebody who sends its form once more: other codes would end those that they have kept. */
export const factorThere = ({
  codesUrl,
  continueUrl,
}: {
  readonly codesUrl: string
  readonly continueUrl: string
}) => ({
  ...donePage({ title: pageText('secondFactor.added'), text: pageText('secondFactor.codes.kept'), continueUrl }),
  others: [{ url: codesUrl, text: pageText('secondFactor.codes.title') }],
})
export const FACTOR_REPLACED = { ...FACTOR_ADDED, title: pageText('secondFactor.replaced') }
export const CODES_RENEWED = { title: pageText('secondFactor.codes.title'), text: pageText('secondFactor.codes.keep') }
export const FACTOR_KEPT = {
  title: pageText('mail.notice.secondFactorStays'),
  text: pageText('mail.notice.secondFactorKept'),
}
const FACTOR_GONE = {
  title: pageText('mail.notice.secondFactorGone'),
  text: pageText('mail.notice.secondFactorRemoved'),
}
export const FACTOR_REMOVED = { ...FACTOR_GONE, ...SESSIONS_ENDED }
