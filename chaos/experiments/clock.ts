import type { Experiment, Lab } from '../experiment.js'
import { type Finding, holds, none, told } from '../finding.js'
import { type Answer, Browser, inWords, pathOf } from '../harness/browser.js'
import { ask, countOf, signInMany, type Visitor } from '../harness/load.js'
import { textOf } from '../harness/page.js'
import { newPerson, type Provider } from '../harness/provider.js'

const HOUR_MS = 3_600_000
/** A text of the page that a visitor sees if a sign-in was not completed in time. */
const OF_TIME = /in time/i

export const experiment: Experiment = {
  title: "the application's clock jumps by an hour while somebody is at the provider",
  limit: 60,
  async run(lab) {
    const provider = await lab.provider()
    return [...(await tryJump(lab, provider, HOUR_MS, 'forward')), ...(await tryJump(lab, provider, -HOUR_MS, 'back'))]
  },
}

async function tryJump(lab: Lab, provider: Provider, jump: number, name: string): Promise<Finding[]> {
  lab.progress(name)
  const app = await lab.app({ issuer: provider.issuer })
  const origins = () => app.origin
  const visitors = await signInMany(5, provider, origins)
  const browser = new Browser(origins)
  const path = await browser.goTo(provider, newPerson())
  if (typeof path !== 'string') throw new Error(`The sign-in could not begin: ${inWords(path)}.`)
  await app.setClock(jump)
  const answer = await browser.get(path)
  const page = await browser.get(pathOf(answer))
  const before = app.output
  const notServed = await countNotServed(visitors)
  // A person who begins again is signed in, because the clock of the application is right again.
  await app.setClock(0)
  const signedOut = await countNotServed(visitors)
  const again = await browser.signIn(provider, newPerson())
  await app.kill()
  return [
    told(`${name}: the answer`, `${inWords(answer)}; "${textOf(page)}"`),
    holds(
      `${name}: the page names what happened`,
      OF_TIME.test(textOf(page)),
      OF_TIME.exec(textOf(page))?.[0] ?? 'no word of it',
      'that it was not in time',
    ),
    holds(
      `${name}: the page leads to the sign-in page`,
      leadsToSignIn(page),
      leadsToSignIn(page) ? 'a link or a form' : 'nothing',
      'a link or a form',
    ),
    holds(
      `${name}: the log names the clock`,
      /clock/i.test(before),
      /clock/i.test(before) ? 'it does' : 'it does not',
      'it does',
    ),
    told(`${name}: signed-in people who are not served while the clock is wrong`, `${notServed} of ${visitors.length}`),
    none(`${name}: signed-in people who are not served when it is right again`, signedOut, visitors.length),
    holds(`${name}: beginning anew, with the clock right again`, again === null, inWords(again), 'signed in'),
  ]
}

async function countNotServed(visitors: readonly Visitor[]): Promise<number> {
  const samples = await Promise.all(visitors.map(ask))
  return samples.length - countOf(samples, 'right')
}

const leadsToSignIn = ({ text }: Answer): boolean => /(href|action)="[^"]*\/signin/.test(text)
