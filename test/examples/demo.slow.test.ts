import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Demo, startDemo } from '../../examples/demo/demo.js'
import { launchChromium, requireChromium } from '../support/chromium.js'
import { expectSound, FOR_AXE } from '../support/sound-pages.js'

const PASSWORD = 'analytical engine'

describe('the demo, in a browser without JavaScript', function () {
  this.timeout(120_000)

  let demo: Demo
  let directory: string
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let requested: string[]
  let complaints: string[]
  let logged: string[] = []

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
      logger: { error: (error) => logged.push(error.name), warn: () => {} },
    })

  beforeEach(async () => {
    requested = []
    complaints = []
    logged = []
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

  /** Answers the question before something is removed. */
  const answer = (button: string) => page.getByRole('alertdialog').getByRole('button', { name: button }).click()

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
    await of.goto(`${demo.url}/private`)
    await toProvider(of)
    await continueAs(name, email, of)
  }

  /** Asks for a link, and opens the mail with it. */
  async function askForLink(email: string) {
    await page.goto(`${demo.url}/private`)
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
    await page.goto(`${demo.url}/private`)
    expect(pathOf()).to.equal('/auth/signin')

    await toProvider()
    expect(page.url()).to.match(new RegExp(`^${demo.issuer}/interaction/`))
    await continueAs('Grace Hopper', 'Grace@Example.com')

    expect(page.url()).to.equal(`${demo.url}/private`)
    expect(await text())
      .to.include('Grace Hopper')
      .and.to.include('grace@example.com')
  })

  it('changes the name, and keeps it', async () => {
    await signInWithProvider(page, 'Grace Brewster', 'brewster@example.com')

    await page.getByLabel('Name').fill('Amazing Grace')
    await page.getByRole('button', { name: 'Change the name' }).click()
    expect(await text())
      .to.include('Your name was saved')
      .and.to.include('Amazing Grace')

    await page.goto(demo.url)
    expect(await text()).to.include('Welcome, Amazing')
  })

  it('shows a name with markup as text', async () => {
    await signInWithProvider(page, 'Robert', 'tables@example.com')

    await page.getByLabel('Name').fill('<img src=x onerror=alert(1)>"\'&')
    await page.getByRole('button', { name: 'Change the name' }).click()

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
    await page.goto(`${demo.url}/private`)
    expect(pathOf()).to.equal('/auth/signin')
  })

  it('signs in with a password, after telling that another was wrong', async () => {
    await page.goto(`${demo.url}/private`)

    await enterPassword('difference engine')
    expect(pathOf()).to.equal('/auth/signin')
    expect(await page.getByRole('alert').textContent()).to.include('do not match an account')

    await enterPassword(PASSWORD)
    expect(page.url()).to.equal(`${demo.url}/private`)
    expect(await text()).to.include('Ada Lovelace')
  })

  it('ends both of two tabs where they wanted to go, but asks where another person comes back', async () => {
    const other = await context.newPage()
    await page.goto(`${demo.url}/private`)
    await other.goto(`${demo.url}/auth/signin?callbackUrl=/`)
    await toProvider()
    await toProvider(other)

    await continueAs('Grace Hopper', 'grace@example.com')
    expect(page.url()).to.equal(`${demo.url}/private`)
    expect(await text()).to.include('grace@example.com')

    const third = await newContext()
    const early = await third.newPage()
    const late = await third.newPage()
    for (const tab of [early, late]) {
      await tab.goto(`${demo.url}/private`)
      await toProvider(tab)
    }
    await continueAs('Grace Hopper', 'grace@example.com', other)
    expect(other.url()).to.equal(`${demo.url}/`)

    await continueAs('Hedy Lamarr', 'hedy@example.com', early)
    await continueAs('Amalie Noether', 'amalie@example.com', late)
    expect(new URL(late.url()).searchParams.get('error')).to.equal('SessionChanged')
    expect(await text(late)).to.include('has signed in or out in this browser meanwhile')
    await late.goto(`${demo.url}/private`)
    expect(await text(late)).to.include('hedy@example.com')
    await third.close()
  })

  const accountRows = () => page.locator('#accounts li')

  it('connects a second account to the person who is signed in, says so by mail, and disconnects it', async () => {
    await askForLink('emmy@example.com')
    await followInMail()
    await page.waitForURL(`${demo.url}/private`)
    expect(await accountRows().count()).to.equal(0)

    await page.getByRole('link', { name: 'Connect Harbour ID' }).click()
    expect(pathOf()).to.equal('/auth/link/harbour')
    expect(await text()).to.include('emmy@example.com')
    await page.getByRole('button', { name: 'Connect Harbour ID' }).click()
    await continueAs('Amalie Noether', 'amalie@example.com')

    expect(page.url()).to.equal(`${demo.url}/private`)
    expect(await text()).to.include('emmy@example.com')
    expect(await accountRows().allTextContents()).to.have.length(1)

    const elsewhere = await newContext()
    try {
      const other = await elsewhere.newPage()
      await signInWithProvider(other, 'Amalie Noether', 'amalie@example.com')
      expect(await text(other)).to.include('emmy@example.com')
    } finally {
      await elsewhere.close()
    }

    await page.reload()
    await page.getByRole('button', { name: 'Disconnect Harbour ID' }).click()
    expect(await accountRows().count(), 'it only asks').to.equal(1)
    await answer('Disconnect it')
    expect(await page.locator('.note[role=status]').textContent()).to.include('disconnected')
    expect(await accountRows().count()).to.equal(0)
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
    await provider.goto(`${demo.url}/auth/link/harbour?callbackUrl=/private`)
    // Otto has an account there already, with which he has signed in.
    await provider.getByRole('button', { name: 'Continue to Harbour ID' }).click()
    await continueAs('Lise Meitner', 'lise@example.com', provider)
    expect(pathOf(provider)).to.equal('/auth/link/harbour')
    expect(await provider.getByRole('alert').textContent()).to.include('belongs to another user')
    await provider.getByRole('link', { name: 'Not now' }).click()
    expect(pathOf(provider)).to.equal('/private')
  })

  it('signs in at once with a mailed link that is followed in the browser that asked for it', async () => {
    await askForLink('Hedy@Example.com')
    expect(await text()).to.include('To hedy@example.com')

    await followInMail()

    await page.waitForURL(`${demo.url}/private`)
    expect(await text())
      .to.include('hedy@example.com')
      .and.to.include('confirmed')
      .and.not.to.include('not confirmed')
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
      expect(other.url()).to.equal(`${demo.url}/private`)
      expect(await text(other)).to.include('katherine@example.com')
    } finally {
      await elsewhere.close()
    }
    await page.goto(`${demo.url}/private`)
    expect(pathOf(), 'who asked').to.equal('/auth/signin')
  })

  it('says so when a mailed link is used a second time', async () => {
    await askForLink('mary@example.com')
    const link = await linkInText()
    await page.goto(link)
    expect(page.url()).to.equal(`${demo.url}/private`)

    await page.goto(link)

    expect(await text()).to.include('This link no longer works')
    await page.goto(`${demo.url}/private`)
    expect(await text(), 'the session of the first time').to.include('mary@example.com')
  })

  it('knows a person by a mailed link, and disconnects a provider that checks no addresses', async () => {
    await signInWithProvider(page, 'Sophie Germain', 'sophie@example.com')
    await context.clearCookies()

    await askForLink('sophie@example.com')
    await followInMail()

    await page.waitForURL(`${demo.url}/private`)
    expect(await text()).to.include('Sophie Germain')
    expect(await accountRows().count()).to.equal(0)
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
    const rows = () => page.locator('#sessions li')
    const texts = async () => {
      await rows().first().waitFor()
      return rows().allTextContents()
    }

    it('names each browser, marks this one, and signs out another', async () => {
      const phone = await signInElsewhere(IPHONE, 'Mary Jackson', 'mary.jackson@example.com')
      await signInWithProvider(page, 'Mary Jackson', 'mary.jackson@example.com')
      const [own, other, ...further] = await texts()
      expect(further).to.deep.equal([])
      expect(own).to.include('this browser')
      expect(other).to.include('Safari').and.to.include('iOS').and.to.include('127.0.0.0/24')

      await rows().nth(1).getByRole('button', { name: 'Sign out Safari' }).click()
      await answer('Sign it out')
      expect(await page.locator('.note[role=status]').textContent()).to.include('signed out')
      expect(await texts()).to.have.length(1)
      expect(await text()).to.include('You are signed in nowhere else.')
      await phone.reload()
      expect(pathOf(phone)).to.equal('/auth/signin')
    })

    it('signs out everywhere else, and nobody else', async () => {
      const phone = await signInElsewhere(IPHONE, 'Katherine Johnson', 'katherine.johnson@example.com')
      const laptop = await signInElsewhere(FIREFOX, 'Katherine Johnson', 'katherine.johnson@example.com')
      const stranger = await signInElsewhere(FIREFOX, 'Dorothy Vaughan', 'dorothy.vaughan@example.com')
      await signInWithProvider(page, 'Katherine Johnson', 'katherine.johnson@example.com')
      expect((await texts()).join())
        .to.include('Firefox 141')
        .and.to.include('Windows')

      await page.getByRole('button', { name: 'Sign out everywhere else' }).click()
      await answer('Sign out there')
      expect(await page.locator('.note[role=status]').textContent()).to.include('everywhere else')
      expect(await texts()).to.have.length(1)
      for (const tab of [phone, laptop, stranger]) await tab.reload()
      expect([phone, laptop, stranger].map(pathOf)).to.deep.equal(['/auth/signin', '/auth/signin', '/private'])
    })

    it('says so when the session has ended meanwhile', async () => {
      const phone = await signInElsewhere(IPHONE, 'Annie Easley', 'annie.easley@example.com')
      await signInWithProvider(page, 'Annie Easley', 'annie.easley@example.com')
      await phone.goto(`${demo.url}/auth/signout?callbackUrl=/`)
      await phone.getByRole('button', { name: 'Sign out' }).click()
      await rows().nth(1).getByRole('button', { name: 'Sign out' }).click()
      await answer('Sign it out')
      expect(await page.locator('.note[role=alert]').textContent()).to.include('ended already')
    })
  })

  it('makes a token for a program, shows it once, and revokes it after a question', async () => {
    await signInWithProvider(page, 'Radia Perlman', 'radia@example.com')
    await page.getByLabel('Program').fill('Nightly backup')
    await page.getByRole('button', { name: 'Make a token' }).click()
    const command = (await page.locator('.note code').textContent()) ?? ''
    const [, authorization = '', url = ''] = /"Authorization: ([^"]+)" (\S+)/.exec(command) ?? []
    const read = async () => fetch(url, { headers: { authorization } })
    expect(await (await read()).json()).to.include({ email: 'radia@example.com' })
    expect((await fetch(`${demo.url}/private`, { headers: { authorization }, redirect: 'manual' })).status).to.equal(
      403,
    )

    await page.goto(`${demo.url}/private`)
    expect(await page.content())
      .to.include('Nightly backup')
      .and.not.include(authorization.replace('Bearer ', ''))
    expect(await text()).to.include('You are signed in nowhere else.')
    await page.getByRole('button', { name: 'Revoke the token Nightly backup' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
    expect((await read()).status, 'after Cancel').to.equal(200)
    await page.getByRole('button', { name: 'Revoke the token Nightly backup' }).click()
    await answer('Revoke it')
    expect(await page.locator('.note[role=status]').textContent()).to.include('was revoked')
    expect((await read()).status).to.equal(401)
  })

  it('shows the pages in the language that the visitor chooses', async () => {
    await page.goto(demo.url)
    await page.getByLabel('Language of the sign-in page').selectOption({ label: 'العربية' })
    await page.getByRole('button', { name: 'Show' }).click()
    expect(pathOf()).to.equal('/auth/signin')
    expect(await page.locator('html').getAttribute('dir')).to.equal('rtl')
    await page.goto(demo.url)
    expect(await page.locator('select').inputValue()).to.equal('ar')
    await page.context().request.post(`${demo.url}/language`, { form: { language: 'xx; path=/' }, maxRedirects: 0 })
    await page.reload()
    expect(await page.locator('select').inputValue()).to.equal('ar')
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
      'Connected accounts',
      'Your passkeys',
      'Your sessions',
      'Tokens for programs',
      'Eleven languages',
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
    await seen(['Open the private page', ...TRY])
    await page.goto(`${demo.url}/private`)
    await seen(['You', 'Where you are signed in', 'Connected accounts', 'Your passkeys'])
  })

  it('keeps people signed in when it is started again', async () => {
    await signInWithProvider()
    await page.waitForURL(`${demo.url}/private`)
    const port = Number(new URL(demo.url).port)
    await demo.close()
    demo = await start(port)

    await page.goto(`${demo.url}/private`)

    expect(page.url()).to.equal(`${demo.url}/private`)
    expect(await text()).to.include('grace@example.com')
  })

  it('creates an account with a password that is chosen by mail, and changes it', async () => {
    await page.goto(`${demo.url}/auth/signin?callbackUrl=/private`)
    await page.getByRole('link', { name: 'Create an account' }).click()
    await page.getByRole('textbox', { name: 'E-mail' }).fill('lin@example.com')
    await page.getByRole('button', { name: 'Send the link' }).click()
    await page.getByRole('link').filter({ hasText: 'password' }).first().click()
    await page.frameLocator('iframe').getByRole('link').first().click()
    await page.getByRole('textbox', { name: 'New password' }).fill('copper lantern under seven bridges')
    await page.getByRole('button', { name: 'Save' }).click()
    expect(page.url()).to.equal(`${demo.url}/private`)
    await page.getByRole('link', { name: 'Choose or change it' }).click()
    await page.getByRole('textbox', { name: 'Current password' }).fill('copper lantern under seven bridges')
    await page.getByRole('textbox', { name: 'New password' }).fill('nine quiet windows facing the harbour')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'Continue' }).click()
    expect(page.url()).to.equal(`${demo.url}/private`)
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
    await page.waitForURL(`${demo.url}/private`)

    await page.goBack()
    const again = page.getByRole('button', { name: 'Continue' })
    if (await again.isVisible()) await again.click()

    expect(await text()).to.include('This sign-in has ended')
    await page.getByRole('link', { name: 'Back to Paper Boats' }).click()
    expect(await text()).to.include('grace@example.com')
  })

  it('tells what happened when the provider is used a second time for one sign-in', async () => {
    await page.goto(`${demo.url}/auth/signin?callbackUrl=/private`)
    const [request] = await Promise.all([
      page.waitForRequest((sent) => new URL(sent.url()).pathname === '/auth/callback/harbour'),
      toProvider().then(() => continueAs('Grace Hopper', 'grace@example.com')),
    ])

    await page.goto(request.url())

    expect(pathOf()).to.equal('/auth/signin')
    expect(await page.getByRole('alert').textContent()).to.include('start again')
    await page.goto(`${demo.url}/private`)
    expect(await text(), 'the session of the first time').to.include('grace@example.com')
  })

  it('tells what happened when the cookies of the sign-in are lost, and starts again', async () => {
    await page.goto(`${demo.url}/private`)
    await toProvider()
    await context.clearCookies({ name: /^authjs\.(state|nonce|pkce)/ })
    await continueAs('Grace Hopper', 'grace@example.com')

    expect(pathOf()).to.equal('/auth/signin')
    expect(await page.getByRole('alert').textContent()).to.include('You can start again right here')

    await toProvider()
    await continueAs('Grace Hopper', 'grace@example.com')
    expect(page.url()).to.equal(`${demo.url}/private`)
  })

  it('leads back to the sign-in page when the visitor cancels at the provider', async () => {
    await page.goto(`${demo.url}/private`)
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
    await page.goto(`${demo.url}/private`)
    await look('sign-in')
    await toProvider()
    await look('provider')
    await continueAs('Grace Hopper', 'grace@example.com')
    await look('private')
    await page.getByRole('button', { name: 'Change the name' }).click()
    await look('saved')
    await page.getByRole('button', { name: 'Make a token' }).click()
    await look('token')
    await page.getByRole('button', { name: 'Revoke the token' }).first().click()
    await look('question')
    await page.goto(`${demo.url}/private`)
    await page.getByRole('link', { name: 'Connect Harbour ID' }).click()
    await look('link')
    await page.goto(`${demo.url}/auth/link/harbour?callbackUrl=/private&error=OAuthAccountNotLinked`)
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
    await look('private-by-mail')
  })
})
