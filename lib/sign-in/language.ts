import { setCookie } from '../kernel/cookies.js'
import { parseCookies } from '../kernel/request-cookies.js'
import { tagFor } from '../pages/texts/text.js'
import { targetAfter } from './list-actions.js'
import { json, redirect } from './outcome.js'
import type { Action, Sent, Visit } from './visit.js'

/** Seconds that a browser keeps the language: a year, from the choice. */
const KEPT_SECONDS = 365 * 24 * 60 * 60

/** Somebody who reads a page or a mail. */
type Reader = Pick<Visit, 'config' | 'header'> & { readonly origin: string | null }

/**
 * What a reader understands, as `Accept-Language` has it: only the language that was chosen in this browser, if one was, with the
 * region that the browser names for it. A cookie with anything but a language that can be chosen counts as none: a sibling host can set it.
 */
export function acceptLanguageOf(reader: Reader): string | undefined {
  const { config, origin } = reader
  const { languages, languageOf } = config.renderer
  const header = reader.header('accept-language')
  if (languages.length > 0 && origin !== null) {
    const chosen = parseCookies(reader.header('cookie')).get(config.schemeFor(origin).specs.language.name)
    if (chosen !== undefined && languages.includes(chosen)) {
      const tag = tagFor(chosen, header)
      return languageOf(tag) === chosen ? tag : chosen
    }
  }
  return header
}

/** Where and in which language somebody asks for a mail. */
export const readerOf = (sent: Sent) => ({ origin: sent.origin, acceptLanguage: acceptLanguageOf(sent) })

/** POST language: chooses the language of pages and mails in this browser, for people who are signed in or not. */
export const postLanguage: Action = async (visit) => {
  const { config, fields, specs, urls, wantsPage } = visit
  const language = config.renderer.languages.find((each) => each === fields['language'])
  const cookies = language === undefined ? [] : [setCookie(specs.language, language, { maxAge: KEPT_SECONDS })]
  if (!wantsPage)
    return json(language === undefined ? { error: 'Language' } : { language }, cookies, cookies.length > 0 ? 200 : 422)
  // The form of the sign-in page has the address that its visitor goes to after the sign-in.
  if (fields['page'] === 'signin') return redirect(urls.signInPage(await visit.returnTarget()), cookies)
  return redirect(await targetAfter(visit, language && 'language'), cookies)
}
