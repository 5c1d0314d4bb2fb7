import { type CookieChange, clearCookie, setCookie } from '../kernel/cookies.js'
import { createValueEncryption } from '../kernel/encrypted-values.js'
import type { AccountPart } from '../pages/view.js'
import type { CookieRequest } from './cookies.js'

/**
 * What the next page is told: the sign-in page by a failure, that and the page for a forgotten password by the sign-in page, and the
 * account page by the removal of a passkey.
 */
export interface Note {
  /** The error that the address of the page names, {@link FORGOTTEN} or {@link REMOVED}. Another page learns nothing of it. */
  readonly about: string
  /** The address that the page for a forgotten password fills in. */
  readonly email?: string | undefined
  /** For somebody who is signed in and has to sign in again: the `code` that says why, or an empty text. */
  readonly again?: string | undefined
  /** The passkey that the browser is to forget. */
  readonly removedPasskey?: AccountPart['removedPasskey'] | undefined
  /** What was entered into the form that failed, as far as it may be shown again. */
  readonly entered?: EnteredValues | undefined
  /** Who has the address already. */
  readonly taken?: TakenAddressNote | undefined
  /** Whether the visitor asked to stay signed in. */
  readonly isRemembered?: boolean | undefined
  /** Where the sign-in was to lead. The page asks the `redirect` callback about it, which may refuse it at another host. */
  readonly returnTarget?: string | undefined
}

/** What a note for the page for a forgotten password is about. */
export const FORGOTTEN = 'forgotten'

/** What a note of a passkey that was removed is about. */
export const REMOVED = 'removed'

/** What somebody typed into the form of a provider. */
export interface EnteredValues {
  /** Id of the provider. */
  readonly provider: string
  /** Values by the names of their fields; never a password or a code. */
  readonly values: Readonly<Record<string, string>>
}

/** A sign-in that was refused because another user has the address. */
export interface TakenAddressNote {
  /** Id of the provider whose account was refused. */
  readonly provider: string
  /** The address that this provider gave. */
  readonly email: string
  /** Whether the visitor has proved that the address is theirs. */
  readonly isProven: boolean
  /** Whether that user has an account at this provider, with another id. */
  readonly hasOtherId: boolean
  /** Ids of the providers with which the user who has the address signs in; null where they must not, or cannot, be named. */
  readonly ways: readonly string[] | null
}

/**
 * Takes notes to the next page, in an encrypted cookie: a URL would show them to logs and in the history of the browser. A page
 * of the application cannot read it.
 */
export type Notes = ReturnType<typeof createNotes>

/** Browsers refuse cookies of more than 4096 bytes. What makes the note too long is left out. */
const MAX_LENGTH = 3800

/** Long enough for the redirect to the page, also on a slow line. */
const KEPT_SECONDS = 2 * 60
/** The same for a page to which a link leads, from one that is read first. */
const READ_SECONDS = 15 * 60

/**
 * @param secrets at least one; the first encrypts
 * @param now milliseconds since the epoch
 */
export function createNotes(secrets: readonly string[], now: () => number) {
  const encryption = createValueEncryption(secrets, 'note', now)
  return {
    leave({ cookies, specs }: CookieRequest, note: Note): readonly CookieChange[] {
      const { entered: _, ...withoutEntered } = note
      const { returnTarget: __, ...shortest } = withoutEntered
      const maxAge = note.about === FORGOTTEN ? READ_SECONDS : KEPT_SECONDS
      for (const { about, ...told } of [note, withoutEntered, shortest]) {
        if (Object.values(told).every((each) => each === undefined)) continue
        const value = encryption.encrypt({ about, ...told }, maxAge)
        if (value.length <= MAX_LENGTH) return [setCookie(specs.note, value, { maxAge })]
      }
      // A note that another failure left would be read in the place of this one.
      return forgetNote({ cookies, specs })
    },
    /** The note about an error, or for a page, and the change that deletes it: it is read once. */
    take({ cookies, specs }: CookieRequest, about: string | undefined) {
      const value = cookies.get(specs.note.name)
      if (value === undefined) return { note: null, cookies: [] }
      // Nobody else can make such a value, so it has the members that it was made with.
      const note = encryption.decrypt(value) as Note | null
      return { note: note !== null && note.about === about ? note : null, cookies: [clearCookie(specs.note)] }
    },
  }
}

/** Deletes what is left for the next page: another person may use the browser after a sign-in or a sign-out. */
export const forgetNote = ({ cookies, specs }: CookieRequest): readonly CookieChange[] =>
  cookies.has(specs.note.name) ? [clearCookie(specs.note)] : []
