import { type MailServer, startMailServer } from '../../test/support/smtp.js'
import type { Experiment, Lab } from '../experiment.js'
import { type Finding, holds, none, told } from '../finding.js'
import type { App } from '../harness/app.js'
import { type Answer, Browser, errorOf, inWords, tally } from '../harness/browser.js'
import { ask, signInMany, type Visitor } from '../harness/load.js'
import { newPerson, type Provider } from '../harness/provider.js'
import { pause, until } from '../harness/wait.js'

const OLD = 'the old secret, which is long enough too'
const NEW = 'the new secret, which is long enough too'
/** The lists of secrets that one process after the other gets. */
const STEPS = { three: [[OLD, NEW], [NEW, OLD], [NEW]], one: [[NEW, OLD]] } as const
/** How many requests must be answered, at least. */
const REQUESTS = 3000
const VISITORS = 16
/** Number of answers while the processes have different lists. Each visitor gets about ten of them. */
const MIXED = 200
/** Number of answers between two steps. Every visitor then has a session with the newer secret. */
const SETTLED = 200

export const experiment: Experiment = {
  title: 'the secret is rotated over two processes, one restarted after the other, while people use the application',
  limit: 150,
  async run(lab) {
    const provider = await lab.provider()
    const mail = await startMailServer()
    lab.afterwards(mail.close)
    const three = await rotate(lab, provider, mail, STEPS.three)
    const one = await rotate(lab, provider, mail, STEPS.one)
    return [
      holds('in three steps: requests', three.answers >= REQUESTS, String(three.answers), `at least ${REQUESTS}`),
      none('in three steps: wrong answers', three.wrong.length, three.answers),
      ...(three.wrong.length > 0 ? [told('in three steps: the wrong ones', tally(three.wrong))] : []),
      none('in three steps: people who are signed out at the end', three.lost, VISITORS),
      ...oneStep(one),
    ]
  },
}

/** One step is not the documented way. It gives wrong answers while the processes have different lists, and no longer. */
const oneStep = ({ answers, wrong, lost }: Outcome): Finding[] => [
  told('in one step: wrong answers', `${wrong.length} of ${answers}: ${tally(wrong)}`),
  none('in one step: people who are signed out at the end', lost, VISITORS),
]

interface Outcome {
  readonly answers: number
  /** What was wrong, in words. */
  readonly wrong: readonly string[]
  /** Number of visitors who are signed out at the last processes. */
  readonly lost: number
}

async function rotate(lab: Lab, provider: Provider, mail: MailServer, steps: readonly (readonly string[])[]) {
  const server = await lab.server('PostgreSQL')
  const url = server.url(await server.createDatabase())
  await lab.migrate(url)
  const common = { issuer: provider.issuer, mail: mail.url, updateAge: 0, store: { kind: 'sql', url } } as const
  const apps = [await lab.app({ ...common, secrets: [OLD] }), await lab.app({ ...common, secrets: [OLD] })]
  /** The processes that get requests. */
  const serving = new Set(apps)
  // At random. With turns, a visitor with two requests at each visit would always send the same request to the same process.
  const origins = () => [...serving][Math.floor(Math.random() * serving.size)]?.origin ?? ''
  const visitors = await signInMany(VISITORS, provider, origins)
  const users = new Users(provider, mail, origins)
  const asking = [...visitors.map((visitor) => users.comeAndGo(visitor)), users.newcomers(), users.newcomers()]
  await users.makeMore(SETTLED)
  for (const [index, secrets] of steps.entries()) {
    lab.progress(`step ${index + 1} of ${steps.length}, ${users.answers} requests so far`)
    for (const position of apps.keys()) {
      apps[position] = await replace(lab, serving, apps[position] as App, secrets)
      await users.makeMore(MIXED)
    }
    await users.makeMore(SETTLED)
  }
  if (steps.length > 1) await users.makeMore(REQUESTS - users.answers)
  users.isOver = true
  await Promise.all(asking)
  const last = await Promise.all(visitors.map(ask))
  for (const app of apps) await app.kill()
  return {
    answers: users.answers,
    wrong: users.wrong,
    lost: last.filter(({ verdict }) => verdict !== 'right').length,
  } satisfies Outcome
}

/** Replaces a process as a deployment does: it gets no new requests, answers the open ones, and another process follows. */
async function replace(lab: Lab, serving: Set<App>, app: App, secrets: readonly string[]): Promise<App> {
  serving.delete(app)
  await pause(300)
  await app.stop()
  const next = await lab.appAgain(app, { secrets })
  serving.add(next)
  return next
}

/** People who use the application, and what went wrong. Each request goes to a process at random. */
class Users {
  answers = 0
  readonly wrong: string[] = []
  isOver = false

  constructor(
    private readonly provider: Provider,
    private readonly mail: MailServer,
    private readonly origins: () => string,
  ) {}

  /** Waits until they got this number of further answers. */
  async makeMore(count: number): Promise<void> {
    const wanted = this.answers + count
    await until(() => this.answers >= wanted, 20_000)
  }

  /** A signed-in visitor who looks at pages. A visitor who was signed out does not sign in again; each visit counts this. */
  async comeAndGo(visitor: Visitor): Promise<void> {
    while (!this.isOver) {
      const { answer, verdict } = await ask(visitor)
      this.#note(verdict === 'right', answer, 'guarded route')
      const session = await visitor.browser.get('/auth/session')
      this.#note(session.status === 200 && session.text.includes(visitor.person.email), session, 'session')
      await pause(60)
    }
  }

  /** New people who sign in with a provider and sign out, or sign in with a mailed link. */
  async newcomers(): Promise<void> {
    for (let count = 0; !this.isOver; count += 1) {
      const browser = new Browser(this.origins)
      if (count % 3 === 0) await this.#byLink(browser)
      else await this.#atProvider(browser)
      await pause(30)
    }
  }

  async #atProvider(browser: Browser): Promise<void> {
    const refusal = await browser.signIn(this.provider, newPerson())
    this.answers += 2
    this.#note(refusal === null, refusal, 'sign-in at the provider')
    const out = await browser.post('/auth/signout')
    this.#note(out.status === 302 && errorOf(out) === null && !browser.isSignedIn, out, 'sign-out')
  }

  async #byLink(browser: Browser): Promise<void> {
    const { email } = newPerson()
    const asked = await browser.post('/auth/signin/nodemailer', { email })
    this.answers += 1
    this.#note(asked.status === 302 && errorOf(asked) === null, asked, 'asking for a link')
    const link = await this.#linkFor(email)
    if (link === null) return
    const answer = await browser.get(link)
    this.#note(answer.status === 302 && errorOf(answer) === null && browser.isSignedIn, answer, 'mailed link')
  }

  /** The path of the link that was mailed to an address. Null if no mail came. */
  async #linkFor(address: string): Promise<string | null> {
    const find = () => this.mail.delivered.find(({ to }) => to.includes(address))
    await until(() => find() !== undefined, 3000, 10)
    const found = /http:\/\/chaos\.example(\/auth\/callback\S+)/.exec(find()?.mail.text ?? '')
    return found?.[1] ?? null
  }

  #note(isRight: boolean, answer: Answer | null, what: string): void {
    this.answers += 1
    if (!isRight) this.wrong.push(`${what} ${inWords(answer)}`)
  }
}
