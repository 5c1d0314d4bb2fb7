import type { Experiment, Lab } from '../experiment.js'
import { all, type Finding, told, within } from '../finding.js'
import { type Answer, Browser, inWords, tally } from '../harness/browser.js'
import { newPerson, type Provider } from '../harness/provider.js'
import { eachOf } from '../harness/wait.js'

const HOUR_MS = 3_600_000
const PEOPLE = 20

export const providerDown: Experiment = {
  title:
    "an hour and a half after the last look-up, a provider's discovery and keys do not answer; its other endpoints do",
  limit: 120,
  async run(lab) {
    const provider = await lab.provider()
    return [...(await tryFault(lab, provider, 'fail', '503')), ...(await tryFault(lab, provider, 'hang', 'no answer'))]
  },
}

async function tryFault(
  lab: Lab,
  provider: Provider,
  documents: Provider['documents'],
  name: string,
): Promise<Finding[]> {
  lab.progress(name)
  provider.documents = 'well'
  provider.clockOffset = 0
  const app = await lab.app({ issuer: provider.issuer })
  const signIn = async () => {
    const start = performance.now()
    const refusal: Answer | null = await new Browser(() => app.origin, 30_000).signIn(provider, newPerson())
    return { refusal, took: performance.now() - start }
  }
  const { refusal } = await signIn()
  if (refusal) throw new Error(`The sign-in before gave ${inWords(refusal)}.`)
  await app.setClock(1.5 * HOUR_MS)
  provider.clockOffset = 1.5 * HOUR_MS
  provider.documents = documents
  // People begin one after the other, as in reality. Those who come later must not wait again.
  const results = await eachOf(Array.from({ length: PEOPLE }), 5, signIn)
  await app.kill()
  const fine = results.filter((result) => result.refusal === null).length
  return [
    all(`documents give ${name}: sign-ins that work`, fine, PEOPLE),
    told(`documents give ${name}: what people got`, tally(results.map((result) => inWords(result.refusal)))),
    within(`documents give ${name}: longest sign-in`, Math.max(...results.map(({ took }) => took)), 3000),
  ]
}
