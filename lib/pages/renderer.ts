import type { IncomingMessage, ServerResponse } from 'node:http'
import type { PasskeyTexts } from '../client/passkeys.js'
import { NO_STORE, RETRY_AFTER } from '../kernel/answer-headers.js'
import { loadOnce, type MaybePromise } from '../kernel/awaitable.js'
import { randomHex, randomToken } from '../kernel/random.js'
import { loadScript, loadTemplates } from './loaded-assets.js'
import { passkeyTexts } from './passkey-texts.js'
import { createLanguageChoice, nameOfLanguage } from './texts/text.js'
import { createTranslate, dateFormat, inWords, wordsFor } from './texts/words.js'
import type { PageTheme, Theme } from './theme.js'
import type { AccountView, PageView, SignInView } from './view.js'

/** A page, ready to be sent with the status of its view. */
export interface RenderedPage {
  readonly html: string
  /** Bytes of the page as UTF-8. */
  readonly byteLength: number
  /** Content type, caching and everything that confines the page; cookies are not among them. */
  readonly headers: Record<string, string>
}

/** What the account page shows, for a page of the application. */
export interface RenderedAccount {
  /** The parts in their order, by their names; one of your own is `own` with its index. Write the HTML as it is. */
  readonly parts: readonly { readonly name: string; readonly html: string }[]
  /** What the visitor has just done, as a text; null for nothing. */
  readonly done: string | null
  /** That a part failed and is left out, as a text; null if all are there. The log has the reason. */
  readonly message: string | null
  /** The language of all three, as a BCP 47 tag. The parts say it themselves, with its direction. */
  readonly language: string
}

export type PageRenderer = ReturnType<typeof createPageRenderer>

/** What the pages need of the configuration. */
export interface PageSettings {
  readonly theme: Theme
}

/** Pages of one pattern, by language. A visitor chooses the header, but not how many languages there are. */
type FilledPages = Map<string, (view: SignInView) => RenderedPage>

/** Makes the renderer of the built-in pages. Nothing is loaded before the first page. */
export function createPageRenderer({ theme }: PageSettings) {
  const prepare = loadOnce(async () => {
    const [{ resolveTheme }, templates] = await Promise.all([import('./theme.js'), loadTemplates(theme.views)])
    const look = resolveTheme(theme)
    return {
      look,
      templates,
      headers: await createPageHeaders(look),
      translate: createTranslate(theme.texts, templates.escape),
    }
  })
  /** The language of pages for a visitor. */
  const languageOf = createLanguageChoice(theme)
  const { languages: named = [] } = theme
  // An application that names none has not thought of them: the browsers of its visitors choose.
  const languages = named.length > 1 ? named : []
  // Random, so that no other text of a page is equal to a placeholder.
  const placeholders = { csrfToken: randomHex(), callbackUrl: randomHex(), nonce: randomHex() }
  const patterns = new WeakMap<object, FilledPages>()

  /** What templates write with. */
  const writing = async (host: string | null, acceptLanguage: string | undefined) => {
    const { look, translate } = await prepare()
    const language = languageOf(acceptLanguage)
    const words = wordsFor(await translate(language), look.name ?? host)
    return {
      theme: look,
      languages: languages.filter((each) => each !== language).map((tag) => ({ tag, name: nameOfLanguage(tag) })),
      ...words,
      lifetime: (seconds: number) => inWords(seconds, language),
      date: dateFormat(language, acceptLanguage),
      wait: (seconds: number) => inWords(seconds, language, Math.ceil),
      passkeyTexts: JSON.stringify(passkeyTexts(words)),
    }
  }

  const renderAnew = async (view: PageView, acceptLanguage: string | undefined): Promise<RenderedPage> => {
    const { templates, headers } = await prepare()
    const words = await writing(hostOf(view), acceptLanguage)
    const { language } = words
    const data = { ...view, script: await scriptUrl(view), ...words }
    if (!isOfPattern(view)) {
      const nonce = randomToken(16)
      const html = templates.render(view.page, { ...data, nonce })
      return { html, byteLength: Buffer.byteLength(html), headers: headers(view, nonce) }
    }
    const fill = splitAtPlaceholders(templates.render(view.page, { ...data, ...placeholders }), placeholders)
    const fillIn = (view: SignInView) => {
      const nonce = randomToken(16)
      const [csrfToken, callbackUrl] = [templates.escape(view.csrfToken), templates.escape(view.callbackUrl)]
      return { ...fill({ csrfToken, callbackUrl, nonce }), headers: headers(view, nonce) }
    }
    const pages: FilledPages = patterns.get(view.pattern) ?? new Map()
    patterns.set(view.pattern, pages.set(language, fillIn))
    return fillIn(view)
  }

  return {
    /** The languages among which visitors choose: those of the theme. Empty if it names none, or only one. */
    languages,
    languageOf,
    /** The style sheet of the pages, for elements with the class `latchkey`. */
    async styles(): Promise<string> {
      const { look, templates } = await prepare()
      return templates.render('styles', { theme: look })
    },
    /** The parts of an account page, for a page of the application. */
    async accountParts(
      view: Pick<AccountView, 'parts' | 'done' | 'message' | 'host' | 'csrfToken' | 'callbackUrl'>,
      acceptLanguage?: string,
    ): Promise<RenderedAccount> {
      const { templates } = await prepare()
      const words = await writing(view.host, acceptLanguage)
      return {
        done: view.done && words.show(view.done),
        message: view.message && words.show(view.message),
        language: words.language,
        parts: view.parts.map((part) => ({
          name: part.name,
          html: templates.render('partials/account-part', { ...view, ...words, part }),
        })),
      }
    },
    /** What scripts say about passkeys, in the language of a page. */
    async passkeyTexts(acceptLanguage?: string): Promise<PasskeyTexts> {
      const { look, translate } = await prepare()
      return passkeyTexts(wordsFor(await translate(languageOf(acceptLanguage)), look.name))
    },
    /**
     * Renders the page of a view. Each page has its own nonce, so it must not be sent twice. The result is not a promise
     * if a page of the same pattern was rendered before in the same language.
     *
     * @param acceptLanguage what the reader understands, as the header has it; undefined if that is not known
     */
    render(view: PageView, acceptLanguage?: string): MaybePromise<RenderedPage> {
      if (!isOfPattern(view)) return renderAnew(view, acceptLanguage)
      const fillIn = patterns.get(view.pattern)?.get(languageOf(acceptLanguage))
      return fillIn?.(view) ?? renderAnew(view, acceptLanguage)
    },
  }
}

/** Whether other views differ in no more than the values of the placeholders. */
const isOfPattern = (view: PageView): view is SignInView & { readonly pattern: object } =>
  view.page === 'signin' && view.pattern !== undefined && !view.banner

const hostOf = (view: PageView): string | null => ('host' in view ? (view.host ?? null) : null)

/** URL of the script that a page loads; null for a page without one. */
async function scriptUrl(view: PageView): Promise<string | null> {
  if (view.page !== 'signin' || view.scriptMount === null) return null
  return `${view.scriptMount}/${(await loadScript()).path}`
}

/**
 * Splits a text at its placeholders, so that the parts between them are made only once. Gives a function that makes the text with
 * values in their place, and its length as UTF-8.
 *
 * @param placeholders what stands in the text for each value: letters and digits, so random that no other part of the
 *   text is equal to one of them
 */
function splitAtPlaceholders<Name extends string>(text: string, placeholders: Readonly<Record<Name, string>>) {
  const names = Object.keys(placeholders) as Name[]
  const [start = '', ...parts] = text.split(new RegExp(`(${names.map((name) => placeholders[name]).join('|')})`))
  const between: { readonly name: Name; readonly after: string }[] = []
  for (let at = 0; at < parts.length; at += 2) {
    const name = names.find((name) => placeholders[name] === parts[at])
    if (name !== undefined) between.push({ name, after: parts[at + 1] ?? '' })
  }
  const ownLength = [start, ...between.map(({ after }) => after)].reduce(
    (sum, part) => sum + Buffer.byteLength(part),
    0,
  )
  const counts = names.map((name) => ({ name, count: between.filter((part) => part.name === name).length }))
  return (values: Readonly<Record<Name, string>>) => {
    let html = start
    for (const { name, after } of between) html += values[name] + after
    let byteLength = ownLength
    for (const { name, count } of counts) byteLength += Buffer.byteLength(values[name]) * count
    return { html, byteLength }
  }
}

/** The headers of a page, for its nonce. */
type PageHeaders = (view: PageView, nonce: string) => Record<string, string>

type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void

/** Stands in the policy where each answer has its own nonce. */
const NONCE = 'nonce-placeholder'

/**
 * Makes the headers of pages. Helmet runs once, here, and not for each page, because two pages of one kind differ only
 * in the nonce. HSTS is not among the headers: only the application can promise https for its whole host.
 */
async function createPageHeaders(theme: PageTheme): Promise<PageHeaders> {
  const helmet = await import('helmet')
  const common = collect([
    helmet.xContentTypeOptions(),
    helmet.xFrameOptions({ action: 'deny' }),
    helmet.crossOriginOpenerPolicy(),
    helmet.crossOriginResourcePolicy(),
  ])
  // With no-referrer a browser would send "Origin: null" with our own forms, and their origin could not be checked.
  // Pages without a form send no referrer at all: the URL of an error page may contain a code (RFC 9700 §4.2.4).
  const withForm = collect([helmet.referrerPolicy({ policy: 'same-origin' })])
  const withoutForm = collect([helmet.referrerPolicy({ policy: 'no-referrer' })])
  const policy = (formTargets: readonly string[], hasScript = false) => {
    const directives = {
      'default-src': ["'none'"],
      ...(hasScript && { 'script-src': [`'nonce-${NONCE}'`], 'connect-src': ["'self'"] }),
      'style-src': [`'nonce-${NONCE}'`],
      'img-src': ["'self'", 'data:', ...(theme.logo?.origin ? [theme.logo.origin] : [])],
      'form-action': formTargets,
      'base-uri': ["'none'"],
      'frame-ancestors': ["'none'"],
    }
    const headers = collect([helmet.contentSecurityPolicy({ useDefaults: false, directives })])
    return (headers['content-security-policy'] ?? '').split(NONCE)
  }
  // The answer to a form is a redirect, to a provider or to the application. Chrome applies form-action to every
  // redirect on the way. The hosts are not known here, because a provider's endpoint may come from its metadata.
  const overHttps = policy(["'self'", 'https:'])
  const overHttp = policy(["'self'", 'https:', 'http:'])
  const noForm = policy(["'none'"])
  // Only the script with the nonce can run, and it can send requests to this origin only.
  const withScript = {
    overHttps: policy(["'self'", 'https:'], true),
    overHttp: policy(["'self'", 'https:', 'http:'], true),
  }
  const shared = { ...NO_STORE, 'content-type': 'text/html; charset=utf-8', ...common }
  const ofForms = { ...shared, ...withForm }
  const ofOthers = { ...shared, ...withoutForm }
  return (view, nonce) => {
    const form = formOf(view)
    const hasForm = form !== null
    const hasScript =
      view.page === 'provider-logout' ||
      (view.page === 'signin' && view.scriptMount !== null) ||
      (view.page === 'account' && view.passkeyScript !== null) ||
      view.page === 'form'
    const forms = hasScript ? withScript : { overHttps, overHttp }
    const parts = form === null ? noForm : form.insecure ? forms.overHttp : forms.overHttps
    const isTemporary = view.page === 'error' && view.isTemporary
    return {
      'content-security-policy': parts.join(nonce),
      ...(hasForm ? ofForms : ofOthers),
      ...(isTemporary && RETRY_AFTER),
    }
  }
}

/** The form of a page, or a part of the page that says where its form may lead; null for a page without a form. */
function formOf(view: PageView): { readonly insecure: boolean } | null {
  if (view.page === 'error') return view.sendLink
  if (view.page === 'verify-request') return view.sent?.form ?? null
  return 'insecure' in view ? view : null
}

/** The headers that middlewares set on a response. Names are in lower case, so that each header has one name only. */
function collect(middlewares: readonly Middleware[]): Record<string, string> {
  const headers: Record<string, string> = {}
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value
    },
  } as unknown as ServerResponse
  for (const run of middlewares) {
    run({} as IncomingMessage, response, (error) => {
      if (error) throw error
    })
  }
  return headers
}
