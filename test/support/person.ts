/** A person at a browser with scripts turned on: follows redirects, and submits the forms of an identity provider. */
export class Person {
  readonly #jars = new Map<string, Map<string, string>>()
  /** Every address that was opened. */
  readonly visited: string[] = []

  constructor(readonly login = 'ada') {}

  /** Forgets the cookies of one origin, as a browser does that was closed. */
  cookiesAt(origin: string): Map<string, string> {
    const jar = this.#jars.get(origin) ?? new Map<string, string>()
    this.#jars.set(origin, jar)
    return jar
  }

  async fetch(url: URL, body?: URLSearchParams): Promise<Response> {
    this.visited.push(url.href)
    const jar = this.cookiesAt(url.origin)
    const response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(body && { body }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(';')
      const [name = '', value = ''] = pair.split(/=(.*)/)
      const isDeleted = value === '' || attributes.some((attribute) => /^\s*max-age=0$/i.test(attribute))
      if (isDeleted) jar.delete(name)
      else jar.set(name, value)
    }
    return response
  }

  /** Goes on until a page of this origin has no form: gives its address. */
  async goTo(start: string, home: string, fields?: Record<string, string>): Promise<string> {
    let url = new URL(start)
    let body = fields && new URLSearchParams(fields)
    for (let step = 0; step < 25; step += 1) {
      const response = await this.fetch(url, body)
      body = undefined
      const location = response.headers.get('location')
      if (location !== null) {
        url = new URL(location, url)
        continue
      }
      const form = readForm(await response.text())
      if (!form) {
        if (url.origin === home) return url.href
        throw new Error(
          `${url.origin}${url.pathname} answered ${response.status} without a form, after ${this.visited.at(-2)}`,
        )
      }
      url = new URL(form.action, url)
      body = form.fields
      if (body.get('prompt') === 'login') {
        body.set('login', this.login)
        body.set('password', 'any')
      }
      if (form.id === 'op.logoutForm') body.set('logout', 'yes')
    }
    throw new Error('round in circles')
  }

  async signIn(app: string): Promise<string> {
    return this.goTo(`${app}/auth/signin/op`, app, { csrfToken: await this.#csrfToken(app), callbackUrl: '/' })
  }

  async signOut(app: string, more: Record<string, string> = {}): Promise<string> {
    const fields = { csrfToken: await this.#csrfToken(app), callbackUrl: '/thanks', ...more }
    return this.goTo(`${app}/auth/signout`, app, fields)
  }

  async isSignedInAt(app: string): Promise<boolean> {
    return (await (await this.fetch(new URL(`${app}/auth/session`))).json()) !== null
  }

  async #csrfToken(app: string): Promise<string> {
    return ((await (await this.fetch(new URL(`${app}/auth/csrf`))).json()) as { csrfToken: string }).csrfToken
  }
}

function readForm(html: string): { id: string; action: string; fields: URLSearchParams } | null {
  const [tag = ''] = /<form[^>]*>/.exec(html) ?? []
  const action = /action="([^"]*)"/.exec(tag)?.[1]
  if (action === undefined) return null
  const fields = new URLSearchParams()
  for (const [input] of html.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1]
    if (name) fields.set(name, decode(/value="([^"]*)"/.exec(input)?.[1] ?? ''))
  }
  return { id: /id="([^"]*)"/.exec(tag)?.[1] ?? '', action: decode(action), fields }
}

const decode = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
