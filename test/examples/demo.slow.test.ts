import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Demo, startDemo } from '../../examples/demo/demo.js'
import { VirtualAuthenticator, withoutPasskeys, withoutSuggestions } from '../browser/authenticator.js'
import { codeOf } from '../features/second-factor/second-factor-app.js'
import { launchChromium, requireChromium } from '../support/chromium.js'
import { expectSound, FOR_AXE } from '../support/sound-pages.js'

const PASSWORD = 'analytical engine'

/** Of who comes back by a mailed link, and of a second start in one process. */
const WARNINGS = new Set(['accounts-ended', 'shared-secret'])

describe('the demo, in a browser without JavaScript but for passkeys', function () {
  this.timeout(120_000)

  let demo: Demo
  let directory: string
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let requested: string[]
  let complaints: string[] = []

  before(async function () {
    requireChromium.call(this)
    directory = mkdtempSync(join(tmpdir(), 'latchkey-demo-'))
    demo = await start()
    browser = await launchChromium()
  })

  after(async () => {
    await browser?.close()
    await demo?.close()
    if (directory) rmSync(directory, { recursive: true, force: true })
  })

  const start = (port = 0) =>
    startDemo({
      port,
      database: join(directory, 'demo.sqlite'),
      logger: {
        error: (error) => complaints.push(String(error)),
        warn: (code) => void (WARNINGS.has(code) || complaints.push(code)),
        info: () => {},
      },
    })

  beforeEach(async () => {
    requested = []
    complaints = []
    context = await newContext()
    page = await context.newPage()
  })

  afterEach(async () => {
    await context.close()
    const hosts = new Set(requested.map((url) => new URL(url).host))
    expect([...hosts].filter((host) => !host.startsWith('localhost:') && !host.startsWith('127.0.0.1:'))).to.deep.equal(
      [],
    )
    expect(complaints).to.deep.equal([])
  })

  async function newContext(options: Parameters<Browser['newContext']>[0] = {}): Promise<BrowserContext> {
    const made = await browser.newContext({ javaScriptEnabled: false, ...options })
    made.setDefaultTimeout(10_000)
    made.on('request', (request) => requested.push(request.url()))
    made.on('weberror', (error) => complaints.push(error.error().message))
    // Browsers report here what a content policy blocks.
    made.on('console', (message) => {
      // The second is about a test that types before the browser has put the focus where the page wants it; the third is about
      // axe-core, which calls into the frame of a mail, and that has no origin.
      if (
        !/^(Failed to load resource|Autofocus processing was blocked|Failed to execute 'postMessage')/.test(
          message.text(),
        )
      ) {
        complaints.push(message.text())
      }
    })
    return made
  }

  /** A part of the account page. */
  const part = (name: string) => page.getByRole('region', { name, exact: true })
  const rows = (name: string) => part(name).locator('li')
  const done = () => page.locator('.latchkey > [role=status]').textContent()
  /** Opens a form or a question of the account page, and sends it. */
  const openAndSend = async (of: string, opener: string, button = opener) => {
    await part(of).locator('summary').filter({ hasText: opener }).first().click()
    await part(of).locator('[open] button').filter({ hasText: button }).click()
  }

  const text = (of: Page = page) => of.locator('main').textContent()
  const pathOf = (of: Page = page) => new URL(of.url()).pathname

  const toProvider = (of: Page = page) => of.getByRole('button', { name: 'Harbour ID' }).click()

  async function continueAs(name: string, email: string, of: Page = page) {
    await of.getByLabel('Name').fill(name)
    await of.getByLabel('E-mail address').fill(email)
    await of.getByRole('button', { name: 'Continue' }).click()
  }

  async function enterPassword(password: string, of: Page = page) {
    await of.getByRole('textbox', { name: 'E-mail' }).fill('ada@example.com')
    await of.getByRole('textbox', { name: 'Password' }).fill(password)
    await of.getByRole('textbox', { name: 'Password' }).press('Enter')
  }

  async function signInWithProvider(of: Page = page, name = 'Grace Hopper', email = 'grace@example.com') {
    await of.goto(`${demo.url}/account`)
    await toProvider(of)
    await continueAs(name, email, of)
  }

  /** Asks for a link, and opens the mail with it. */
  async function askForLink(email: string) {
    await page.goto(`${demo.url}/account`)
    await page.getByRole('form', { name: 'Sign in' }).getByRole('textbox', { name: 'E-mail' }).fill(email)
    await page.getByRole('button', { name: 'E-mail me a link' }).click()
    expect(pathOf()).to.equal('/mailbox')
    await page.getByRole('link', { name: 'Sign in to Paper Boats' }).first().click()
    // The mail is in a frame: a click into it is lost while it is being loaded.
    await page.waitForLoadState('networkidle')
  }

  /** The link in the text of the open mail. */
  async function linkInText() {
    const mail = (await page.locator('pre').textContent()) ?? ''
    return /^http\S+$/m.exec(mail)?.[0] ?? ''
  }

  const followInMail = () => page.frameLocator('iframe').getByRole('link', { name: 'Sign in', exact: true }).click()

  it('signs in with the OpenID provider, and leads back to the page that was asked for', async () => {
    await page.goto(`${demo.url}/account`)
    expect(pathOf()).to.equal('/auth/signin')

    await toProvider()
    expect(page.url()).to.match(new RegExp(`^${demo.issuer}/interaction/`))
    await continueAs('Grace Hopper', 'Grace@Example.com')

    expect(page.url()).to.equal(`${demo.url}/account`)
    expect(await text())
      .to.include('Grace Hopper')
      .and.to.include('grace@example.com')
  })

  it('changes the name, keeps it, and shows it as text', async () => {
    await signInWithProvider(page, 'Robert', 'tables@example.com')

    await part('Name').locator('summary').click()
    await part('Name').getByRole('textbox').fill('<img src=x onerror=alert(1)>"\'&')
    await page.keyboard.press('Enter')

    expect(await done()).to.equal('Your name was changed.')
    await page.goto(demo.url)
    expect(await text()).to.include('<img src=x onerror=alert(1)>"\'&')
    expect(await page.locator('main img').count()).to.equal(0)
  })

  it('signs out on the page for it', async () => {
    await signInWithProvider()

    await page.getByRole('navigation').getByRole('link', { name: 'Sign out' }).click()
    expect(pathOf()).to.equal('/auth/signout')
    await page.getByRole('button', { name: 'Sign out' }).click()

    expect(page.url()).to.equal(`${demo.url}/`)
    expect(await text()).to.include('You are not signed in.')
    await page.goto(`${demo.url}/account`)
    expect(pathOf()).to.equal('/auth/signin')
  })

  it('signs in with a password, after telling that another was wrong', async () => {
    await page.goto(`${demo.url}/account`)

    await enterPassword('difference engine')
    expect(pathOf()).to.equal('/auth/signin')
    expect(await page.getByRole('alert').textContent()).to.include('do not match an account')

    await enterPassword(PASSWORD)
    expect(page.url()).to.equal(`${demo.url}/account`)
    expect(await text()).to.include('Ada Lovelace')
  })

  it('ends both of two tabs where they wanted to go, but asks where another person comes back', async () => {
    const other = await context.newPage()
    await page.goto(`${demo.url}/account`)
    await other.goto(`${demo.url}/auth/signin?callbackUrl=/`)
    await toProvider()
    await toProvider(other)

    await continueAs('Grace Hopper', 'grace@example.com')
    expect(page.url()).to.equal(`${demo.url}/account`)
    expect(await text()).to.include('grace@example.com')

    const third = await newContext()
    const early = await third.newPage()
    const late = await third.newPage()
    for (const tab of [early, late]) {
      await tab.goto(`${demo.url}/account`)
      await toProvider(tab)
    }
    await continueAs('Grace Hopper', 'grace@example.com', other)
    expect(other.url()).to.equal(`${demo.url}/`)

    await continueAs('Hedy Lamarr', 'hedy@example.com', early)
    await continueAs('Amalie Noether', 'amalie@example.com', late)
    expect(new URL(late.url()).searchParams.get('error')).to.equal('SessionChanged')
    expect(await text(late)).to.include('has signed in or out in this browser meanwhile')
    await late.goto(`${demo.url}/account`)
    expect(await text(late)).to.include('hedy@example.com')
    await third.close()
  })

  it('connects a second account to the person who is signed in, says so by mail, and disconnects it', async () => {
    await askForLink('emmy@example.com')
    await followInMail()
    await page.waitForURL(`${demo.url}/account`)
    expect(await rows('Connected accounts').count()).to.equal(0)

    await page.getByRole('link', { name: 'Connect Harbour ID' }).click()
    expect(pathOf()).to.equal('/auth/link/harbour')
    expect(await text()).to.include('emmy@example.com')
    await page.getByRole('button', { name: 'Connect Harbour ID' }).click()
    await continueAs('Amalie Noether', 'amalie@example.com')

    expect(page.url()).to.equal(`${demo.url}/account`)
    expect(await text()).to.include('emmy@example.com')
    expect(await rows('Connected accounts').allTextContents()).to.have.length(1)

    await openAndSend('Connected accounts', 'Disconnect')
    expect(await done()).to.equal('The account is disconnected.')
    expect(await rows('Connected accounts').count()).to.equal(0)
    await page.goto(`${demo.url}/mailbox`)
    const mails = await page.locator('.mails li').allTextContents()
    expect(mails.slice(0, 2).join()).to.include('A way to sign in was removed').and.include('A new way to sign in')
    await page.getByRole('link', { name: 'A new way to sign in' }).first().click()
    expect(await page.locator('pre').textContent()).to.include(
      'Harbour ID was connected to your account on Paper Boats',
    )
  })

  it('does not connect the account of another person, and says so', async () => {
    await signInWithProvider(page, 'Lise Meitner', 'lise@example.com')
    await context.clearCookies()
    const provider = await context.newPage()
    await signInWithProvider(provider, 'Otto Hahn', 'otto@example.com')
    await provider.goto(`${demo.url}/auth/link/harbour?callbackUrl=/account`)
    // Otto has an account there already, with which he has signed in.
    await provider.getByRole('button', { name: 'Continue to Harbour ID' }).click()
    await continueAs('Lise Meitner', 'lise@example.com', provider)
    expect(pathOf(provider)).to.equal('/auth/link/harbour')
    expect(await provider.getByRole('alert').textContent()).to.include('belongs to another user')
    await provider.getByRole('link', { name: 'Not now' }).click()
    expect(pathOf(provider)).to.equal('/account')
  })

  it('signs in at once with a mailed link that is followed in the browser that asked for it', async () => {
    await askForLink('Hedy@Example.com')
    expect(await text()).to.include('To hedy@example.com')

    await followInMail()

    await page.waitForURL(`${demo.url}/account`)
    expect(await part('E-mail').textContent())
      .to.include('hedy@example.com')
      .and.not.to.include('Not confirmed')
  })

  it('asks before a mailed link signs in another browser, however often it is opened', async () => {
    await askForLink('katherine@example.com')
    const link = await linkInText()
    const elsewhere = await newContext()
    try {
      const other = await elsewhere.newPage()
      for (let time = 0; time < 2; time++) {
        await other.goto(link)
        expect(await text(other))
          .to.include('Is this you?')
          .and.to.include('katherine@example.com')
      }
      await other.getByRole('button', { name: 'Sign in' }).click()
      expect(other.url()).to.equal(`${demo.url}/account`)
      expect(await text(other)).to.include('katherine@example.com')
    } finally {
      await elsewhere.close()
    }
    await page.goto(`${demo.url}/account`)
    expect(pathOf(), 'who asked').to.equal('/auth/signin')
  })

  it('says so when a mailed link is used a second time', async () => {
    await askForLink('mary@example.com')
    const link = await linkInText()
    await page.goto(link)
    expect(page.url()).to.equal(`${demo.url}/account`)

    await page.goto(link)

    expect(await text()).to.include('This link no longer works')
    await page.goto(`${demo.url}/account`)
    expect(await text(), 'the session of the first time').to.include('mary@example.com')
  })

  it('knows a person by a mailed link, and disconnects a provider that checks no addresses', async () => {
    await signInWithProvider(page, 'Sophie Germain', 'sophie@example.com')
    await context.clearCookies()

    await askForLink('sophie@example.com')
    await followInMail()

    await page.waitForURL(`${demo.url}/account`)
    expect(await text()).to.include('Sophie Germain')
    expect(await rows('Connected accounts').count()).to.equal(0)
  })

  describe('shows where somebody is signed in', () => {
    const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:141.0) Gecko/20100101 Firefox/141.0'
    const IPHONE =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

    let others: BrowserContext[]
    beforeEach(() => {
      others = []
    })
    afterEach(async () => {
      await Promise.all(others.map((other) => other.close()))
    })

    const signInElsewhere = async (userAgent: string, name: string, email: string) => {
      const other = await newContext({ userAgent })
      others.push(other)
      const tab = await other.newPage()
      await signInWithProvider(tab, name, email)
      return tab
    }
    const SESSIONS = 'Where you are signed in'

    it('names each browser, marks this one, and signs out another', async () => {
      const phone = await signInElsewhere(IPHONE, 'Mary Jackson', 'mary.jackson@example.com')
      await signInWithProvider(page, 'Mary Jackson', 'mary.jackson@example.com')
      const [own, other, ...further] = await rows(SESSIONS).allTextContents()
      expect(further).to.deep.equal([])
      expect(own).to.include('This browser')
      expect(other).to.include('Safari').and.to.include('iOS')

      await rows(SESSIONS).nth(1).getByRole('button').click()
      expect(await done()).to.equal('The other session has ended.')
      expect(await rows(SESSIONS).count()).to.equal(1)
      await phone.reload()
      expect(pathOf(phone)).to.equal('/auth/signin')
    })

    it('signs out everywhere else, and nobody else, and shows what has happened', async () => {
      const phone = await signInElsewhere(IPHONE, 'Katherine Johnson', 'katherine.johnson@example.com')
      const laptop = await signInElsewhere(FIREFOX, 'Katherine Johnson', 'katherine.johnson@example.com')
      const stranger = await signInElsewhere(FIREFOX, 'Dorothy Vaughan', 'dorothy.vaughan@example.com')
      await signInWithProvider(page, 'Katherine Johnson', 'katherine.johnson@example.com')
      expect(await part('Recent activity').textContent())
        .to.include('Firefox 141')
        .and.to.include('Windows')

      await part(SESSIONS).getByRole('button', { name: 'Sign out everywhere else' }).click()
      expect(await done()).to.equal('You are signed out everywhere else.')
      expect(await rows(SESSIONS).count()).to.equal(1)
      for (const tab of [phone, laptop, stranger]) await tab.reload()
      expect([phone, laptop, stranger].map(pathOf)).to.deep.equal(['/auth/signin', '/auth/signin', '/account'])
    })
  })

  it('asks for the code of an authenticator app that somebody has added', async () => {
    await askForLink('sonja@example.com')
    await followInMail()
    await page.waitForURL(`${demo.url}/account`)
    await page.getByRole('link', { name: 'Add an authenticator app' }).click()
    const url = new URL((await page.locator('a[href^="otpauth:"]').getAttribute('href')) ?? '')
    const secret = url.searchParams.get('secret') ?? ''
    expect(url.searchParams.get('issuer')).to.equal('Paper Boats')
    await page.locator('[name=code]').fill(codeOf(secret, Date.now()))
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Continue' }).click()
    expect(await part('Two-step verification').textContent()).to.include('Recovery codes left: 10')

    await context.clearCookies()
    await askForLink('sonja@example.com')
    await followInMail()
    await page.locator('[name=code]').fill(codeOf(secret, Date.now() + 30_000))
    await page.keyboard.press('Enter')
    await page.waitForURL(`${demo.url}/account`)
  })

  it('adds a second address by a mailed link, with which the same person signs in', async () => {
    await askForLink('ellen@example.com')
    await followInMail()
    await page.waitForURL(`${demo.url}/account`)
    await page.getByRole('link', { name: 'Add an address' }).click()
    await page.getByRole('textbox').fill('ellen@boats.example')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/mailbox*')
    await page.locator('.mails li', { hasText: 'ellen@boats.example' }).getByRole('link').click()
    await page.goto(await linkInText())
    await page.getByRole('button', { name: 'Add this address' }).click()

    await context.clearCookies()
    await askForLink('ellen@boats.example')
    await followInMail()
    await page.waitForURL(`${demo.url}/account`)
    expect(await rows('E-mail').allTextContents()).to.have.length(2)
    await openAndSend('E-mail', 'Remove')
    expect(await done()).to.equal('The address was removed.')
  })

  it('deletes the account with all that is theirs', async () => {
    await signInWithProvider(page, 'Jean Bartik', 'jean@example.com')
    await page.getByRole('link', { name: 'Delete your account' }).click()
    await page.getByRole('button', { name: 'Delete' }).click()
    expect(await text()).to.include('Your account was deleted')

    await signInWithProvider(page, 'Jean Jennings', 'jean@example.com')
    expect(await text()).to.include('Jean Jennings')
  })

  it('makes a token for a program, shows it once, and revokes it after a question', async () => {
    await signInWithProvider(page, 'Radia Perlman', 'radia@example.com')
    await page.getByRole('button', { name: 'Make a token' }).click()
    const command = (await page.locator('pre').textContent()) ?? ''
    const [, authorization = '', url = ''] = /"Authorization: ([^"]+)" (\S+)/.exec(command) ?? []
    const read = async () => fetch(url, { headers: { authorization }, redirect: 'manual' })
    expect(await (await read()).json()).to.include({ email: 'radia@example.com' })
    expect((await fetch(`${demo.url}/account`, { headers: { authorization }, redirect: 'manual' })).status).to.equal(
      403,
    )

    await page.getByRole('link', { name: 'Back to your account' }).click()
    expect(await page.content()).not.to.include(authorization.replace('Bearer ', ''))
    expect(await rows('Where you are signed in').count()).to.equal(1)
    expect((await read()).status).to.equal(200)
    await openAndSend('Tokens for programs', 'Revoke')
    expect(await done()).to.equal('The token was revoked.')
    expect((await read()).status).to.equal(401)
  })

  it('gives no token to a form of another page', async () => {
    await signInWithProvider(page, 'Radia Perlman', 'radia@example.com')
    const answer = await context.request.post(`${demo.url}/token`, { form: { csrfToken: 'guessed' }, maxRedirects: 0 })
    expect([answer.status(), answer.headers()['location']]).to.deep.equal([303, '/account'])
    await page.reload()
    expect(await part('Tokens for programs').count()).to.equal(0)
  })

  it('shows pages in the language that the visitor chooses, also inside of its own', async () => {
    await signInWithProvider()
    await page.getByRole('button', { name: 'العربية' }).click()
    const account = page.locator('.latchkey section').first()
    expect(await account.getAttribute('lang')).to.equal('ar')
    expect(await account.evaluate((element) => getComputedStyle(element).direction)).to.equal('rtl')
    await page.goto(`${demo.url}/auth/signout`)
    expect(await page.locator('html').getAttribute('dir')).to.equal('rtl')
  })

  it('shows on its first screen what there is to try, signed out and in, on a laptop and a phone', async () => {
    const seen = async (names: readonly string[]) => {
      const { height } = page.viewportSize() ?? { height: 0 }
      for (const name of names) {
        const box = await page.getByText(name, { exact: true }).first().boundingBox()
        expect(box && box.y + box.height, name).to.be.within(1, height)
      }
    }
    const TRY = [
      'A guarded page',
      'Two-step verification',
      'Several addresses',
      'Your ways to sign in',
      'Sessions and activity',
      'Tokens for programs',
      'Eleven languages',
      'Data and deletion',
    ]
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(demo.url)
    await seen(['Four ways to sign in', 'Sign in', ...TRY])
    expect(await page.locator('html').evaluate((element) => element.scrollHeight)).to.be.at.most(800)
    await page.setViewportSize({ width: 390, height: 844 })
    await seen(['Sign in', 'Harbour ID', 'A mailed link', 'A passkey', 'A password'])
    await signInWithProvider()
    await page.goto(demo.url)
    await page.setViewportSize({ width: 1280, height: 800 })
    await seen(['Open your account', ...TRY])
    const anchors = await page
      .locator('.tiles a')
      .evaluateAll((links) => links.map((link) => new URL((link as HTMLAnchorElement).href).hash))
    await page.goto(`${demo.url}/account`)
    for (const anchor of anchors) if (anchor) expect(await page.locator(anchor).count(), anchor).to.equal(1)
  })

  it('keeps people signed in when it is started again', async () => {
    await signInWithProvider()
    await page.waitForURL(`${demo.url}/account`)
    const port = Number(new URL(demo.url).port)
    await demo.close()
    demo = await start(port)

    await page.goto(`${demo.url}/account`)

    expect(page.url()).to.equal(`${demo.url}/account`)
    expect(await text()).to.include('grace@example.com')
  })

  it('creates an account with a password that is chosen by mail, and changes it', async () => {
    await page.goto(`${demo.url}/auth/signin?callbackUrl=/account`)
    await page.getByRole('link', { name: 'Create an account' }).click()
    await page.getByRole('textbox', { name: 'E-mail' }).fill('lin@example.com')
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.getByRole('link').filter({ hasText: 'password' }).first().click()
    await page.frameLocator('iframe').getByRole('link').first().click()
    await page.getByRole('textbox', { name: 'New password' }).fill('copper lantern under seven bridges')
    await page.getByRole('button', { name: 'Save' }).click()
    expect(page.url()).to.equal(`${demo.url}/account`)
    await part('Password').getByRole('link', { name: 'Change' }).click()
    await page.getByRole('textbox', { name: 'Current password' }).fill('copper lantern under seven bridges')
    await page.getByRole('textbox', { name: 'New password' }).fill('nine quiet windows facing the harbour')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'Continue' }).click()
    expect(page.url()).to.equal(`${demo.url}/account`)
    expect(await text()).to.include('lin@example.com')
  })

  it('takes the forms of two tabs that were opened before either had a cookie', async () => {
    const other = await context.newPage()
    const tabs = [page, other]
    await Promise.all(tabs.map((tab) => tab.goto(`${demo.url}/auth/signin?callbackUrl=/`)))

    for (const tab of tabs) {
      await enterPassword('difference engine', tab)
      expect(await tab.getByRole('alert').textContent()).to.include('do not match an account')
    }
  })

  it('gives a fresh form to a tab that was left open while another signed in', async () => {
    const other = await context.newPage()
    await other.goto(`${demo.url}/auth/signin?callbackUrl=/`)
    await signInWithProvider()

    await enterPassword(PASSWORD, other)
    expect(await other.getByRole('alert').textContent()).to.include('try once more')

    await enterPassword(PASSWORD, other)
    expect(await text(other)).to.include('ada@example.com')
  })

  it('stays signed in when the visitor goes back to the provider and continues once more', async () => {
    await signInWithProvider()
    await page.waitForURL(`${demo.url}/account`)

    await page.goBack()
    const again = page.getByRole('button', { name: 'Continue' })
    if (await again.isVisible()) await again.click()

    expect(await text()).to.include('This sign-in has ended')
    await page.getByRole('link', { name: 'Back to Paper Boats' }).click()
    expect(await text()).to.include('grace@example.com')
  })

  it('tells what happened when the provider is used a second time for one sign-in', async () => {
    await page.goto(`${demo.url}/auth/signin?callbackUrl=/account`)
    const [request] = await Promise.all([
      page.waitForRequest((sent) => new URL(sent.url()).pathname === '/auth/callback/harbour'),
      toProvider().then(() => continueAs('Grace Hopper', 'grace@example.com')),
    ])

    await page.goto(request.url())

    expect(pathOf()).to.equal('/auth/signin')
    expect(await page.getByRole('alert').textContent()).to.include('start again')
    await page.goto(`${demo.url}/account`)
    expect(await text(), 'the session of the first time').to.include('grace@example.com')
  })

  it('tells what happened when the cookies of the sign-in are lost, and starts again', async () => {
    await page.goto(`${demo.url}/account`)
    await toProvider()
    await context.clearCookies({ name: /^authjs\.(state|nonce|pkce)/ })
    await continueAs('Grace Hopper', 'grace@example.com')

    expect(pathOf()).to.equal('/auth/signin')
    expect(await page.getByRole('alert').textContent()).to.include('You can start again right here')

    await toProvider()
    await continueAs('Grace Hopper', 'grace@example.com')
    expect(page.url()).to.equal(`${demo.url}/account`)
  })

  it('leads back to the sign-in page when the visitor cancels at the provider', async () => {
    await page.goto(`${demo.url}/account`)
    await toProvider()
    await page.getByRole('button', { name: 'Cancel' }).click()

    expect(pathOf()).to.equal('/auth/signin')
    expect(await page.getByRole('alert').textContent()).to.include('cancelled')
  })

  it('fits into a phone and a laptop, and has no fault that axe-core finds, light and dark, on any page', async function () {
    this.timeout(300_000)
    await context.close()
    context = await newContext(FOR_AXE)
    page = await context.newPage()
    const look = (name: string) => expectSound(page, name)

    const phone = await newContext({
      userAgent: 'Mozilla/5.0 (Android 15; Mobile; rv:141.0) Gecko/141.0 Firefox/141.0',
    })
    await signInWithProvider(await phone.newPage())
    await phone.close()

    await page.goto(demo.url)
    await look('home')
    await page.goto(`${demo.url}/nothing`)
    await look('not-found')
    await page.goto(`${demo.url}/mailbox`)
    await look('mailbox')
    await page.goto(`${demo.url}/account`)
    await look('sign-in')
    await toProvider()
    await look('provider')
    await continueAs('Grace Hopper', 'grace@example.com')
    await look('account')
    await part('Name').locator('summary').click()
    await part('Name').getByRole('button').click()
    await page.evaluate('for (const each of document.querySelectorAll("details")) { each.name = ""; each.open = true }')
    await look('account-open')
    await page.getByRole('button', { name: 'Make a token' }).click()
    await look('token')
    await page.goto(`${demo.url}/auth/link/harbour?callbackUrl=/account`)
    await look('link')
    await page.goto(`${demo.url}/auth/link/harbour?callbackUrl=/account&error=OAuthAccountNotLinked`)
    await look('link-refused')
    await page.goto(demo.url)
    await look('home-signed-in')
    await page.goto(`${demo.url}/auth/signout?callbackUrl=/`)
    await look('sign-out')
    await page.goto(`${demo.issuer}/interaction/unknown`)
    await look('provider-over')
    await context.clearCookies()
    await askForLink('rosalind.with-a-rather-long-name@laboratory.example.com')
    await page.frameLocator('iframe').getByRole('heading').waitFor()
    await look('mail')
    const link = await linkInText()
    await page.goto(`${demo.url}/mailbox`)
    await look('mailbox-with-mail')
    await context.clearCookies()
    await page.goto(link)
    await look('confirm')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await look('account-by-mail')
  })

  describe('with passkeys', () => {
    let authenticator: VirtualAuthenticator

    beforeEach(() => openWithPasskeys())

    /** A browser of somebody with a device that keeps passkeys. */
    async function openWithPasskeys(options: Parameters<typeof newContext>[0] = {}) {
      await context.close()
      context = await newContext({ javaScriptEnabled: true, ...options })
      page = await context.newPage()
      await withoutSuggestions(page)
      authenticator = await VirtualAuthenticator.plugInto(page)
    }

    const passkeyForm = () => page.getByRole('form', { name: 'Sign in' })
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const passkeys = () => part('Passkeys')
    const names = () => passkeys().locator('.what bdi').allTextContents()

    async function signUp(email: string) {
      await page.goto(`${demo.url}/account`)
      await passkeyForm()
        .getByLabel(/e-mail/i)
        .fill(email)
      await page.getByRole('button', { name: 'Create a passkey' }).click()
      await page.waitForURL(`${demo.url}/account`)
    }

    async function signOut() {
      await page.getByRole('navigation').getByRole('link', { name: 'Sign out' }).click()
      await press('Sign out')
      await page.waitForURL(`${demo.url}/`)
    }

    const opener = (what: string, name: string, of = page) =>
      of.locator('summary', { has: of.getByText(`${what}: ${name}`, { exact: true }) })

    /** Opens a form or a question about a passkey, whose button has the focus then. */
    async function ask(what: string, name: string) {
      await opener(what, name).first().press('Enter')
      await page.keyboard.press('Tab')
    }

    async function rename(from: string, to: string) {
      await ask('Rename', from)
      await page.keyboard.press('ControlOrMeta+a')
      await page.keyboard.type(to)
      await page.keyboard.press('Enter')
      await page.getByText('The passkey was renamed.').waitFor()
    }

    async function remove(name: string) {
      await ask('Remove', name)
      await page.keyboard.press('Enter')
      await page.getByText('The passkey was removed.').waitFor()
    }

    async function plugInAnother() {
      await authenticator.unplug()
      authenticator = await VirtualAuthenticator.plugInto(page)
    }

    async function add() {
      await press('Add a passkey')
      await page.getByText('A passkey was added.').waitFor()
    }

    it('signs up with one, signs in with it, adds a second, renames and removes with the keyboard', async () => {
      await signUp('rosalind@example.com')
      expect(await page.locator('main').textContent()).to.include('rosalind@example.com')
      expect(await passkeys().locator('li').textContent()).to.include('On one device')

      await signOut()
      await press('Sign in with a passkey')
      await page.getByRole('link', { name: 'Open your account' }).click()
      expect(await passkeys().locator('li').textContent()).to.include('Last used')

      await rename('Passkey', 'Laptop')
      await plugInAnother()
      await add()
      await rename('Passkey', '<b>"Phone"</b>')
      expect(await names()).to.deep.equal(['Laptop', '<b>"Phone"</b>'])
      await remove('Laptop')
      expect(await names()).to.deep.equal(['<b>"Phone"</b>'])

      await signOut()
      await press('Sign in with a passkey')
      await page.getByRole('link', { name: 'Open your account' }).waitFor()
      expect(await authenticator.passkeys()).to.have.length(1)
    })

    it('says why no passkey is added', async () => {
      await signUp('marie@example.com')

      await press('Add a passkey')
      await page.getByText('This device has a passkey for you already.').waitFor()

      await plugInAnother()
      await authenticator.setVerified(false)
      await press('Add a passkey')
      await page.getByText('That was cancelled, and no passkey was made.').waitFor()
      await page.reload()
      expect(await names()).to.have.length(1)
    })

    it('offers nothing that needs passkeys where the browser has none', async () => {
      await signUp('barbara@example.com')
      const other = await context.newPage()
      await withoutPasskeys(other)
      await other.goto(`${demo.url}/account`)
      await opener('Remove', 'Passkey', other).first().waitFor()
      expect(await other.getByRole('button', { name: 'Add a passkey' }).count()).to.equal(0)
    })

    it('renames and removes without JavaScript, and offers no button to add', async () => {
      await signUp('emilie@example.com')
      const cookies = await context.cookies()
      await context.close()
      context = await newContext()
      await context.addCookies(cookies)
      page = await context.newPage()
      await page.goto(`${demo.url}/account`)
      expect(await page.getByRole('button', { name: 'Add a passkey' }).count()).to.equal(0)

      await rename('Passkey', 'Old phone')
      await remove('Old phone')
      expect(await names()).to.deep.equal([])
    })

    it('fits into a phone and a laptop, and has no fault that axe-core finds, light and dark, on any page', async () => {
      await openWithPasskeys(FOR_AXE)
      const look = (name: string) => expectSound(page, name)

      await page.goto(`${demo.url}/account`)
      await passkeyForm().waitFor()
      await look('passkey-sign-in')
      await signUp('somebody@example.com')
      await look('passkey-one')
      await plugInAnother()
      await rename('Passkey', 'The key of a person with a rather long name for every-single-thing')
      await add()
      await press('Add a passkey')
      await page.getByText('This device has a passkey for you already.').waitFor()
      await look('passkey-two')
    })
  })
})
