import type { FormField } from './form-field.js'
import type { ProviderMark } from './provider-mark.js'
import type { Text, Wording } from './texts/text.js'

/** What stands above a page. */
export interface Banner {
  readonly text: Text
  readonly link: PageLink
}

interface View {
  /** Absent for nothing. */
  readonly banner?: Banner
  /** HTTP status that the page is to be sent with. */
  readonly status: number
  /** Title of the document, and the page's heading. */
  readonly title: Text
}

interface ViewWithForm extends View {
  /** The host that the visitor signs in to or out of. */
  readonly host: string | null
  readonly csrfToken: string
  readonly callbackUrl: string
  /** Whether redirects after its forms may lead to plain http; https is always allowed. */
  readonly insecure: boolean
}

/** A button that starts the sign-in with an OAuth or OpenID Connect provider. */
export interface ProviderButton {
  readonly name: string
  readonly action: string
  readonly mark: ProviderMark
  /** Whether it was used last in this browser. */
  readonly isLastUsed: boolean
}

/** The form of a provider. */
export interface ProviderForm {
  /** `shared`: several ways with one address field. */
  readonly kind: 'credentials' | 'email' | 'webauthn' | 'shared'
  readonly name: Wording
  /** Value of the form's `id`; null for none. */
  readonly id: string | null
  readonly action: string
  readonly fields: readonly FormField[]
  /** Text of the submit button. */
  readonly submit: Text
  /** False when the application has a field of that name. */
  readonly sendsCallbackUrl: boolean
  /** Whether the application has a field with the name of the checkbox, which then takes its place. */
  readonly hasOwnRemember: boolean
  /** The button that mails a link, if it is not the submit button; null for none. */
  readonly mail: { readonly action: string; readonly submit: Text } | null
  /** Which button was used last in this browser; null for none. */
  readonly lastUsed: 'submit' | 'mail' | 'passkey' | null
  /** The message that stands in the form; null for none, or where it stands above all forms. */
  readonly message: Text | null
  /** What stands below the button; null for nothing. */
  readonly hint: Text | null
  /** What the script needs for passkeys; null without them. */
  readonly passkey: {
    readonly providerId: string
    /** Whether the browser suggests passkeys for a field. */
    readonly autofill: boolean
    /** Text of the button that uses a passkey. */
    readonly use: Text
    /** Text of the button that makes a passkey; null where the address has a user already, so that no new one could have it. */
    readonly register: Text | null
  } | null
}

/** Neighbouring buttons, or one form. */
export type SignInSection =
  | { readonly kind: 'buttons'; readonly buttons: readonly ProviderButton[] }
  | { readonly kind: 'form'; readonly form: ProviderForm }

/** Somebody who opens the sign-in page and is signed in. */
export interface SignedInVisitor {
  /** Address or name. */
  readonly user: string
  /** What a sign-in would do to them; nothing for somebody who only has to sign in again. */
  readonly notes: readonly Text[]
  /** Where they can continue as they are, or go back; null leaves the link out. */
  readonly wayOn: PageLink | null
  readonly signOutUrl: string
}

/** The sign-in page. */
export interface SignInView extends ViewWithForm {
  readonly page: 'signin'
  /**
   * Views with the same pattern differ only in `csrfToken` and `callbackUrl`, and are rendered once. Absent when no
   * other view has the same pattern.
   */
  readonly pattern?: object
  readonly message: Text | null
  /** Whether somebody comes from an invitation. */
  readonly isInvited: boolean
  /** Whether they can add ways to sign in later that are not offered now. */
  readonly addsLater: boolean
  /** Whether somebody new has to learn that they need one. */
  readonly needsInvitation: boolean
  readonly sections: readonly SignInSection[]
  /** URL of the mount from which the page loads its script; null for a page without a script. */
  readonly scriptMount: string | null
  /** `sole`: one button and nothing else; `wide`: so many buttons that they are in columns. */
  readonly layout: 'sole' | 'column' | 'wide'
  /** Who is signed in already; absent for nobody. A view with it has no pattern. */
  readonly signedIn?: SignedInVisitor
  /**
   * The checkbox with which visitors ask to stay signed in, in each form; null for none. If they are not asked, the forms send
   * the choice of before.
   */
  readonly remember: { readonly isTicked: boolean; readonly isAsked: boolean } | null
  /** Where people get a new password, and a first one, if the theme has no other pages for that; null for nowhere. */
  readonly links: { readonly forgot: string; readonly signUp: string | null } | null
  /** Where the form for another language is sent; null if there is nothing to choose. */
  readonly languageUrl: string | null
}

/** The sign-out page. */
export interface SignOutView extends ViewWithForm {
  readonly page: 'signout'
  /** Whether the session is one in which somebody else acts as the user: theirs ends with it. */
  readonly isActing: boolean
  readonly message: Text | null
  readonly action: string
  /** Where "stay signed in" leads; null leaves the link out. */
  readonly stayUrl: string | null
  /** The provider that the sign-out can be one of, and whether the visitor is asked; null for none. */
  readonly endSession: { readonly name: string; readonly isAsked: boolean } | null
}

/** The page that posts a logout to a provider. */
export interface ProviderLogoutView extends View {
  readonly page: 'provider-logout'
  /** Name of the provider. */
  readonly name: string
  /** The logout endpoint of the provider. */
  readonly action: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** Where the visitor goes without a logout at the provider. */
  readonly stayUrl: string
  /** Whether its form may lead to plain http; https is always allowed. */
  readonly insecure: boolean
}

/** The confirmation page, which asks before a mailed link signs in. */
export interface ConfirmView extends ViewWithForm {
  readonly page: 'confirm'
  /** The address that the link signs in; null when it must not be shown. */
  readonly identifier: string | null
  /** Address or name of who is signed in already; null for nobody. */
  readonly signedInAs: string | null
  readonly action: string
  /** Hidden fields beside those of every form. */
  readonly fields: readonly (readonly [name: string, value: string])[]
}

/**
 * Why somebody is sent to a provider. `link`: to add an account. They have an account there already in the other two:
 * `connected`, to add another one; and `permission`, where the application asks for more than the provider has been asked for.
 */
export type LinkPurpose = 'link' | 'connected' | 'permission'

/** The page that asks before an account at a provider is added to the signed-in user. */
export interface LinkView extends ViewWithForm {
  readonly page: 'link'
  readonly message: Text | null
  /** Name of the provider. */
  readonly providerName: string
  /** Address or name of the user; null when they have none. */
  readonly userName: string | null
  /** What the provider is asked for beside the usual; empty for nothing. */
  readonly scope: readonly string[]
  readonly purpose: LinkPurpose
  /** Whether the provider is asked to let the person choose an account. */
  readonly choosesAccount: boolean
  readonly action: string
  /** The link request that its form sends again; null for none. */
  readonly request: string | null
  /** Where "not now" leads; null leaves the link out. */
  readonly backUrl: string | null
}

/** The form that sends another sign-in link to the address that this browser has asked for before. */
export interface SendLinkForm {
  readonly action: string
  readonly address: string
  /** Whether the visitor asked to stay signed in. */
  readonly isRemembered: boolean
  readonly csrfToken: string
  readonly callbackUrl: string
  /** Whether the redirect after it may lead to plain http; https is always allowed. */
  readonly insecure: boolean
}

/** The page that is shown after a sign-in link was mailed. */
export interface VerifyRequestView extends View {
  readonly page: 'verify-request'
  /** Why a code was refused; null for nothing. */
  readonly message: Text | null
  /** The sign-in page, with the address filled in if it is known. */
  readonly signInUrl: string
  /** The mail that was sent; null if this browser did not ask for one. */
  readonly sent: {
    readonly form: SendLinkForm
    /** Whether it is not the first one to this address. */
    readonly isAgain: boolean
    readonly mails: 'link' | 'code' | 'both'
    /** Seconds that the link works. */
    readonly lifetimeSeconds: number
    /** The form for the code; null without one that may still work. */
    readonly code: {
      readonly action: string
      readonly fields: readonly FormField[]
      readonly submit: Text
      readonly lifetimeSeconds: number
    } | null
  } | null
}

/** The page that says that nobody is signed in, in place of the question whether to sign out. */
export interface SignedOutView extends View {
  readonly page: 'signed-out'
  readonly host: string | null
  readonly signInUrl: string
  readonly homeUrl: string
}

/** A link of a page. */
export interface PageLink {
  readonly url: string
  readonly text: Text
}

/** The error page, the page of a refused request, and the one that says that something was done. */
export interface ErrorView extends View {
  readonly page: 'error'
  readonly text: Text
  /** What else is so now; absent for nothing. */
  readonly more?: Text
  /** Absent where no text names the site. */
  readonly host?: string | null
  /** `exit` says that somebody is signed out, and `done` that something worked: they are no alarm. */
  readonly icon: 'fault' | 'denied' | 'expired' | 'lost' | 'exit' | 'done'
  /** Where the visitor can continue first of all; null when nobody knows, or {@link sendLink} comes first. */
  readonly link: PageLink | null
  /** Other ways to continue. */
  readonly others: readonly PageLink[]
  /** The form for a new sign-in link; null for none. */
  readonly sendLink: SendLinkForm | null
  /** Whether a developer is told that the log has the reason. */
  readonly isForDeveloper: boolean
  /** Whether the same request may succeed in a moment: then the answer has `Retry-After`. */
  readonly isTemporary: boolean
  /** Seconds after which the visitor may try again; absent where nothing is counted. */
  readonly retryAfter?: number
  /** Codes that nobody sees a second time; absent for none. */
  readonly codes?: readonly string[]
}

/** A form about a password or an address. */
/** A button with which a script uses or adds a passkey. */
export interface PasskeyButton {
  readonly providerId: string
  readonly text: Text
  /** Address of the script. */
  readonly script: string
  /** Where it leads then. */
  readonly leadsTo: string
}

export interface FormView extends ViewWithForm {
  readonly page: 'form'
  /** Null where the message says all that there is to say. */
  readonly lead: Text | null
  /** What is said after that; absent for nothing. */
  readonly more?: Text
  /** Why the form was refused; null for nothing. */
  readonly message: Text | null
  readonly action: string
  readonly fields: readonly FormField[]
  /** Hidden fields beside those of every form. */
  readonly hidden: readonly (readonly [name: string, value: string])[]
  /** Null for a form that cannot be sent: then a script does what is asked for, or nothing can be done. */
  readonly submit: Text | null
  /** Uses a passkey in place of the form; absent for none. */
  readonly passkeyButton?: PasskeyButton | undefined
  /** Whether it removes something. */
  readonly removes: boolean
  /** Characters that a new password has at least; null for a form that asks for none. */
  readonly minLength: number | null
  /** Seconds that the link works that was mailed; null where none was. */
  readonly mailedLinkSeconds: number | null
  /** Who is signed in already, where the form is for somebody else; absent for nobody. */
  readonly signedIn?: SignedInVisitor | undefined
  /** Where those go on who do not send the form. */
  readonly links: readonly PageLink[]
  /** A QR code for an app, and the same for people who cannot scan it; null for none. */
  readonly qrCode: {
    /** Modules on each side. */
    readonly size: number
    /** The dark modules, as an SVG path. */
    readonly path: string
    /** What it says. */
    readonly url: string
    /** The part of it that people type. */
    readonly secret: string
  } | null
}

/** A form on the account page. */
interface AccountForm {
  readonly action: string
  /** Hidden fields beside those of every form. */
  readonly hidden: readonly (readonly [name: string, value: string])[]
  readonly text: Wording
}

/** What a visitor can do about something on the account page: at once, after a question, or with a field that they fill in. */
export type AccountAction =
  | { readonly kind: 'link'; readonly url: string; readonly text: Wording; readonly isDangerous?: true }
  | (AccountForm & { readonly kind: 'form' })
  | (AccountForm & { readonly kind: 'question'; readonly question: Wording })
  | (AccountForm & { readonly kind: 'field'; readonly field: FormField })

/** A text about something on the account page, with a date in place of `{date}`. */
export interface AccountFact extends Text {
  readonly date?: Date
  /** Whether the time is written as well. */
  readonly hasTime?: boolean
}

/** One thing that is listed on the account page: a passkey, a session. */
export interface AccountItem {
  readonly name: Wording
  /** What sets it apart from the others; absent for nothing. */
  readonly mark?: Wording
  readonly facts: readonly (AccountFact | string)[]
  /** What nobody may overlook, such as what is to happen; absent for nothing. */
  readonly notices?: readonly AccountFact[]
  readonly actions: readonly AccountAction[]
}

/** A part of the account page. */
export interface AccountPart {
  readonly title: Wording
  /** What the part is about; absent where its title says it. */
  readonly lead?: Wording
  /** What stands in place of the list where it is empty; absent for nothing. */
  readonly none?: Wording
  readonly items: readonly AccountItem[]
  /** What can be done beside what each of the items offers. */
  readonly actions: readonly AccountAction[]
  /** Adds a passkey; absent for none. */
  readonly passkeyButton?: PasskeyButton
  /** The passkey that the script of the button lets the browser forget; absent for none. */
  readonly removedPasskey?: { readonly rpId: string; readonly credentialId: string } | undefined
}

/** The page on which people who are signed in see what is theirs, and change it. */
export interface AccountView extends ViewWithForm {
  readonly page: 'account'
  /** Whether somebody else acts as the user. They are offered nothing that they may not do. */
  readonly isActing: boolean
  /** Address or name; null when they have neither. */
  readonly user: string | null
  /** What has just been done; null for nothing. */
  readonly done: Text | null
  /** Why what was entered was refused; null for nothing. */
  readonly message: Text | null
  readonly parts: readonly (AccountPart & { readonly name: string })[]
  readonly homeUrl: string
  readonly signOutUrl: string
  /** Address of the script for passkeys; null for a page without one. */
  readonly passkeyScript: string | null
}

/** Everything a page shows, as plain data. */
export type PageView =
  | SignInView
  | SignOutView
  | ProviderLogoutView
  | ConfirmView
  | LinkView
  | FormView
  | AccountView
  | VerifyRequestView
  | SignedOutView
  | ErrorView
