import express, { type RequestHandler, Router } from 'express'
import { type Html, html } from './html.js'

/** The languages of the pages and mails of Latchkey. The pages of the demo itself are in English. */
const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'pl', 'ja', 'zh-Hans', 'ar']

/** The choice of a visitor, which counts in place of the language of the browser. */
const chosenIn = (cookies = ''): string | undefined => {
  const chosen = /(?:^|; )language=([\w-]+)/.exec(cookies)?.[1]
  return LANGUAGES.find((language) => language === chosen)
}

/** Latchkey reads the language from the header of the browser, so the application puts its own choice there. */
export const chooseLanguage: RequestHandler = (req, _res, next) => {
  const chosen = chosenIn(req.headers.cookie)
  if (chosen) req.headers['accept-language'] = chosen
  next()
}

/** Keeps a choice, and shows it on the sign-in page. */
export const languages = (): Router =>
  Router().post('/', express.urlencoded({ extended: false, limit: '1kb' }), (req, res) => {
    const chosen = LANGUAGES.find((language) => language === req.body?.language)
    if (chosen) res.cookie('language', chosen, { httpOnly: true, sameSite: 'lax', maxAge: 365 * 24 * 60 * 60 * 1000 })
    res.redirect(303, '/auth/signin?callbackUrl=/')
  })

/** The form for the choice. @param cookies the header `Cookie` */
export const languageForm = (cookies: string | undefined): Html => {
  const chosen = chosenIn(cookies)
  return html`<form method="post" action="/language" class="inline">
    <label for="language">Language of the sign-in page</label>
    <select id="language" name="language">${LANGUAGES.map(
      (language) =>
        html`<option value="${language}" lang="${language}"${language === chosen ? html` selected` : ''}>${nameOf(language)}</option>`,
    )}</select>
    <button class="plain">Show</button>
  </form>`
}

/** The name of a language in the language itself. */
const nameOf = (language: string) => {
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language) ?? language
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1)
}
