import express, { type Request, type RequestHandler, Router } from 'express'
import { type Html, html } from './html.js'

/** The languages of the pages and mails of Latchkey. The pages of the demo itself are in English. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'ja', 'zh-Hans', 'ar']

/** The choice of a visitor in a cookie, which cookie-parser has read. It counts in place of the language of the browser. */
export const chosenLanguage = ({ cookies }: Request): string | undefined => knownLanguage(cookies.language)

const knownLanguage = (value: unknown) => LANGUAGES.find((language) => language === value)

/** Latchkey reads the language from the header of the browser, so the application puts its own choice there. */
export const chooseLanguage: RequestHandler = (req, _res, next) => {
  const chosen = chosenLanguage(req)
  if (chosen) req.headers['accept-language'] = chosen
  next()
}

/** Keeps a choice, and shows it on the sign-in page. */
export const languages = (): Router =>
  Router().post('/', express.urlencoded({ extended: false, limit: '1kb' }), (req, res) => {
    const chosen = knownLanguage(req.body?.language)
    if (chosen) res.cookie('language', chosen, { httpOnly: true, sameSite: 'lax', maxAge: 365 * 24 * 60 * 60 * 1000 })
    res.redirect(303, '/auth/signin?callbackUrl=/')
  })

/** The form for the choice. @param chosen what was chosen before */
export const languageForm = (chosen: string | undefined): Html =>
  html`<form method="post" action="/language" class="inline">
    <label for="language">Language of the sign-in page</label>
    <select id="language" name="language">${LANGUAGES.map(
      (language) =>
        html`<option value="${language}" lang="${language}"${language === chosen ? html` selected` : ''}>${nameOf(language)}</option>`,
    )}</select>
    <button class="plain">Show</button>
  </form>`

/** The name of a language in the language itself. */
const nameOf = (language: string) => {
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
}
